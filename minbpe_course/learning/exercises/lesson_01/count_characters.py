"""Exercise 01.count_characters: count the characters that begin in a chunk of UTF-8."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from minbpe_course.learning.exercises.lesson_01.samples import draw_text
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake


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


EXERCISE = Exercise(
    key="01.count_characters",
    title="Count without decoding",
    kind="fill",
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "Every character has exactly one byte that begins it. Which bytes do not begin one?",
        "Go through the bytes and count those whose two highest bits are anything but 10.",
        "Lesson 01, on the job of each byte: no byte value has two jobs.",
    ),
    wanted=lambda data: sum(byte & 0b11000000 != 0b10000000 for byte in data),
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
            "You count only the bytes that begin a longer character. An ASCII byte begins a character too.",
            like=lambda data: sum(byte >= 0b11000000 for byte in data),
        ),
        Mistake(
            "counts-the-other-bytes",
            "You count the continuation bytes. Count all the others.",
            like=lambda data: sum(byte & 0b11000000 == 0b10000000 for byte in data),
        ),
        Mistake(
            "counts-torn-beginnings",
            "You count the rest of a character that began before this chunk. It was counted where it began.",
            like=lambda data: len(data.decode("utf-8", "replace")),
        ),
    ),
)
