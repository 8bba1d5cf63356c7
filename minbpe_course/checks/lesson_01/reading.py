"""The exercises of lesson 01 about reading bytes that anybody may have written.

    DECODE  01.utf8_decode      match the original: bytes.decode("utf-8", "replace")
    STREAM  01.stream_decoder   write a class that reads in pieces

Limits: records only; who asks for them is ``checks.lesson_01``.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from random import Random

from minbpe_course.checks.exercise import Case, Exercise, Mistake
from minbpe_course.checks.lesson_01.samples import ACCIDENTS, draw_broken, draw_text
from minbpe_course.reference import utf8

# ----------------------------------------------------------------------------------------------------
# 01.utf8_decode


def _replacing(data: bytes) -> str:
    return data.decode("utf-8", "replace")


# First bytes on either side of every border, and second bytes likewise.
FIRST = (0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5)
SECOND = (0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0)


def _decode_cases(random: Random) -> Iterator[Case]:
    yield Case("empty input", (b"",))
    for lengths in "1234":
        yield Case("valid text", (draw_text(random, 2, lengths).encode("utf-8"),))
    for code in (0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF):
        yield Case("valid text at the edge of a length", (chr(code).encode("utf-8"),))
    for first in FIRST:
        more = 1 if first < 0xE0 else 2 if first < 0xF0 else 3
        for second in SECOND:
            yield Case("a second byte at the edge", (bytes([first, second, 0x80, 0x80][: more + 1]),))
    for last in (0x7F, 0x80, 0xBF, 0xC0):
        yield Case("a last byte at the edge", (bytes([0xE1, 0x80, last]),))
        yield Case("a last byte at the edge", (bytes([0xF1, 0x80, 0x80, last]),))
    for reason in ACCIDENTS:
        for _ in range(5):
            yield Case(reason, (draw_broken(random, reason),))
    for length in range(2, 26):
        # Bytes that mostly begin or continue something, so that many of them nearly make a character.
        some = random.choices((0x41, 0x80, 0x90, 0xA0, 0xBF, 0xC3, 0xE0, 0xE2, 0xED, 0xF0, 0xF4, 0xFF), k=length)
        yield Case("random bytes", (bytes(some),))


def _stretches(data: bytes) -> Iterator[tuple[bytes, bool]]:
    for step in utf8.decode_steps(data):
        yield data[step.start : step.start + step.size], step.code is None


def _one_for_each_byte(data: bytes) -> str:
    return "".join("\ufffd" * len(part) if broken else part.decode("utf-8") for part, broken in _stretches(data))


def _one_for_each_run(data: bytes) -> str:
    characters: list[str] = []
    before = False
    for part, broken in _stretches(data):
        if not (broken and before):
            characters.append("\ufffd" if broken else part.decode("utf-8"))
        before = broken
    return "".join(characters)


def _by_the_lead(data: bytes, *, swallow: bool) -> str:
    """Trust the first byte: no second byte is narrowed. With ``swallow`` a broken character takes its full length."""
    characters, start = [], 0
    while start < len(data):
        first = data[start]
        length = 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        if 0x80 <= first < 0xC0 or first >= 0xF8:
            characters.append("\ufffd")
            start += 1
            continue
        code = first if length == 1 else first & (0x7F >> length)
        stop = start + 1
        while stop < min(start + length, len(data)) and data[stop] & 0xC0 == 0x80:
            code = code << 6 | data[stop] & 0x3F
            stop += 1
        characters.append(chr(code) if stop - start == length and code <= utf8.LAST_CODE_POINT else "\ufffd")
        start += length if swallow else stop - start
    return "".join(characters)


def _takes_the_intruder(data: bytes) -> str:
    """A byte that breaks a character is thrown away with it."""
    characters, start = [], 0
    while start < len(data):
        step = next(utf8.decode_steps(data[start:]))
        if step.code is None:
            characters.append("\ufffd")
            start += step.size + (1 if utf8.byte_role(data[start]).startswith("lead") else 0)
        else:
            characters.append(chr(step.code))
            start += step.size
    return "".join(characters)


DECODE = Exercise(
    key="01.utf8_decode",
    title="Diamonds in the right number",
    kind="match",
    entry="utf8_decode",
    difficulty=4,
    minutes=30,
    points=3,
    hints=(
        "As long as the bytes could still have become a character they are one accident. "
        "The byte that makes it impossible is not part of it; look at that one afresh.",
        "first byte -> how many bytes, and between which two values the second must lie; take the following bytes one "
        "by "
        "one while they fit; all there: the character, else one U+FFFD; go on behind the last byte that fitted.",
        "Lesson 01, Back again: decoding (which second bytes are narrower) and The replacement character (one "
        "accident).",
    ),
    wanted=_replacing,
    avoid=(".decode(", "codecs"),
    shown=(
        Case("a character that is cut off", (b"caf\xc3",)),
        Case("valid text", ("hé€👋".encode(),)),
        Case("a character that is cut off", (b"\xf0\x9f\x91!",)),
        Case("the middle of a character", (b"\x9f\x91\x8b",)),
        Case("a longer form than needed", (b"\xc0\xaf",)),
    ),
    drawn=_decode_cases,
    mistakes=(
        Mistake(
            "one-for-each-byte",
            "You write a diamond for each broken byte. The beginning of a character that was cut off is one accident.",
            like=_one_for_each_byte,
        ),
        Mistake(
            "one-for-each-run",
            "Two accidents in a row are two diamonds, also when no character lies between them.",
            like=_one_for_each_run,
        ),
        Mistake(
            "trusts-the-lead",
            "You accept what no encoder writes: a longer form than needed, a surrogate, a number above the last. "
            "After E0, ED, F0 and F4 the second byte has a narrower range, and C0, C1, F5 to FF begin nothing.",
            like=lambda data: _by_the_lead(data, swallow=False),
        ),
        Mistake(
            "takes-the-full-length",
            "You go on as many bytes further as the first one announced, although they were not all there. "
            "A character that stands among them is lost.",
            like=lambda data: _by_the_lead(data, swallow=True),
        ),
        Mistake(
            "takes-the-intruder",
            "The byte that breaks a character is lost with it. It may begin the next one, so look at it again.",
            like=_takes_the_intruder,
        ),
        Mistake(
            "drops-what-is-broken",
            "What is broken vanishes from your text. A reader has to see that something was there.",
            like=lambda data: data.decode("utf-8", "ignore"),
        ),
        Mistake(
            "takes-bytes-for-code-points",
            "You make one character of each byte; that is Latin-1. In UTF-8 a byte from 80 on is only a part of one.",
            like=lambda data: data.decode("latin-1"),
        ),
        Mistake(
            "refuses",
            "Your decoder raises an error. A window that shows an answer cannot: put U+FFFD there and go on.",
            when=lambda case, outcome, wanted: outcome.error in ("ValueError", "UnicodeDecodeError"),
        ),
    ),
)

# ----------------------------------------------------------------------------------------------------
# 01.stream_decoder


class _Certain:
    """Gives out whatever is certain, and keeps what may still become a character."""

    def __init__(self) -> None:
        self.kept = b""

    def feed(self, chunk: bytes) -> str:
        data, self.kept = self.kept + chunk, b""
        for step in utf8.decode_steps(data):
            at_the_end = step.start + step.size == len(data)
            if at_the_end and step.code is None and utf8.byte_role(data[step.start]).startswith("lead"):
                self.kept = data[step.start :]
        return _replacing(data[: len(data) - len(self.kept)])

    def pending(self) -> bytes:
        return self.kept

    def finish(self) -> str:
        data, self.kept = self.kept, b""
        return _replacing(data)


class _EachAlone(_Certain):
    def feed(self, chunk: bytes) -> str:
        return _replacing(chunk)


class _AllAtTheEnd(_Certain):
    def feed(self, chunk: bytes) -> str:
        self.kept += chunk
        return ""


class _SilentEnd(_Certain):
    def finish(self) -> str:
        self.kept = b""
        return ""


class _NeverEmptied(_Certain):
    def finish(self) -> str:
        return _replacing(self.kept)


class _StuckAtAnAccident(_Certain):
    """What many write first: try to decode, and keep everything from where that fails."""

    def feed(self, chunk: bytes) -> str:
        data = self.kept + chunk
        try:
            text, self.kept = data.decode("utf-8"), b""
        except UnicodeDecodeError as error:
            text, self.kept = data[: error.start].decode("utf-8"), data[error.start :]
        return text


class _AfraidOfDiamonds(_Certain):
    """The other thing that many write: hold back while the text ends in U+FFFD."""

    def feed(self, chunk: bytes) -> str:
        data = self.kept + chunk
        self.kept = data if _replacing(data).endswith("\ufffd") else b""
        return "" if self.kept else _replacing(data)


class _ByTheLead(_Certain):
    """Keeps whatever the first byte announces, also when it can no longer be a character."""

    def feed(self, chunk: bytes) -> str:
        data, self.kept = self.kept + chunk, b""
        for size in range(1, min(3, len(data)) + 1):
            first = data[-size]
            if first >= 0xC0 and size < (2 if first < 0xE0 else 3 if first < 0xF0 else 4):
                self.kept = data[-size:]
        return _replacing(data[: len(data) - len(self.kept)])


class _LikePython(_Certain):
    def __init__(self) -> None:
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, chunk: bytes) -> str:
        return self.decoder.decode(chunk)

    def pending(self) -> bytes:
        return self.decoder.getstate()[0]

    def finish(self) -> str:
        return self.decoder.decode(b"", True)


def _stream(category: str, *chunks: bytes, again: bytes | None = None) -> Case:
    script: list[tuple[str, tuple[bytes, ...]]] = []
    for chunk in chunks:
        script += [("feed", (chunk,)), ("pending", ())]
    script += [("finish", ()), ("pending", ())]
    if again is not None:
        script += [("feed", (again,)), ("finish", ())]
    return Case(category, (), tuple(script))


def _cut_anywhere(random: Random, data: bytes, pieces: int) -> list[bytes]:
    ends = sorted(random.randrange(len(data) + 1) for _ in range(pieces - 1))
    return [data[start:stop] for start, stop in zip([0, *ends], [*ends, len(data)])]


def _stream_cases(random: Random) -> Iterator[Case]:
    yield Case("nothing is fed", (), (("pending", ()), ("finish", ())))
    yield _stream("empty chunks", b"", b"")
    for first in FIRST:
        for second in SECOND:
            yield _stream("a second byte at the edge", bytes([first]), bytes([second]))
    for reason in ACCIDENTS:
        data = draw_broken(random, reason)
        yield _stream(f"{reason}, in two chunks", *_cut_anywhere(random, data, 2))
        yield _stream(f"{reason}, one byte at a time", *(bytes([byte]) for byte in draw_broken(random, reason)))
    for length in range(1, 9):
        data = draw_text(random, length, "234").encode("utf-8")
        yield _stream("cut inside a character", *_cut_anywhere(random, data, 3))
        yield _stream("one byte at a time", *(bytes([byte]) for byte in data))
        yield _stream("the text ends inside a character", *_cut_anywhere(random, data[:-1], 2))
    for _ in range(4):
        diamond = (draw_text(random, random.randrange(3)) + "\ufffd").encode("utf-8")
        yield _stream("a real U+FFFD in the text", diamond, draw_text(random, 1).encode("utf-8"))
        yield _stream("used again after finish", b"\xe2\x82", again=random.choice((b"\xac", b"\xac!", b"ab")))


STREAM = Exercise(
    key="01.stream_decoder",
    title="Text that arrives in pieces",
    kind="write",
    entry="StreamDecoder",
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "Only the last three bytes can be unfinished. Which of their beginnings may still become a character?",
        "data = kept + chunk; for the last 1, 2, 3 bytes: does a first byte stand there that wants more bytes than "
        "there "
        "are, and does each byte that is there fit? Keep these, decode the rest, and let finish decode what was kept.",
        "Lesson 01, The bug that English hides (join the bytes, then decode) and The replacement character (one "
        "accident).",
    ),
    wanted=_Certain,
    shown=(
        _stream("cut inside a character", b"caf\xc3", b"\xa9!"),
        _stream("one byte at a time", b"\xe2", b"\x82", b"\xac"),
        _stream("the text ends inside a character", b"\xf0\x9f"),
        _stream("bytes that never occur, in two chunks", b"a\xff", b"b"),
        _stream("half a UTF-16 pair, in two chunks", b"a\xed\xa0", b"b"),
    ),
    drawn=_stream_cases,
    mistakes=(
        Mistake(
            "decodes-each-chunk-alone",
            "Each chunk is decoded by itself, so a character that lies across two chunks is broken in both.",
            like=_EachAlone,
        ),
        Mistake(
            "all-at-the-end",
            "Nothing comes out before finish. Give out at once what no further byte can change.",
            like=_AllAtTheEnd,
        ),
        Mistake(
            "silent-end",
            "When the stream ends inside a character, finish has to show it: one U+FFFD for what was kept.",
            like=_SilentEnd,
        ),
        Mistake(
            "never-emptied",
            "After finish the decoder still holds its old bytes. It may be used again for another stream.",
            like=_NeverEmptied,
        ),
        Mistake(
            "stuck-at-an-accident",
            "A byte that can never be right stops your stream: everything behind it is kept until the end. "
            "Keep only what may still become a character.",
            like=_StuckAtAnAccident,
        ),
        Mistake(
            "afraid-of-diamonds",
            "You take U+FFFD at the end of the text for a sign that bytes are missing. It may come from a byte that is "
            "wrong for good, or stand in the text itself; look at the bytes instead.",
            like=_AfraidOfDiamonds,
        ),
        Mistake(
            "waits-like-python",
            "Nearly: Python's own incremental decoder waits after ED A0, though nothing that follows can make it "
            "right.",
            like=_LikePython,
        ),
        Mistake(
            "keeps-the-hopeless",
            "You keep bytes that can no longer become a character: after E0, ED, F0 and F4 not every second byte fits, "
            "and C0, C1 and F5 to FF begin nothing.",
            like=_ByTheLead,
        ),
    ),
)
