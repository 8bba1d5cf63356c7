"""Exercise 06.write_varint: write a number in groups of seven bits."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from minbpe_course.formats.protobuf_fields import varint
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited


def _varint_cases(random: Random) -> Iterator[Case]:
    yield Case("zero", (0,))
    for bits in range(1, 64, 2):
        value = random.getrandbits(bits) | 1 << (bits - 1)
        yield Case("one byte" if bits < 8 else "several bytes", (value,))
    for power in (7, 14, 21, 28):
        yield Case("at the border of a byte", (2**power - 1,))
        yield Case("at the border of a byte", (2**power,))
    for value in (-1, -2, -(2**31), -random.getrandbits(40) - 1):
        yield Case("a negative number", (value,))


def _highest_first(value: int) -> bytes:
    groups = [byte & 0x7F for byte in varint(value)]
    return bytes([group | 0x80 for group in groups[:0:-1]] + groups[:1])


EXERCISE = Exercise(
    key="06.write_varint",
    title="Write a varint",
    kind="write",
    difficulty=2,
    minutes=10,
    points=2,
    hints=(
        "Take seven bits off the low end until fewer than eight bits are left.",
        "value %= 2**64; while value >= 128: append (low seven bits | 128), value >>= 7; at the end append value",
        "Lesson 06, where you read varints: do what `read_varint` does, backward.",
    ),
    wanted=varint,
    shown=(Case("one byte", (5,)), Case("zero", (0,)), Case("several bytes", (300,)), Case("a negative number", (-1,))),
    drawn=_varint_cases,
    mistakes=(
        Mistake("highest-first", "The lowest seven bits come first.", like=_highest_first),
        Mistake(
            "always-marked",
            "The eighth bit of the last byte is 0: nothing follows.",
            like=lambda value: bytes(byte | 0x80 for byte in varint(value)),
        ),
        Mistake(
            "128-in-one-byte",
            "How many values have seven bits? 128 needs two bytes.",
            like=edited(varint, (">= 0x80", "> 0x80")),
        ),
        Mistake(
            "negative",
            "A negative number is written as the 64 bits of its two's complement: ten bytes.",
            when=lambda case, outcome, wanted: case.args[0] < 0,
        ),
    ),
)
