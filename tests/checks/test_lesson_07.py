"""Check the exercises of lessons 07 and 08: safe cuts, growth of trainers, order of keys, runs, borders and laws."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.checks.callers import implementation_of
from minbpe_course.checks.exercise import Case, edited
from minbpe_course.checks.lesson_07 import heap_keys, tests_of_growth
from minbpe_course.checks.lesson_08 import find_borders, merge_runs, safe_cuts
from minbpe_course.checks.lesson_08.distinct_at import distinct_at
from minbpe_course.corpus.texts import course_text
from minbpe_course.reference.training import train_steps
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN

pytestmark = pytest.mark.medium

# ----------------------------------------------------------------------------------------------------
# Cuts


def words_of(text: bytes) -> list[bytes]:
    return Splitter(GPT2_SPLIT_PATTERN).words(text.decode("utf-8"))


def test_a_safe_cut_is_safe_in_the_text_that_the_window_came_from():
    """Compare with the package's own splitter on the course text, with all its scripts and odd spaces."""
    text = course_text().encode("utf-8")
    whole = words_of(text)
    random = Random(5)
    safe = 0
    for _ in range(60):
        begin = random.randrange(len(text) - safe_cuts.WIDTH)
        window = text[begin : begin + safe_cuts.WIDTH]
        for cut in random.sample(range(safe_cuts.WIDTH), 20):
            if safe_cuts.is_safe(window, cut):
                assert words_of(text[: begin + cut]) + words_of(text[begin + cut :]) == whole, (window, cut)
                safe += 1
    assert safe > 100


@pytest.mark.parametrize("seed", range(3))
def test_the_middle_of_a_trap_is_not_safe_but_most_traps_have_a_safe_place(seed):
    traps = safe_cuts.traps(Random(seed))
    assert not [trap for trap in traps if safe_cuts.is_safe(trap, len(trap) // 2)]
    assert sum(any(safe_cuts.is_safe(trap, cut) for cut in range(len(trap))) for trap in traps) > len(traps) / 2


def test_a_cut_inside_a_character_or_outside_the_window_is_not_safe():
    window = "né €".encode()[1:]
    for cut in (-1, 0, 1, 4, 5, 6, 7, 100):
        assert not safe_cuts.is_safe(window, cut), cut
    assert safe_cuts.is_safe(window, 2)


# ----------------------------------------------------------------------------------------------------
# Growth

QUADRATIC = [mutant for mutant in tests_of_growth.EXERCISE.mutants if mutant.category == tests_of_growth.QUADRATIC]
RIGHT = [*tests_of_growth.EXERCISE.right, *(mutant.source for mutant in QUADRATIC)]


def made_words(seed: int, size: int, letters: bytes = b"abcdefghij", longest: int = 9) -> dict[bytes, int]:
    random = Random(seed)
    words = {}
    for _ in range(size):
        words[bytes(random.choices(letters, k=random.randint(1, longest)))] = random.randint(1, 9)
    return words


def wanted_merges(words: dict[bytes, int], number: int) -> list[tuple[int, int]]:
    return [step.pair for step in train_steps(words, 256 + number, tie_break="smallest-pair")]


def grown(source: str) -> float:
    train = implementation_of(source, "train")
    return train(made_words(1, 400), 400)[1] / train(made_words(1, 50), 50)[1]


@pytest.mark.parametrize("source", RIGHT, ids=["heap", "eager", *(mutant.name for mutant in QUADRATIC)])
def test_right_and_quadratic_trainers_make_the_merges_of_the_reference(source):
    train = implementation_of(source, "train")
    for seed in range(40):
        words = made_words(seed, 12, b"abcd", 5)
        assert train(dict(words), 8)[0] == wanted_merges(words, 8)
    assert train({}, 3)[0] == []
    assert train({b"aaaa": 2}, 9)[0] == wanted_merges({b"aaaa": 2}, 9)


def test_eight_times_the_words_tell_quadratic_trainers_from_right_ones():
    """Linear growth is 8 times, quadratic 64 times; merges get cheaper on the way, so both are less."""
    assert all(8 < grown(source) < 16 for source in tests_of_growth.EXERCISE.right)
    assert all(28 < grown(mutant.source) < 64 for mutant in QUADRATIC)


# ----------------------------------------------------------------------------------------------------
# Keys

entries = st.lists(st.tuples(st.integers(1, 2**62), st.integers(0, 2**31), st.integers(0, 2**31)), max_size=8)


@given(entries=entries, factor=st.integers(1, 10**9), shift=st.integers(-(10**30), 10**30))
def test_any_keys_that_keep_the_order_are_right(entries, factor, shift):
    keys = [key * factor + shift for key in heap_keys.EXERCISE.wanted(entries)]
    assert heap_keys.EXERCISE.accept(Case("", (entries,)), keys) is None


@given(entries=entries, seed=st.integers(0, 99))
def test_keys_in_another_order_are_wrong(entries, seed):
    keys = heap_keys.EXERCISE.wanted(entries)
    other = Random(seed).sample(keys, len(keys))
    complaint = heap_keys.EXERCISE.accept(Case("", (entries,)), other)
    assert (complaint is None) == (keys == other)


# ----------------------------------------------------------------------------------------------------
# Runs, borders and laws

texts = st.lists(st.sampled_from([b" the", b"the", b"\xff", b" ", b"ab", b"a"]), max_size=30)


@given(parts=st.lists(texts, max_size=5), early=st.integers(0, 5))
def test_merged_runs_equal_the_run_of_the_whole_text_in_any_grouping(parts, early):
    merge, made = merge_runs.EXERCISE.wanted, [merge_runs.run_of(part) for part in parts]
    whole = merge_runs.run_of([word for part in parts for word in part])
    assert merge(made) == whole
    assert merge([merge(made[:early]), merge(made[early:])]) == whole


def test_places_of_a_run_are_those_of_the_joined_words():
    words = [b"to", b" be", b" or", b" to", b" be"]
    length, entries = merge_runs.run_of(words)
    assert (length, [(word, b"".join(words).index(word)) for word, _, _ in entries]) == (
        14,
        [(b" be", 2), (b" or", 5), (b" to", 8), (b"to", 0)],
    )


@given(data=st.lists(st.sampled_from([b"ab", b"a", b"b", b"x"]), max_size=30).map(b"".join), number=st.integers(1, 6),
       size=st.integers(3, 9))  # fmt: skip
def test_reading_in_overlapping_pieces_finds_the_same_borders(data, number, size):
    overlapping = edited(find_borders.search_in_pieces, ("+= size", "+= size - len(token) + 1"))
    found = find_borders.find_borders(data, number, b"ab", size)
    assert overlapping(data, number, b"ab", size) == found
    assert all(data[at : at + 2] == b"ab" for at in found if 0 < at < len(data))


@given(factor=st.floats(0.5, 50), power=st.floats(0.2, 1), sizes=st.sets(st.integers(2, 60), min_size=2, max_size=6))
def test_the_fit_recovers_an_exact_law_and_agrees_with_numpy(factor, power, sizes):
    seen = [(2**size, factor * 2 ** (size * power)) for size in sizes]
    assert distinct_at(seen, 10**12) == pytest.approx(factor * 10 ** (12 * power), rel=1e-6)
    noisy = [(read, words * (1 + 0.3 * (-1) ** number)) for number, (read, words) in enumerate(seen)]
    slope, height = np.polyfit(np.log([read for read, _ in noisy]), np.log([words for _, words in noisy]), 1)
    assert distinct_at(noisy, 10**6) == pytest.approx(float(np.exp(height + slope * np.log(10**6))), rel=1e-6)
