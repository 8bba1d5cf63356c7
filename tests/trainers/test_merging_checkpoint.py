"""A training run that is ended goes on behind its last merges, to the same model, and nothing else is ever taken up.

What is written at every single merge is tried out; whoever counts everything again is asked for the steps that follow.
A process is killed in earnest, a few times always and thirty times with

    MINBPE_COURSE_LONG_TESTS=1 python -m pytest tests/test_merging_checkpoint.py
"""

from __future__ import annotations

import json
import logging
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minbpe_course.corpus.texts import course_text
from minbpe_course.counting.count_words import count_words
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.errors import DifferentCheckpoint, FolderInUse, InvalidSource, UnusablePath
from minbpe_course.reference.training import train_steps
from minbpe_course.trainers import byte_pair, merging_checkpoint
from minbpe_course.trainers import training_arrays as merge_row
from minbpe_course.trainers.byte_pair import TIE_BREAKS, learn_merges
from minbpe_course.trainers.merging_checkpoint import NAME, Made, MergingCheckpoint

ROOT = Path(__file__).parents[2]
KILLS = 30 if os.environ.get("MINBPE_COURSE_LONG_TESTS") else 1

HOSTILE = {
    "nothing": {},
    "one byte": {b"a": 3},
    "runs of all lengths": {b"a" * n: n for n in range(1, 12)},
    "a run longer than a short word": {b"a" * 100: 2, b"ab" * 60: 1},
    "words around the length that has a heap": {b"abcab" * 9 + b"x" * n: 1 + n % 2 for n in range(8)},
    "words longer than a byte can count": {b"xy" * 150: 7, b"zyx" * 90: 7},
    "only ties": {b"zy": 1, b"yx": 1, b"xw": 1, b"\xc3\xa9": 1, b"ab": 1, b" a": 1},
    "two ways to the same bytes": {b"abc": 5, b"ab": 9, b"bc": 8, b"xbc": 7, b"abx": 1},
    "counts of more than 32 bits": {b"ab": 1 << 40, b"abc": (1 << 40) - 1, b"dabc": (1 << 60) + 5},
    "zero bytes": {b"\0\0\0": 2, b"\0\xff\0": 2},
}
tied_words = st.dictionaries(
    st.lists(st.sampled_from(b"abz \x00\xe9"), max_size=9).map(bytes), st.integers(1, 4), max_size=9
)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Write at every merge, and return the list in which all that was written will be found."""
    found: list[bytes] = []

    def note(path: Path, data: bytes) -> None:
        found.append(data)
        path.write_bytes(data)

    monkeypatch.setattr(merging_checkpoint, "write_whole", note)
    monkeypatch.setattr(merging_checkpoint, "_SECONDS", 0.0)
    monkeypatch.setattr(merging_checkpoint, "_TIMES", 0.0)
    monkeypatch.setattr(byte_pair, "_STRIDE", 1)
    return found


def slow_pairs(words: dict, vocab_size: int, tie_break: str, after=(), min_frequency: int = 1) -> list[list[int]]:
    steps = train_steps(words, vocab_size, tie_break=tie_break, after=after, min_frequency=min_frequency)
    return [list(step.pair) for step in steps]


def goes_on_from_everywhere(words: dict, tie_break: str, folder: Path, written: list[bytes], tries: int) -> None:
    """Take up each state that a run writes, as another process would, and end where the run ended."""
    counts = WordCounts.from_mapping(words)
    folder.mkdir(exist_ok=True)
    (folder / NAME).unlink(missing_ok=True)
    written.clear()
    whole = learn_merges(counts, 300, tie_break=tie_break, checkpoint=folder)
    assert whole.tolist() == slow_pairs(words, 300, tie_break)
    states = list(written)
    # One before the first merge, one for each, and one that says that there are no more.
    assert not len(whole) or len(states) >= len(whole) + 1
    chosen = states if len(states) <= tries else random.Random(0).sample(states, tries)
    for state in chosen:
        known = json.loads(state.partition(b"\n")[0])["merges"]
        after = [tuple(pair) for pair in whole[:known].tolist()]
        assert whole[known:].tolist() == slow_pairs(words, 300, tie_break, after)
        (folder / NAME).write_bytes(state)
        told: list[byte_pair.MergeProgress] = []
        again = learn_merges(
            WordCounts.from_mapping(words), 300, tie_break=tie_break, checkpoint=folder, progress=told.append
        )
        assert np.array_equal(again, whole)
        assert [step.done for step in told] == list(range(known + 1, len(whole) + 1))
        tokens = [bytes([byte]) for byte in range(256)]
        tokens += [b""] * len(whole)
        for at, (left, right) in enumerate(whole.tolist(), 256):
            tokens[at] = tokens[left] + tokens[right]
        assert [step.token for step in told] == tokens[256 + known :]


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE.keys())
def test_every_state_goes_on_to_the_same_merges(words, tie_break, tmp_path, written):
    goes_on_from_everywhere(words, tie_break, tmp_path, written, tries=8)


def test_small_words_go_on_in_the_middle(tmp_path, written):
    words = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6, b"": 1, b"lo" * 30: 1, b"a" * 300: 2}
    goes_on_from_everywhere(words, "greatest-bytes", tmp_path, written, tries=3)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=tied_words, tie_break=st.sampled_from(TIE_BREAKS))
def test_every_state_of_any_words_does(words, tie_break, tmp_path, written):
    goes_on_from_everywhere(words, tie_break, tmp_path / "kept", written, tries=4)


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32 - 1), letters=st.integers(2, 5))
def test_every_state_of_long_words_does(seed, letters, tmp_path, written):
    chance = np.random.default_rng(seed)
    words = {bytes(chance.integers(97, 97 + letters, size=size, dtype=np.uint8)): 1 for size in (300, 50, 48, 47)}
    for tie_break in TIE_BREAKS:
        goes_on_from_everywhere(words, tie_break, tmp_path / "kept", written, tries=2)


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_words_of_the_course_go_on_with_several_threads_and_growing_room(tie_break, tmp_path, monkeypatch):
    words = count_words(course_text())
    whole = learn_merges(words, 4000, tie_break=tie_break)
    counts = counts_of(words, 4000, tie_break)
    monkeypatch.setattr(merge_row, "_SHARE", 1000)
    monkeypatch.setattr(merge_row, "cores", lambda: 3)
    grown = []

    class Short(merge_row.MergeRow):
        def __init__(self, words, vocab_size, numbers):
            super().__init__(words, vocab_size, numbers)
            self.slots = [slots[: 2 * 300].copy() for slots in self.slots]
            self.heap = self.heap[: 3 * 300].copy()

        def grow_slots(self):
            super().grow_slots()
            grown.append(1)

    monkeypatch.setattr(byte_pair, "_Row", Short)
    for known in (1, 700, len(whole) - 1):
        with MergingCheckpoint(tmp_path, words, tie_break) as kept:
            kept.write(whole[:known], counts[:known], 0)
        assert np.array_equal(learn_merges(words, 4000, tie_break=tie_break, checkpoint=tmp_path), whole)
    assert grown


def counts_of(words: WordCounts, vocab_size: int, tie_break: str) -> np.ndarray:
    told: list[byte_pair.MergeProgress] = []
    learn_merges(words, vocab_size, tie_break=tie_break, progress=told.append)
    return np.array([step.count for step in told])


# ----------------------------------------------------------------------------------------------------
# Another call on the same folder


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_another_size_or_frequency_uses_what_is_there(tie_break, tmp_path, written):
    words = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6, b"lo" * 40: 1}
    counts = WordCounts.from_mapping(words)
    for size, frequency in ((270, 3), (262, 3), (290, 3), (290, 5), (290, 3), (290, 2), (300, 1), (300, 9), (256, 1)):
        written.clear()
        found = learn_merges(counts, size, tie_break=tie_break, min_frequency=frequency, checkpoint=tmp_path)
        assert found.tolist() == slow_pairs(words, size, tie_break, min_frequency=frequency), (size, frequency)
    assert not written, "fewer merges than there were are no reason to write"
    assert len(learn_merges(counts, 300, tie_break=tie_break)) > len(found) == 0


def test_a_finished_run_makes_nothing_again(tmp_path, monkeypatch):
    words = count_words(course_text())
    whole = learn_merges(words, 600, checkpoint=tmp_path)
    monkeypatch.setattr(byte_pair, "_Row", None)
    assert np.array_equal(learn_merges(words, 600, checkpoint=tmp_path), whole)
    exhausted = WordCounts.from_mapping({b"abc": 3})
    with pytest.raises(TypeError):
        learn_merges(exhausted, 600, checkpoint=tmp_path / "two")
    monkeypatch.undo()
    learn_merges(exhausted, 600, checkpoint=tmp_path / "two")
    monkeypatch.setattr(byte_pair, "_Row", None)
    assert learn_merges(exhausted, 9000, checkpoint=tmp_path / "two").tolist() == [[97, 98], [256, 99]]


def test_other_words_or_another_rule_are_an_error_that_says_so(tmp_path):
    words = {b"ab": 3, b"bc": 2}
    learn_merges(WordCounts.from_mapping(words), 300, checkpoint=tmp_path)
    before = (tmp_path / NAME).read_bytes()
    with pytest.raises(DifferentCheckpoint, match="tie_break='first-seen', and now it is 'huggingface'"):
        learn_merges(WordCounts.from_mapping(words), 300, tie_break="huggingface", checkpoint=tmp_path)
    others = [{b"ab": 3, b"bc": 1}, {b"bc": 2, b"ab": 3}, {b"ab": 3, b"bd": 2}, {b"abb": 3, b"c": 2}, {}]
    for other in others:
        with pytest.raises(DifferentCheckpoint, match="other word counts"):
            learn_merges(WordCounts.from_mapping(other), 300, checkpoint=tmp_path)
    assert (tmp_path / NAME).read_bytes() == before


def test_another_version_and_another_file_are_left_alone(tmp_path):
    words = WordCounts.from_mapping({b"ab": 3})
    learn_merges(words, 300, checkpoint=tmp_path)
    header, _, rest = (tmp_path / NAME).read_bytes().partition(b"\n")
    for said, expected in (
        (json.loads(header) | {"version": 2}, "another version"),
        ({"some": "file"}, "no file of merges"),
        ([], "no file of merges"),
    ):
        data = json.dumps(said).encode() + b"\n" + rest
        (tmp_path / NAME).write_bytes(data)
        with pytest.raises(DifferentCheckpoint, match=expected):
            learn_merges(words, 300, checkpoint=tmp_path)
        assert (tmp_path / NAME).read_bytes() == data


# ----------------------------------------------------------------------------------------------------
# Damage


def test_a_damaged_file_is_told_and_never_used(tmp_path, caplog, written):
    words = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
    counts = WordCounts.from_mapping(words)
    whole = learn_merges(counts, 300, checkpoint=tmp_path)
    state = written[len(written) // 2]
    chance = random.Random(1)
    damaged = [b"", b"\0" * 100, state[:-1], state[: len(state) // 2], state + b"x", b"no file of ours"]
    for _ in range(40):
        at = chance.randrange(len(state))
        damaged.append(state[:at] + bytes([state[at] ^ 1 << chance.randrange(8)]) + state[at + 1 :])
    for data in damaged:
        caplog.clear()
        (tmp_path / NAME).write_bytes(data)
        try:
            with caplog.at_level(logging.WARNING, "minbpe_course"):
                assert np.array_equal(learn_merges(counts, 300, checkpoint=tmp_path), whole)
            assert "is damaged" in caplog.text
        except DifferentCheckpoint:
            # A bit of the header that makes it another valid one.
            assert data.partition(b"\n")[0] != state.partition(b"\n")[0]


@pytest.mark.parametrize(
    ("pairs", "counts"),
    [
        ([[97, 98]], [2]),
        ([[97, 99]], [3]),
        ([[300, 98]], [3]),
        ([[-1, 98]], [3]),
        ([[256, 98]], [3]),
        ([[97, 98], [97, 98]], [3, 3]),
    ],
    ids=repr,
)
def test_merges_that_are_none_of_these_words_are_not_used(pairs, counts, tmp_path, caplog):
    # As a machine that computes wrongly would write them: the checksum is right.
    words = WordCounts.from_mapping({b"ab": 3, b"xyz": 1})
    with MergingCheckpoint(tmp_path, words, "first-seen") as kept:
        kept.write(np.array(pairs, dtype=np.int32), np.array(counts), 0)
    with caplog.at_level(logging.WARNING, "minbpe_course"):
        assert np.array_equal(learn_merges(words, 300, checkpoint=tmp_path), learn_merges(words, 300))
    assert "no merges of these words" in caplog.text


def test_a_full_disk_does_not_end_the_training(tmp_path, caplog, monkeypatch):
    words = count_words(course_text())
    monkeypatch.setattr(merging_checkpoint, "_SECONDS", 0.0)
    calls = []

    def full(path: Path, data: bytes) -> None:
        calls.append(path)
        if len(calls) > 1:
            raise UnusablePath(f"cannot write {path}: No space left on device.")
        path.write_bytes(data)

    monkeypatch.setattr(merging_checkpoint, "write_whole", full)
    with caplog.at_level(logging.WARNING, "minbpe_course"):
        assert np.array_equal(learn_merges(words, 2000, checkpoint=tmp_path), learn_merges(words, 2000))
    assert "could not be kept; training goes on" in caplog.text


def test_a_folder_that_cannot_be_is_told_before_the_work(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    monkeypatch.setattr(byte_pair, "_Row", None)
    for folder in (tmp_path / "file", tmp_path / "file" / "in it"):
        with pytest.raises(UnusablePath):
            learn_merges(WordCounts.from_mapping({b"ab": 1}), 300, checkpoint=folder)


def test_what_killed_processes_left_is_taken_away_and_nothing_else(tmp_path):
    for name in (f".{NAME}.abc.part", ".mine.part"):
        (tmp_path / name).write_bytes(b"half")
    learn_merges(WordCounts.from_mapping({b"ab": 1}), 300, checkpoint=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".mine.part", "lock", NAME]


def test_two_at_once_are_refused_and_the_next_is_not(tmp_path):
    words = WordCounts.from_mapping({b"ab": 1})
    with MergingCheckpoint(tmp_path, words, "first-seen"), pytest.raises(FolderInUse, match="another folder"):
        learn_merges(words, 300, checkpoint=tmp_path)
    with pytest.raises(ZeroDivisionError):
        learn_merges(words, 300, checkpoint=tmp_path, progress=lambda _: 1 / 0)
    assert len(learn_merges(words, 300, checkpoint=tmp_path)) == 1


def test_how_many_are_wanted():
    made = Made(np.zeros((4, 2), dtype=np.int32), np.array([9, 5, 5, 2]), exhausted=0)
    assert [made.wanted(9, frequency) for frequency in (10, 9, 6, 5, 2, 1)] == [
        (0, True), (1, True), (1, True), (3, True), (4, False), (4, False),
    ]  # fmt: skip
    assert made.wanted(4, 1) == (4, True)


def test_too_many_bytes_of_words_say_what_to_do():
    size = 1 << 31
    endless = WordCounts(np.broadcast_to(np.uint8(97), (size,)), np.array([size]), np.array([1]))
    with pytest.raises(InvalidSource, match="min_frequency=2"):
        merge_row.MergeRow(endless, 300, np.arange(256))


# ----------------------------------------------------------------------------------------------------
# Killed in earnest

PROGRAM = """
import sys, time
from pathlib import Path
import numpy as np
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.trainers import byte_pair, merging_checkpoint
byte_pair._STRIDE, merging_checkpoint._SECONDS, merging_checkpoint._TIMES = 5, 0.0, 0.0
folder, rule = Path(sys.argv[1]), sys.argv[2]
kept = np.load(folder / "words.npz")
print("begun", flush=True)
merges = byte_pair.learn_merges(
    WordCounts(kept["text"], kept["ends"], kept["counts"]), 4000, tie_break=rule, checkpoint=folder / "merges",
    progress=lambda step: time.sleep(0.0002),
)
np.save(folder / "merges.npy", merges)
"""


@pytest.mark.parametrize("number", range(KILLS))
def test_a_killed_process_goes_on(number, tmp_path):
    words = count_words(course_text())
    rule = TIE_BREAKS[number % len(TIE_BREAKS)]
    whole = learn_merges(words, 4000, tie_break=rule)
    np.savez(tmp_path / "words.npz", text=words.text, ends=words.ends, counts=words.counts)
    chance = random.Random(number)
    command = [sys.executable, "-c", PROGRAM, str(tmp_path), rule]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_NUM_THREADS": "1"}
    killed = 0
    for last in (False, False, True):
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == b"begun"
            if not last:
                time.sleep(chance.uniform(0.0, 0.6))
                process.kill()
            killed += process.wait() != 0
    assert killed == 2, "a process was done before it could be killed"
    assert np.array_equal(np.load(tmp_path / "merges.npy"), whole)
    with MergingCheckpoint(tmp_path / "merges", words, rule) as kept:
        assert np.array_equal(kept.read().pairs, whole)
