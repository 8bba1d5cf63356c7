"""Exercise 06.read_varint: read a number in groups of seven bits."""

from minbpe_course.errors import MinbpeCourseError
from minbpe_course.formats.protobuf_fields import varint
from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference import wire


def read_varint(data, at):
    r"""Return the number that begins at data[at], and the position after it.

    A varint has seven bits in each byte, the lowest first. The eighth bit, 128, says that another byte follows.

    * **In:** `data`, the `bytes` of a file; `at`, the position of the number's first byte.
    * **Out:** the number, and the position after its last byte.
    * If the data ends before the number does, raise `ValueError`.

    ```
    read_varint(b"\x05", 0)          ->  (5, 1)
    read_varint(b"\xac\x02", 0)      ->  (300, 2)
    read_varint(b"hi\xac\x02!", 2)   ->  (300, 4)
    ```

    The check tries numbers of one byte and of several, in the middle of other bytes, and numbers that are cut off.
    """
    value = shift = 0
    for place in range(at, len(data)):
        value += (data[place] & 127) << shift
        shift += 7
        if data[place] < 128:
            return value, place + 1
    raise ValueError("the file ends inside a number")


def witness(data, at):
    """Read with the package's reference."""
    try:
        return wire.read_varint(data, at)
    except MinbpeCourseError as error:
        raise ValueError(str(error)) from None


def highest_first(data, at):
    value = 0
    for place in range(at, len(data)):
        value = value << 7 | data[place] & 127
        if data[place] < 128:
            return value, place + 1
    raise ValueError("the file ends inside a number")


ONE, SEVERAL, BORDER, MIDDLE, CUT = (
    "one byte",
    "several bytes",
    "at the border of a byte",
    "a number between other bytes",
    "a number that is cut off",
)


def cases(random):
    yield CUT, b"", 0
    for bits in range(1, 64, 3):
        value = random.getrandbits(bits) | 1 << (bits - 1)
        written = varint(value)
        yield ONE if bits < 8 else SEVERAL, written, 0
        before = random.randbytes(random.randint(1, 5))
        yield MIDDLE, before + written + random.randbytes(3), len(before)
        if bits > 7:
            yield CUT, before + written[:-1], len(before)
    for power in (7, 14, 21, 28):
        yield BORDER, varint(2**power - 1), 0
        yield BORDER, varint(2**power), 0


EXERCISE = Exercise(
    "06.read_varint",
    "Read a varint",
    "write",
    answer=read_varint,
    difficulty=2,
    minutes=6,
    points=2,
    hints=(
        "Walk through the bytes from `at` on. What does each add to the number, and how do you know that it is the "
        "last one?",
        "Lesson 06, section 1: 300 is `AC 02`, or 44 + 2 · 128. What would a third byte be multiplied by?",
        "start with value 0 and factor 1; for each place from at on: value += (data[place] % 128) * factor, "
        "factor *= 128; if data[place] < 128, return value and place + 1. After the loop, raise ValueError",
    ),
    wanted=witness,
    shown=(
        (ONE, b"\x05", 0),
        (SEVERAL, b"\xac\x02", 0),
        (MIDDLE, b"hi\xac\x02!", 2),
        (BORDER, b"\x80\x01", 0),
        (CUT, b"\xac", 0),
    ),
    drawn=cases,
    mistakes=(
        Mistake("highest-first", "The lowest seven bits come first.", like=highest_first),
        Mistake(
            "eighth-bit-kept",
            "The eighth bit is no part of the number. Take only the lower seven: `data[place] & 127`.",
            like=("data[place] & 127", "data[place]"),
        ),
        Mistake(
            "eight-bits-each",
            "Each byte has seven bits of the number, so the next byte counts 128 times as much, not 256 times.",
            like=("shift += 7", "shift += 8"),
        ),
        Mistake(
            "from-the-beginning",
            "The number begins at data[at], not at data[0].",
            like=("range(at, len(data))", "range(len(data))"),
        ),
        Mistake(
            "length-for-position",
            "Return the position after the number, counted from the beginning of data. You return how many bytes the "
            "number has.",
            like=("return value, place + 1", "return value, place + 1 - at"),
        ),
        Mistake(
            "position-of-the-last-byte",
            "The second value is the position *after* the last byte of the number.",
            like=("return value, place + 1", "return value, place"),
        ),
        Mistake(
            "value-only",
            "Return two values: the number, and the position after it.",
            like=("return value, place + 1", "return value"),
        ),
        Mistake(
            "cut-short-is-fine",
            "The data ends before the number does, since the last byte says that another one follows. Raise "
            "ValueError.",
            like=('raise ValueError("the file ends inside a number")', "return value, len(data)"),
        ),
        Mistake(
            "another-error",
            "For a number that is cut off, raise ValueError instead of any other error.",
            when=lambda case, outcome, wanted: case.category == CUT and outcome.state == "raised",
        ),
    ),
)
