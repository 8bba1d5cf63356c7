"""Rules about ids: the very numbers that the publisher's own program gives."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from random import Random

from minbpe_course.checks.conformance import samples
from minbpe_course.checks.conformance.candidate import Recipe
from minbpe_course.checks.conformance.recipes import beginning_of, only_bytes, oracle, published, toy
from minbpe_course.checks.conformance.rule import LONGEST_SHOWN, Check, Exam, Finding, Rule, first_wrong
from minbpe_course.checks.equality import shown

PUBLISHED = ("gpt2", "cl100k_base", "o200k_base")


def compared(exam: Exam, recipe: Recipe, texts: Iterable[str], about: str = "") -> Finding | None:
    """Return the smallest text whose ids differ from the oracle's."""

    def complaint(text: str) -> Finding | None:
        ids = exam.encode(recipe, text)
        if isinstance(ids, Finding):
            return ids
        right = oracle(recipe).encode_ordinary(text)
        if ids == right:
            return None
        tokens = oracle(recipe).decode_tokens_bytes(right)
        given = f"encode({shown(text, LONGEST_SHOWN)}){about or f' with {recipe.key}'}"
        return Finding(given, shown(ids, LONGEST_SHOWN), f"{shown(right, LONGEST_SHOWN)}, which are {shown(tokens)}")

    return first_wrong(texts, complaint)


def _bytes_by_rank(exam: Exam, dice: Random) -> Finding | None:
    texts = ["!", "a", " ", "\n", "\u00e9", "\u4e16", "\U0001f600", *samples.letters(dice, 10)]
    for name in PUBLISHED[:2]:
        found = compared(exam, only_bytes(name), texts, f" with the 256 bytes of {name}")
        if found:
            return found
    return None


def _earliest_merge_first(exam: Exam, dice: Random) -> Finding | None:
    for number in range(12):
        letters = "ab" if number % 2 else "abc"
        recipe = toy(letters, dice)
        ranks = {token: rank for token, rank in recipe.arguments[0].items() if rank > 255}
        words = ["".join(dice.choices(letters, k=2 + size)) for size in range(10)]
        found = compared(exam, recipe, words, f" with the tokens {sorted(ranks, key=lambda token: ranks[token])}")
        if found:
            return found
    return None


def _leftmost_first(exam: Exam, dice: Random) -> Finding | None:
    recipe = toy("a", dice)
    return compared(exam, recipe, ["a" * size for size in range(1, 30)], " with a token for 2, 4, 8 ... letters a")


def _pattern(exam: Exam, dice: Random) -> Finding | None:
    texts = [
        *samples.mixed(dice, 40),
        "a  b",
        "I'll",
        "WE'LL",
        "1234",
        "a\n\n b",
        " 12",
        "ab12",
        "!?\n",
        "don't",
        "caf\u00e9s",
    ]
    for pattern_of in PUBLISHED:
        found = compared(exam, beginning_of("cl100k_base", 2_000, pattern_of), texts)
        if found:
            return found
    return None


def _ranks_in_any_order(exam: Exam, dice: Random) -> Finding | None:
    texts = list(samples.prose(dice, 3, 60))
    usual = beginning_of("gpt2", 2_000)
    ranks, pattern, special = usual.arguments
    for order, items in (
        ("by id", sorted(ranks.items(), key=lambda item: item[1])),
        ("from the last to the first", sorted(ranks.items(), key=lambda item: -item[1])),
        ("by their letters", sorted(ranks.items())),
    ):
        recipe = Recipe(f"gpt2, 2,000 tokens {order}", "from_ranks", (dict(items), pattern, special))
        found = compared(exam, recipe, texts)
        if found:
            return found
    return None


def _ids_of(name: str, exam: Exam, dice: Random) -> Finding | None:
    return compared(exam, published(name), texts_for(dice), f" with {name}")


def texts_for(dice: Random) -> Iterator[str]:
    """Yield what a published vocabulary is tried on."""
    yield from samples.mixed(dice, 60)
    yield from samples.prose(dice, 30)
    yield from samples.letters(dice, 10)
    # Where two texts join, ids change: whoever encodes lines or words apart and joins the ids is wrong here.
    yield from ("\n\n\n", " \n \n", "a \nb", "a\n\n b", "  a", "\t\tx", "if x:\n        y", "'\n'")


def _joining(exam: Exam, dice: Random) -> Finding | None:
    recipe = beginning_of("cl100k_base", 2_000)
    right = oracle(recipe)
    pool = [*samples.BLANKS[:8], *samples.WORDS]
    traps: list[str] = []
    while len(traps) < 60:
        left, behind = (dice.choice(pool) for _ in range(2))
        if right.encode_ordinary(left) + right.encode_ordinary(behind) != right.encode_ordinary(left + behind):
            traps.append(left + behind)
    return compared(exam, recipe, sorted(traps, key=len))


def _rule_for(name: str) -> Rule:
    check: Check = functools.partial(_ids_of, name)
    return Rule(
        f"ids-of-{name}",
        f"Rebuilt from its ranks, {name} has tiktoken's ids on every text",
        "A model that was trained on these ids understands no others, and nothing raises when one differs.",
        check,
        ("from_ranks",),
    )


RULES = (
    Rule(
        "bytes-by-rank",
        "The 256 bytes have the ids that the ranks give them",
        "GPT-2 put the bytes in an order of its own, and byte 33 is not id 33.",
        _bytes_by_rank,
        ("from_ranks",),
    ),
    Rule(
        "earliest-merge-first",
        "Of all merges that are possible, the one that was learnt first comes first",
        "The longest token, the first in the text and the commonest pair all look right on most words.",
        _earliest_merge_first,
        ("from_ranks",),
    ),
    Rule(
        "leftmost-first",
        "Of equal pairs the leftmost is merged first",
        "In aaa there are two pairs and room for one merge; the original takes the left one.",
        _leftmost_first,
        ("from_ranks",),
    ),
    Rule(
        "pattern-is-obeyed",
        "The text is cut by the pattern that was given, and no merge crosses a cut",
        "Patterns differ in contractions, digits and blanks; with another one most ids still agree.",
        _pattern,
        ("from_ranks",),
    ),
    Rule(
        "joining",
        "Where two texts join, ids may change, and encode sees the whole",
        "The ids of two lines, joined, are not the ids of the two lines.",
        _joining,
        ("from_ranks",),
    ),
    Rule(
        "ranks-in-any-order",
        "The ranks are the numbers, whatever the order of the dict",
        "Files are sorted by rank, dicts of a program need not be.",
        _ranks_in_any_order,
        ("from_ranks",),
    ),
    *map(_rule_for, PUBLISHED),
)
