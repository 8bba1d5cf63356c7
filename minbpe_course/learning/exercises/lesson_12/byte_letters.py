"""Exercise 12.byte_letters: a visible letter for each byte, as GPT-2's files have it."""

from minbpe_course.learning import Exercise, Mistake


def byte_letters(visible):
    """Return a dict from each of the 256 bytes to its letter.

    A visible byte `b` stands for itself: its letter is `chr(b)`. The others borrow letters from U+0100 on: the first
    byte that isn't visible gets `chr(0x100)`, the second one `chr(0x101)`, and so on.

    * **In:** `visible`, a list of the visible bytes.
    * **Out:** a dict from byte to letter, for all bytes from 0 to 255.

    If all bytes except 0 and 1 are visible, then 0 becomes `Ā`, 1 becomes `ā`, and `65` stays `A`.
    """
    letters, borrowed = {}, 0
    for byte in range(256):
        letters[byte] = chr(byte) if byte in visible else chr(0x100 + borrowed)
        borrowed += byte not in visible
    return letters


FEW, GPT2, MANY = "few bytes borrow", "GPT-2's visible bytes", "many bytes borrow"
OF_GPT2 = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]


def cases(random):
    yield MANY, []
    yield GPT2, random.sample(OF_GPT2, len(OF_GPT2))
    for number in range(1, 8):
        yield FEW, sorted(random.sample(range(256), 256 - number))
        yield MANY, random.sample(range(256), 30 * number)


EXERCISE = Exercise(
    "12.byte_letters",
    "A letter for each byte",
    "write",
    answer=byte_letters,
    minutes=6,
    hints=(
        "How many letters have been borrowed when you come to a byte that isn't visible?",
        "Lesson 12, section 5: byte 0 is `Ā`, byte 1 is `ā`, and `A` stays `A`.",
        "go through the bytes from 0 to 255 and count the borrowed letters: a visible byte gets chr(byte), another one "
        "chr(0x100 + how many were borrowed before it)",
    ),
    shown=(
        (MANY, [65]),
        (GPT2, OF_GPT2),
        (FEW, [*range(255)]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "by-the-byte",
            "The borrowed letters follow one another without gaps: take the next free one, not 0x100 plus the byte.",
            like=("0x100 + borrowed", "0x100 + byte"),
        ),
        Mistake(
            "begins-later",
            "The first borrowed letter is U+0100 itself.",
            like=("0x100 + borrowed", "0x101 + borrowed"),
        ),
        Mistake(
            "visible-only",
            "Every byte needs a letter, also those that aren't visible.",
            like=lambda visible: {byte: chr(byte) for byte in visible},
        ),
    ),
)
