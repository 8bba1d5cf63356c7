"""Exercise 12.choose_alphabet: a letter for each of the 256 bytes that makes the file of one vocabulary short.

The metric is the size of all files, in percent of the smallest that the rules allow.
"""

from __future__ import annotations

import math
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from minbpe_course.corpus.texts import course_sections
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, breaks


def choose_alphabet(tokens):
    """Return 256 characters, one for each byte.

    GPT-2's alphabet was chosen for English. A file with Hindi in it takes twice the space, and no one can read it
    anyway. Choose the 256 characters for one vocabulary, so that its tokens take as little space as possible when you
    write them with this alphabet, in UTF-8.

    * **In:** `tokens`, a list of bytes, the vocabulary. It may be empty.
    * **Out:** a list of 256 str, the character for byte 0 first. Each is *one* character, all are different, and all
      are visible (`isprintable()`, and not white space). The 52 ASCII letters `A`..`Z` and `a`..`z` stand for
      themselves.

    We measure the length of all the tokens of eight vocabularies, in percent of the shortest length that these rules
    allow: 100 earns 4 points, up to 101 earns 3, up to 105 earns 2. Each vocabulary has its own frequent bytes, and
    they are not those of a language you know.
    """
    joined = b"".join(tokens)
    often = [joined.count(value) for value in range(256)]
    fixed = {value: chr(value) for value in range(128) if chr(value).isalpha()}
    visible = [chr(code) for code in range(33, 700) if chr(code).isprintable() and not chr(code).isspace()]
    left_over = (sign for sign in visible if sign not in fixed.values())
    rarest_last = sorted(set(range(256)) - set(fixed), key=lambda value: -often[value])
    fixed.update(zip(rarest_last, left_over))
    return [fixed[value] for value in range(256)]


LETTERS = frozenset(string.ascii_letters.encode())
_LANGUAGES = ("Greek", "Hindi", "Russian", "Georgian", "Thai", "Vietnamese", "Arabic", "Korean")


def reference_choose_alphabet(tokens: Sequence[bytes]) -> list[str]:
    """Return a letter for each byte that makes the tokens as short as the rules allow."""
    counts = Counter(byte for token in tokens for byte in token)
    free = (chr(code) for code in range(0x21, 0x400) if chr(code).isprintable() and code not in LETTERS)
    alphabet = {byte: chr(byte) for byte in LETTERS}
    for byte in sorted((byte for byte in range(256) if byte not in LETTERS), key=lambda byte: -counts[byte]):
        alphabet[byte] = next(free)
    return [alphabet[byte] for byte in range(256)]


def complaint(case: Case, answer: Any) -> str | None:
    """Return what is wrong with an alphabet, or None."""
    if not isinstance(answer, (list, tuple)) or len(answer) != 256:
        return "a list of 256 letters, the one for byte 0 first"
    if not all(isinstance(letter, str) and len(letter) == 1 for letter in answer):
        return "256 strings of one character each"
    if len(set(answer)) != 256:
        return "256 different letters: bytes that are written alike cannot be read back"
    if not all(letter.isprintable() and not letter.isspace() for letter in answer):
        return "visible letters: no space, no line break, no control character, no half of a surrogate pair"
    if any(answer[byte] != chr(byte) for byte in LETTERS):
        return "an alphabet in which the 52 letters of ASCII stand for themselves"
    return None


def spelled_size(tokens: Sequence[bytes], alphabet: Sequence[str]) -> int:
    """Return how many bytes of UTF-8 the tokens take in this alphabet."""
    sizes = [len(letter.encode("utf-8")) for letter in alphabet]
    return sum(sizes[byte] for token in tokens for byte in token)


def measured(cases: tuple[Case, ...], answers: list[Any]) -> tuple[float, str | None]:
    """Return the size of all files, in percent of the smallest possible; only the cases with a vocabulary count."""
    pairs = [(case.args[0], answer) for case, answer in zip(cases, answers) if case.args[0]]
    best = sum(spelled_size(tokens, reference_choose_alphabet(tokens)) for tokens, _ in pairs)
    if not best:
        return math.nan, "There was nothing to spell."
    return 100 * sum(spelled_size(tokens, answer) for tokens, answer in pairs) / best, None


def vocabulary_cases(random: Random) -> Iterator[Case]:
    """Yield the words of several languages, their bytes exchanged, so that no prepared alphabet fits them."""
    yield Case("no token", ([],))
    yield Case("the single bytes", ([bytes([byte]) for byte in range(256)],))
    others = [byte for byte in range(256) if byte not in LETTERS]
    for language in _LANGUAGES:
        # Every vocabulary begins with the single bytes, so the first bytes are not the commonest.
        words = course_sections()[f"A morning in {language}"].split("\n\n")[1].split(" ")
        exchanged = dict(zip(others, random.sample(others, len(others))))
        table = bytes(exchanged.get(byte, byte) for byte in range(256))
        tokens = [f" {word}".encode().translate(table) for word in words]
        single = [bytes([byte]) for byte in random.sample(range(256), 256)]
        yield Case("a vocabulary of one language", ([*single, *random.sample(tokens, len(tokens))],))


EXERCISE = Exercise(
    key="12.choose_alphabet",
    answer=choose_alphabet,
    picture="""
from minbpe_course.text.byte_alphabet import printable_bytes
from minbpe_course.learning.charts.files import draw_byte_alphabet

draw_byte_alphabet(printable_bytes(), "GPT-2's choice: a second byte for most of them")
""",
    title="An alphabet for your language",
    kind="design",
    difficulty=3,
    minutes=30,
    points=4,
    hints=(
        "Which characters take one byte in UTF-8, how many of them are free, and which bytes should get them?",
        "count the bytes of the tokens; ASCII letters stand for themselves; give the 42 other visible "
        "ASCII characters to the most frequent other bytes, and visible characters from U+00A1 on to the "
        "rest",
        "Lesson 12 gives each byte a letter, as GPT-2 does, and lesson 01 shows how many bytes a character takes.",
    ),
    accept=complaint,
    shown=(Case("a few tokens", ([b"a\xe0\xa4", b"\xe0\xa4\xa4"],)),),
    drawn=vocabulary_cases,
    mistakes=(
        Mistake(
            "not-256",
            "Every one of the 256 bytes needs a character, even a byte that no token contains.",
            when=lambda case, outcome, wanted: len(outcome.value) != 256,
        ),
        Mistake(
            "alike",
            "Two bytes have the same character, so the file cannot be read back.",
            when=breaks(complaint, "different letters"),
        ),
        Mistake(
            "unseen",
            "One of your characters is a space or a control character. Those break lines, or are invisible.",
            when=breaks(complaint, "visible letters"),
        ),
    ),
    measure=measured,
    levels=((100.0, 4), (101.0, 3), (105.0, 2)),
    smaller_is_better=True,
    unit="percent of the shortest file",
)
