"""Exercise 01.two_bytes: write the two bytes of a code point."""

from minbpe_course.learning import Exercise, Mistake


def two_bytes(code):
    """Return the UTF-8 bytes of a code point that takes two of them.

    The pattern is `110xxxxx 10xxxxxx`. The eleven `x` are the binary digits of the code point.

    * **In:** `code`, an integer from 0x80 to 0x7FF.
    * **Out:** its two bytes, as `bytes`.

    For example, `two_bytes(233)` is `b"\\xc3\\xa9"`, the two bytes of `é`. Do it with arithmetic, without `encode`:
    dividing by 64 drops the last six binary digits, and the remainder is those six. `110` in front of five digits adds
    192, and `10` in front of six digits adds 128.

    Tried: the smallest and the largest code point, and others.
    """
    high, low = divmod(code, 64)
    return bytes([192 + high, 128 + low])


def cases(random):
    for code in (0x80, 0xBF, 0xC0, 0xFF, 0x100, 0x7FF):
        yield "at an edge", code
    for _ in range(12):
        yield "letters with accents", random.randrange(0xC0, 0x180)
        yield "other letters", random.randrange(0x370, 0x7FF)


EXERCISE = Exercise(
    "01.two_bytes",
    "Two bytes by hand",
    "write",
    answer=two_bytes,
    difficulty=2,
    minutes=4,
    points=1,
    hints=(
        "Split the binary digits of the code point into two groups: the last six, and all those before them.",
        "Lesson 01, section 2: you have done it by hand for é. Which two numbers did you write down?",
        "first byte: 192 + the code divided by 64, rounded down; second byte: 128 + the remainder of that division; "
        "make a bytes object of the two numbers",
    ),
    wanted=lambda code: chr(code).encode("utf-8"),
    avoid=(".encode(",),
    shown=(
        ("letters with accents", 233),
        ("at an edge", 0x80),
        ("at an edge", 0x7FF),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "the-other-way-round",
            "The two bytes are right, but they come in the other order: the byte with 110 is the first.",
            like=("[192 + high, 128 + low]", "[128 + low, 192 + high]"),
        ),
        Mistake(
            "no-marks",
            "The digits are right, but the marks 110 and 10 are missing in front of them.",
            like=("[192 + high, 128 + low]", "[high, low]"),
        ),
        Mistake(
            "one-mark-for-both",
            "The first byte begins with 110, the second with 10. You put the same mark in front of both.",
            like=("192 + high", "128 + high"),
        ),
        Mistake(
            "groups-of-seven",
            "The second byte holds six digits of the code point, so divide by 64.",
            when=lambda case, outcome, wanted: (
                outcome.value in (bytes([(192 + case.args[0] // 128) % 256, (128 + case.args[0] % 128) % 256]),)
            ),
            like=lambda code: bytes([192 + code // 128, 128 + code % 128]),
        ),
        Mistake(
            "mark-of-three-bytes",
            "224 is 1110 0000, the mark of a character of three bytes. Two bytes begin with 110, which is 192.",
            like=("192", "224"),
        ),
        Mistake(
            "two-plain-bytes",
            "You split the number after eight digits, as UTF-16 does. The second byte holds only six.",
            like=lambda code: code.to_bytes(2, "big"),
        ),
        Mistake(
            "no-bytes",
            "The numbers are right. Make a bytes object of them: `bytes([...])`.",
            when=lambda case, outcome, wanted: (
                isinstance(outcome.value, (list, tuple)) and list(outcome.value) == list(wanted)
            ),
            like=lambda code: [192 + code // 64, 128 + code % 64],
        ),
    ),
)
