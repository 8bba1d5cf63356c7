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

# Byte sequences that are not characters, by the category of their cases.
BROKEN = {
    "a character that is cut off": (
        b"\xc3", b"\xe2\x82", b"\xe2", b"\xf0\x9f", b"\xf0\x9f\x91", b"\xf4\x8f\xbf", b"\xed\x9f",
    ),
    "the middle of a character": (b"\x80", b"\xbf\xbf", b"\x9f\x91\x8b", b"\x82\xac"),
    "bytes that never occur": (
        b"\xff", b"\xfe\xfe", b"\xc0", b"\xc1\xbf", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80",
    ),
    "a longer form than needed": (
        b"\xc0\xaf", b"\xe0\x80\xaf", b"\xe0\x9f\xbf", b"\xf0\x80\x80\xaf", b"\xf0\x8f\xbf\xbf",
    ),
    "half a UTF-16 pair": (b"\xed\xa0\xbd", b"\xed\xb1\x8b", b"\xed\xa0", b"\xed\xa0\xbd\xed\xb1\x8b", b"\xed\xbf\xbf"),
    "above the last code point": (b"\xf4\x90\x80\x80", b"\xf4\xbf", b"\xf7\xbf\xbf\xbf"),
    "two errors in a row": (
        b"\xe2\x82\xe2\x82", b"\xf0\x9f\xf0\x9f", b"\xc3\xc3", b"\xf0\x9f\x91\xff", b"\xe2\xc3\xa9",
    ),
}  # fmt: skip


def draw_text(random, length, lengths="1234"):
    """Return ``length`` random characters; ``lengths`` lists the allowed lengths in UTF-8.

    >>> len(draw_text(Random(0), 5)), len(draw_text(Random(0), 5, "3").encode("utf-8"))
    (5, 15)
    """
    return "".join(random.choice(BY_LENGTH[int(random.choice(lengths))]) for _ in range(length))


def draw_broken(random, category):
    """Return one broken sequence of this category, usually with a few whole characters before and after it.

    >>> draw_broken(Random(0), "half a UTF-16 pair").count(0xED) > 0
    True
    """
    before, after = (draw_text(random, random.randrange(3)).encode("utf-8") for _ in range(2))
    return before + random.choice(BROKEN[category]) + after
