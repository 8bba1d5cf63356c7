"""The exercises of lesson 01 about writing and cutting UTF-8, with the mistakes that people make in them.

    COUNT   01.count_characters    fill in a line
    ENCODE  01.utf8_encode         write a function
    CUT     01.cut_before          repair a bug

Limits: records only; who asks for them is ``checks.lesson_01``.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from minbpe_course.checks.exercise import Case, Exercise, Mistake
from minbpe_course.checks.lesson_01.samples import HALVES, draw_text

# ----------------------------------------------------------------------------------------------------
# 01.count_characters


def _count_begun(data: bytes) -> int:
    return sum(byte & 0b11000000 != 0b10000000 for byte in data)


def _count_cases(random: Random) -> Iterator[Case]:
    yield Case("empty input", (b"",))
    for length in range(1, 13):
        whole = draw_text(random, length).encode("utf-8")
        yield Case("whole characters", (whole,))
        start, stop = random.randrange(len(whole)), random.randrange(len(whole) + 1)
        yield Case("cut at the end", (whole[:stop],))
        yield Case("cut at the beginning", (whole[start:],))
        yield Case("cut at both ends", (whole[min(start, stop) : max(start, stop)],))
    for lengths in "234":
        whole = draw_text(random, 4, lengths).encode("utf-8")
        yield Case("nothing begins here", (whole[1 : int(lengths)],))
        yield Case(f"characters of {lengths} bytes", (whole,))


COUNT = Exercise(
    key="01.count_characters",
    title="Count without decoding",
    kind="fill",
    entry="count_characters",
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "Every character has exactly one byte that begins it. Which bytes do not begin one?",
        "Go through the bytes and count those whose two highest bits are anything but 10.",
        "Lesson 01, What each of the 256 bytes is for: no byte value has two roles.",
    ),
    wanted=_count_begun,
    avoid=(".decode(",),
    shown=(
        Case("whole characters", ("Ελλάδα 👋".encode(),)),
        Case("cut at the end", ("Ελλάδα".encode()[:5],)),
        Case("cut at the beginning", ("Ελλάδα".encode()[5:10],)),
        Case("whole characters", (b"abc",)),
    ),
    drawn=_count_cases,
    mistakes=(
        Mistake(
            "counts-bytes",
            "Your answer is the number of bytes. A character of two bytes is still one character.",
            like=len,
        ),
        Mistake(
            "counts-ascii-only",
            "You count only the characters of one byte. What does a longer character begin with?",
            like=lambda data: sum(byte < 0x80 for byte in data),
        ),
        Mistake(
            "leaves-out-ascii",
            "You count only the bytes that begin a longer character; an ASCII byte begins a character too, and ends "
            "it.",
            like=lambda data: sum(byte >= 0b11000000 for byte in data),
        ),
        Mistake(
            "counts-the-other-bytes",
            "You count the bytes that begin nothing. It is all the others that are wanted.",
            like=lambda data: sum(byte & 0b11000000 == 0b10000000 for byte in data),
        ),
        Mistake(
            "counts-torn-beginnings",
            "You count the rest of a character that began before this stretch. It was counted where it began.",
            like=lambda data: len(data.decode("utf-8", "replace")),
        ),
    ),
)

# ----------------------------------------------------------------------------------------------------
# 01.utf8_encode


def _encode_repaired(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")


def _encode_cases(random: Random) -> Iterator[Case]:
    yield Case("empty input", ("",))
    for lengths in "1234":
        for length in (1, 3):
            yield Case(
                f"characters of {lengths} byte{'s' if lengths > '1' else ''}", (draw_text(random, length, lengths),)
            )
    for number in (0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF):
        yield Case("at the edge of a length", (chr(number),))
    for first in (0xD7FF, 0xD800, 0xDBFF, 0xDC00):
        for second in (0xDBFF, 0xDC00, 0xDFFF, 0xE000):
            yield Case("at the edge of the surrogates", (chr(first) + chr(second),))
    for half in HALVES:
        yield Case("a lone surrogate", (half,))
        yield Case("a lone surrogate", (draw_text(random, 1) + half + draw_text(random, 1),))
    for length in range(2, 8):
        code = random.randrange(0x400), random.randrange(0x400)
        pair = chr(0xD800 + code[0]) + chr(0xDC00 + code[1])
        yield Case("a pair of surrogates", (pair,))
        yield Case("a pair of surrogates", (draw_text(random, 1) + pair + draw_text(random, 1),))
        yield Case("surrogates in any order", ("".join(random.choice(HALVES) for _ in range(length)),))
    for length in range(2, 14):
        yield Case("all lengths mixed", (draw_text(random, length),))


def _without(text: str, put: str) -> str:
    return "".join(put if 0xD800 <= ord(character) <= 0xDFFF else character for character in text)


def _little_end_first(text: str) -> bytes:
    """Write the six-bit groups in the wrong order."""
    parts = (character.encode("utf-8") for character in _encode_repaired(text).decode("utf-8"))
    return b"".join(part[:1] + part[:0:-1] for part in parts)


def _swallow_after_high(text: str) -> bytes:
    """Whatever follows a high half is taken for its partner."""
    characters, at = [], 0
    while at < len(text):
        high = 0xD800 <= ord(text[at]) < 0xDC00
        size = 2 if high else 1
        characters.append(_encode_repaired(text[at : at + size]).decode("utf-8")[:1])
        at += size
    return "".join(characters).encode("utf-8")


ENCODE = Exercise(
    key="01.utf8_encode",
    title="An encoder that never refuses",
    kind="write",
    entry="utf8_encode",
    difficulty=2,
    minutes=15,
    points=2,
    hints=(
        "Settle first which code point you are about to write: a surrogate has to look at its neighbour. "
        "After that, only the four lengths remain.",
        "at i: if it is a high half and i + 1 is a low half, join them and step by 2; else if it is a half, take "
        "U+FFFD. "
        "Then write 1, 2, 3 or 4 bytes by the size of the code point.",
        "Lesson 01, The rules (for one code point) and Surrogates: a pair that is one (ten bits in each half).",
    ),
    wanted=_encode_repaired,
    avoid=(".encode(", "codecs"),
    shown=(
        Case("all lengths mixed", ("hé€👋",)),
        Case("a pair of surrogates", ("\ud83d\udc4b",)),
        Case("a lone surrogate", ("\ud83d!",)),
        Case("surrogates in any order", ("\udc4b\ud83d",)),
    ),
    drawn=_encode_cases,
    mistakes=(
        Mistake(
            "writes-surrogates",
            "You write each half as three bytes of its own. UTF-8 has no form for a surrogate: no decoder will read "
            "that.",
            like=lambda text: text.encode("utf-8", "surrogatepass"),
        ),
        Mistake(
            "leaves-pairs-apart",
            "You replace every half. Two that fit, a high one and then a low one, are one character above U+FFFF.",
            like=lambda text: _without(text, "\ufffd").encode("utf-8"),
        ),
        Mistake(
            "drops-lone-halves",
            "A lone half vanishes from your bytes. It is to leave a trace: U+FFFD.",
            like=lambda text: text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore").encode("utf-8"),
        ),
        Mistake(
            "drops-all-halves",
            "Every surrogate vanishes from your bytes. Join the pairs; what remains becomes U+FFFD.",
            like=lambda text: _without(text, "").encode("utf-8"),
        ),
        Mistake(
            "question-marks",
            "You write a question mark in the place of a half, which nobody can tell from a real one. U+FFFD is "
            "wanted.",
            like=lambda text: text.encode("utf-8", "replace"),
        ),
        Mistake(
            "swallows-the-neighbour",
            "After a high half you take the next character, whatever it is. It is its partner only if it is a low "
            "half.",
            like=_swallow_after_high,
        ),
        Mistake(
            "groups-in-wrong-order",
            "The groups of six bits are all there, in the wrong order: the highest bits of the code point come first.",
            like=_little_end_first,
        ),
        Mistake(
            "refuses",
            "Your encoder raises an error for a surrogate. A guest in other people's programs has to cope with one.",
            when=lambda case, outcome, wanted: outcome.error == "UnicodeEncodeError",
        ),
    ),
)

# ----------------------------------------------------------------------------------------------------
# 01.cut_before


def _cut_at_a_start(data: bytes, limit: int) -> bytes:
    end = min(limit, len(data))
    while end < len(data) and data[end] & 0b11000000 == 0b10000000:
        end -= 1
    return data[:end]


def _drops_what_fits(data: bytes, limit: int) -> bytes:
    """The planted bug: it looks at the last byte kept, which does not say whether its character is complete.

    Seen in programs that shorten messages (Mininglamp-OSS/cc-channel-octo, pull request 42).
    """
    end = min(limit, len(data))
    while end > 0 and data[end - 1] & 0b11000000 == 0b10000000:
        end -= 1
    if end > 0 and data[end - 1] & 0b11000000 == 0b11000000:
        end -= 1
    return data[:end]


def _steps_back(data: bytes, limit: int, most: int) -> bytes:
    end = min(limit, len(data))
    for _ in range(most):
        if end < len(data) and data[end] & 0b11000000 == 0b10000000:
            end -= 1
    return data[:end]


def _leaves_the_lead(data: bytes, limit: int) -> bytes:
    end = min(limit, len(data))
    while end > 0 and data[end - 1] & 0b11000000 == 0b10000000:
        end -= 1
    return data[:end]


def _cut_cases(random: Random) -> Iterator[Case]:
    yield Case("empty input", (b"", 0))
    yield Case("empty input", (b"", random.randrange(1, 5)))
    for length in range(1, 9):
        data = draw_text(random, length).encode("utf-8")
        starts = [at for at, byte in enumerate(data) if byte & 0b11000000 != 0b10000000]
        yield Case("a limit between two characters", (data, random.choice(starts)))
        yield Case("a limit beyond the end", (data, len(data) + random.randrange(1, 4)))
        yield Case("a limit at the very end", (data, len(data)))
        yield Case("a limit of 0", (data, 0))
        for size in (2, 3, 4):
            before, behind = (draw_text(random, random.randrange(length)).encode("utf-8") for _ in range(2))
            inside = len(before) + random.randrange(1, size)
            data = before + draw_text(random, 1, str(size)).encode("utf-8") + behind
            yield Case(f"a limit inside a character of {size} bytes", (data, inside))


CUT = Exercise(
    key="01.cut_before",
    title="Cut where no character is hurt",
    kind="repair",
    entry="cut_before",
    difficulty=2,
    minutes=10,
    points=2,
    hints=(
        "What comes out is always valid UTF-8. So ask the other question: is it as long as it could be?",
        "A cut is clean when a character begins right behind it. Look at the first byte that is left out; "
        "as long as it is in the middle of a character, cut one byte earlier.",
        "Lesson 01, What each of the 256 bytes is for: next_start walks forward to a beginning, here you walk back.",
    ),
    wanted=_cut_at_a_start,
    planted=_drops_what_fits,
    shown=(
        Case("a limit inside a character of 3 bytes", (b"5 \xe2\x82\xac", 4)),
        Case("a limit at the very end", (b"5 \xe2\x82\xac", 5)),
        Case("a limit between two characters", ("né".encode() + b"e", 3)),
        Case("a limit inside a character of 4 bytes", ("👋".encode(), 3)),
    ),
    drawn=_cut_cases,
    mistakes=(
        Mistake(
            "cuts-through",
            "You keep every byte below the limit, and with them a part of a character.",
            like=lambda data, limit: data[:limit],
        ),
        Mistake(
            "one-step-back",
            "You go back by one byte at most. In a character of three bytes the limit may lie one byte deeper.",
            like=lambda data, limit: _steps_back(data, limit, 1),
        ),
        Mistake(
            "two-steps-back",
            "You go back by two bytes at most. The longest characters have three bytes behind the first.",
            like=lambda data, limit: _steps_back(data, limit, 2),
        ),
        Mistake(
            "leaves-the-lead",
            "Your answer ends in a first byte without the rest: the last bytes of a character are gone, its first is "
            "not.",
            like=_leaves_the_lead,
        ),
        Mistake(
            "counts-characters",
            "The limit is a number of bytes; your answer has so many characters.",
            like=lambda data, limit: data.decode("utf-8")[:limit].encode("utf-8"),
        ),
        Mistake(
            "puts-diamonds",
            "Your answer has a replacement character that was not in the data. Leave the broken character out.",
            like=lambda data, limit: data[:limit].decode("utf-8", "replace").encode("utf-8"),
        ),
        Mistake("looks-past-the-end", "There is no byte behind the last one: test for the end before you look.",
                when=lambda case, outcome, wanted: outcome.error == "IndexError"),
    ),
)  # fmt: skip
