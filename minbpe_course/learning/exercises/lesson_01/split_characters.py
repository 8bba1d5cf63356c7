"""Exercise 01.split_characters: find where each character begins in UTF-8."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_01.samples import draw_text


def split_characters(data):
    """Return a list with the bytes of each character in this UTF-8.

    * **In:** `data` (bytes), valid UTF-8.
    * **Out:** a list of bytes objects, one for each character. Joined, they are `data`.

    For example, `split_characters(b"n\\xc3\\xa9e")` is `[b"n", b"\\xc3\\xa9", b"e"]`. Do it without decoding: a
    character begins at each byte that is not a continuation byte (`80` to `bf`).

    Tried: characters of all lengths, one character, and empty input.
    """
    characters = []
    for byte in data:
        if 0x80 <= byte < 0xC0:
            characters[-1] += bytes([byte])
        else:
            characters.append(bytes([byte]))
    return characters


def cases(random):
    yield "empty input", b""
    for size in "1234":
        category = f"characters of {size} byte{'s' if size > '1' else ''}"
        for length in (1, 2, 5):
            yield category, draw_text(random, length, size).encode("utf-8")
    for length in range(2, 14):
        yield "all lengths mixed", draw_text(random, length).encode("utf-8")


EXERCISE = Exercise(
    "01.split_characters",
    "One character at a time",
    "write",
    answer=split_characters,
    difficulty=2,
    minutes=6,
    points=2,
    hints=(
        "Go through the bytes in order. Each of them either begins a character or belongs to the one before it.",
        "Lesson 01, section 2: the table, and the rule for the first byte of a character.",
        "begin with an empty list; for each byte: if it is a continuation byte, add it to the last bytes object of the "
        "list; otherwise append a new bytes object with this one byte, bytes([byte])",
    ),
    wanted=lambda data: [character.encode("utf-8") for character in data.decode("utf-8")],
    avoid=(".decode(",),
    shown=(
        ("all lengths mixed", "née".encode()),
        ("all lengths mixed", "5 €".encode()),
        ("characters of 4 bytes", "👋🥁".encode()),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "single-bytes",
            "You split between all bytes. A continuation byte (80 to bf) belongs to the character before it.",
            like=lambda data: [bytes([byte]) for byte in data],
        ),
        Mistake(
            "numbers",
            "Your list holds numbers. A bytes object with one byte is `bytes([byte])`.",
            when=lambda case, outcome, wanted: (
                bool(outcome.value) and all(isinstance(one, (int, list)) for one in outcome.value)
            ),
            like=list,
        ),
        Mistake(
            "letters",
            "Your list holds text. The bytes of each character are wanted.",
            when=lambda case, outcome, wanted: (
                bool(outcome.value) and all(isinstance(one, str) for one in outcome.value)
            ),
            like=lambda data: list(data.decode("utf-8")),
        ),
        Mistake(
            "ascii-is-glued-on",
            "An ASCII byte (below 80) begins a character, too.",
            like=("if 0x80 <= byte < 0xC0", "if byte < 0xC0 and characters"),
        ),
        Mistake(
            "continues-too-long",
            "You take every byte from 80 on for a continuation byte. From c0 on, a byte begins a new character.",
            like=("0x80 <= byte < 0xC0", "0x80 <= byte and characters"),
        ),
        Mistake(
            "loses-the-last",
            "The last character is missing: no byte comes after it to tell you that it is complete.",
            like=("return characters", "return characters[:-1]"),
        ),
        Mistake(
            "nothing-before-it",
            "Your code looks for the character before the first byte. Begin the list with the first character.",
            when=lambda case, outcome, wanted: outcome.error == "IndexError",
        ),
    ),
)
