r"""Random split patterns, of everything in which the dialects of ``regex`` and Oniguruma part, and texts to cut."""

from __future__ import annotations

import random

import numpy as np

from minbpe_course.text import code_points, unicode_tables

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


def random_pattern(rng: random.Random, depth: int = 0) -> str:
    """A pattern in no dialect or in several; most of them are understood."""
    rows = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        parts = []
        for _ in range(rng.choice([1, 1, 2, 3])):
            if rng.random() < 0.07:
                parts.append(rng.choice(ODD))
                continue
            part = rng.choice(ATOMS)
            if depth < 2 and rng.random() < 0.15:
                part = f"{rng.choice(['(', '(?:', '(?>', '(?i:'])}{random_pattern(rng, depth + 1)})"
            if rng.random() < 0.5:
                part += rng.choice(COUNTS) + rng.choice(MANNERS)
            parts.append(part)
        rows.append("".join(parts))
    return "|".join(rows)


LETTERS = "aaabbssSkKſ\u212aßéÉ\u0301ﬁﬆfiİı1٣½ \n\n\r\t'.-/中#&~\"A\u2028\u0085\u00a0\U00018ff6\u0378😀]\\"


def random_text(rng: random.Random) -> str:
    """A short text of the characters that such patterns speak of."""
    return "".join(rng.choices(LETTERS, k=rng.randint(1, 14)))


def newer_in_regex() -> np.ndarray:
    """Characters that tiktoken's tables do not have, and the few that have changed since: bool[0x110000]."""
    moved = unicode_tables.character_classes("tiktoken") != unicode_tables.character_classes("regex")
    return moved | code_points.has_property("Cn", "tiktoken")
