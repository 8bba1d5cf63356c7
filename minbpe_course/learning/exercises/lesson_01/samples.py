"""Random texts and broken bytes for the exercises of lesson 01."""

# For each length in UTF-8: the first and the last code point, everyday characters, and characters that programs
# treat specially.
BY_LENGTH = {
    1: "\0\x7fabc XYZ019!/\n",
    2: "\x80\u07ffàéüñßΩλжшשב",
    3: "\u0800\uffff€—नमஅกあ字한\ud7ff\ue000\ufeff",
    4: "\U00010000\U0010ffff👋🥁🎻🙂𝄞𐍈",
}

# First bytes on both sides of every limit, and second bytes likewise.
FIRST_BYTES = (0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5)
SECOND_BYTES = (0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0)

# Code points at the edges of a length.
EDGES = (0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF)

# Byte sequences that are not characters, in hexadecimal, by the category of their cases.
BROKEN = {
    "a character that is cut off": "c3 e282 e2 f09f f09f91 f48fbf ed9f",
    "the middle of a character": "80 bfbf 9f918b 82ac",
    "bytes that never occur": "ff fefe c0 c1bf f5808080 f888808080",
    "a longer form than needed": "c0af e080af e09fbf f08080af f08fbfbf",
    "half a UTF-16 pair": "eda0bd edb18b eda0 eda0bdedb18b edbfbf",
    "above the last code point": "f4908080 f4bf f7bfbfbf",
    "two errors in a row": "e282e282 f09ff09f c3c3 f09f91ff e2c3a9",
}


def draw_text(random, length, lengths="1234"):
    """Return ``length`` random characters; ``lengths`` lists the allowed lengths in UTF-8.

    >>> from random import Random
    >>> len(draw_text(Random(0), 5)), len(draw_text(Random(0), 5, "3").encode("utf-8"))
    (5, 15)
    """
    return "".join(random.choice(BY_LENGTH[int(random.choice(lengths))]) for _ in range(length))


def draw_broken(random, category):
    """Return one broken sequence of this category, usually with a few whole characters before and after it.

    >>> from random import Random
    >>> draw_broken(Random(0), "half a UTF-16 pair").count(0xED) > 0
    True
    """
    before, after = (draw_text(random, random.randrange(3)).encode("utf-8") for _ in range(2))
    return before + bytes.fromhex(random.choice(BROKEN[category].split())) + after
