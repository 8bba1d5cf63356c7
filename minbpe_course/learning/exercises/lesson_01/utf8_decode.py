"""Exercise 01.utf8_decode: decode any bytes as Python does, with U+FFFD for each broken sequence."""

import re

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_01.samples import (
    BROKEN,
    EDGES,
    FIRST_BYTES,
    SECOND_BYTES,
    draw_broken,
    draw_text,
)


def utf8_decode(data):
    """Return the text of any bytes; each error becomes one U+FFFD.

    A tokenizer's `decode` must turn *any* bytes into text, because a model may produce its ids in any order. Python has
    a rule for how many diamonds (`�`) it shows for invalid bytes. Your decoder must show exactly as many.

    * **In:** `data` (bytes), anything at all.
    * **Out:** the text (str) that `data.decode("utf-8", errors="replace")` gives, computed without `decode`.

    The rule is this: as long as the bytes could still become a character, they are *one* error and give one `U+FFFD`.
    The first byte that does not fit is not part of that error; start again with it.

    | bytes | answer | why |
    |---|---|---|
    | `63 61 66 c3` | `caf�` | cut off |
    | `f0 9f 91 21` | `�!` | the first three bytes could have become 👋 |
    | `9f 91 8b` | `���` | none of these bytes can begin a character |
    | `c0 af` | `��` | `c0` never begins a character, so `af` is an error by itself |
    | `ed a0 bd` | `���` | after `ed`, `a0` would make a surrogate |

    Tried: valid text, every kind of error in the text above, random lead and continuation bytes, and empty input. The
    picture shows which bytes belong together; each box is one character or one error.
    """
    sizes = ((0x80, 1), (0xC2, 0), (0xE0, 2), (0xF0, 3), (0xF5, 4), (0x100, 0))  # leads below this: size
    narrow = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}
    characters, start = [], 0
    while start < len(data):
        lead = data[start]
        size = next(size for above, size in sizes if lead < above)
        code = lead & (0, 0x7F, 0x1F, 0x0F, 0x07)[size]
        low, high = narrow.get(lead, (0x80, 0xBF))
        behind = start + 1
        while behind < min(start + size, len(data)) and low <= data[behind] <= high:
            code = code << 6 | data[behind] & 0x3F
            low, high = 0x80, 0xBF
            behind += 1
        characters.append(chr(code) if behind - start == size else "\ufffd")
        start = behind
    return "".join(characters)


def cases(random):
    yield "empty input", b""
    for lengths in "1234":
        yield "valid text", draw_text(random, 2, lengths).encode("utf-8")
    for code in EDGES:
        yield "valid text at the edge of a length", chr(code).encode("utf-8")
    for first in FIRST_BYTES:
        more = 1 + (first >= 0xE0) + (first >= 0xF0)
        for second in SECOND_BYTES:
            yield "a second byte at the edge", bytes([first, second, 0x80, 0x80][: more + 1])
    for last in (0x7F, 0x80, 0xBF, 0xC0):
        yield "a last byte at the edge", bytes([0xE1, 0x80, last])
        yield "a last byte at the edge", bytes([0xF1, 0x80, 0x80, last])
    for category in BROKEN:
        for _ in range(5):
            yield category, draw_broken(random, category)
    for length in range(2, 26):
        # Mostly first and continuation bytes, so that many of them nearly make a character.
        some = random.choices((0x41, 0x80, 0x90, 0xA0, 0xBF, 0xC3, 0xE0, 0xE2, 0xED, 0xF0, 0xF4, 0xFF), k=length)
        yield "random bytes", bytes(some)


# Edits after which a first byte decides alone: C0, C1 and F5 to F7 begin something, and any second byte fits.
TRUSTING = (
    ("0xC2", "0xC0"),
    ("0xF5", "0xF8"),
    ("narrow.get(lead, (0x80, 0xBF))", "(0x80, 0xBF)"),
    ("== size", "== size and code <= 0x10FFFF"),
)

TRUSTS = (
    "No encoder writes some of these bytes: a longer form than needed, a surrogate, a number above the last. "
    "After E0, ED, F0 and F4 the second byte has a narrower range, and C0, C1, F5 to FF begin nothing."
)

EXERCISE = Exercise(
    "01.utf8_decode",
    "The right number of diamonds",
    "match",
    answer=utf8_decode,
    picture=r"""
from minbpe_course.reference.utf8 import decode_steps
from minbpe_course.showing import show_tokens

wild = b"caf\xc3 \xf0\x9f\x91! \x9f\x91\x8b \xc0\xaf \xed\xa0\xbd \xe2\x82\xe2\x82\xac"
show_tokens([wild[step.start : step.start + step.size] for step in decode_steps(wild)])
""",
    difficulty=4,
    minutes=30,
    points=3,
    hints=(
        "For each first byte: how many bytes does it announce, and which second bytes may follow it? There are four "
        "exceptions.",
        "Lesson 01, section 2, has the table of first bytes; the text above this exercise has the second bytes with a "
        "narrower range.",
        "first byte -> how many bytes, and the range of the second one; take the following bytes one by one while "
        "they fit; if all are there: the character, else one U+FFFD; continue after the last byte that fit.",
    ),
    wanted=lambda data: data.decode("utf-8", "replace"),
    avoid=(".decode(", "codecs", "str(data"),
    shown=(
        ("a character that is cut off", b"caf\xc3"),
        ("valid text", "hé€👋".encode()),
        ("a character that is cut off", b"\xf0\x9f\x91!"),
        ("the middle of a character", b"\x9f\x91\x8b"),
        ("a longer form than needed", b"\xc0\xaf"),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "one-for-each-byte",
            "You write a diamond for each broken byte. The beginning of a character that was cut off is one error.",
            like=('else "\\ufffd"', 'else "\\ufffd" * (behind - start)'),
        ),
        Mistake(
            "one-for-each-run",
            "Two errors in a row are two diamonds, even with no character between them.",
            like=lambda data: re.sub("\ufffd+", "\ufffd", data.decode("utf-8", "replace")),
        ),
        Mistake(
            "trusts-the-lead",
            TRUSTS,
            like=TRUSTING,
        ),
        Mistake(
            "takes-the-full-length",
            "You skip as many bytes as the first one announced, although they were not all there. Any character among "
            "them is lost.",
            like=(*TRUSTING, ("start = behind", "start += size or 1")),
        ),
        Mistake(
            "tested-too-late",
            "Test the second byte before you take it: if it does not fit, the first byte is an error by itself.",
            like=(
                *TRUSTING[:3],
                ("size else", "size and len(chr(code % 0x110000).encode(errors='ignore')) == size else"),
            ),
        ),
        Mistake(
            "takes-the-intruder",
            "The byte that breaks a character is lost with it. It may begin the next one, so look at it again.",
            like=("start = behind", "start = behind + (0 < size != behind - start)"),
        ),
        Mistake(
            "drops-what-is-broken",
            "Broken bytes vanish from your text. A reader has to see that something was there.",
            like=lambda data: data.decode("utf-8", "ignore"),
        ),
        Mistake(
            "takes-bytes-for-code-points",
            "You make one character of each byte; that is Latin-1. In UTF-8 a byte from 80 on is only a part of one.",
            like=lambda data: data.decode("latin-1"),
        ),
        Mistake(
            "beyond-the-last",
            "You make a number above the last, 10FFFF. After F4 the second byte ends at 8F; F5 to FF begin nothing.",
            when=lambda case, outcome, wanted: outcome.error == "ValueError" and outcome.message.startswith("chr()"),
            like=(("0xF5", "0xF8"), ("0x8F", "0xBF")),
        ),
        Mistake(
            "trusts-the-lead",
            TRUSTS,
            when=lambda case, outcome, wanted: bool({*outcome.value} - {*wanted, "\ufffd"}),
            like=TRUSTING[2:],
        ),
        Mistake(
            "refuses",
            "Your decoder raises an error. It must accept any bytes: write U+FFFD there and continue.",
            when=lambda case, outcome, wanted: outcome.error in ("ValueError", "UnicodeDecodeError"),
        ),
    ),
)
