"""The open design of lesson 01: a code in which bytes from 80 on are the characters of a page, and its encoder is free.

    PAGES   01.encode_pages      design your own
    decode_pages(data)           what reads it; the learner has the same function

The format is fixed by its reader, and many rows of bytes are read as the same text; the shortest is looked for. What
the learner's encoder returns is read here, by this decoder, so nothing but a text written shorter makes the number
smaller. Limits: texts have no surrogates.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

from minbpe_course.checks.equality import difference
from minbpe_course.checks.exercise import Case, Exercise, Mistake, Outcome
from minbpe_course.corpus.texts import course_sections

OPEN, SWAP, ONE, RUN = 0x0E, 0x0F, 0x10, 0x11
MOST_FOR_A_CHARACTER = 12  # bytes, however roundabout


def decode_pages(data: bytes) -> str:
    r"""Return the text that is written in the page code. Raises ValueError or IndexError where the bytes make no sense.

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


def _stretch(random: Random, language: str, length: int) -> str:
    scene = _scenes()[language]
    start = random.randrange(len(scene) - length)
    return scene[start : start + length]


def _page_cases(random: Random) -> Iterator[Case]:
    """The languages are the same for every seed, so that one draw is not easier to shorten than another."""
    yield Case("empty input", ("",))
    yield Case("plain ASCII", (_stretch(random, "Swahili", 20) + "\n\t\x00\x7f",))
    for language in ("Russian", "Japanese"):
        for command in random.sample("\x0e\x0f\x10\x11", 2):
            around = _stretch(random, language, 6), _stretch(random, language, 6)
            yield Case("characters that look like commands", (command.join(around),))
    for category, languages in _ALONE.items():
        for language in languages:
            yield Case(category, (_stretch(random, language, 60),))
    for language in ("English", "Greek", "Hindi"):
        words = _stretch(random, language, 45).split(" ")
        emoji = ("".join(random.choices(_EMOJI, k=random.randrange(3))) for _ in words)
        yield Case("emoji", (" ".join(map("".join, zip(words, emoji))),))
    for languages in _TOGETHER:
        rest = [_stretch(random, language, 60) for language in languages]
        mixed = ""
        while len(mixed) < 70:
            for turn in (0, 1):
                size = random.randrange(2, 12)
                mixed, rest[turn] = mixed + rest[turn][:size], rest[turn][size:]
        yield Case("two languages in one text", (mixed[:70],))
    han = "".join(character for character in _scenes()["Simplified Chinese"] if character > "\x7f")
    yield Case("a long text without a space", (han * 4,))


def _complaint(case: Case, answer: Any) -> str | None:
    """Return what is wrong with an answer: it must be bytes, and they must be read as the text again."""
    text: str = case.args[0]
    if type(answer) is not bytes:
        return "bytes; return bytes(numbers) for a list of numbers from 0 to 255"
    if len(answer) > MOST_FOR_A_CHARACTER * (len(text) + 1):
        return f"bytes for a text of {len(text):,} characters; yours are {len(answer):,}, more than it can take"
    try:
        read = decode_pages(answer)
    except (ValueError, IndexError) as error:
        return f"bytes that decode_pages can read; it stops with {type(error).__name__}: {error}"
    if read == text:
        return None
    return f"bytes that decode_pages reads as the same text; it reads another one ({difference(read, text)})"


def _percent(cases: tuple[Case, ...], answers: list[Any]) -> tuple[float, str | None]:
    written = sum(map(len, answers))
    return 100 * written / sum(len(case.args[0].encode("utf-8")) for case in cases), None


def _writes_commands_as_text(case: Case, outcome: Outcome, wanted: Any) -> bool:
    return "command" in case.category


def _writes_too_long_a_run(case: Case, outcome: Outcome, wanted: Any) -> bool:
    return "long" in case.category


def _is_utf8(case: Case, outcome: Outcome, wanted: Any) -> bool:
    text: str = case.args[0]
    return not text.isascii() and bool(outcome.value == text.encode("utf-8"))


PAGES = Exercise(
    key="01.encode_pages",
    title="Shorter than UTF-8",
    kind="design",
    entry="encode_pages",
    difficulty=5,
    minutes=45,
    points=3,
    hints=(
        "Begin with what is always right: ASCII as it is, everything else by ONE. Then save: open a page when it pays, "
        "go "
        "back with SWAP, write a run where every character is on a page of its own.",
        "To decide well, carry several rows of bytes along: for every pair (page, other page), inside or outside a "
        "run, only "
        "the shortest so far. With each character every row goes on in all ways it can; keep the best six.",
        "Lesson 01, Three ways to write code points as bytes and The price of bytes: who pays for what?",
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
    measure=_percent,
    levels=((69.5, 3), (74, 2), (98, 1)),
    unit="% of the bytes of UTF-8",
    mistakes=(
        Mistake(
            "plain-utf8",
            "These are the bytes of UTF-8. Here a byte from 80 on is one whole character of the page that is open.",
            when=_is_utf8,
        ),
        Mistake(
            "writes-commands-as-text",
            "The characters with the numbers 0E to 11 cannot be written as they are: the reader takes them for "
            "commands.",
            when=_writes_commands_as_text,
        ),
        Mistake(
            "run-too-long",
            "A run has its length in one byte, so it holds 255 characters at most. Begin another one then.",
            when=_writes_too_long_a_run,
        ),
    ),
)
