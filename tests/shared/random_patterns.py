r"""Random split patterns, of everything in which the dialects of ``regex`` and Oniguruma part, and texts to cut."""

from __future__ import annotations

import random
from typing import Any

import regex


def _table(text: str) -> tuple[str, ...]:
    """Return the constructs of a table; none has a space."""
    return tuple(text.split())


ATOMS = (
    *_table("a b s k S é ß ſ \u212a 1"),
    *(" ", "'", "\n"),
    *_table(r"""
- / 中 # & ~ " \n \r \t \. \- \\ \u00e9 \x41 \] . \p{L} \p{N} \p{Lu} \P{L} \s \S \d \D \p{M} \p{Sm} \p{P} [ab]
[^ab] [a-k] [^\s\p{L}\p{N}] [\p{L}\p{M}] [\r\n] [sk] [^sk] [a-] [\d\-/] (?i:a) (?i:s) (?i:ss) (?i:st) (?i:k)
(?i:'s|'t|'re) (?i:[sk]) (?i:[^sk]) (?i:é) (?i:i) (?i:fi) (?i:\p{L}) (?i:\s) (?i:[A-Z])
"""),
)
ODD = _table(r"""
^ $ \A \z \Z (?=a) (?!a) (?<=a) (?<!a) (?=\s) (?!\S) (?<=\n) (?s:.) (?m:.) (?m:^a) (?m:a$) \b \w \h \R
[[:alpha:]] [a[b]] [a&&b] [a--b] (?>a+) (?#x) \1 \G \X \N []a] \x{61} \U00000061 { } ] \p{Han} \pL a{,}
""")
COUNTS = ("*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "{,2}", "{1,1}")
MANNERS = ("", "", "", "?", "+")


LETTERS = "aaabbssSkKſ\u212aßéÉ\u0301ﬁﬆfiİı1٣½ \n\n\r\t'.-/中#&~\"A\u2028\u0085\u00a0\U00018ff6\u0378😀]\\"

TIKTOKEN_LETTERS = LETTERS + "漢σςΣωẞ{},\x1bzx\u3001\U0001facd"


def random_text(rng: random.Random, letters: str = LETTERS) -> str:
    """A short text of the characters that such patterns speak of."""
    return "".join(rng.choices(letters, k=rng.randint(1, 14)))


# Constructs of tiktoken's dialect; other dialects lack some of them or read them differently.
TIKTOKEN_ATOMS = (
    *_table("a b s k S é ß ſ K 1"),
    " ",
    *_table(r"""
' \n - / 中 & ~ \n \r \. \- \x41 \x{4e2d} \u{61} \u0062 . \p{L} \p{N} \p{Lu} \P{L} \s \S \d \D \w \W \pL
\p{Han} \p{Script=Greek} \p{scx=Han} \p{Letter} \p{^L} \p{Uppercase_Letter} \p{Alphabetic} \p{Lowercase}
\p{White_Space} \p{Emoji} \p{Any} \p{gc=Nd} [ab] [^ab] [a-k] [^\s\p{L}\p{N}] [\r\n] [sk] [^sk] [a-] [\d\-/]
[\p{L}&&[^\p{Han}]] [\p{L}--[a-z]] [a[b-k]] [^a[bk]] [\s&&[^\n]] [^\p{Lu}&&\p{L}] [\p{Ll}\p{M}&&[^\p{Han}]k]
[&&a] [a-z&&[^s]] [\W] [^\W\d] (?i:s) (?i:k) (?i:'s|'t|'re) (?i:[sk]) (?i:[^sk]) (?i:é) (?i:ß) (?i:\p{Lu})
(?i:\P{Lu}) (?i:[A-Z]) (?i:[\p{Lu}&&[^s]]) (?i:[a-z--s]) (?i:σ)
"""),
)
TIKTOKEN_ODD = _table(r"""
^ $ \A \z (?=a) (?!a) (?<=a) (?<!a) (?=\s) (?!\S) (?<=\n) (?s:.) (?m:^) (?m:$) \b \B (?<!\s|a) (?<=[^\n])
(?=a+\s) (?<=ab|s)
""")
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
