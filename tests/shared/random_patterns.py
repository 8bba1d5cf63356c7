r"""Random split patterns, of everything in which the dialects of ``regex`` and Oniguruma part, and texts to cut."""

from __future__ import annotations

import random
from typing import Any

import regex

ATOMS = (
    *("a", "b", "s", "k", "S", "é", "ß", "ſ", "\u212a", "1", " ", "'", "\n", "-", "/", "中", "#", "&", "~", '"'),
    *(r"\n", r"\r", r"\t", r"\.", r"\-", r"\\", r"\u00e9", r"\x41", r"\]", "."),
    *(r"\p{L}", r"\p{N}", r"\p{Lu}", r"\P{L}", r"\s", r"\S", r"\d", r"\D", r"\p{M}", r"\p{Sm}", r"\p{P}"),
    *("[ab]", "[^ab]", "[a-k]", r"[^\s\p{L}\p{N}]", r"[\p{L}\p{M}]", r"[\r\n]", r"[sk]", r"[^sk]", "[a-]", r"[\d\-/]"),
    *("(?i:a)", "(?i:s)", "(?i:ss)", "(?i:st)", "(?i:k)", "(?i:'s|'t|'re)", "(?i:[sk])", "(?i:[^sk])", "(?i:é)"),
    *("(?i:i)", "(?i:fi)", r"(?i:\p{L})", r"(?i:\s)", "(?i:[A-Z])"),
)
ODD = (
    *("^", "$", r"\A", r"\z", r"\Z", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", r"(?=\s)", r"(?!\S)", r"(?<=\n)", "(?s:.)"),
    *(
        "(?m:.)",
        "(?m:^a)",
        "(?m:a$)",
        r"\b",
        r"\w",
        r"\h",
        r"\R",
        "[[:alpha:]]",
        "[a[b]]",
        "[a&&b]",
        "[a--b]",
        "(?>a+)",
    ),
    *("(?#x)", r"\1", r"\G", r"\X", r"\N", "[]a]", r"\x{61}", r"\U00000061", "{", "}", "]", r"\p{Han}", r"\pL", "a{,}"),
)
COUNTS = ("*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "{,2}", "{1,1}")
MANNERS = ("", "", "", "?", "+")


LETTERS = "aaabbssSkKſ\u212aßéÉ\u0301ﬁﬆfiİı1٣½ \n\n\r\t'.-/中#&~\"A\u2028\u0085\u00a0\U00018ff6\u0378😀]\\"

TIKTOKEN_LETTERS = LETTERS + "漢σςΣωẞ{},\x1bzx\u3001\U0001facd"


def random_text(rng: random.Random, letters: str = LETTERS) -> str:
    """A short text of the characters that such patterns speak of."""
    return "".join(rng.choices(letters, k=rng.randint(1, 14)))


# Constructs of tiktoken's dialect; other dialects lack some of them or read them differently.
TIKTOKEN_ATOMS = (
    *("a", "b", "s", "k", "S", "é", "ß", "ſ", "K", "1", " ", "'", r"\n", "-", "/", "中", "&", "~", r"\n"),
    *(r"\r", r"\.", r"\-", r"\x41", r"\x{4e2d}", r"\u{61}", r"\u0062", ".", r"\p{L}", r"\p{N}"),
    *(r"\p{Lu}", r"\P{L}", r"\s", r"\S", r"\d", r"\D", r"\w", r"\W", r"\pL", r"\p{Han}", r"\p{Script=Greek}"),
    *(r"\p{scx=Han}", r"\p{Letter}", r"\p{^L}", r"\p{Uppercase_Letter}", r"\p{Alphabetic}", r"\p{Lowercase}"),
    *(r"\p{White_Space}", r"\p{Emoji}", r"\p{Any}", r"\p{gc=Nd}", "[ab]", "[^ab]", "[a-k]", r"[^\s\p{L}\p{N}]"),
    *(r"[\r\n]", "[sk]", "[^sk]", "[a-]", r"[\d\-/]", r"[\p{L}&&[^\p{Han}]]", r"[\p{L}--[a-z]]", "[a[b-k]]"),
    *("[^a[bk]]", r"[\s&&[^\n]]", r"[^\p{Lu}&&\p{L}]", r"[\p{Ll}\p{M}&&[^\p{Han}]k]", "[&&a]", "[a-z&&[^s]]"),
    *(r"[\W]", r"[^\W\d]", "(?i:s)", "(?i:k)", "(?i:'s|'t|'re)", "(?i:[sk])", "(?i:[^sk])", "(?i:é)", "(?i:ß)"),
    *(r"(?i:\p{Lu})", r"(?i:\P{Lu})", "(?i:[A-Z])", r"(?i:[\p{Lu}&&[^s]])", "(?i:[a-z--s])", "(?i:σ)"),
)
TIKTOKEN_ODD = (
    *("^", "$", r"\A", r"\z", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", r"(?=\s)", r"(?!\S)", r"(?<=\n)", "(?s:.)"),
    *("(?m:^)", "(?m:$)", r"\b", r"\B", r"(?<!\s|a)", r"(?<=[^\n])", r"(?=a+\s)", "(?<=ab|s)"),
)
TIKTOKEN_GROUPS = ("(", "(?:", "(?>", "(?i:", "(?=", "(?!", "(?<=", "(?<!", "(?s:", "(?<m>")


def random_pattern(rng: random.Random) -> str:
    """Return a pattern in no dialect or in several; most of them are understood."""
    return _pattern(rng, 0, ATOMS, ODD, COUNTS, ("(", "(?:", "(?>", "(?i:"), 0.07, 0.15)


def random_tiktoken_pattern(rng: random.Random) -> str:
    """Return a pattern in the dialect of tiktoken's engine, which refuses about one in seven."""
    return _pattern(rng, 0, TIKTOKEN_ATOMS, TIKTOKEN_ODD, COUNTS, TIKTOKEN_GROUPS, 0.12, 0.2)


def _pattern(rng: random.Random, depth: int, *tables: Any) -> str:
    atoms, odd, counts, groups, share_of_odd, share_of_groups = tables
    rows = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        parts = []
        for _ in range(rng.choice([1, 1, 2, 3])):
            if rng.random() < share_of_odd:
                parts.append(rng.choice(odd))
                continue
            part = rng.choice(atoms)
            if depth < 2 and rng.random() < share_of_groups:
                part = f"{rng.choice(groups)}{_pattern(rng, depth + 1, *tables)})"
            if rng.random() < 0.5:
                part += rng.choice(counts) + rng.choice(MANNERS)
            parts.append(part)
        rows.append("".join(parts))
    return "|".join(rows)


def found_by_regex(pattern: str, text: str) -> list[str]:
    """Return what ``regex`` finds. The look-ahead keeps the letters of (?i:...) out of the negated sets next to it."""
    return [match.group() for match in regex.finditer(rf"(?=[\s\S])(?:{pattern})", text)]
