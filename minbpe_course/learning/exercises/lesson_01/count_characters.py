"""Exercise 01.count_characters: count the characters that begin in a chunk of UTF-8."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_01.samples import draw_text


def count_characters(data):
    """Return how many characters begin in this part of a UTF-8 text.

    Several workers read a large file at the same time, in chunks of a fixed size. How many characters does the file
    contain? Decoding each chunk would fail at the cuts, and you don't need to decode anything.

    * **In:** `data` (bytes), part of a valid UTF-8 text, cut anywhere, even in the middle of a character.
    * **Out:** the number of characters (code points) that *begin* in it, an integer.

    `Ελλάδα` has six letters of two bytes each. Here it is, cut after every fifth byte:

    | chunk | bytes | answer |
    |---|---|---|
    | first | `ce 95 ce bb ce` | 3 |
    | second | `bb ce ac ce b4` | 2 |
    | third | `ce b1` | 1 |

    Wherever the cuts are, the answers for the chunks add up to the number of characters. Tried: characters of all
    lengths, cuts at both ends, chunks in which no character begins, and empty input. The picture shows the chunks. A
    backslash marks a byte of a letter that is split between two chunks.
    """
    ### BEGIN SOLUTION
    return sum(byte & 0b11000000 != 0b10000000 for byte in data)
    ### INSTEAD
    # return ...
    ### END SOLUTION


def cases(random):
    yield "empty input", b""
    for length in range(1, 13):
        whole = draw_text(random, length).encode("utf-8")
        yield "whole characters", whole
        start, stop = sorted(random.choices(range(len(whole) + 1), k=2))
        yield "cut at the end", whole[:stop]
        yield "cut at the beginning", whole[start:]
        yield "cut at both ends", whole[start:stop]
    for lengths in "234":
        whole = draw_text(random, 4, lengths).encode("utf-8")
        yield "nothing begins here", whole[1 : int(lengths)]
        yield f"characters of {lengths} bytes", whole


EXERCISE = Exercise(
    "01.count_characters",
    "Count without decoding",
    "fill",
    answer=count_characters,
    picture="""
from minbpe_course.showing import show_tokens

country = "Ελλάδα".encode()
show_tokens([country[:5], country[5:10], country[10:]], title="six letters in three chunks")
""",
    difficulty=1,
    minutes=3,
    points=1,
    hints=(
        "Every character has exactly one byte that begins it. Which bytes do not begin one?",
        "Lesson 01, section 2: all bytes of a character but its first begin with the binary digits 10.",
        "Go through the bytes and count those whose two highest bits are anything but 10.",
    ),
    avoid=(".decode(",),
    shown=(
        ("whole characters", "Ελλάδα 👋".encode()),
        ("cut at the end", "Ελλάδα".encode()[:5]),
        ("cut at the beginning", "Ελλάδα".encode()[5:10]),
    ),
    drawn=cases,
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
        Mistake(
            "leaves-out-torn-ends",
            "You do not count a character that begins in this chunk and ends in the next. No later chunk counts it.",
            like=lambda data: len(data.decode("utf-8", "ignore")),
        ),
    ),
)
