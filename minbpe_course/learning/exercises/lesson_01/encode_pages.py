"""Exercise 01.encode_pages: an encoder for a code in which a byte from 80 on is a character of the current page.

The format is fixed by its decoder, ``decode_pages``, which the learner has too. Many byte strings decode to the same
text; the learner looks for a short one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

from minbpe_course.corpus.texts import course_sections
from minbpe_course.learning.judge.equality import difference
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake

OPEN, SWAP, ONE, RUN = 0x0E, 0x0F, 0x10, 0x11
MOST_BYTES_PER_CHARACTER = 12  # even for a wasteful encoder


def decode_pages(data: bytes) -> str:
    r"""Return the text that ``data`` encodes. Raises ValueError or IndexError for invalid data.

    >>> decode_pages(b"caf\xe9 \x0e\x00\x08\xb4\xb0 \x0f\xe9")
    'café да é'
    """
    text, page, other, at = [], 1, 7, 0
    while at < len(data):
        byte, at = data[at], at + 1
        if byte not in (OPEN, SWAP, ONE, RUN):
            text.append(chr(byte if byte < 0x80 else 128 * page + byte - 128))
        elif byte == OPEN:
            page, other, at = 256 * data[at] + data[at + 1], page, at + 2
        elif byte == SWAP:
            page, other = other, page
        elif byte == ONE:
            text.append(chr(int.from_bytes(data[at : at + 3], "big")))
            at += 3
        elif byte == RUN:
            end = at + 1 + 2 * data[at]
            text += [chr(256 * data[place] + data[place + 1]) for place in range(at + 1, end, 2)]
            at = end
    if at > len(data):
        raise ValueError("the last command is cut off")
    return "".join(text)


_ALONE = {
    "letters with accents": ("French", "Vietnamese", "Czech", "Romanian"),
    "one alphabet": ("Greek", "Russian", "Hebrew", "Persian", "Hindi", "Thai", "Georgian", "Amharic"),
    "Chinese, Japanese, Korean": ("Simplified Chinese", "Traditional Chinese", "Japanese", "Korean"),
}
_TOGETHER = (
    ("English", "Greek"),
    ("Hindi", "English"),
    ("Japanese", "Russian"),
    ("Korean", "Thai"),
    ("French", "Arabic"),
    ("Greek", "Russian"),
    ("Simplified Chinese", "English"),
    ("Armenian", "Vietnamese"),
)
_EMOJI = "👋🥁🎻🙂🙃😀🚀🌍👍🏽"


@cache
def _scenes() -> dict[str, str]:
    head = "A morning in "
    return {
        title[len(head) :]: section.split("\n\n")[1].strip()
        for title, section in course_sections().items()
        if title.startswith(head)
    }


def _excerpt(random: Random, language: str, length: int) -> str:
    """Return words in the letters of a language, the letters and the words in random order: no table knows them."""
    words = ["".join(random.sample(word, len(word))) for word in _scenes()[language].split(" ")]
    text = " ".join(random.sample(words, len(words)))
    start = random.randrange(len(text) - length)
    return text[start : start + length]


def _page_cases(random: Random) -> Iterator[Case]:
    # The languages are the same for every seed, so no draw is easier to shorten than another.
    yield Case("empty input", ("",))
    yield Case("plain ASCII", (_excerpt(random, "Swahili", 20) + "\n\t\x00\x7f",))
    for language in ("Russian", "Japanese"):
        for command in random.sample("\x0e\x0f\x10\x11", 2):
            around = _excerpt(random, language, 6), _excerpt(random, language, 6)
            yield Case("characters that look like commands", (command.join(around),))
    for category, languages in _ALONE.items():
        for language in languages:
            yield Case(category, (_excerpt(random, language, 60),))
    for language in ("English", "Greek", "Hindi"):
        words = _excerpt(random, language, 45).split(" ")
        emoji = ("".join(random.choices(_EMOJI, k=random.randrange(3))) for _ in words)
        yield Case("emoji", (" ".join(map("".join, zip(words, emoji))),))
    for languages in _TOGETHER:
        rest = [_excerpt(random, language, 60) for language in languages]
        mixed = ""
        while len(mixed) < 70:
            for turn in (0, 1):
                size = random.randrange(2, 12)
                mixed, rest[turn] = mixed + rest[turn][:size], rest[turn][size:]
        yield Case("two languages in one text", (mixed[:70],))
    han = "".join(character for character in _scenes()["Simplified Chinese"] if character > "\x7f")
    yield Case("a long text without a space", ("".join(random.choices(han, k=4 * len(han))),))


def _complaint(case: Case, answer: Any) -> str | None:
    text: str = case.args[0]
    if type(answer) is not bytes:
        return "bytes; return bytes(numbers) for a list of numbers from 0 to 255"
    if len(answer) > MOST_BYTES_PER_CHARACTER * (len(text) + 1):
        return f"bytes for a text of {len(text):,} characters; yours are {len(answer):,}, more than it can take"
    try:
        decoded = decode_pages(answer)
    except (ValueError, IndexError) as error:
        return f"bytes that decode_pages can decode; it stops with {type(error).__name__}: {error}"
    if decoded == text:
        return None
    return f"bytes that decode_pages turns into the same text; it returns another one ({difference(decoded, text)})"


def _percent_of_utf8(cases: tuple[Case, ...], answers: list[Any]) -> tuple[float, str | None]:
    return 100 * sum(map(len, answers)) / sum(len(case.args[0].encode("utf-8")) for case in cases), None


EXERCISE = Exercise(
    key="01.encode_pages",
    title="Shorter than UTF-8",
    kind="design",
    difficulty=5,
    minutes=45,
    points=3,
    hints=(
        "Begin with what is always right: ASCII as it is, everything else by ONE. Then save bytes: open a"
        " page when it pays, go back with SWAP, and write a run where every character is on a different "
        "page.",
        "To decide well, keep several byte strings at once: for every pair (page, other page), inside or "
        "outside a run, only the shortest so far. For each character, extend each of them in all possible"
        " ways, and keep the best six.",
        "Lesson 01 compares three ways to write code points as bytes. Which texts does each of them make "
        "short, and which does it make long?",
    ),
    shown=(
        Case("letters with accents", ("café",)),
        Case("one alphabet", ("Привет, мир!",)),
        Case("two languages in one text", ("да и oui, c’est ça",)),
        Case("Chinese, Japanese, Korean", ("今朝は雨が降った。",)),
        Case("characters that look like commands", ("a\x0eb",)),
    ),
    drawn=_page_cases,
    accept=_complaint,
    measure=_percent_of_utf8,
    levels=((69.5, 3), (74, 2), (98, 1)),
    unit="% of the bytes of UTF-8",
    mistakes=(
        Mistake(
            "plain-utf8",
            "These are the bytes of UTF-8. Here a byte from 80 on is one whole character of the page that is open.",
            when=lambda case, outcome, wanted: (
                not case.args[0].isascii() and outcome.value == case.args[0].encode("utf-8")
            ),
        ),
        Mistake(
            "writes-commands-as-text",
            "The characters 0E to 11 cannot be written as they are: the decoder takes them for commands.",
            when=lambda case, outcome, wanted: "command" in case.category and outcome.state == "value",
        ),
        Mistake(
            "run-too-long",
            "The length of a run is one byte, so a run holds at most 255 characters. Then begin another one.",
            when=lambda case, outcome, wanted: (
                "long" in case.category
                and (outcome.state == "value" or not {"ValueError", "OverflowError"}.isdisjoint(outcome.bases))
            ),
        ),
    ),
)
