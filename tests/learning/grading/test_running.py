"""RemoteCaller and the worker: the states of calls, their limits, and learners' tests."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace

import pytest

from minbpe_course.errors import GradingProblem
from minbpe_course.learning.grading import running
from minbpe_course.learning.grading.running import Limits, NotReached
from minbpe_course.learning.grading.sandbox import base
from minbpe_course.learning.grading.sandbox.bare import Bare
from minbpe_course.learning.grading.sandbox.base import Started
from minbpe_course.learning.judge.exercise import Case
from minbpe_course.learning.judge.plain_values import to_json
from tests.shared.remote_answers import opened

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]

QUICK = Limits(seconds=1.0, whole=4.0)


def outcome_of(answer: str, *args: object, entry: str = "f", limits: Limits | None = None, **more: tuple):
    with opened(answer, entry=entry, **more, limits=limits) as caller:
        return caller.call(Case("a case", args))


STATES = {
    # label: (answer, state, value or error, part of the message)
    "a value": ("def f(x): return [x, (x, b'a', {1: 2.5}), {x}]", "value", [7, (7, b"a", {1: 2.5}), {7}], ""),
    "blank": ("def f(x): raise NotImplementedError('f is still blank')", "blank", "", "f is still blank"),
    "an exception": ("def f(x): return x[0]", "raised", "TypeError", "not subscriptable"),
    "a mistake in the syntax": ("def f(x) return x", "raised", "SyntaxError", "expected ':'"),
    "another name": ("def g(x): return x", "refused", "", "no cell defines f"),
    "a bare assert": ("%magic\n\ndef g(x):\n  assert x == 8\ndef f(x): g(x)", "raised", "AssertionError", ""),
    "too much memory": ("def f(x): return len(bytearray(1 << 40))", "raised", "MemoryError", ""),
    "too large a value": ("def f(x): return 'x' * 3_000_000", "refused", "", "3,000,"),
    "an end of the process": ("import os\ndef f(x): os._exit(0)", "lost", "", "ended without an answer"),
    "too slow": ("def f(x):\n    while True: pass", "too slow", "", "cut off after 1"),
}


if sys.platform != "linux":
    del STATES["too much memory"]  # macOS promises more than there is, and Windows is held to no limit


@pytest.mark.parametrize("label", STATES)
def test_the_state_of_a_call(label: str) -> None:
    answer, state, wanted, message = STATES[label]
    outcome = outcome_of(answer, 7, limits=QUICK)
    assert outcome.state == state, outcome
    assert (outcome.value if state == "value" else outcome.error) == wanted
    assert message in outcome.message
    assert len(outcome.message) <= 500


def test_an_exception_names_its_classes() -> None:
    outcome = outcome_of("class Own(KeyError): pass\ndef f(): raise Own('x')")
    assert outcome.bases == ("Own", "KeyError", "LookupError", "Exception", "BaseException", "object")


def test_a_script_makes_an_object_and_lists_what_its_methods_return() -> None:
    source = """
class Counter:
    def __init__(self, start): self.at = start
    def add(self, n):
        self.at += n
        return (number for number in [self.at])
"""
    with opened(source, entry="Counter") as caller:
        outcome = caller.call(Case("twice", (5,), script=(("add", (1,)), ("add", (2,)))))
    assert outcome.value == [[6], [8]]


def test_chance_and_the_order_of_sets_are_the_same_each_time() -> None:
    source = "import random\ndef f(): return [random.random(), list({'a', 'b', 'c', 'd', 'e', 'f', 'g'})]"
    assert outcome_of(source).value == outcome_of(source).value


def test_the_cells_run_in_order_and_the_object_that_is_checked_counts() -> None:
    cells = (
        "from minbpe_course.learning import check, hint\nfrom __future__ import annotations",
        "STEP = 1\nimport no_such_package\ndef f(n: Undefined): return n + STEP",
        "%%time\nSTEP = 2\nawait hint('02.f')\ncheck('02.f', f)\ncheck('02.g', len)",
        "def f(n): return 'not this one'",
    )
    with opened(*cells, key="02.f", begins=1) as caller:
        assert caller.call(Case("a case", (5,))).value == 7
        assert caller.notes == [(1, 2, "raised ModuleNotFoundError"), (2, 3, "raised TypeError")]
    with opened(*cells) as caller:
        assert caller.call(Case("a case", (5,))).value == "not this one"


TOO_LONG = "took longer than 1 seconds"
SLOW = {
    "interrupted": ("while True: pass", TOO_LONG),
    "in a loop of asyncio": ("import asyncio\nwhile True: pass", TOO_LONG),
    "awaited": ("import asyncio\nawait asyncio.sleep(30)", TOO_LONG),
    "not to be interrupted": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        TOO_LONG,
    ),
    "ends the process": ("import os\nos._exit(0)", "ended the process that it ran in"),
}


@pytest.mark.parametrize("label", SLOW)
def test_a_cell_that_takes_too_long_or_ends_the_process_costs_itself(label: str) -> None:
    cell, said = SLOW[label]
    limits = replace(QUICK, cell=1.0, cells=10.0)
    with opened("A = 1", "B = 2\n" + cell, "def f(n): return n + A", begins=2, limits=limits) as caller:
        assert caller.call(Case("a case", (5,))).value == 6
        assert caller.notes == [(1, 0, said)]


def test_what_is_not_reached_is_not_judged() -> None:
    slow = "import time\ntime.sleep(0.7)"
    with opened(slow, slow, slow, "f = abs", limits=replace(QUICK, cell=1.0, cells=1.0)) as caller:
        with pytest.raises(NotReached):
            caller.call(Case("a case", (5,)))
        assert caller.slowest[1] > 0.6
    with opened(slow, slow, "f = abs", limits=QUICK) as caller:
        caller.hurry(0.5)
        with pytest.raises(NotReached):
            caller.call(Case("a case", (5,)))
    ends = ("import os\nos._exit(0)",) * 4
    with opened(*ends, "f = abs", limits=QUICK) as caller, pytest.raises(NotReached):
        caller.call(Case("a case", (5,)))


def test_right_answers_take_the_place_of_the_learners_where_these_were_checked() -> None:
    cells = ("def double(n): return n", "SEEN = double(2)", "def f(n): return [double(n), SEEN]")
    right = ((("STEP = 2", "def double(n): return STEP * n"), {"02.twice": "double"}),)
    for at, wanted in ((-1, [7, 2]), (0, [14, 4]), (1, [14, 2])):
        with opened(*cells, right=right, bound={at: ["double"]}) as caller:
            assert caller.call(Case("a case", (7,))).value == wanted


def test_working_and_mine_give_the_learners_part_or_a_right_one() -> None:
    cells = (
        "from minbpe_course.learning import mine, working\nhalf, two = mine('half'), mine('no_such_name')",
        "def double(n): return n\nSEEN = [working('02.double', double)(2), working('02.double')(2), mine('double')(2)]",
        "def half(n): return 'my own'\ndef f(n): return [SEEN, half(n), mine('half')(n), bool(two)]",
    )
    halves = (("import math\ndef half(n): return math.floor(n / 2)",), {"01.half": "half"})
    twice = (("def double(n): return 2 * n",), {"02.double": "double"})
    for right, seen in (((halves,), [2, 2, 2]), ((twice, halves), [4, 4, 2])):
        with opened(*cells, right=right) as caller:
            assert caller.call(Case("a case", (7,))).value == [seen, "my own", "my own", False], right
    with opened(cells[0], "def f(n): return half(n)", right=(halves,)) as caller:
        assert caller.call(Case("a case", (7,))).value == 3


def test_a_crash_costs_its_own_call_only() -> None:
    source = "import os\ndef f(n):\n    if n % 3 == 0: os._exit(1)\n    return n"
    with opened(source, limits=QUICK) as caller:
        seen = [caller.call(Case("n", (n,))).state for n in range(1, 7)]
    assert seen == ["value", "value", "lost", "value", "value", "lost"]


def test_the_time_before_a_process_reads_an_answer_is_not_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = running.used

    def used(pid: int) -> float | None:
        now = measured(pid)
        return None if now is None else now + 100.0

    monkeypatch.setattr(running, "used", used)
    source = "import os\ndef f(n):\n    if n == 2: os._exit(1)\n    return n"
    with opened(source, limits=QUICK) as caller:
        outcomes = [caller.call(Case("n", (n,))) for n in range(4)]
    assert [outcome.state for outcome in outcomes] == ["value", "value", "lost", "value"]
    assert max(outcome.seconds for outcome in outcomes) < 100


def test_a_process_that_always_dies_is_given_up() -> None:
    with opened("import os\ndef f(): os._exit(1)", limits=replace(QUICK, restarts=2)) as caller:
        outcomes = [caller.call(Case("again", ())) for _ in range(6)]
    assert {outcome.state for outcome in outcomes} == {"lost"}
    given_up = [outcome.message == "the process of this answer died too often" for outcome in outcomes]
    assert given_up == [False] * 3 + [True] * 3


def test_the_time_of_the_whole_question_is_bounded() -> None:
    limits = Limits(seconds=0.4, whole=1.0)
    with opened("def f():\n    while True: pass", limits=limits) as caller:
        outcomes = [caller.call(Case("slow", ())) for _ in range(8)]
    assert {outcome.state for outcome in outcomes} == {"too slow"}
    assert "used up" in outcomes[-1].message
    assert sum(outcome.seconds for outcome in outcomes) < 3


def test_processor_time_is_what_is_limited() -> None:
    """What would have been too slow by the clock is not, as long as the processor is not used."""
    with opened("import time\ndef f(n): time.sleep(n); return n", limits=QUICK) as caller:
        outcome = caller.call(Case("sleeps a little", (1.3,)))
        assert outcome.state == "value", outcome
        assert caller.call(Case("sleeps long", (60,))).message.endswith("seconds by the clock")


def test_all_calls_together_may_sleep_as_long_as_they_may_run() -> None:
    limits = Limits(seconds=0.4, whole=0.6, patience=2.0, unmeasured=2.0)
    begun = time.monotonic()
    with opened("import time\ndef f(n): time.sleep(n); return n", limits=limits) as caller:
        outcomes = [caller.call(Case("sleeps", (0.25,))) for _ in range(20)]
    assert 2 <= [outcome.state for outcome in outcomes].count("value") <= 4
    assert "used up" in outcomes[-1].message
    assert time.monotonic() - begun < 4


def test_cells_take_nothing_from_the_time_of_the_calls() -> None:
    cell = "import time\nwhile time.process_time() < 1: pass\ndef f(n): return n"
    with opened(cell, limits=Limits(seconds=0.4, whole=0.5)) as caller:
        assert [caller.call(Case("quick", (n,))).state for n in range(3)] == ["value"] * 3


@pytest.mark.parametrize(
    "waited",
    [lambda pid: time.monotonic(), lambda pid: time.monotonic() if pid == "thread-self" else 0.0],
    ids=["answer", "grader"],
)
def test_waiting_for_a_processor_does_not_count(waited, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine so busy that the answer never runs, the time by the clock is not counted."""
    monkeypatch.setattr(running, "waited", waited)
    limits = Limits(seconds=0.2, whole=0.6)
    with opened("import time\ndef f(n): time.sleep(n); return n", limits=limits) as caller:
        assert [caller.call(Case("waits", (0.7,))).state for _ in range(3)] == ["value"] * 3


def test_where_processor_time_is_unknown_the_clock_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "used", lambda pid: None)
    limits = Limits(seconds=0.2, whole=0.3, unmeasured=5.0)
    with opened("import time\ndef f(n): time.sleep(n); return n", limits=limits) as caller:
        assert caller.call(Case("sleeps", (0.3,))).state == "value"
        assert caller.call(Case("sleeps", (60,))).state == "too slow"
        assert caller.call(Case("sleeps", (60,))).state == "too slow"
        assert "used up" in caller.call(Case("sleeps", (0.3,))).message


def test_all_answers_of_a_script_have_one_limit_of_size() -> None:
    source = "class C:\n    def ask(self): return 'x' * 400"
    with opened(source, entry="C", limits=replace(QUICK, result_bytes=2_000)) as caller:
        assert caller.call(Case("few", (), script=(("ask", ()),) * 3)).state == "value"
        outcome = caller.call(Case("many", (), script=(("ask", ()),) * 30))
    assert (outcome.state, "2,000 bytes" in outcome.message) == ("refused", True)


def test_notes_are_those_of_the_first_process() -> None:
    """A later process may have seen drawn cases, so its notes are dropped."""
    source = "import os\n1 / 0\ndef f(n): os._exit(0)"
    with opened(source) as caller:
        caller.call(Case("ends", (1,)))
        caller._worker.program = replace(caller.program, cells=(source.replace("1 / 0", "raise ValueError('4711')"),))
        caller.call(Case("ends", (1,)))
        assert caller.notes == [(0, 2, "raised ZeroDivisionError")]


def test_a_forged_note_says_no_more_than_a_true_one() -> None:
    notes = ([0, 3, "KeyError"], [0, 3, "a secret"], [0, 4711, "KeyError"], [7, 1, "KeyError"], ["x", 1, "KeyError"])
    line = to_json({"ready": True, "notes": [7, *map(tuple, notes)]}) + "\\n"
    source = (
        f"import os\nfor number in range(3, 20):\n    try: os.write(number, b'{line}')\n"
        "    except OSError: pass\ndef f(n): return n"
    )
    with opened(source) as caller:
        assert caller.call(Case("a case", (5,))).value == 5
        assert caller.notes == [(0, 3, "raised KeyError"), (0, 3, "raised an exception")]


# ----------------------------------------------------------------------------------------------------
# A learner's test


def tried(test: str, implementation: str):
    with opened(test, entry="test_it", subject="it", limits=QUICK) as caller:
        return caller.try_test(implementation)


TESTS = {
    # label: (test, implementation, state, error)
    "accepts": ("def test_it(it): assert it(2) == 4", "def it(n): return 2 * n", "value", ""),
    "rejects": ("def test_it(it): assert it(2) == 4", "def it(n): return n", "raised", "AssertionError"),
    "blank": ("def test_it(it): raise NotImplementedError", "def it(n): return n", "blank", ""),
    "sees an error of it": ("def test_it(it): it(1)", "def it(n): raise LookupError('no')", "raised", "LookupError"),
    "sees that its list was changed": (
        "def test_it(it):\n    ids = [1, 2]\n    it(ids)\n    assert ids == [1, 2], ids",
        "def it(ids): ids.append(3)",
        "raised",
        "AssertionError",
    ),
    "meets a blank": ("def test_it(it): it(1)", "def it(n): raise NotImplementedError", "raised", "RuntimeError"),
}


@pytest.mark.parametrize("label", TESTS)
def test_a_learners_test_meets_an_implementation(label: str) -> None:
    test, implementation, state, error = TESTS[label]
    outcome = tried(test, implementation)
    assert (outcome.state, outcome.error) == (state, error), outcome


REMEMBERS = "seen = []\ndef it(n):\n    seen.append(n)\n    return len(seen)"


def test_implementations_follow_each_other_without_a_trace() -> None:
    with opened("def test_it(it): assert it(1) == 1", entry="test_it", subject="it") as caller:
        assert [caller.try_test(REMEMBERS).state for _ in range(3)] == ["value"] * 3
        assert caller.try_test("import os\ndef it(n): os._exit(1)").state == "raised"
        assert caller.try_test("def it(n): return 1").state == "value"


RUNS = "runs = []\ndef test_it(it):\n    runs.append(0)\n    assert [it(n) for n in {}] == {}"
ASKED_AGAIN = {
    # label: (what the test asks in its nth run, what an implementation that counts has to answer)
    "the same each time": ("[5, 6]", "[1, 2]"),
    "more each time": ("range(len(runs))", "[*range(1, len(runs) + 1)]"),
    "something else at the end": ("[5, 6, len(runs)]", "[1, 2, 3]"),
}


@pytest.mark.parametrize("label", ASKED_AGAIN)
def test_a_test_that_is_run_again_meets_the_implementation_anew(label: str) -> None:
    with opened(RUNS.format(*ASKED_AGAIN[label]), entry="test_it", subject="it") as caller:
        outcomes = [caller.try_test(source) for source in (REMEMBERS, REMEMBERS, "def it(n): return 0", REMEMBERS)]
    assert [outcome.error for outcome in outcomes] == ["", "", "AssertionError", ""], outcomes


def test_a_question_that_cannot_be_sent_does_not_count() -> None:
    test = (
        "runs = []\ndef test_it(it):\n    runs.append(0)\n    try: it(object())\n    except TypeError: pass\n"
        "    assert [it(5), it(6), it(len(runs)), it(7)] == [1, 2, 3, 4]"
    )
    with opened(test, entry="test_it", subject="it") as caller:
        assert [caller.try_test(REMEMBERS).error for _ in range(3)] == [""] * 3


class Silent:
    """A sandbox that has stopped working: its processes end at once."""

    name, guarantees, how_to_climb = "silent", "", ""
    missing, strength = Bare.missing, Bare.strength

    def start(self, limits: Limits, packages: object, complaints: int = subprocess.DEVNULL) -> Started:
        return Started(base.launch([sys.executable, "-c", ""], complaints))


def test_a_sandbox_that_fails_is_not_taken_for_an_answer_that_does() -> None:
    with (
        opened("def f(): return 1", sandbox=Silent()) as caller,
        pytest.raises(GradingProblem, match="stopped working"),
    ):
        caller.call(Case("any", ()))
