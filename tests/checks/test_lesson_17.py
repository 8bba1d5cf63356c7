"""The references of lesson 17, compared with exhaustive search."""

from __future__ import annotations

import itertools
import math
import random

from minbpe_course.checks.callers import implementation_of
from minbpe_course.checks.catalogue import find
from minbpe_course.checks.judge import cases_of
from minbpe_course.checks.lesson_17 import (
    byte_loss,
    choose_merges,
    drop_merges,
    merge_lists,
    pruning_order,
    tests_of_prune,
    with_new_rows,
)
from minbpe_course.reference import pruning, tiny_model
from minbpe_course.reference.encoding import encode_word
from tests.shared.lesson_code import cases_under, solved


def test_bits_per_byte_are_those_of_the_model() -> None:
    model = tiny_model.new_model(256, seed=4)
    for text in ("low", "naïve ♞", "中"):
        data = tiny_model.examples([list(text.encode())])
        shares = [2.0**-bits for bits in tiny_model.bits(model, data)]
        assert math.isclose(
            byte_loss.bits_per_byte(shares, text), tiny_model.bits_per_byte(model, data, len(text.encode()))
        )


def test_new_rows_are_those_of_the_model() -> None:
    model = tiny_model.new_model(40, seed=4)
    table = model.embedding.tolist()
    sources = [[3], [4, 4, 5], []]
    wanted = tiny_model.extended(model, like=[*sources[:2], range(40)]).embedding.tolist()
    for mine, other in zip(with_new_rows.with_new_rows(table, sources), wanted, strict=True):
        assert all(map(math.isclose, mine, other))


def test_cases_of_dropping_are_valid_and_of_every_kind() -> None:
    cases = cases_under(8, "17.drop_merges")
    for case in cases:
        merges, dropped = case.args
        assert not pruning.broken_without(merge_lists.ranks_of(merges), dropped)
        assert len(set(dropped)) == len(dropped)
    kinds = {drop_merges.NOTHING, drop_merges.LAST, drop_merges.FIRST, drop_merges.MIXED}
    assert {case.category for case in cases} == kinds


def test_merges_that_stay_spell_the_same() -> None:
    for case in cases_under(8, "17.drop_merges"):
        merges, dropped = case.args
        spelled = [_spelled(some) for some in (merges, drop_merges.drop_merges(merges, dropped))]
        stays = [token for number, token in enumerate(spelled[0], 256) if number not in dropped]
        assert stays == spelled[1]


def _spelled(merges: merge_lists.Merges) -> list[bytes]:
    tokens = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        tokens.append(tokens[left] + tokens[right])
    return tokens[256:]


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


def test_the_right_prunings_agree() -> None:
    vocabulary = solved("17")["VOCABULARY"]
    chosen = [implementation_of(source, "prune") for source in tests_of_prune.RIGHT]
    for size in range(len(vocabulary) + 1):
        for gone in itertools.combinations(range(256, 256 + len(vocabulary)), size):
            answers = [_answer(prune, vocabulary, gone) for prune in chosen]
            assert answers[0] == answers[1] == answers[2]


def _answer(prune, vocabulary, gone):
    given = list(vocabulary)
    try:
        return [tuple(pair) for pair in prune(given, list(gone))], given
    except ValueError:
        return "ValueError", given


def test_the_package_s_choice_is_near_the_best_of_all() -> None:
    """On vocabularies so small that every choice can be tried."""
    chance = random.Random(7)
    ratios = []
    for _ in range(25):
        words = {bytes(chance.choices(b"abc", k=chance.randint(2, 7))): chance.randint(1, 9) for _ in range(6)}
        learned = merge_lists.random_merges(chance, 8)
        budget = chance.randint(1, 5)
        possible = [
            choose_merges.saved(words, learned, keep)
            for size in range(budget + 1)
            for keep in itertools.combinations(range(256, 264), size)
            if choose_merges.kept_problem(learned, budget, list(keep)) is None
        ]
        chosen = choose_merges.rarest_go(words, learned, budget)
        assert choose_merges.kept_problem(learned, budget, chosen) is None
        mine = choose_merges.saved(words, learned, chosen)
        assert mine <= max(possible)
        ratios.append(mine / max(possible) if max(possible) else 1.0)
    assert sum(ratios) / len(ratios) > 0.9


def test_what_is_saved_is_counted_in_tokens() -> None:
    words, merges = {b"abab": 3, b"cc": 1}, [(97, 98), (99, 99), (256, 256)]
    for keep, wanted in (([256, 258], 9), ([256, 257], 7), ([], 0)):
        gone = [token for token in (256, 257, 258) if token not in keep]
        ranks = merge_lists.ranks_of(drop_merges.drop_merges(merges, gone))
        tokens = sum(count * len(encode_word(list(word), ranks)) for word, count in words.items())
        assert choose_merges.saved(words, merges, keep) == wanted == 14 - tokens


def test_invented_languages_reward_a_choice() -> None:
    for secret in "abcdefgh":
        cases = [one.case for one in cases_of(find("17.choose_merges"), secret)]
        languages = [case for case in cases if case.category == choose_merges.LANGUAGE]
        assert [case.args[2] for case in languages] == list(choose_merges.BUDGETS)
        first = [list(range(256, 256 + case.args[2])) for case in cases]
        assert choose_merges.measured(tuple(cases), first)[0] < 70
        ours = [choose_merges.rarest_go(*case.args) for case in cases]
        assert choose_merges.measured(tuple(cases), ours) == (100.0, None)
