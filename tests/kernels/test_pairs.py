"""``kernels.pairs`` does what ``reference.pairs`` says, table order and overlapping runs included.

Cases named ``small`` run a second time without compiling, where a write outside an array is an error
instead of a silent overwrite: see test_other_modes.py.
"""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from minbpe_course.kernels.training import pairs as kernel
from minbpe_course.reference import pairs as reference
from tests.shared.long_run import examples

# Few different ids, so that pairs repeat, meet and overlap.
id_lists = st.lists(st.integers(0, 3), max_size=60)


def empty_table(entries: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    size = 1 << max(1, (2 * entries).bit_length())
    return np.full(size, kernel.FREE, dtype=np.int64), np.zeros(size, dtype=np.int64), np.empty(size, dtype=np.int64)


def counted(runs: list[tuple[list[int], int]]) -> list[tuple[tuple[int, int], int]]:
    """Count the pairs of several lists of ids, each with its weight, in the order of the table."""
    keys, counts, order = empty_table(sum(len(ids) for ids, _ in runs) + max((len(ids) for ids, _ in runs), default=0))
    used = 0
    for ids, weight in runs:
        used = kernel.count_pairs(np.array(ids, dtype=np.int32), weight, keys, counts, order, used)
        assert used >= 0
    slots = order[:used].tolist()
    return [((int(keys[slot]) >> 32, int(keys[slot]) & 0xFFFFFFFF), int(counts[slot])) for slot in slots]


def merged(ids: list[int], pair: tuple[int, int], new_id: int, in_place: bool = False) -> list[int]:
    given_ids = np.array(ids, dtype=np.int32)
    out = given_ids if in_place else np.full(len(ids), -9, dtype=np.int32)
    used = kernel.merge_pair(given_ids, pair[0], pair[1], new_id, out)
    return out[:used].tolist()


def test_small_table_that_is_too_short_is_left_alone():
    keys, counts, order = (np.full(4, -1, dtype=np.int64) for _ in range(3))
    assert kernel.count_pairs(np.array([1, 2, 3], dtype=np.int32), 1, keys, counts, order, 0) == -1
    assert (keys == -1).all()


@example(runs=[([2**31 - 2, 2**31 - 3, 2**31 - 2, 2**31 - 3], 1), (list(range(256)), 2)])
@given(runs=st.lists(st.tuples(id_lists, st.integers(1, 5)), max_size=5))
def test_small_counting_agrees_with_the_reference(runs):
    expected: dict[tuple[int, int], int] = {}
    for ids, weight in runs:
        reference.get_stats(ids, expected, weight)
    assert counted(runs) == list(expected.items())


@given(ids=id_lists, pair=st.tuples(st.integers(0, 3), st.integers(0, 3)), in_place=st.booleans())
def test_small_merging_agrees_with_the_reference(ids, pair, in_place):
    assert merged(ids, pair, 4, in_place) == reference.merge(ids, pair, 4)


@settings(max_examples=examples(20))
@given(seed=st.integers(0, 2**32 - 1))
def test_long_lists_fill_a_table(seed):
    ids = np.random.default_rng(seed).integers(0, 300, size=3000).tolist()
    assert counted([(ids, 2)]) == list(reference.get_stats(ids, weight=2).items())
