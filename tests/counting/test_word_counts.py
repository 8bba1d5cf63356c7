"""Word counts made by hand are used only if kernels can work on their arrays."""

from __future__ import annotations

import numpy as np
import pytest

from minbpe_course import train
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.errors import InvalidSource

pytestmark = pytest.mark.medium

TEXT, ENDS, COUNTS = np.frombuffer(b"lowlower", dtype=np.uint8), np.array([3, 8]), np.array([5, 2])


def test_arrays_that_belong_together_are_taken_as_they_are():
    made = WordCounts(TEXT, ENDS, COUNTS, np.array([0, 3]))
    assert dict(made) == {b"low": 5, b"lower": 2}
    assert made.ends is ENDS
    assert train(made, 260) == train({b"low": 5, b"lower": 2}, 260)
    nothing = np.empty(0, dtype=np.int64)
    assert dict(WordCounts(TEXT, nothing, nothing)) == {}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"ends": np.array([3, 9])}, "the last word ends at byte 9, but the text has 8 bytes"),
        ({"ends": np.array([8, 3])}, "ends must ascend"),
        ({"ends": np.array([0, 3])}, "ends must ascend"),
        ({"ends": np.array([3])}, "1 ends need as many counts"),
        ({"ends": np.array([3.0, 8.0])}, "ends must be a NumPy array of int64 in one dimension, got float64"),
        ({"ends": [3, 8]}, "got list"),
        ({"ends": np.array([[3, 8]])}, "in one dimension"),
        ({"counts": np.array([5, 0])}, "counts must be above 0"),
        ({"firsts": np.array([0])}, "2 ends need as many counts and firsts"),
        ({"text": b"lowlower"}, "text must be a NumPy array of uint8 in one dimension, got bytes"),
    ],
)
def test_arrays_that_contradict_each_other_are_refused(changed, told):
    with pytest.raises(InvalidSource, match=told):
        WordCounts(**{"text": TEXT, "ends": ENDS, "counts": COUNTS, **changed})


@pytest.mark.parametrize("counts", [[1 << 62, 1], [(1 << 63) - 1, 1], [1 << 61, 1 << 60], [1, (1 << 63) // 5 + 1]])
def test_more_text_than_63_bits_can_number_is_refused(counts):
    assert 3 * counts[0] + 5 * counts[1] > (1 << 63) - 1
    with pytest.raises(InvalidSource, match="63 bits"):
        WordCounts(TEXT, ENDS, np.array(counts))
    with pytest.raises(InvalidSource):
        train(dict(zip((b"low", b"lower"), counts)), 260)


def test_as_much_text_as_63_bits_can_number_is_taken():
    # (2**63 - 1 - 3) is a multiple of 4.
    counts = WordCounts(np.frombuffer(b"abcdefg", dtype=np.uint8), np.array([3, 7]), np.array([1, (2**63 - 4) // 4]))
    assert train(counts, 257).merges[0] == (100, 101)
