"""The incremental trainers make the merges of the one that recounts, step by step, under every tie-break rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.errors import InvalidOption
from minbpe_course.reference.incremental_training import CountedStep, heap_steps, recounting_steps, updating_steps
from minbpe_course.reference.training import TIE_BREAKS, train_steps

pytestmark = pytest.mark.medium

RUNGS: dict[str, Callable[..., Iterator[CountedStep]]] = {
    "recounting": recounting_steps,
    "updating": updating_steps,
    "heap": heap_steps,
}
each_rung = pytest.mark.parametrize("rung", RUNGS.values(), ids=RUNGS)


# Few letters and small counts, so that almost every step is a tie.
tied_words = st.dictionaries(
    st.lists(st.sampled_from(b"abz \x00\xe9"), max_size=9).map(bytes), st.integers(1, 4), max_size=9
)


def merges(steps: Iterator) -> list[tuple]:
    return [(step.pair, step.new_id, step.count, step.token) for step in steps]


@given(words=tied_words, tie_break=st.sampled_from(list(TIE_BREAKS)), min_frequency=st.integers(0, 3))
def test_the_rungs_agree_where_almost_everything_is_a_tie(words, tie_break, min_frequency):
    expected = merges(train_steps(words, 300, tie_break=tie_break, min_frequency=min_frequency))
    for rung in RUNGS.values():
        assert merges(rung(words, 300, tie_break=tie_break, min_frequency=min_frequency)) == expected


@each_rung
def test_an_unknown_rule_names_those_there_are(rung):
    with pytest.raises(InvalidOption, match="first-seen"):
        next(rung({b"ab": 1}, 300, tie_break="last-seen"))


# ----------------------------------------------------------------------------------------------------
# How much is examined


def test_what_a_small_step_costs():
    # low 5, lower 2, newest 6 hold 2 + 4 + 5 = 11 pairs; (w, e) is in two of the words, which are shorter afterwards.
    words = {b"low": 5, b"lower": 2, b"newest": 6}
    (recounted,) = recounting_steps(words, 257, tie_break="smallest-pair")
    (updated,) = updating_steps(words, 257, tie_break="smallest-pair")
    (lazy,) = heap_steps(words, 257, tie_break="smallest-pair")
    assert recounted.pairs_read == 11 + 11
    assert updated.pairs_read == 11 + 11 + (4 + 3) + (5 + 4)
    assert lazy.pairs_read == 11 + (4 + 5) + (4 + 3) + (5 + 4)
    assert (recounted.words_visited, updated.words_visited, lazy.words_visited) == (3, 3 + 3, 3 + 2)
    assert recounted.candidates_read == updated.candidates_read == 8
    assert lazy.candidates_read == 1
