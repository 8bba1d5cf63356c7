"""Exercise 06.write_varint: write a number in groups of seven bits."""

from minbpe_course.formats.protobuf_fields import varint
from minbpe_course.learning import Exercise, Mistake


def write_varint(value):
    r"""Return value as a varint, bytes.

    In the lesson you read varints. Now write them: seven bits per byte, the lowest bits first, with the eighth bit set
    on every byte but the last.

    * **In:** `value`, an integer from -2⁶³ to 2⁶³ - 1. Write a negative one in two's complement, as in the first
      exercise; that takes ten bytes.
    * **Out:** `bytes`.

    For example, `write_varint(300)` is `b"\xac\x02"`; the cell below shows how.

    The check tries zero, one byte, several bytes, the limits between them, and negative numbers.
    """
    rest = value % 2**64
    written = []
    while rest > 127:
        written.append(rest % 128 + 128)
        rest //= 128
    return bytes([*written, rest])


def cases(random):
    yield "zero", 0
    for bits in range(1, 64, 2):
        value = random.getrandbits(bits) | 1 << (bits - 1)
        yield "one byte" if bits < 8 else "several bytes", value
    for power in (7, 14, 21, 28):
        yield "at the border of a byte", 2**power - 1
        yield "at the border of a byte", 2**power
    for value in (-1, -2, -(2**31), -random.getrandbits(40) - 1):
        yield "a negative number", value


def highest_first(value):
    lowest, *higher = varint(value)
    return bytes([*(byte | 0x80 for byte in higher[::-1]), lowest & 0x7F])


EXERCISE = Exercise(
    "06.write_varint",
    "Write a varint",
    "write",
    answer=write_varint,
    picture="""
number = 300
groups = [number >> place & 127 for place in (0, 7)]
print(f"{number:b}", "->", " ".join(f"{group:07b}" for group in reversed(groups)), "-> lowest first, marked:",
      *(f"{group | (128 if group != groups[-1] else 0):08b}" for group in groups))
""",
    difficulty=2,
    minutes=10,
    points=2,
    hints=(
        "Take seven bits off the low end until fewer than eight bits are left.",
        "Lesson 06, where you read varints: do what `read_varint` does, backward.",
        "value %= 2**64; while value >= 128: append (low seven bits | 128), value >>= 7; at the end append value",
    ),
    wanted=varint,
    shown=(("one byte", 5), ("zero", 0), ("several bytes", 300), ("a negative number", -1)),
    drawn=cases,
    mistakes=(
        Mistake("highest-first", "The lowest seven bits come first.", like=highest_first),
        Mistake(
            "always-marked",
            "The eighth bit of the last byte is 0: nothing follows.",
            like=lambda value: bytes(byte | 0x80 for byte in varint(value)),
        ),
        Mistake(
            "128-in-one-byte",
            "How many values have seven bits? 128 needs two bytes.",
            like=("> 127", "> 128"),
        ),
        Mistake(
            "negative",
            "A negative number is written as the 64 bits of its two's complement: ten bytes.",
            when=lambda case, outcome, wanted: case.args[0] < 0,
        ),
    ),
)
