"""Rules about special tokens: who may speak, and who only looks as if."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from minbpe_course.checks.conformance.candidate import Recipe
from minbpe_course.checks.conformance.recipes import beginning_of, oracle
from minbpe_course.checks.conformance.rule import LONGEST_SHOWN, Exam, Finding, Rule, first_wrong
from minbpe_course.checks.equality import shown

EOT, PAD = "<|endoftext|>", "<|pad|>"
PLAIN = ((EOT, 50_256), (PAD, 50_257))
OVERLAPPING = (
    (EOT, 2_000),
    (f"{EOT}\n", 2_001),
    ("<|end", 2_002),
    ("\U0001f6d1", 2_003),
    ("a|b", 2_004),
    (" \n", 2_005),
)
BETWEEN = ("a", " ", "\n", "don't", "\u00e9", "|>", "<|", "\u4e16")


def _with(specials: tuple[tuple[str, int], ...]) -> Recipe:
    return beginning_of("gpt2", 1_000, specials=specials)


def jumbles(names: Iterable[str], dice: Random, number: int) -> list[str]:
    """Return texts of special tokens, beginnings of them, and what may stand between, the shortest first."""
    parts = [*names, *names, *(name[: len(name) // 2 + 1] for name in names), *BETWEEN]
    return ["".join(dice.choices(parts, k=1 + at // 8)) for at in range(number)]


def _compared(exam: Exam, overlapping: bool, asked: Any, texts: Iterable[str]) -> Finding | None:
    recipe = _with(OVERLAPPING if overlapping else PLAIN)
    allowed: Any = {"all": "all", "none": set()}.get(asked, asked) if isinstance(asked, str) else asked

    def complaint(text: str) -> Finding | None:
        ids = exam.encode(recipe, text, asked)
        if isinstance(ids, Finding):
            return ids
        right = oracle(recipe).encode(text, allowed_special=allowed, disallowed_special=())
        if ids == right:
            return None
        given = f"encode({shown(text, LONGEST_SHOWN)}, {shown(asked)})"
        return Finding(given, shown(ids, LONGEST_SHOWN), shown(right, LONGEST_SHOWN))

    return first_wrong(texts, complaint)


def _asked_for(exam: Exam, dice: Random) -> Finding | None:
    texts = jumbles([EOT, PAD], dice, 32)
    for asked in ("all", {EOT}, {PAD}, {EOT, PAD}):
        found = _compared(exam, False, asked, texts)
        if found:
            return found
    return None


def _not_asked_for(exam: Exam, dice: Random) -> Finding | None:
    texts = jumbles([EOT, PAD], dice, 32)
    return _compared(exam, False, "none", texts) or _compared(exam, False, set(), texts)


def _refused(exam: Exam, dice: Random) -> Finding | None:
    recipe = _with(PLAIN)
    for text in (EOT, f"a{PAD}", *jumbles([EOT, PAD], dice, 32)):
        held = [name for name, _ in PLAIN if name in text]
        outcome = exam.candidate.ask(recipe, "encode", text)
        if held and outcome.state == "value":
            got = shown(outcome.value, LONGEST_SHOWN)
            return Finding(f"encode({text!r})", got, f"ValueError: the text holds {held[0]}")
        if not held:
            found = exam.encode(recipe, text)
            if isinstance(found, Finding):
                return found
        elif outcome.state != "raised":
            found = exam.encode(recipe, text)
            return found if isinstance(found, Finding) else None
    return None


def _overlaps(exam: Exam, dice: Random) -> Finding | None:
    names = [name for name, _ in OVERLAPPING]
    texts = [*names, *(left + right for left in names for right in names[:3]), *jumbles(names, dice, 32)]
    return _compared(exam, True, "all", texts)


def _decoded(exam: Exam, dice: Random) -> Finding | None:
    for specials in (PLAIN, OVERLAPPING):
        recipe = _with(specials)
        for name, number in specials:
            for ids, wanted in (([number], name), ([0, number, 1], f'!{name}"')):
                back = exam.decode(recipe, ids)
                if isinstance(back, Finding):
                    return back
                if back != wanted:
                    return Finding(f"decode({ids})", shown(back), shown(wanted))
    return None


RULES = (
    Rule(
        "specials-asked-for",
        "A special token that is allowed counts, and only that one",
        "They end texts, open turns and stop the model: a missed one makes it talk on and on.",
        _asked_for,
        ("from_ranks",),
    ),
    Rule(
        "specials-not-asked-for",
        "What a user types is ordinary text, however much it looks like a special token",
        "Otherwise anybody can speak as the system.",
        _not_asked_for,
        ("from_ranks",),
    ),
    Rule(
        "specials-refused",
        "Unless told, encode raises when the text holds a special token",
        "Silence either way is a guess. The caller knows whether the text can be trusted.",
        _refused,
        ("from_ranks",),
    ),
    Rule(
        "specials-overlap",
        "Of special tokens that begin alike the longest counts; their signs are no pattern",
        "The bar in a|b means 'or' to a regular expression, and <|end is the beginning of others.",
        _overlaps,
        ("from_ranks",),
    ),
    Rule(
        "specials-decoded",
        "The id of a special token is decoded to its name",
        "Transcripts and tests need it, and the original course could not do it for GPT-4.",
        _decoded,
        ("from_ranks",),
    ),
)
