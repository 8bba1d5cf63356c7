"""Exercise 05.split_on_special: split a text at its special tokens."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import Any

from minbpe_course.checks.exercise import Case, Exercise, Mistake, Outcome
from minbpe_course.checks.lesson_05.samples import CHAT, END, END_LINE, PAD
from minbpe_course.tokenizers.special_tokens import split_on_special_tokens


def split_on_special(text: str, special_tokens: Mapping[str, int]) -> list[tuple[str, int | None]]:
    """Return the parts of ``text`` in order: (ordinary text, None) or (special token, its id).

    >>> split_on_special("Hi<|end|>!", {"<|end|>": 300})
    [('Hi', None), ('<|end|>', 300), ('!', None)]
    """
    return list(split_on_special_tokens(text, special_tokens))


# category -> (special tokens in the order in which they are listed, the parts of a text)
_SPLITS: dict[str, tuple[list[str], list[str]]] = {
    "special tokens side by side and at the ends": ([END, PAD], [END, PAD, END, "a"]),
    "characters with a meaning in a regular expression": (
        ["[end]", "a.b", "(x)", "$", "\\d+", "^|"],
        ["[end]", "e", "n", "a.b", "a,b", "(x)", "x", "$", "\\d+", "12", "^|", "|", "end"],
    ),
    "one begins like another": (
        ["<|a|>", "<|a|><|b|>", "<|a|><|b|><|c|>", "aa", "a", "aaa"],
        ["<|a|>", "<|b|>", "<|c|>", "<|", "a", "|>"],
    ),
    "special tokens that overlap": (["ab", "bcd", "cdef", "d"], ["abcd", "abcdef", "bcdef", "a", "d", "f"]),
    "spaces and line feeds in names": (
        [END, END_LINE, " end", "\n\n", "\r\n", "end of text"],
        [END, "\n", " ", "end", " of text", "\r"],
    ),
    "an id that is 0": ([END, PAD], [END, PAD, "a", " "]),
    "halves of special tokens": ([*CHAT, END], [*CHAT, END, "<|im_", "start|>", "end|>", "<|", "|>"]),
    "surrogates and other scripts": (["🛑", "é", "\u0301", "世界"], ["🛑", "é", "e\u0301", "世", "界", "\ud800", "ß"]),
}


def _split_cases(random: Random) -> Iterator[Case]:
    yield Case("no special token is known", ("", {}))
    yield Case("no special token is known", ("a<|end|>", {}))
    cases = []
    for category, (names, parts) in _SPLITS.items():
        for length in range(1, 9):
            chosen = random.sample(names, random.randint(min(2, len(names)), len(names)))
            first = 0 if category == "an id that is 0" else 256 + random.randrange(50)
            specials = {name: first + at for at, name in enumerate(chosen)}
            cases.append(Case(category, ("".join(random.choices(parts, k=length)), specials)))
    yield from sorted(cases, key=lambda case: len(case.args[0]))


def _pairs(value: Any) -> list[tuple[Any, Any]]:
    """Return the pairs in an answer, without anything else that it contains."""
    listed = value if isinstance(value, (list, tuple)) else []
    return [tuple(pair) for pair in listed if isinstance(pair, (list, tuple)) and len(pair) == 2]


def _only_empty_parts(case: Case, outcome: Outcome, wanted: Any) -> bool:
    pairs = _pairs(outcome.value)
    return ("", None) in pairs and [pair for pair in pairs if pair[0] != ""] == _pairs(wanted)


def joined(parts: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return parts with adjacent texts joined, and without empty ones.

    >>> joined([("a", None), ("b", None), ("<|end|>", 300), ("", None)])
    [('ab', None), ('<|end|>', 300)]
    """
    made: list[tuple[Any, Any]] = []
    for is_text, run in itertools.groupby(parts, key=lambda part: part[1] is None):
        if is_text:
            made.append(("".join(text for text, _ in run), None))
        else:
            made += run
    return [part for part in made if part[0]]


def _loses_id_0(case: Case, outcome: Outcome, wanted: Any) -> bool:
    zero = [name for name, number in case.args[1].items() if number == 0]
    return any(text in zero and number != 0 for text, number in _pairs(outcome.value))


def _takes_names_for_patterns(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether the pattern does not compile, or cuts ordinary text."""
    if outcome.state != "value":
        return outcome.error in ("error", "PatternError")
    pairs = _pairs(outcome.value)
    joined = "".join(text for text, _ in pairs if isinstance(text, str))
    return joined != case.args[0] or any(a is b is None for (_, a), (_, b) in itertools.pairwise(pairs))


def _prefers_shorter(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether a longer special token would have fitted where the answer first goes wrong."""
    at = 0
    for (text, number), (right, right_id) in zip(_pairs(outcome.value), _pairs(wanted)):
        if text != right:
            longer = isinstance(text, str) and isinstance(right, str) and len(right) > len(text)
            return number is not None and right_id is not None and longer and case.args[0].startswith(right, at)
        at += len(text)
    return False


def _prefers_later(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether the answer skips a special token for one that begins later."""
    pairs = _pairs(outcome.value)
    for at, ((text, number), (right, right_id)) in enumerate(zip(pairs, _pairs(wanted))):
        if text != right:
            skips = isinstance(text, str) and number is None and (right_id is not None or text.startswith(right))
            return skips and any(its_id is not None for _, its_id in pairs[at:])
    return False


EXERCISE = Exercise(
    key="05.split_on_special",
    title="Cut at the special tokens",
    kind="match",
    difficulty=3,
    minutes=15,
    points=3,
    hints=(
        "What if the table is empty? If a name contains a `|`? If one name begins with another?",
        "no names: the whole text, if there is any. Otherwise: names longest first, each escaped for re, joined "
        "with |, in brackets; split; parts that are not empty; a part that is a name gets its id",
        'Lesson 05, "Build it: cut first, merge later" and "Overlaps: the longest wins".',
    ),
    wanted=split_on_special,
    shown=(
        Case("special tokens side by side and at the ends", ("Hi", {END: 300})),
        Case("special tokens side by side and at the ends", (f"Hi{END}", {END: 300})),
        Case("one begins like another", (f"Hi{END_LINE}", {END: 300, END_LINE: 301})),
        Case("no special token is known", (f"Nothing is special here, nor is {END}", {})),
        Case("special tokens that overlap", ("abc", {"ab": 300, "bc": 301})),
        Case("special tokens that overlap", ("abcd", {"ab": 300, "bcd": 301})),
    ),
    drawn=_split_cases,
    mistakes=(
        Mistake(
            "nothing-known",
            "Without any special token the text is one part (or none, if it is empty). What does your code look "
            "for then?",
            when=lambda case, outcome, wanted: not case.args[1] and outcome.state in ("value", "raised"),
        ),
        Mistake(
            "empty-pieces",
            "Between two adjacent special tokens, and at the ends, there may be no text: leave out such empty parts.",
            when=_only_empty_parts,
        ),
        Mistake(
            "zero-is-an-id",
            "A special token may have the id 0, and `if number` is false for 0. Ask whether it is None.",
            when=_loses_id_0,
        ),
        Mistake(
            "text-in-crumbs",
            "Ordinary text between two special tokens is one part, however long.",
            when=lambda case, outcome, wanted: joined(_pairs(outcome.value)) == wanted,
        ),
        Mistake(
            "shorter-wins",
            "Two special tokens begin at the same place, and the longer one should win, in whatever order they are "
            "listed.",
            when=_prefers_shorter,
        ),
        Mistake(
            "not-quoted",
            "Names are not patterns: `|`, `.`, `[` and others mean something to `re` until you escape them.",
            when=_takes_names_for_patterns,
        ),
        Mistake(
            "later-wins",
            "Where two special tokens overlap, the one that begins first wins; only then does the length count.",
            when=_prefers_later,
        ),
    ),
)
