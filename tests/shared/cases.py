"""Inputs for the tests: hostile text, made from a seed, and a few texts with names."""

from __future__ import annotations

import random
import sys

WHITESPACE = " \t\n\r\x0b\x0c\x85\xa0\u1680\u2000\u2003\u2009\u2028\u2029\u202f\u205f\u3000\u200b\ufeff"
CONTRACTIONS = [
    "'s",
    "'T",
    "'LL",
    "'lL",
    "'Ve",
    "'re",
    "'M",
    "'d",
    "\u2019s",
    "'\u017f",
    "'ſ",
    "'x",
    "''",
    "'l",
    "'v",
    "'r",
]
WORDS = [
    "the",
    "Hello",
    "HELLO",
    "iPhone",
    "naïve",
    "Straße",
    "ǅungla",
    "don",
    "I",
    "we",
    "Ǆ",
    "ʰa",
    "中文字",
    "日本",
    "한국어",
    "Привет",
    "कखगि",
    "நிலை",
    "ไทยภาษา",
    "שלום",
    "مرحبا",
    "Ελλάδα",
    "ªº",
    "Ⅷ",
    "x",
    "_",
    "foo_bar",
]
EMOJI = ["👋", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪🇯🇵", "👍🏽", "1️⃣", "❤️", "☺", "\U000e0067"]
PUNCTUATION = [
    "!",
    "...",
    "//",
    "/*",
    "*/\n",
    "->",
    "<|",
    "|>",
    "<|endoftext|>",
    "#",
    "$",
    "'",
    '"',
    "\\",
    "/",
    "—",
    "。",
    "«",
    "\n/",
    "!\n/\n",
]
DIGITS = ["1", "12", "123", "1234", "12345678", "٣٤٥٦", "½", "Ⅳ", "०१२३", "𝟙𝟚𝟛𝟜", "²³", "3.14", "1,000"]
COMBINING = ["e\u0301", "\u0301", "a\u0308\u0323", "\u20dd", "ि", "\u3099", "Z\u0361z"]


def any_scalar(rng: random.Random) -> str:
    """One code point of any plane, never a surrogate."""
    while True:
        point = rng.choice(
            [rng.randrange(0x80), rng.randrange(0x3000), rng.randrange(0x10000), rng.randrange(sys.maxunicode + 1)]
        )
        if not 0xD800 <= point <= 0xDFFF:
            return chr(point)


def hostile_text(rng: random.Random, pieces: int = 12, surrogates: bool = False) -> str:
    """A short text of everything that tokenizers trip over. ``surrogates`` lets lone and paired ones in."""
    parts = []
    for _ in range(rng.randint(0, pieces)):
        kind = rng.randrange(11 if surrogates else 10)
        if kind == 0:
            parts.append(
                "".join(
                    rng.choice(WHITESPACE[:4] if rng.random() < 0.7 else WHITESPACE) for _ in range(rng.randint(1, 6))
                )
            )
        elif kind == 1:
            parts.append(" ")
        elif kind == 10:
            parts.append(rng.choice(["\ud800", "\udc00", "\ud83d\udc4b", "\udfff\ud800", "\ud83d"]))
        elif kind == 9:
            parts.append("".join(any_scalar(rng) for _ in range(rng.randint(1, 5))))
        elif kind == 8:
            parts.append(rng.choice("abcXYZ019 '\n.") * rng.randint(1, 30))
        else:
            table = [CONTRACTIONS, WORDS, EMOJI, PUNCTUATION, DIGITS, COMBINING][kind - 2]
            parts.append(rng.choice(table))
    return "".join(parts)


def hostile_texts(seed: int, number: int, surrogates: bool = False) -> list[str]:
    """``number`` hostile texts, the same for the same seed."""
    rng = random.Random(seed)
    return [hostile_text(rng, surrogates=surrogates) for _ in range(number)]


LONG = {
    "one letter": "x" * 1_000_000,
    "blanks": " " * 100_000,
    "two letters in turn": "ab" * 100_000,
    "Chinese without a blank": "的一是不了人我在有他这为之大来以个中上们" * 3_000,
    "newlines": "\n" * 50_000,
    "digits": "1234567890" * 10_000,
    "hashes": "#" * 100_000,
}
