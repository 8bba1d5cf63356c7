"""Texts and bytes for the exercises of lesson 01, drawn from a seed: every length of character, every way to be broken.

    draw_text(random, 5)         five characters, of all lengths in UTF-8 and at the edges of each
    draw_broken(random)          ("cut off", b"a\\xe2\\x82"), one accident among whole characters

Limits: texts hold no surrogates unless asked for; what is drawn is short.
"""

from __future__ import annotations

from random import Random

# For each length in UTF-8 the first and the last code point, what people write, and what programs treat apart.
BY_LENGTH = {
    1: "\0\x7fabc XYZ019!/\n",
    2: "\x80\u07ffàéüñßΩλжшשב",
    3: "\u0800\uffff€—नमஅกあ字한\ud7ff\ue000\ufeff",
    4: "\U00010000\U0010ffff👋🥁🎻🙂𝄞𐍈",
}
HALVES = "\ud800\ud83d\udbff\udc00\udc4b\udfff"

# What is no character, by the reason that names the category of a case.
ACCIDENTS: dict[str, tuple[bytes, ...]] = {
    "a character that is cut off": (
        b"\xc3",
        b"\xe2\x82",
        b"\xe2",
        b"\xf0\x9f",
        b"\xf0\x9f\x91",
        b"\xf4\x8f\xbf",
        b"\xed\x9f",
    ),
    "the middle of a character": (b"\x80", b"\xbf\xbf", b"\x9f\x91\x8b", b"\x82\xac"),
    "bytes that never occur": (
        b"\xff",
        b"\xfe\xfe",
        b"\xc0",
        b"\xc1\xbf",
        b"\xf5\x80\x80\x80",
        b"\xf8\x88\x80\x80\x80",
    ),
    "a longer form than needed": (
        b"\xc0\xaf",
        b"\xe0\x80\xaf",
        b"\xe0\x9f\xbf",
        b"\xf0\x80\x80\xaf",
        b"\xf0\x8f\xbf\xbf",
    ),
    "half a UTF-16 pair": (b"\xed\xa0\xbd", b"\xed\xb1\x8b", b"\xed\xa0", b"\xed\xa0\xbd\xed\xb1\x8b", b"\xed\xbf\xbf"),
    "above the last code point": (b"\xf4\x90\x80\x80", b"\xf4\xbf", b"\xf7\xbf\xbf\xbf"),
    "two accidents in a row": (
        b"\xe2\x82\xe2\x82",
        b"\xf0\x9f\xf0\x9f",
        b"\xc3\xc3",
        b"\xf0\x9f\x91\xff",
        b"\xe2\xc3\xa9",
    ),
}


def draw_text(random: Random, length: int, lengths: str = "1234") -> str:
    """Return so many characters, each of one of the lengths in UTF-8 that are named.

    >>> len(draw_text(Random(0), 5)), len(draw_text(Random(0), 5, "3").encode("utf-8"))
    (5, 15)
    """
    return "".join(random.choice(BY_LENGTH[int(random.choice(lengths))]) for _ in range(length))


def draw_broken(random: Random, reason: str) -> bytes:
    """Return one accident of this kind, most often with a few whole characters before and behind it.

    >>> draw_broken(Random(0), "half a UTF-16 pair").count(0xED) > 0
    True
    """
    before, after = (draw_text(random, random.randrange(3)).encode("utf-8") for _ in range(2))
    return before + random.choice(ACCIDENTS[reason]) + after
