"""Exercise 05.split_on_special: split a text at its special tokens."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import Any

from minbpe_course.learning.exercises.lesson_05.samples import CHAT, END, END_LINE, PAD
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, Outcome
from minbpe_course.tokenizers.special_tokens import split_on_special_tokens


def split_on_special(text, special_tokens):
    r"""Split text at the special tokens: a list of (ordinary text, None) and (special token, its id).

    A tokenizer looks for special tokens before it does anything else. Split the text into pieces, in order. Each piece
    is either a special token with its id, or ordinary text with `None`.

    * **In:** `text`, a str; `special_tokens`, a dict from name to id (names are never empty).
    * **Out:** a list of `(str, int or None)`. No piece is empty; all pieces joined are the text.
    * Take the special token that begins first; if several begin at the same place, take the longest. The order of the
      dict must not matter.

    `split_on_special("<|end|>\nHi<|end|><|end|>!", {"<|end|>": 300, "<|end|>\n": 301})` gives

        [("<|end|>\n", 301), ("Hi", None), ("<|end|>", 300), ("<|end|>", 300), ("!", None)]

    Tried, on texts you have not seen: no special tokens at all, an empty text, names like `[end]` or `a.b`, names with
    spaces and line feeds, names that overlap, an id of 0, emoji, lone surrogates.
    """
    if not special_tokens:
        return [(text, None)] if text else []
    names = sorted(special_tokens, key=len, reverse=True)
    pattern = "(" + "|".join(map(re.escape, names)) + ")"
    return [(piece, special_tokens.get(piece)) for piece in re.split(pattern, text) if piece]


def reference_split_on_special(text: str, special_tokens: Mapping[str, int]) -> list[tuple[str, int | None]]:
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


def _places(parts: Any) -> list[tuple[int, str]]:
    """Return where each special token of an answer begins, and its name."""
    pairs = _pairs(parts)
    starts = itertools.accumulate((len(text) for text, _ in pairs), initial=0)
    return [(at, text) for at, (text, number) in zip(starts, pairs) if number is not None]


def _loses_id_0(case: Case, outcome: Outcome, wanted: Any) -> bool:
    zero = [name for name, number in case.args[1].items() if number == 0]
    others = [place for place in _places(wanted) if place[1] not in zero]
    return others != _places(wanted) and _places(outcome.value) == others


def _loses_text(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether the special tokens are right and some of the text is missing."""
    mine, right = ([pair for pair in _pairs(parts) if pair[1] is not None] for parts in (outcome.value, wanted))
    return (
        outcome.state == "value"
        and mine == right
        and len("".join(text for text, _ in _pairs(outcome.value))) < len(case.args[0])
    )


def _takes_names_for_patterns(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether the pattern does not compile, or cuts ordinary text."""
    if outcome.state != "value":
        return outcome.error in ("error", "PatternError")
    pairs = _pairs(outcome.value)
    if not pairs or len(pairs) != len(outcome.value):
        return False
    joined = "".join(text for text, _ in pairs if isinstance(text, str))
    return joined != case.args[0] or any(a is b is None for (_, a), (_, b) in itertools.pairwise(pairs))


def _missed(outcome: Outcome, wanted: Any) -> tuple[int, str, list[tuple[int, str]]]:
    """Return the first special token that the answer misses, and the special tokens of the answer."""
    mine = _places(outcome.value)
    return *next(place for place in _places(wanted) if place not in mine), mine


def _prefers_shorter(case: Case, outcome: Outcome, wanted: Any) -> bool:
    at, name, mine = _missed(outcome, wanted)
    return any(other == at and len(short) < len(name) for other, short in mine)


def _prefers_later(case: Case, outcome: Outcome, wanted: Any) -> bool:
    at, name, mine = _missed(outcome, wanted)
    return any(at < other < at + len(name) for other, _ in mine)


EXERCISE = Exercise(
    key="05.split_on_special",
    answer=split_on_special,
    picture=r"""
from minbpe_course.showing import show_tokens

show_tokens(["<|end|>\n", "Hi", "<|end|>", "<|end|>", "!"], title="five pieces, three of them special")
""",
    title="Split at the special tokens",
    kind="match",
    difficulty=3,
    minutes=15,
    points=3,
    hints=(
        "What if there are no special tokens? If a name contains a `|`? If one name begins with another?",
        "no names: the whole text, if there is any. Otherwise: names longest first, each escaped for re, "
        "joined with |, in parentheses; split; keep the parts that are not empty; a part that is a name "
        "gets its id",
        "Lesson 05, where you build this splitter: cut first, merge later, and of overlapping names the longest wins.",
    ),
    wanted=reference_split_on_special,
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
            "A special token has become text. Is an id of 0 an id for your `if`?",
            when=_loses_id_0,
        ),
        Mistake(
            "text-missing",
            "The special tokens are right, but ordinary text is missing. What is before the first, between two, after "
            "the last?",
            when=_loses_text,
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
