r"""From the bytes of a file to its documents, in segments: a stretch of text, and where in the file it stands.

    text          the whole file is one document; a segment is a block of it, or some cleaned lines
    lines         each line is one, without its line end ``\n``
    json lines    each line is a JSON object, and the text under one of its names is a document; empty lines are none

A segment begins where reading can begin again: at the first byte of a character; where lines are cleaned, of a line or
of a piece of a long one. So a place in a corpus is the beginning of a segment and a number of characters.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import accumulate, chain
from pathlib import Path
from typing import NamedTuple

from minbpe_course.corpus.cleaning import LONGEST, Filter, clean_text, first_piece
from minbpe_course.corpus.compressed import BLOCK
from minbpe_course.errors import NotUTF8, UnreadableInput
from minbpe_course.splitting.words import repaired

_BEGINNINGS = {
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"PK\x03\x04": "a zip archive, which has to be unpacked first",
    b"%PDF": "PDF",
    b"PAR1": "Parquet, whose name should end in .parquet",
}


class Segment(NamedTuple):
    """A stretch of text of one document.

    begin, stop : offsets in the bytes that are meant; in Parquet the number of the row and of the next.
    """

    text: str
    ends_document: bool
    begin: int
    stop: int


class Whole(NamedTuple):
    """Documents that are whole, and where each stops and the next begins."""

    texts: list[str]
    stops: list[int]


class Manner(NamedTuple):
    """How bytes become text.

    where : the file they are of · errors : what becomes of those that are no UTF-8 · clean : what becomes of lines ·
    line_at : the number of the line, from 1, in which a byte stands, None if it takes too long to find out.
    """

    where: Path
    errors: str = "strict"
    clean: tuple[Filter, ...] = ()
    line_at: Callable[[int], int | None] = lambda _: None

    def place(self, at: int) -> str:
        """Say where a byte stands.

        >>> Manner(Path("x.jsonl")).place(4096)
        'x.jsonl, the line from byte 4,096 on,'
        """
        line = self.line_at(at)
        return f"{self.where}, the line from byte {at:,} on," if line is None else f"{self.where}, line {line:,}"

    def decoded(self, data: bytes, begin: int, *, final: bool = True) -> tuple[str, int]:
        """Return the text of ``data`` and how many of its bytes that is; a character that is cut off may be left.

        Raises NotUTF8.
        """
        try:
            return codecs.utf_8_decode(data, self.errors, final)
        except UnicodeDecodeError as problem:
            at = begin + problem.start
            line = self.line_at(at)
            raise NotUTF8(
                f"{self.where} is no UTF-8: byte {at:,} is {data[problem.start]:#04x}"
                f"{'' if line is None else f' (line {line:,})'}{'' if begin else _looks_like(data)}.\n"
                "Convert it first, for example with iconv -t utf-8, or read U+FFFD in its place: "
                "errors='replace' (--errors replace)"
            ) from None

    def cleaned(self, text: str) -> str:
        """Return a document, or some whole lines of one, as the filters leave it."""
        return clean_text(text, self.clean) if self.clean else text


def whole_text(
    blocks: Iterable[bytes], begin: int, manner: Manner, *, ends: bool, empty: bool = True
) -> Iterator[Segment]:
    """Yield the text of a file, of which ``blocks`` are the bytes from ``begin`` on; the last segment may be empty.

    ends : whether the document ends with the last block · empty : whether it does, too, when there is none. Raises
    NotUTF8.
    """
    stretches = _cleaned_stretches if manner.clean else _stretches
    # One is held back, since only behind the last is it known that it was the last.
    held: Segment | None = None
    for segment in stretches(blocks, begin, manner):
        if held is not None:
            yield held
        held = segment
    if held is not None:
        yield held._replace(ends_document=ends)
    elif ends and empty:
        yield Segment("", True, begin, begin)


def _stretches(blocks: Iterable[bytes], begin: int, manner: Manner) -> Iterator[Segment]:
    rest = b""
    for block in chain(blocks, (b"",)):
        data = rest + block if rest else block
        text, used = manner.decoded(data, begin, final=not block)
        if used:
            yield Segment(text, False, begin, begin + used)
        begin += used
        rest = data[used:]


def _cleaned_stretches(blocks: Iterable[bytes], begin: int, manner: Manner) -> Iterator[Segment]:
    """Whole lines together; a long one in the pieces that filters see."""
    rest = b""
    for block in chain(blocks, (b"",)):
        data = rest + block
        cut = data.rfind(b"\n") + 1 if block else len(data)
        if cut:
            text = manner.decoded(data[:cut], begin)[0]
            yield Segment(manner.cleaned(text), False, begin, begin + cut)
        rest = data[cut:]
        begin += cut
        for piece in _pieces_of_long(rest):
            yield Segment(manner.cleaned(manner.decoded(piece, begin)[0]), False, begin, begin + len(piece))
            begin += len(piece)
            rest = rest[len(piece) :]


def _pieces_of_long(line: bytes) -> Iterator[bytes]:
    """The pieces of a line that goes on, as far as they are decided."""
    at = 0
    while len(line) - at > LONGEST:
        cut = first_piece(line[at : at + LONGEST + 1])
        yield line[at : at + cut]
        at += cut


def lines(blocks: Iterable[bytes], begin: int, manner: Manner) -> Iterator[Segment | Whole]:
    """Yield each line as a document; a long one in several segments. Raises NotUTF8."""
    rest = b""
    unfinished = False
    for block in blocks:
        data = rest + block
        cut = data.rfind(b"\n") + 1
        if cut:
            whole = _whole_lines(data[: cut - 1], begin, manner)
            if manner.clean:
                whole = whole._replace(texts=[manner.cleaned(text) for text in whole.texts])
            yield whole
            begin += cut
            unfinished = False
        rest = data[cut:]
        if len(rest) >= BLOCK:
            for segment in _beginning_of_line(rest, begin, manner):
                yield segment
                rest = rest[segment.stop - begin :]
                begin = segment.stop
                unfinished = True
    if rest or unfinished:
        yield Segment(manner.cleaned(manner.decoded(rest, begin)[0]), True, begin, begin + len(rest))


def _whole_lines(data: bytes, begin: int, manner: Manner) -> Whole:
    """The lines of which ``data`` is all but the last line end."""
    text = manner.decoded(data, begin)[0]
    texts = text.split("\n")
    sizes = map(len, texts if len(text) == len(data) else data.split(b"\n"))
    # Behind each stands a line end.
    return Whole(texts, [begin + 1 + number + size for number, size in enumerate(accumulate(sizes))])


def _beginning_of_line(line: bytes, begin: int, manner: Manner) -> Iterator[Segment]:
    """What is decided of a line that goes on."""
    if not manner.clean:
        text, used = manner.decoded(line, begin, final=False)
        yield Segment(text, False, begin, begin + used)
        return
    for piece in _pieces_of_long(line):
        yield Segment(manner.cleaned(manner.decoded(piece, begin)[0]), False, begin, begin + len(piece))
        begin += len(piece)


def json_lines(blocks: Iterable[bytes], begin: int, manner: Manner, field: str) -> Iterator[Whole]:
    """Yield the text under ``field`` of each line as a document. Raises NotUTF8, UnreadableInput."""
    held: list[bytes] = []
    for block in chain(blocks, (b"",)):
        held.append(block)
        if block and b"\n" not in block:
            continue
        data = b"".join(held)
        # The last line may have no end.
        cut = data.rfind(b"\n") + 1 if block else len(data) + 1
        held = [data[cut:]]
        texts, stops = [], []
        at = begin
        for line, stop in zip(*_whole_lines(data[: cut - 1], begin, manner)):
            if line and not line.isspace():
                found = field_of(line, field, partial(manner.place, at), manner.errors)
                texts.append(manner.cleaned(found))
                stops.append(stop)
            at = stop
        begin += cut
        yield Whole(texts, stops)


def field_of(line: str, field: str, where: Callable[[], str], errors: str = "strict") -> str:
    """Return the text under ``field`` of a line of JSON; ``where`` names the line. Raises UnreadableInput.

    >>> field_of('{"text": "low"}', "text", lambda: "x.jsonl, line 1")
    'low'
    """
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as problem:
        why = "it is nested too deep" if isinstance(problem, RecursionError) else str(problem)
        raise UnreadableInput(f"{where()} is no JSON: {why}.\nFor lines of plain text say --lines.") from None
    if not isinstance(value, dict):
        raise UnreadableInput(f"{where()} is no JSON object: it begins with {line.strip()[:20]!r}.")
    if not isinstance(value.get(field), str):
        names = ", ".join(map(repr, list(value)[:8])) or "none"
        what = "no text" if field in value else "nothing"
        raise UnreadableInput(f"{where()} has {what} under {field!r}. Its names are: {names}.")
    found: str = value[field]
    # Half a surrogate pair can be written in JSON, and in nothing else.
    if "\\u" in line:
        try:
            found.encode("utf-8")
        except UnicodeEncodeError as problem:
            if errors == "replace":
                return repaired(found)
            raise UnreadableInput(
                f"{where()} has half a surrogate pair under {field!r}, character {problem.start:,}, which is no text.\n"
                "To read U+FFFD in its place: errors='replace' (--errors replace)."
            ) from None
    return found


def _looks_like(head: bytes) -> str:
    for begins, what in _BEGINNINGS.items():
        if head.startswith(begins):
            return f" (it looks like {what})"
    return ""
