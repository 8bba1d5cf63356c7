"""In any order of the parts, each is stored once, after enough merges, and few results wait."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.counting.cluster.merge_queue import FAN_IN, MergeQueue, Result
from tests.shared.long_run import examples

LIMIT, MOST = 100, 500


def worked(
    parts: list[int],
    sizes: dict[int, int],
    order: Iterator[int],
    keeps: float,
    *,
    fan_in: int = FAN_IN,
    alone: frozenset[int] = frozenset(),
) -> tuple[list[Result], int, int]:
    """Finish parts in some order; return what was stored, and the most bytes waiting and merged at once.

    keeps : the size of a merged result, relative to its inputs.
    """
    waiting = MergeQueue(parts, limit=LIMIT, most=MOST, fan_in=fan_in, alone=alone)
    told = next(order) % 2
    out = [Result(part, part, sizes[part], [part]) for part in parts]
    stored: list[Result] = []
    most = merged = 0
    while out or len(waiting):
        if out:
            waiting.add(out.pop(next(order) % len(out)))
        waiting.expect(len(out) if told else None)
        for together in waiting.merges():
            assert all(one.last + 1 == other.first for one, other in pairwise(together))
            assert 1 < len(together) <= fan_in
            size = sum(one.size for one in together)
            merged = max(merged, size)
            held = [part for one in together for part in one.held]
            age = 1 + max(one.age for one in together)
            out.append(Result(together[0].first, together[-1].last, int(size * keeps), held, age))
        stored += waiting.stores()
        most = max(most, sum(one.size for one in waiting.waiting()))
        assert out or not len(waiting), "a result waits for nothing"
    return stored, most, merged


@settings(max_examples=examples(200))
@given(st.data())
def test_every_part_is_stored_once(data: st.DataObject) -> None:
    parts = sorted(data.draw(st.sets(st.integers(0, 60), min_size=1)))
    sizes = {part: data.draw(st.integers(0, 150)) for part in parts}
    order = iter(lambda: data.draw(st.integers(0, 1 << 16)), None)
    keeps = data.draw(st.sampled_from([0.3, 0.7, 1.0]))
    alone = data.draw(st.frozensets(st.sampled_from(parts), max_size=3))
    stored, most, merged = worked(parts, sizes, order, keeps, fan_in=data.draw(st.integers(2, 5)), alone=alone)
    assert sorted(part for one in stored for part in one.held) == parts
    assert all(one.held == list(range(one.first, one.last + 1)) for one in stored)
    assert not [one for one in stored if alone & set(one.held[1:])]
    assert most <= MOST
    assert merged < 2 * LIMIT


@pytest.mark.parametrize("straggler", [None, 0, 77, 199])
def test_a_slow_part_does_not_delay_the_others(straggler: int | None) -> None:
    parts = list(range(200))
    waiting = [part for part in parts if part != straggler] + ([] if straggler is None else [straggler])
    # The straggler is last in a list from which always the first is taken.
    order = iter(lambda: 0, None)
    renamed = dict.fromkeys(waiting, 10)
    stored, most, _ = worked(waiting, renamed, order, 0.5, fan_in=4)
    assert sorted(part for one in stored for part in one.held) == parts
    assert most <= MOST
    # Forty results of ten bytes are as much as the limit once they are merged; more than a few are never alone.
    assert len(stored) < 40


def test_lost_results_are_expected_again() -> None:
    waiting = MergeQueue(range(3), limit=LIMIT, most=MOST)
    waiting.add(Result(0, 0, 10, "a"))
    waiting.add(Result(1, 1, 200, "b"))
    assert {one.held for one in waiting.clear()} == {"a", "b"}
    assert len(waiting) == 0
    waiting.add(Result(2, 2, 10, "c"))
    assert not list(waiting.merges())
    assert not list(waiting.stores()), "part 1 will come again, so part 2 waits for it"
    waiting.add(Result(1, 1, 200, "b"))
    assert not list(waiting.merges())
    assert [one.held for one in waiting.stores()] == ["b", "c"]


def test_results_do_not_wait_for_too_few_others() -> None:
    waiting = MergeQueue(range(6), limit=LIMIT, most=MOST, fan_in=4)
    waiting.add(Result(1, 1, 10, "b"))
    waiting.add(Result(2, 2, 10, "c"))
    assert not [*waiting.merges(), *waiting.stores()]
    # Two more make four: enough. One more does not.
    waiting.expect(2)
    assert not [*waiting.merges(), *waiting.stores()]
    waiting.expect(1)
    assert not list(waiting.merges())
    assert [one.held for one in waiting.stores()] == ["b", "c"]
    # After a loss, the number of results to come is unknown.
    waiting.expect(None)
    waiting.add(Result(4, 4, 10, "e"))
    assert not [*waiting.merges(), *waiting.stores()]
