"""The 3,000 texts of the record, made from a seed. They are not stored; a digest of each kind is."""

from __future__ import annotations

import hashlib
import random
import unicodedata
from collections.abc import Callable
from functools import cache

from minbpe_course.corpus.texts import course_sections
from tests.shared.cases import ALPHABETS, CODE, hostile_text, mixed_texts

Maker = Callable[[random.Random], str]

# Special tokens and added tokens of every vocabulary and model of the record, and texts that are nearly such tokens.
SPECIAL = (
    "<|endoftext|>", "<|endofprompt|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|startoftext|>",
    "<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|return|>", "<|call|>", "<|constrain|>",
    "<|reserved_200000|>", "<s>", "</s>", "<unk>", "<pad>", "<mask>", "[INST]", "[/INST]", "[TOOL_CALLS]", "[IMG]",
    "<0x41>", "<0x0A>", "<extra_id_0>", "<a>", "<a><b>", "¶", "foo bar", "<|im_start|>", "<|im_end|>", "<think>",
    "<|startoftranscript|>", "<|en|>", "<|0.00|>", "<|12.34|>", "<|padding|>", "<｜User｜>", "<｜Assistant｜>",
    "<｜begin▁of▁sentence｜>", "    ", "  ", "\t\t", "\t\t\t\t",
)  # fmt: skip
# The ends of UTF-8's lengths, of planes and of private areas, with the code points around them.
UTF8_BORDERS = (
    0x00, 0x7F, 0x80, 0xFF, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xF8FF, 0xFDD0, 0xFEFF, 0xFFFD, 0xFFFF, 0x10000, 0x1F600,
    0x1FFFF, 0x20000, 0xE0001, 0xEFFFF, 0xF0000, 0x10FFFF,
)  # fmt: skip


@cache
def texts() -> dict[str, list[str]]:
    """Return the texts by kind. Only those called "surrogates" have lone surrogates."""
    mixed = mixed_texts(47, 500)
    makers: dict[str, tuple[int, Maker]] = {
        "hostile": (600, hostile_text),
        "surrogates": (100, _with_surrogate),
        "mixed": (500, lambda rng: next(mixed)),
        "borders": (400, _at_borders),
        "code": (300, _code),
        "languages": (600, _language),
        "runs": (150, _run),
        "special": (350, _special),
    }
    return {
        kind: [make(rng) for _ in range(number)] for kind, (number, make) in makers.items() for rng in [rng_of(kind)]
    }


def all_texts(surrogates: bool = False) -> list[str]:
    """Return the texts of all kinds; those with surrogates only if asked for."""
    return [text for kind, own in texts().items() if surrogates or kind != "surrogates" for text in own]


def lines() -> list[str]:
    """Return a line for each kind: the number of its texts and code points, and a digest."""
    return [
        f"{kind}: {len(own)} texts, {sum(map(len, own))} code points, {digest(own)}" for kind, own in texts().items()
    ]


def digest(values: object) -> str:
    """Return a digest of nested lists of numbers and strings."""
    # Not repr(): which characters it escapes depends on the Unicode version of the Python.
    return hashlib.sha256(ascii(values).encode("ascii")).hexdigest()[:32]


def rng_of(kind: str) -> random.Random:
    """Return the random numbers of one kind of texts."""
    return random.Random(f"golden {kind}")


def _with_surrogate(rng: random.Random) -> str:
    while True:
        text = hostile_text(rng, surrogates=True)
        if any("\ud800" <= character <= "\udfff" for character in text):
            return text


@cache
def _borders() -> list[int]:
    """Return both sides of every border between classes of characters.

    Unicode 3.2 is in every Python, so the texts are the same with each.
    """
    # Of large letters and small ones there is a border at every second code point: those are in ``ALPHABETS``.
    kinds = [unicodedata.ucd_3_2_0.category(chr(code))[0] for code in range(0x30000)]
    found = {side for code in range(1, 0x30000) if kinds[code] != kinds[code - 1] for side in (code - 1, code)}
    near = {code + step for code in UTF8_BORDERS for step in (-1, 0, 1) if 0 <= code + step < 0x110000}
    return sorted((found | near) - set(range(0xD800, 0xE000)))


def _at_borders(rng: random.Random) -> str:
    between = rng.choice(("", " ", "a", "A", "1", "'", "\n", "!", "中"))
    return between.join(map(chr, rng.choices(_borders(), k=rng.choice((3, 8, 12)))))


def _code(rng: random.Random) -> str:
    return rng.choice(("", "\n", "\r\n\t", "    ")) + "".join(rng.choices(CODE, k=rng.randint(1, 4)))


def _language(rng: random.Random) -> str:
    """Return a part of a section of the course text: one scene in 40 languages, prose, code, numbers, emoji."""
    section = rng.choice(list(course_sections().values()))
    begin = rng.randrange(len(section))
    return section[begin : begin + rng.choice((5, 20, 40, 80))]


def _run(rng: random.Random) -> str:
    return "".join(
        rng.choice(rng.choice(ALPHABETS)) * rng.choice((1, 2, 15, 16, 17, 63, 64, 65, 200)) for _ in range(3)
    )


def _special(rng: random.Random) -> str:
    def part() -> str:
        name, way = rng.choice(SPECIAL), rng.randrange(6)
        if way == 0:
            return name[: rng.randrange(len(name) + 1)]
        if way == 1:
            return name[rng.randrange(len(name)) :]
        return hostile_text(rng, 2) if way == 2 else name

    return rng.choice(("", " ", "a")).join(part() for _ in range(rng.randint(1, 8)))
