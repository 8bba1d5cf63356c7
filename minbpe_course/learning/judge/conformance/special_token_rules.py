"""Rules about special tokens: when a text that looks like one counts as one."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from minbpe_course.learning.judge.conformance.candidate import Recipe
from minbpe_course.learning.judge.conformance.recipes import beginning_of, oracle
from minbpe_course.learning.judge.conformance.rule import FROM_RANKS, Exam, broken, for_each, rule, short
from minbpe_course.learning.judge.equality import shown

EOT, PAD = "<|endoftext|>", "<|pad|>"
PLAIN = ((EOT, 50_256), (PAD, 50_257))
OVERLAPPING = (
    (EOT, 2_000), (f"{EOT}\n", 2_001), ("<|end", 2_002), ("\U0001f6d1", 2_003), ("a|b", 2_004), (" \n", 2_005),
)  # fmt: skip
BETWEEN = ("a", " ", "\n", "don't", "\u00e9", "|>", "<|", "\u4e16")


def _with(specials: tuple[tuple[str, int], ...]) -> Recipe:
    return beginning_of("gpt2", 1_000, specials=specials)


def jumbles(names: Iterable[str], dice: Random, number: int) -> list[str]:
    """Return texts of special tokens, beginnings of them, and other pieces between them, the shortest first."""
    parts = [*names, *names, *(name[: len(name) // 2 + 1] for name in names), *BETWEEN]
    return ["".join(dice.choices(parts, k=1 + at // 8)) for at in range(number)]


def _same_ids(exam: Exam, recipe: Recipe, asked: Any, texts: Iterable[str]) -> None:
    allowed: Any = set() if asked == "none" else asked

    def check(text: str) -> None:
        ids = exam.encode(recipe, text, asked)
        right = oracle(recipe).encode(text, allowed_special=allowed, disallowed_special=())
        if ids != right:
            broken(f"encode({short(text)}, {shown(asked)})", short(ids), short(right))

    for_each(texts, check)


@rule(
    "specials-asked-for",
    "Only the special tokens that are allowed get their ids",
    "They end texts, open turns and stop the model: a missed one makes it talk on and on.",
    FROM_RANKS,
)
def specials_asked_for(exam: Exam, dice: Random) -> None:
    texts = jumbles([EOT, PAD], dice, 32)
    for asked in ("all", {EOT}, {PAD}, {EOT, PAD}):
        _same_ids(exam, _with(PLAIN), asked, texts)


@rule(
    "specials-not-asked-for",
    "What a user types is ordinary text, however much it looks like a special token",
    "Otherwise anybody can speak as the system.",
    FROM_RANKS,
)
def specials_not_asked_for(exam: Exam, dice: Random) -> None:
    texts = jumbles([EOT, PAD], dice, 32)
    nothing: tuple[Any, ...] = ("none", set())
    for asked in nothing:
        _same_ids(exam, _with(PLAIN), asked, texts)


@rule(
    "specials-refused",
    "Unless told otherwise, encode raises an error if the text contains a special token",
    "Silence either way is a guess. The caller knows whether the text can be trusted.",
    FROM_RANKS,
)
def specials_refused(exam: Exam, dice: Random) -> None:
    recipe = _with(PLAIN)
    for text in (EOT, f"a{PAD}", *jumbles([EOT, PAD], dice, 32)):
        held = [name for name, _ in PLAIN if name in text]
        outcome = exam.candidate.ask(recipe, "encode", text)
        if held and outcome.state == "value":
            broken(f"encode({text!r})", short(outcome.value), f"ValueError: the text holds {held[0]}")
        if not held:
            exam.encode(recipe, text)
        elif outcome.state != "raised":
            exam.encode(recipe, text)
            return


@rule(
    "specials-overlap",
    "If special tokens begin alike, the longest wins; their characters are not treated as a pattern",
    "The bar in a|b means 'or' to a regular expression, and <|end is the beginning of others.",
    FROM_RANKS,
)
def specials_overlap(exam: Exam, dice: Random) -> None:
    names = [name for name, _ in OVERLAPPING]
    texts = [*names, *(left + right for left in names for right in names[:3]), *jumbles(names, dice, 32)]
    _same_ids(exam, _with(OVERLAPPING), "all", texts)


@rule(
    "specials-decoded",
    "The id of a special token is decoded to its name",
    "Transcripts and tests need it, and the original course could not do it for GPT-4.",
    FROM_RANKS,
)
def specials_decoded(exam: Exam, dice: Random) -> None:
    for specials in (PLAIN, OVERLAPPING):
        for name, number in specials:
            for ids, wanted in (([number], name), ([0, number, 1], f'!{name}"')):
                back = exam.decode(_with(specials), ids)
                if back != wanted:
                    broken(f"decode({ids})", shown(back), shown(wanted))
