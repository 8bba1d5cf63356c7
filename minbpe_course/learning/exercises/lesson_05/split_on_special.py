"""Exercise 05.split_on_special: split a text at its special tokens."""

import itertools
import re

from minbpe_course.learning.exercises.lesson_05.samples import CHAT, END, END_LINE, PAD
from minbpe_course.learning.judge.exercise import Exercise, Mistake
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
    "an id that is 0": ([END, PAD], [END, PAD, "a", " "]),
    "halves of special tokens": ([*CHAT, END], [*CHAT, END, "<|im_", "start|>", "end|>", "<|", "|>"]),
    "surrogates and other scripts": (["🛑", "é", "\u0301", "世界"], ["🛑", "é", "e\u0301", "世", "界", "\ud800", "ß"]),
}


def cases(random):
    yield "no special token is known", "", {}
    yield "no special token is known", "a<|end|>", {}
    drawn = []
    for category, (names, parts) in SPLITS.items():
        for length in range(1, 9):
            chosen = random.sample(names, random.randint(min(2, len(names)), len(names)))
            first = 0 if category == "an id that is 0" else 256 + random.randrange(50)
            specials = {name: first + at for at, name in enumerate(chosen)}
            drawn.append((category, "".join(random.choices(parts, k=length)), specials))
    yield from sorted(drawn, key=lambda row: len(row[1]))


def pairs_of(value):
    """Return the pairs in an answer, without anything else that it contains."""
    listed = value if isinstance(value, (list, tuple)) else []
    return [tuple(pair) for pair in listed if isinstance(pair, (list, tuple)) and len(pair) == 2]


def only_empty_parts(case, outcome, wanted):
    pairs = pairs_of(outcome.value)
    return ("", None) in pairs and [pair for pair in pairs if pair[0] != ""] == pairs_of(wanted)


def joined(parts):
    """Return parts with adjacent texts joined, and without empty ones.

    >>> joined([("a", None), ("b", None), ("<|end|>", 300), ("", None)])
    [('ab', None), ('<|end|>', 300)]
    """
    made = []
    for is_text, run in itertools.groupby(parts, key=lambda part: part[1] is None):
        if is_text:
            made.append(("".join(text for text, _ in run), None))
        else:
            made += run
    return [part for part in made if part[0]]


def places_of(parts):
    """Return where each special token of an answer begins, and its name."""
    pairs = pairs_of(parts)
    starts = itertools.accumulate((len(text) for text, _ in pairs), initial=0)
    return [(at, text) for at, (text, number) in zip(starts, pairs) if number is not None]


def loses_id_0(case, outcome, wanted):
    zero = [name for name, number in case.args[1].items() if number == 0]
    others = [place for place in places_of(wanted) if place[1] not in zero]
    return others != places_of(wanted) and places_of(outcome.value) == others


def loses_text(case, outcome, wanted):
    """Tell whether the special tokens are right and some of the text is missing."""
    mine, right = ([pair for pair in pairs_of(parts) if pair[1] is not None] for parts in (outcome.value, wanted))
    return (
        outcome.state == "value"
        and mine == right
        and len("".join(text for text, _ in pairs_of(outcome.value))) < len(case.args[0])
    )


def takes_names_for_patterns(case, outcome, wanted):
    """Tell whether the pattern does not compile, or cuts ordinary text."""
    if outcome.state != "value":
        return outcome.error in ("error", "PatternError")
    pairs = pairs_of(outcome.value)
    if not pairs or len(pairs) != len(outcome.value):
        return False
    joined = "".join(text for text, _ in pairs if isinstance(text, str))
    return joined != case.args[0] or any(a is b is None for (_, a), (_, b) in itertools.pairwise(pairs))


def missed(outcome, wanted):
    """Return the first special token that the answer misses, and the special tokens of the answer."""
    mine = places_of(outcome.value)
    return *next(place for place in places_of(wanted) if place not in mine), mine


def prefers_shorter(case, outcome, wanted):
    at, name, mine = missed(outcome, wanted)
    return any(other == at and len(short) < len(name) for other, short in mine)


def prefers_later(case, outcome, wanted):
    at, name, mine = missed(outcome, wanted)
    return any(at < other < at + len(name) for other, _ in mine)


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
        "no names: the whole text, if there is any. Otherwise: names longest first, each escaped for re, joined with "
        "|, in parentheses; split; keep the parts that are not empty; a part that is a name gets its id",
        "Lesson 05, where you build this splitter: cut first, merge later, and of overlapping names the longest wins.",
    ),
    wanted=lambda text, special_tokens: list(split_on_special_tokens(text, special_tokens)),
    shown=(
        ("special tokens side by side and at the ends", "Hi", {END: 300}),
        ("special tokens side by side and at the ends", f"Hi{END}", {END: 300}),
        ("one begins like another", f"Hi{END_LINE}", {END: 300, END_LINE: 301}),
        ("no special token is known", f"Nothing is special here, nor is {END}", {}),
        ("special tokens that overlap", "abc", {"ab": 300, "bc": 301}),
        ("special tokens that overlap", "abcd", {"ab": 300, "bcd": 301}),
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
            when=only_empty_parts,
        ),
        Mistake(
            "zero-is-an-id",
            "A special token has become text. Is an id of 0 an id for your `if`?",
            when=loses_id_0,
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
            when=lambda case, outcome, wanted: joined(pairs_of(outcome.value)) == wanted,
        ),
        Mistake(
            "shorter-wins",
            "Two special tokens begin at the same place, and the longer one should win, in whatever order they are "
            "listed.",
            when=prefers_shorter,
        ),
        Mistake(
            "not-quoted",
            "Names are not patterns: `|`, `.`, `[` and others mean something to `re` until you escape them.",
            when=takes_names_for_patterns,
        ),
        Mistake(
            "later-wins",
            "Where two special tokens overlap, the one that begins first wins; only then does the length count.",
            when=prefers_later,
        ),
    ),
)
