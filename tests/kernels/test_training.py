"""``kernels.training`` finds, by updating, the merges that ``reference.training`` finds by counting everything again.

Everything is compared: pairs, ids, bytes, counts and when the pairs run out. Cases named ``small`` of this file and of
the other kernels run a second time in a Python that compiles nothing, where a write outside an array is an error.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.corpus.texts import course_text
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.errors import InvalidOption, InvalidSource, InvalidVocabularySize
from minbpe_course.reference import training as reference
from minbpe_course.trainers import byte_pair
from minbpe_course.trainers.byte_pair import TIE_BREAKS, MergeProgress, learn_merges, train
from tests.shared.long_run import examples
from tests.shared.patience import PATIENCE

pytestmark = pytest.mark.medium


SMALL = {
    "nothing": {},
    "words of one byte": {b"a": 3, b"b": 4, b"\0": 1},
    "runs of all lengths": {b"a" * n: 1 for n in range(1, 12)},
    "two runs that meet": {b"aaaabbbb": 1, b"bbbbaaaa": 1},
    "low lower newest": {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6},
    "every pair once": {bytes(range(256)): 1},
    "only ties": {b"zy": 1, b"yx": 1, b"xw": 1, b"\xc3\xa9": 1, b"ab": 1, b" a": 1},
    "a tie that a prefix decides": {b"ab": 2, b"abc": 2, b"bc": 2, b"bcd": 1},
    "new pairs of two new ids": {b"abababab": 3, b"cdcdabab": 2},
    "zero bytes": {b"\0\0\0": 2, b"\0\xff\0": 2},
}

# Few letters and small counts, so that almost every step is a tie.
tied_words = st.dictionaries(
    st.lists(st.sampled_from(b"abz \x00\xe9"), max_size=9).map(bytes), st.integers(1, 4), max_size=9
)


any_words = st.dictionaries(st.binary(max_size=12), st.integers(1, 1000), max_size=40)


def slow_merges(words, vocab_size: int, tie_break: str, min_frequency: int = 1) -> list[tuple]:
    steps = reference.train_steps(words, vocab_size, tie_break=tie_break, min_frequency=min_frequency)
    return [(step.pair, step.new_id, step.token, step.count) for step in steps]


def fast_merges(words, vocab_size: int, tie_break: str, min_frequency: int = 1) -> list[tuple]:
    """The merges as they are reported on the way, after making sure that they are those returned in the end."""
    reported: list[MergeProgress] = []
    counts = WordCounts.from_mapping(words)
    found = learn_merges(counts, vocab_size, tie_break=tie_break, min_frequency=min_frequency, progress=reported.append)
    assert found.dtype == np.int32
    assert found.shape == (len(reported), 2)
    assert [merge.pair for merge in reported] == list(map(tuple, found.tolist()))
    assert [merge.done for merge in reported] == list(range(1, len(found) + 1))
    assert {merge.total for merge in reported} <= {vocab_size - 256}
    quiet = learn_merges(counts, vocab_size, tie_break=tie_break, min_frequency=min_frequency)
    assert np.array_equal(quiet, found)
    return [(merge.pair, merge.new_id, merge.token, merge.count) for merge in reported]


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
@pytest.mark.parametrize("words", SMALL.values(), ids=SMALL.keys())
def test_small_cases_to_the_last_pair(words, tie_break):
    everything = slow_merges(words, 5000, tie_break)
    assert fast_merges(words, 5000, tie_break) == everything
    assert fast_merges(words, 256 + len(everything) // 2, tie_break) == everything[: len(everything) // 2]


def test_small_strides(monkeypatch):
    expected = slow_merges(SMALL["low lower newest"], 300, "smallest-pair")
    for stride in (1, 2, 3, len(expected), len(expected) + 1):
        monkeypatch.setattr(byte_pair, "_STRIDE", stride)
        assert fast_merges(SMALL["low lower newest"], 300, "smallest-pair") == expected


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_small_counts_of_more_than_32_bits(tie_break):
    words = {b"ab": 1 << 40, b"abc": (1 << 40) - 1, b"bcd": 1 << 32, b"cd": (1 << 32) + 1, b"dabc": (1 << 60) + 5}
    assert fast_merges(words, 300, tie_break) == slow_merges(words, 300, tie_break)
    assert fast_merges({b"ab": (1 << 62) - 1}, 300, tie_break) == slow_merges({b"ab": (1 << 62) - 1}, 300, tie_break)


@settings(max_examples=examples(250))
@given(words=tied_words | any_words, tie_break=st.sampled_from(TIE_BREAKS), min_frequency=st.integers(1, 3))
def test_reference_agrees_on_ties_and_on_any_bytes(words, tie_break, min_frequency):
    expected = slow_merges(words, 330, tie_break, min_frequency)
    assert fast_merges(words, 330, tie_break, min_frequency) == expected


def test_a_long_run_of_one_byte_halves_with_every_merge():
    # 2 to the power of 17 equal bytes: the reference would take minutes, but the merges are known in advance.
    found = fast_merges({b"a" * (1 << 17): 1}, 1000, "first-seen")
    assert [pair for pair, *_ in found] == [(97, 97), *((256 + n, 256 + n) for n in range(16))]
    assert [count for *_, count in found] == [(1 << 17) - 1] + [(1 << n) - 1 for n in range(16, 0, -1)]


@settings(max_examples=examples(40))
@given(
    counts=st.lists(st.sampled_from([1, 2, 3, 1 << 20, (1 << 40) - 1, 1 << 40, (1 << 40) + 1]), min_size=1, max_size=8),
    seed=st.integers(0, 2**32 - 1),
)
def test_reference_agrees_on_words_of_all_lengths_and_huge_counts(counts, seed):
    # Words from nothing to beyond what a byte can count, of two letters, so that runs overlap everywhere.
    random = np.random.default_rng(seed)
    sizes = random.choice([0, 1, 2, 3, 14, 15, 16, 17, 250, 255, 256, 270], size=len(counts)).tolist()
    words = {
        bytes(random.choice([0, 97, 97, 97], size=size).astype(np.uint8)): count for size, count in zip(sizes, counts)
    }
    for tie_break in TIE_BREAKS:
        assert fast_merges(words, 290, tie_break) == slow_merges(words, 290, tie_break)


# ----------------------------------------------------------------------------------------------------
# Arrays that are too short at first


def test_small_room_for_pairs_grows_on_the_way(monkeypatch):
    words = WordCounts.from_mapping(SMALL["low lower newest"] | SMALL["new pairs of two new ids"])
    expected = learn_merges(words, 300)
    grown = shorten_slots(monkeypatch, 26)
    assert np.array_equal(learn_merges(words, 300), expected)
    assert grown, "the case is too small to make the arrays grow"


def shorten_slots(monkeypatch: pytest.MonkeyPatch, room: int) -> list[int]:
    """Let every training run begin with ``room`` slots; return the list in which the sizes it grew to will be found."""
    grown: list[int] = []

    class ShortArrays(byte_pair.TrainingArrays):
        def __init__(self, *given):
            super().__init__(*given)
            self.slots = [slots[: 2 * room].copy() for slots in self.slots]
            self.heap = self.heap[: 3 * room].copy()

        def grow_slots(self):
            super().grow_slots()
            grown.append(self.slots[0].size // 2)

    monkeypatch.setattr(byte_pair, "TrainingArrays", ShortArrays)
    return grown


# ----------------------------------------------------------------------------------------------------
# Through the front door


@pytest.mark.parametrize("size", [255, 0, -1, 256.0, "300", True, None, 1 << 31], ids=repr)
def test_vocabulary_sizes_that_make_no_sense(size):
    with pytest.raises(InvalidVocabularySize):
        train("text", size)


def test_too_many_words_are_refused_before_memory_is_allocated():
    size = 1 << 31
    endless = WordCounts(np.broadcast_to(np.uint8(97), (size,)), np.array([size]), np.array([1]))
    with pytest.raises(InvalidSource, match="31 bits"):
        learn_merges(endless, 300)


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_the_model_does_not_depend_on_the_number_of_threads(tie_break, monkeypatch):
    monkeypatch.setattr("minbpe_course.counting.word_counter._TASK", 1)
    text = course_text() * 3 + tied_letters(600_000)
    models = [train(text, 2000, tie_break=tie_break, num_threads=threads, special_tokens=["the"]) for threads in (1, 3)]
    assert models[0] == models[1]


def tied_letters(size: int) -> str:
    """Words about as frequent as each other, so that who was seen first decides often."""
    return "".join(np.random.default_rng(7).choice(list("abcd   \n"), size=size).tolist())


def test_an_unknown_rule_lists_the_known_ones():
    everything = r"first-seen.*greatest-bytes.*smallest-pair.*huggingface"
    with pytest.raises(InvalidOption, match=everything):
        train("text", 300, tie_break="last-seen")
    with pytest.raises(InvalidOption, match=everything):
        next(reference.train_steps({}, 300, tie_break="last-seen"))


# ----------------------------------------------------------------------------------------------------
# The kernels themselves


@pytest.mark.slow
def test_each_kernel_is_compiled_once():
    # A second signature would be a second compilation, seconds long, in the middle of a first training run.
    program = """
from pathlib import Path
from minbpe_course.counting.count_words import count_words
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.kernels.counting import counting
from minbpe_course.kernels.training import training
from minbpe_course.kernels.common import utf8
from minbpe_course.tokenizers.basic import BasicTokenizer
from minbpe_course.trainers.byte_pair import learn_merges, train

learn_merges(WordCounts.from_mapping({b"low": 5}), 258)
learn_merges(count_words("low lower"), 258, tie_break="greatest-bytes", progress=lambda _: None)
train(iter(["low", "lower"]), 258, pattern="gpt2", special_tokens=["<|end|>"])
train("low lower", 258, pattern=r"\\w+|\\W", min_frequency=2)
BasicTokenizer().train("low lower", 258)
for kernel in (training.start_training, training.train_merges, counting.count_words, utf8.write_utf8):
    assert len(kernel.signatures) == 1, kernel.signatures
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", timeout=PATIENCE)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
