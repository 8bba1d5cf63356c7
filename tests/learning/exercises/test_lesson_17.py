"""Compare the answer about the order of pruning with its definition."""

from __future__ import annotations

from minbpe_course.learning.exercises.lesson_17 import (
    pruning_order,
)
from tests.shared.lesson_code import cases_under


def test_every_order_is_possible_and_takes_the_rarest() -> None:
    for case in cases_under(8, "17.pruning_order"):
        merges, counts = case.args
        left, counted = dict(enumerate(merges, 256)), dict(counts)
        for goes in pruning_order.pruning_order(merges, counts):
            can = [token for token in left if not any(token in pair for pair in left.values())]
            assert (counted[goes], -goes) == min((counted[token], -token) for token in can)
            for half in left.pop(goes):
                if half > 255:
                    counted[half] += counted[goes]
        assert not left
