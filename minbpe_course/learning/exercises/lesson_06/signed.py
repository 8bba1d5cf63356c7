"""Exercise 06.signed: the negative number that a 64-bit number stands for."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference import wire


def signed(value):
    """Return the number from -2**63 to 2**63 - 1 that a varint stands for.

    A varint holds a number from 0 to 2⁶⁴ - 1. A field that can be negative, such as `pad_id`, stores its value as 64
    bits of two's complement: the upper half of these numbers stands for the negative ones.

    * **In:** `value`, an integer from 0 to 2⁶⁴ - 1, as a varint holds it.
    * **Out:** the number it stands for, from -2⁶³ to 2⁶³ - 1.

    For example, `signed(3)` is `3`, and `signed(2**64 - 1)` is `-1`. One line is enough.

    The check tries numbers of every size, both sides of the middle, and both ends.
    """
    return value - (1 << 64) if value >> 63 else value


def cases(random):
    for value in (0, 1, 2**31 - 1, 2**63 - 1):
        yield "a number that is not negative", value
    for value in (2**64 - 1, 2**63, 2**64 - 2**31):
        yield "a negative number", value
    for _ in range(30):
        value = random.getrandbits(64)
        yield "a negative number" if value >> 63 else "a number that is not negative", value


EXERCISE = Exercise(
    "06.signed",
    "A negative number in a file",
    "fill",
    answer=signed,
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "Two's complement: a number and its negative add up to 2 to the power of 64.",
        "Lesson 06, where you read varints. The numbers that `read_varint` returns are never negative.",
        "if the highest of the 64 bits is set, subtract 2 to the power of 64",
    ),
    wanted=wire.read_signed,
    shown=(
        ("a number that is not negative", 3),
        ("a negative number", 2**64 - 1),
        ("a negative number", 2**63),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "border",
            "2**63 itself is already negative: which of < and <= is right?",
            like=lambda value: value - 2**64 if value > 2**63 else value,
        ),
        Mistake("unsigned", "A number of 2**63 or more stands for a negative one.", like=lambda value: value),
        Mistake(
            "32-bits",
            "Fields of 32 bits are stored as 64 too: compare with 2**63, and subtract 2**64.",
            like=lambda value: value - 2**32 if value >= 2**31 else value,
        ),
        Mistake(
            "flips-the-bits",
            "Flipping every bit of x gives -x - 1, which is one off.",
            like=lambda value: -(value ^ (2**64 - 1)) if value >= 2**63 else value,
        ),
    ),
)
