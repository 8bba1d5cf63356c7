"""Rules about ids: exactly the numbers that the publisher's own program gives."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from random import Random

from minbpe_course.learning.judge.conformance import samples
from minbpe_course.learning.judge.conformance.candidate import Recipe
from minbpe_course.learning.judge.conformance.recipes import beginning_of, oracle, published, toy
from minbpe_course.learning.judge.conformance.rule import FROM_RANKS, Exam, Rule, broken, for_each, rule, short
from minbpe_course.learning.judge.equality import shown

PUBLISHED = ("gpt2", "cl100k_base", "o200k_base")


def same_ids(exam: Exam, recipe: Recipe, texts: Iterable[str], about: str = "") -> None:
    """Compare the ids of texts with the oracle's."""

    def check(text: str) -> None:
        ids, right = exam.encode(recipe, text), oracle(recipe).encode_ordinary(text)
        if ids != right:
            tokens = oracle(recipe).decode_tokens_bytes(right)
            given = f"encode({short(text)}){about or f' with {recipe.key}'}"
            broken(given, short(ids), f"{short(right)}, which are {shown(tokens)}")

    for_each(texts, check)


@rule(
    "bytes-by-rank",
    "The 256 bytes have the ids that the ranks give them",
    "GPT-2 put the bytes in its own order: byte 33 isn't id 33.",
    FROM_RANKS,
)
def bytes_by_rank(exam: Exam, dice: Random) -> None:
    texts = ["!", "a", " ", "\n", "\u00e9", "\u4e16", "\U0001f600", *samples.letters(dice, 10)]
    for name in PUBLISHED[:2]:
        same_ids(exam, beginning_of(name, 256), texts, f" with the 256 bytes of {name}")


@rule(
    "earliest-merge-first",
    "Of all possible merges, the one that was learned first comes first",
    "Taking the longest token, the first pair or the most common pair looks right on most words.",
    FROM_RANKS,
)
def earliest_merge_first(exam: Exam, dice: Random) -> None:
    for number in range(12):
        letters = "ab" if number % 2 else "abc"
        recipe = toy(letters, dice)
        ranks = {token: rank for token, rank in recipe.arguments[0].items() if rank > 255}
        words = ["".join(dice.choices(letters, k=2 + size)) for size in range(10)]
        same_ids(exam, recipe, words, f" with the tokens {sorted(ranks, key=lambda token: ranks[token])}")


@rule(
    "leftmost-first",
    "Of equal pairs, the leftmost is merged first",
    "In aaa there are two pairs and room for one merge; the original takes the left one.",
    FROM_RANKS,
)
def leftmost_first(exam: Exam, dice: Random) -> None:
    same_ids(exam, toy("a", dice), ["a" * size for size in range(1, 30)], " with a token for 2, 4, 8 ... letters a")


@rule(
    "pattern-is-obeyed",
    "The text is cut by the pattern that was given, and no merge crosses a cut",
    "Patterns differ in contractions, digits and spaces. With the wrong one, most ids still agree.",
    FROM_RANKS,
)
def pattern_is_obeyed(exam: Exam, dice: Random) -> None:
    texts = [
        *samples.mixed(dice, 40), "a  b", "I'll", "WE'LL", "1234", "a\n\n b", " 12", "ab12", "!?\n", "don't",
        "caf\u00e9s",
    ]  # fmt: skip
    for pattern_of in PUBLISHED:
        same_ids(exam, beginning_of("cl100k_base", 2_000, pattern_of), texts)


@rule(
    "joining",
    "Where two texts join, ids may change, so encode must look at the whole text",
    "The ids of two lines, joined, are not the ids of the two lines.",
    FROM_RANKS,
)
def joining(exam: Exam, dice: Random) -> None:
    recipe = beginning_of("cl100k_base", 2_000)
    right = oracle(recipe)
    pool = [*samples.BLANKS[:8], *samples.WORDS]
    traps: list[str] = []
    while len(traps) < 60:
        left, after = (dice.choice(pool) for _ in range(2))
        if right.encode_ordinary(left) + right.encode_ordinary(after) != right.encode_ordinary(left + after):
            traps.append(left + after)
    same_ids(exam, recipe, sorted(traps, key=len))


@rule(
    "ranks-in-any-order",
    "Only the numbers in the ranks matter, not the order of the dict",
    "Files are sorted by rank. A dict in a program may not be.",
    FROM_RANKS,
)
def ranks_in_any_order(exam: Exam, dice: Random) -> None:
    texts = list(samples.prose(dice, 3, 60))
    ranks, pattern, special = beginning_of("gpt2", 2_000).arguments
    for order, items in (
        ("by id", sorted(ranks.items(), key=lambda item: item[1])),
        ("from the last to the first", sorted(ranks.items(), key=lambda item: -item[1])),
        ("by their letters", sorted(ranks.items())),
    ):
        same_ids(exam, Recipe(f"gpt2, 2,000 tokens {order}", "from_ranks", (dict(items), pattern, special)), texts)


def texts_for(dice: Random) -> Iterator[str]:
    """Yield the texts on which a published vocabulary is tried."""
    yield from samples.mixed(dice, 60)
    yield from samples.prose(dice, 30)
    yield from samples.letters(dice, 10)
    # Ids change where two texts join: encoders that treat lines or words separately fail on these.
    yield from ("\n\n\n", " \n \n", "a \nb", "a\n\n b", "  a", "\t\tx", "if x:\n        y", "'\n'")


def _ids_of(name: str, exam: Exam, dice: Random) -> None:
    same_ids(exam, published(name), texts_for(dice), f" with {name}")


ids_of_gpt2, ids_of_cl100k_base, ids_of_o200k_base = (
    Rule(
        f"ids-of-{name}",
        f"Rebuilt from its ranks, {name} has tiktoken's ids on every text",
        "A model that was trained on these ids understands no others, and nothing raises when one differs.",
        functools.partial(_ids_of, name),
        FROM_RANKS,
    )
    for name in PUBLISHED
)
