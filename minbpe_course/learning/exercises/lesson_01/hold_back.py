"""Exercise 01.hold_back: keep the beginning of a character until the rest of it arrives."""

import codecs

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_01.samples import draw_text


def hold_back(data):
    """Return what is ready to be decoded, and the unfinished character at the end.

    * **In:** `data` (bytes), the beginning of a valid UTF-8 text, cut anywhere.
    * **Out:** a pair of bytes objects that joined are `data`: all whole characters, and the bytes of a character whose
      end is missing. The second part is empty if nothing is missing, and has three bytes at most.

    | data | ready | unfinished |
    |---|---|---|
    | `63 61 66 c3` | `63 61 66` | `c3` |
    | `63 61 66 c3 a9` | `63 61 66 c3 a9` | |
    | `35 e2 82` | `35` | `e2 82` |

    Tried: characters of all lengths, cut after each of their bytes, whole characters at the end, and empty data.
    """
    start = len(data) - 1  # where the last character begins
    while start > 0 and 0x80 <= data[start] < 0xC0:
        start -= 1
    first = data[start] if data else 0
    length = 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    return (data[:start], data[start:]) if len(data) - start < length else (data, b"")


def cases(random):
    yield "empty data", b""
    for length in range(1, 7):
        for size in (2, 3, 4):
            last = draw_text(random, 1, str(size)).encode("utf-8")
            before = draw_text(random, random.randrange(length)).encode("utf-8")
            yield f"a character of {size} bytes, cut", before + last[: random.randrange(1, size)]
            yield f"a character of {size} bytes, whole", before + last
        yield "ASCII at the end", draw_text(random, length).encode("utf-8") + b"!"
    for size in (2, 3, 4):
        last = draw_text(random, 1, str(size)).encode("utf-8")
        for kept in range(1, size):
            yield f"a character of {size} bytes, cut", last[:kept]
        yield f"a character of {size} bytes, cut", b"ab" + last + last[:-1]


def begins(data):
    """Return where the last character begins."""
    return max((at for at, byte in enumerate(data) if not 0x80 <= byte < 0xC0), default=0)


def looks_back(data, most):
    """Hold an unfinished character back only if at most this many of its bytes are there."""
    ready, held = by_pythons_decoder(data)
    return (ready, held) if len(held) <= most else (data, b"")


def by_pythons_decoder(data):
    """Ask Python's incremental decoder what it keeps."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    decoder.decode(data)
    kept = decoder.getstate()[0]
    return data[: len(data) - len(kept)], kept


EXERCISE = Exercise(
    "01.hold_back",
    "Wait for the rest",
    "write",
    answer=hold_back,
    difficulty=3,
    minutes=10,
    points=2,
    hints=(
        "Find where the last character begins. How many bytes should it have, and how many are there?",
        "Lesson 01, section 2: the first byte of a character says how long it is.",
        "go back from the end to the first byte that is not a continuation byte (80 to bf); its value tells you the "
        "length: 1 below c0, 2 below e0, 3 below f0, else 4; if fewer bytes are there, cut before it, otherwise return "
        'data and b""',
    ),
    wanted=by_pythons_decoder,
    shown=(
        ("a character of 2 bytes, cut", b"caf\xc3"),
        ("a character of 2 bytes, whole", b"caf\xc3\xa9"),
        ("ASCII at the end", b"a!"),
        ("a character of 3 bytes, cut", b"5\xe2\x82"),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "holds-nothing",
            "You hold nothing back, so an unfinished character is decoded before the rest of it arrives.",
            like=lambda data: (data, b""),
        ),
        Mistake(
            "holds-whole-characters",
            "You always hold the last character back. If all of its bytes are there, it is ready.",
            like=lambda data: (data[: begins(data)], data[begins(data) :]),
        ),
        Mistake(
            "holds-all-but-ascii",
            "You hold the last character back even if it is whole. Compare its length with the number of its bytes.",
            like=lambda data: (data[: begins(data)], data[begins(data) :]) if data[-1:] >= b"\x80" else (data, b""),
        ),
        Mistake(
            "last-byte-only",
            "You look at the last byte only. After `e2 82` one more byte is missing, and the character began earlier.",
            like=lambda data: looks_back(data, 1),
        ),
        Mistake(
            "two-bytes-back",
            "You go back by two bytes at most. Three bytes of a character of four may be there.",
            like=lambda data: looks_back(data, 2),
        ),
        Mistake(
            "loses-the-rest",
            "The unfinished bytes are gone. Return them as the second part, so that the rest can be added to them.",
            like=lambda data: (by_pythons_decoder(data)[0], b""),
        ),
        Mistake(
            "text",
            "Both parts are bytes. The caller decodes the first one.",
            when=lambda case, outcome, wanted: (
                outcome.state == "value"
                and isinstance(outcome.value, (list, tuple))
                and any(isinstance(part, str) for part in outcome.value)
            ),
            like=lambda data: (by_pythons_decoder(data)[0].decode("utf-8"), by_pythons_decoder(data)[1]),
        ),
        Mistake(
            "empty-data",
            "There may be no bytes at all. Test for that before you look at the last one.",
            when=lambda case, outcome, wanted: outcome.error == "IndexError" and not case.args[0],
        ),
    ),
)
