"""The benchmarks race fairly and say what they found: with contestants and a clock that are made up, and no timing."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import curves, lines, measuring, texts, worker
from benchmarks.contestants import WORKS, newer
from benchmarks.contestants.job import flat, flat_with_offsets
from benchmarks.curves import CURVES
from benchmarks.places import Place, run_tasks
from benchmarks.rows import FULL, QUICK, ROWS, TITLES
from benchmarks.speed import Contestant, NotAvailable, Race, WrongAnswer, race

pytestmark = pytest.mark.medium


SAMPLE = (
    "def it's(x):\r\n    return [1234567, 'naïve']   # don't\n\nΣήμερα το πρωί έβρεξε. 今天早上下雨了。 हिन्दी में 🙂🙂🏽 "
    "Wir aßen gestern   viel\tKuchen, THEY'LL see ... 3.14159e-10!!! \u00a0\u2003x\n" * 3
).strip()


class Clock:
    """Time that passes only when a contestant says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self.turns: list[str] = []

    def __call__(self) -> float:
        return self.now

    def contestant(self, name: str, *seconds: float, answer: object = "right", **more) -> Contestant:
        left = list(seconds)

        def run(_: object) -> object:
            self.turns.append(name)
            self.now += left.pop(0) if len(left) > 1 else left[0]
            return answer

        return Contestant(run, **more)


def raced(clock: Clock, contestants: dict[str, Contestant], **more) -> Race:
    makers = {name: (lambda contestant=contestant: contestant) for name, contestant in contestants.items()}
    return race(makers, **{"truth": "other", "ours": ["ours"], "clock": clock, "least_seconds": 0, **more})


def test_everybody_runs_once_a_round_and_the_first_is_another_each_time() -> None:
    clock = Clock()
    raced(clock, {name: clock.contestant(name, 1) for name in ("ours", "other", "third")}, rounds=3)
    checked, timed = clock.turns[:3], clock.turns[3:]
    assert sorted(checked) == ["other", "ours", "third"]
    assert timed == ["ours", "other", "third", "other", "third", "ours", "third", "ours", "other"]


def test_a_ratio_is_the_median_of_the_ratios_of_the_rounds() -> None:
    clock = Clock()
    # The first of each is the run in which answers are compared. The second round was slow for both.
    ours, other = clock.contestant("ours", 9, 1, 10, 1), clock.contestant("other", 9, 4, 50, 2)
    ratio = raced(clock, {"ours": ours, "other": other}, rounds=3).ratio("ours", ["other"])
    assert ratio is not None
    assert (ratio.median, ratio.low, ratio.high) == (4, 2, 5)


def test_short_work_is_repeated_and_what_prepares_it_is_not_timed() -> None:
    clock = Clock()
    prepared = []

    def prepare() -> None:
        clock.now += 100
        prepared.append(1)

    short = clock.contestant("ours", 0.125, prepare=prepare)
    few = clock.contestant("other", 0.125, most_runs=2)
    found = raced(clock, {"ours": short, "other": few}, rounds=1, least_seconds=1)
    assert found.seconds == {"ours": [0.125], "other": [0.125]}
    assert len(prepared) == 1 + 8
    assert clock.turns[2:].count("other") == 2


def test_who_answers_differently_or_fails_is_not_timed() -> None:
    clock = Clock()

    def unhappy() -> Contestant:
        raise NotAvailable("it has no GPT-2")

    def missing() -> Contestant:
        raise ImportError("No module named 'fast'")

    def fails(_: object) -> object:
        raise OverflowError("too long")

    makers = {
        "ours": lambda: clock.contestant("ours", 1, answer=[1, 2, 3]),
        "other": lambda: clock.contestant("other", 1, answer=[1, 2, 3]),
        "wrong": lambda: clock.contestant("wrong", 1, answer=[1, 2, 4]),
        "short": lambda: clock.contestant("short", 1, answer=[1, 2]),
        "fails": lambda: Contestant(fails),
        "unhappy": unhappy,
        "missing": missing,
    }
    found = race(makers, truth="other", ours=["ours"], clock=clock, least_seconds=0, rounds=1)
    assert set(found.seconds) == {"ours", "other"}
    assert found.absent == {
        "wrong": "another answer from place 2 of 3 on",
        "short": "another answer from place 2 of 3 on",
        "fails": "fails: OverflowError: too long",
        "unhappy": "it has no GPT-2",
        "missing": "not installed here (No module named 'fast')",
    }


def test_a_wrong_answer_of_ours_ends_the_race() -> None:
    clock = Clock()
    ours, other = clock.contestant("ours", 1, answer="wrong"), clock.contestant("other", 1)
    with pytest.raises(WrongAnswer, match="ours beside other: another answer from place 0 of 5 on"):
        raced(clock, {"ours": ours, "other": other})


def test_documents_are_equal_only_with_the_same_borders() -> None:
    lists = flat([[1, 2], [], [3]])
    assert lists.tolist() == [1, 2, 3, 2, 0, 1]
    ids = np.array([1, 2, 3], dtype=np.uint32)
    assert np.array_equal(lists, flat_with_offsets((ids, np.array([0, 2, 2, 3])), 3))
    assert np.array_equal(lists, flat_with_offsets((ids, np.array([2, 2, 3])), 3))
    assert not np.array_equal(lists, flat([[1], [2], [3]]))
    viewed = newer.views((ids.tobytes(), np.array([0, 2, 2, 3], dtype=np.uint64).tobytes()))
    assert np.array_equal(lists, flat_with_offsets(viewed, 3))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("texts")
    for name in texts.TEXTS:
        (made / f"{name}.txt").write_text(SAMPLE, encoding="utf-8")
    return made


@pytest.fixture
def _without_collections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is timed here, so no contestant has to be spared the garbage of another."""
    monkeypatch.setattr("benchmarks.speed.gc", SimpleNamespace(collect=int, freeze=int, unfreeze=int))


# The first row of each kind of work, and the others in the long run.
FIRST = {row.work: number for number, row in reversed(list(enumerate(ROWS)))}.values()
FIRST_AND_OTHERS = [
    pytest.param(number, marks=() if number in FIRST else pytest.mark.slow) for number in range(len(ROWS))
]


@pytest.mark.usefixtures("_without_collections")
@pytest.mark.parametrize("number", FIRST_AND_OTHERS, ids=lambda number: f"{number}-{ROWS[number].work}")
def test_every_row_compares_the_answers_of_all_who_are_here(number: int, folder: Path) -> None:
    row = ROWS[number]
    row = replace(row, vocab_size=min(row.vocab_size, 300), sizes=(1_000, 1_000))
    result = worker.run(row, folder, QUICK, rounds=1, least_seconds=0)
    absent = result["absent"]
    assert {name: why for name, why in absent.items() if "another answer" in why or "fails" in why} == {}
    assert row.ours in result["seconds"] or absent[row.ours].startswith("this version of the course has no")
    assert all(len(rounds) == 1 for rounds in result["seconds"].values())


def test_a_row_with_a_wrong_answer_of_ours_is_told(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    broken = dict(WORKS["encode"], **{"ours, array": lambda job: Contestant(lambda _: np.array([1, 2, 3]))})
    monkeypatch.setattr(worker, "WORKS", {"encode": broken})
    row = replace(ROWS[0], sizes=(1_000, 1_000))
    with pytest.raises(WrongAnswer):
        worker.run(row, folder, QUICK, rounds=1)


@pytest.mark.usefixtures("_without_collections")
@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.title)
def test_every_curve_compares_the_answers_at_each_size(curve: curves.Curve, folder: Path) -> None:
    sizes = (300, 301) if curve.along == curves.VOCABULARY else (200, 400)
    small = replace(curve, sizes=(sizes, sizes), vocab_size=min(curve.vocab_size, 300))
    result = curves.run(small, folder, QUICK, rounds=1)
    assert len(result["sizes"]) == 2
    assert all(len(rounds) == 2 for rounds in result["seconds"].values())
    assert curve.who[0] in result["seconds"], result["absent"]


def test_the_rows_make_sense() -> None:
    for row in ROWS:
        makers = WORKS[row.work]
        assert {row.ours, row.truth, *row.peers} <= set(makers), row
        assert {name for bar in row.bars for name in bar.against} <= set(row.peers), row
        assert row.text in texts.TEXTS
        assert row.text in TITLES
        assert row.size(FULL) >= row.size(QUICK)
        assert row.rounds >= 5
        assert all(bar.aim >= bar.minimum for bar in row.bars)
    quick, full = (measuring.Wanted(mode) for mode in (QUICK, FULL))
    assert set(quick.rows()) < set(full.rows())
    assert full.texts()["big"] >= 100_000_000
    assert sorted(task for *_, tasks in measuring.by_place(full) for task in tasks) == sorted(
        [("row", at) for at in full.rows()] + [("curve", at) for at in full.curves()]
    )
    assert {ROWS[at].section for at in measuring.Wanted(FULL, "decode").rows()} == {"Decode a million ids"}
    assert all("kitoken" in ROWS[at].peers for at in measuring.Wanted(FULL, "kitoken").rows())
    assert len(measuring.Wanted(FULL, "kitoken").rows()) == 2


def test_a_process_that_dies_costs_its_task_only(tmp_path: Path) -> None:
    program = tmp_path / "dies.py"
    program.write_text(
        "import json, sys, os\n"
        "asked = json.load(sys.stdin)\n"
        "print('a word from a library')\n"
        "print(json.dumps({'versions': {'fast': '1.0'}}), flush=True)\n"
        "for kind, number in asked['tasks']:\n"
        "    print(json.dumps({'start': [kind, number]}), flush=True)\n"
        "    if number == 1: os._exit(9)\n"
        "    print(json.dumps({'task': [kind, number], 'threads': os.environ['RAYON_NUM_THREADS']}), flush=True)\n",
        encoding="utf-8",
    )
    heard = {}
    place = Place(sys.executable, 3)
    tasks = [("row", 0), ("row", 1), ("curve", 2)]
    versions = run_tasks(place, tasks, {}, lambda task, result: heard.update({task: result}), [str(program)])
    assert versions == {"fast": "1.0"}
    assert heard == {
        ("row", 0): {"threads": "3"},
        ("row", 1): {"lost": "the process ended with 9"},
        ("curve", 2): {"threads": "3"},
    }


def test_bars_and_verdicts() -> None:
    row = next(row for row in ROWS if len(row.bars) == 1 and len(row.bars[0].against) == 2)
    loop, batch = row.bars[0].against
    amount = {"bytes": 1e6, "documents": 10, "ids": 1e6}
    result = {"seconds": {row.ours: [1.0], loop: [100.0], batch: [3.0]}, "absent": {}, "amount": amount}
    by_name = {line.against: line for line in lines.of_row(row, result)}
    assert by_name[loop].verdict == ""
    assert by_name[f"the faster of: {loop}; {batch}"].verdict == lines.BELOW
    nothing = list(lines.of_row(row, {"seconds": {}, "absent": {row.ours: "not yet"}}))
    assert {line.result for line in nothing} == {"not measured: not yet"}
    assert [line.verdict for line in nothing if line.verdict] == [lines.OPEN]
