"""Compare the answers of lesson 17 with exhaustive search."""

from __future__ import annotations

import itertools
import random

from minbpe_course.learning.exercises.lesson_17 import (
    choose_merges,
    merge_lists,
    pruning_order,
)
from minbpe_course.learning.judge.exercise import Case
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


def test_the_answer_s_choice_is_near_the_best_of_all() -> None:
    """On vocabularies so small that every choice can be tried."""
    chance = random.Random(7)
    ratios = []
    for _ in range(25):
        words = {bytes(chance.choices(b"abc", k=chance.randint(2, 7))): chance.randint(1, 9) for _ in range(6)}
        learned = merge_lists.random_merges(chance, 8)
        budget = chance.randint(1, 5)
        case = Case("", (words, learned, budget))
        possible = [
            choose_merges.saved(words, learned, keep)
            for size in range(budget + 1)
            for keep in itertools.combinations(range(256, 264), size)
            if choose_merges.complaint(case, list(keep)) is None
        ]
        chosen = choose_merges.choose_merges(words, learned, budget)
        assert choose_merges.complaint(case, chosen) is None
        mine = choose_merges.saved(words, learned, chosen)
        assert mine <= max(possible)
        ratios.append(mine / max(possible) if max(possible) else 1.0)
    assert sum(ratios) / len(ratios) > 0.9
