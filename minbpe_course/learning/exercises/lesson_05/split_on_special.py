"""Exercise 05.split_on_special: split a text at its special tokens."""

import itertools
import re

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_05.samples import CHAT, END, END_LINE, PAD, joined
from minbpe_course.text.added_tokens import TokenSearch


def split_on_special(text, names):
    r"""Split text at the special tokens: a list of its parts.

    A tokenizer looks for special tokens before it does anything else. Split the text into parts, in order. Each part is
    either a special token or the ordinary text between two of them.

    * **In:** `text`, a str; `names`, a list of the names of the special tokens (none is empty).
    * **Out:** a list of str. No part is empty, so an empty text has no parts; all parts joined are the text.
    * Take the special token that begins first; if several begin at the same place, take the longest. The order of
      `names` must not matter.

    `split_on_special("<|end|>\nHi<|end|><|end|>!", ["<|end|>", "<|end|>\n"])` gives

        ["<|end|>\n", "Hi", "<|end|>", "<|end|>", "!"]

    Tried, on texts you have not seen: no special tokens at all, an empty text, names like `[end]` or `a.b`, names with
    spaces and line feeds, names that overlap, emoji, lone surrogates.
    """
    if not names:
        return [text] if text else []
    longest_first = sorted(names, key=len, reverse=True)
    pattern = "(" + "|".join(map(re.escape, longest_first)) + ")"
    return [piece for piece in re.split(pattern, text) if piece]


# category -> (special tokens in the order in which they are listed, the parts of a text)
SPLITS = {
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
    "halves of special tokens": ([*CHAT, END], [*CHAT, END, "<|im_", "start|>", "end|>", "<|", "|>"]),
    "surrogates and other scripts": (["🛑", "é", "\u0301", "世界"], ["🛑", "é", "e\u0301", "世", "界", "\ud800", "ß"]),
}


def cases(random):
    yield "no special token is known", "", []
    yield "no special token is known", "a<|end|>", []
    for length in range(1, 9):
        for category, (names, parts) in SPLITS.items():
            chosen = random.sample(names, random.randint(2, len(names)))
            yield category, "".join(random.choices(parts, k=length)), chosen


def loses_text(case, outcome, wanted):
    """Tell whether the special tokens are right and some of the text is missing."""
    text, names = case.args
    mine, right = ([part for part in parts if part in names] for parts in (outcome.value, wanted))
    return mine == right and len("".join(outcome.value)) < len(text)


def takes_names_for_patterns(case, outcome, wanted):
    """Tell whether the pattern does not compile, or cuts ordinary text."""
    if outcome.state != "value":
        return outcome.error in ("error", "PatternError")
    text, names = case.args
    ordinary = [part not in names for part in outcome.value]
    return "".join(outcome.value) != text or any(map(all, itertools.pairwise(ordinary)))


def longest_of_all_first(text, names):
    parts = [text]
    for name in sorted(names, key=len, reverse=True):
        cut = "(" + re.escape(name) + ")"
        parts = [piece for part in parts for piece in ([part] if part in names else re.split(cut, part)) if piece]
    return parts


EXERCISE = Exercise(
    "05.split_on_special",
    "Split at the special tokens",
    "match",
    answer=split_on_special,
    picture=r"""
from minbpe_course.showing import show_tokens

show_tokens(["<|end|>\n", "Hi", "<|end|>", "<|end|>", "!"], title="five pieces, three of them special")
""",
    difficulty=3,
    minutes=15,
    points=3,
    hints=(
        "What if there are no special tokens? If a name contains a `|`? If one name begins with another?",
        "Lesson 05, where you build this splitter: cut first, merge later, and of overlapping names the longest wins.",
        "no names: the whole text, if there is any. Otherwise: names longest first, each escaped for re, joined with "
        "|, in parentheses; split; keep the parts that are not empty",
    ),
    wanted=lambda text, names: list(TokenSearch(dict(zip(names, names))).cut(text)),
    shown=(
        ("special tokens side by side and at the ends", "Hi", [END]),
        ("special tokens side by side and at the ends", f"Hi{END}", [END]),
        ("one begins like another", f"Hi{END_LINE}", [END, END_LINE]),
        ("no special token is known", f"Nothing is special here, nor is {END}", []),
        ("special tokens that overlap", "abc", ["ab", "bc"]),
        ("special tokens that overlap", "abcd", ["ab", "bcd"]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "nothing-known",
            "Without any special token the text is one part (or none, if it is empty). What does your code look for "
            "then?",
            when=lambda case, outcome, wanted: not case.args[1] and outcome.state in ("value", "raised"),
        ),
        Mistake(
            "empty-pieces",
            "Between two adjacent special tokens, and at the ends, there may be no text: leave out such empty parts.",
            when=lambda case, outcome, wanted: list(filter(None, outcome.value)) == wanted,
        ),
        Mistake(
            "text-missing",
            "The special tokens are right, but ordinary text is missing. What is before the first, between two, after "
            "the last?",
            when=loses_text,
        ),
        Mistake(
            "text-in-crumbs",
            "Ordinary text between two special tokens is one part, however long.",
            when=lambda case, outcome, wanted: joined(outcome.value, case.args[1]) == joined(wanted, case.args[1]),
        ),
        Mistake(
            "special-tokens-lost",
            "The special tokens themselves are missing: `re.split` keeps them only if the pattern is in parentheses.",
            like=('"(" + "|".join(map(re.escape, longest_first)) + ")"', '"|".join(map(re.escape, longest_first))'),
        ),
        Mistake(
            "shorter-wins",
            "Two special tokens begin at the same place, and the longer one should win, in whatever order they are "
            "listed.",
            like=("sorted(names, key=len, reverse=True)", "names"),
        ),
        Mistake(
            "not-quoted",
            "Names are not patterns: `|`, `.`, `[` and others mean something to `re` until you escape them.",
            when=takes_names_for_patterns,
        ),
        Mistake(
            "later-wins",
            "Where two special tokens overlap, the one that begins first wins; only then does the length count.",
            like=longest_of_all_first,
        ),
    ),
)
