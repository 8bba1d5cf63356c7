r"""From the bytes of a file to its documents, in segments: a stretch of text, and where in the file it stands.

    text          the whole file is one document; a segment is a block of it, or a few cleaned lines
    lines         each line is one, without its line end ``\n``
    json lines    each line is a JSON object, and the text under one of its names is a document; empty lines are none

A segment begins where reading can begin again: at the first byte of a character, of a line where lines are cleaned. So
a place in a corpus is the beginning of a segment and a number of characters.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from minbpe_course.corpus.compressed import BLOCK
from minbpe_course.errors import NotUTF8, UnreadableInput


class Segment(NamedTuple):
    """A stretch of text of one document.

    begin, stop : offsets in the bytes that are meant, in Parquet the number of the row and of the next.
    """

    text: str
    ends_document: bool
    begin: int
    stop: int


def whole_text(blocks: Iterable[bytes], begin: int, where: Path, errors: str, *, ends: bool) -> Iterator[Segment]:
    """Yield the text of a file, of which ``blocks`` are the bytes from ``begin`` on; the last segment may be empty.

    ends : whether the document ends with the last block. Raises NotUTF8.
    """
    rest = b""
    # One is held back, since only behind the last is it known that it was the last.
    held: Segment | None = None
    for block in chain(blocks, (None,)):
        data = rest + block if rest and block else rest if block is None else block
        if block is not None and held is not None:
            yield held
            held = None
        text, used = _decoded(data, begin, where, errors, final=block is None)
        if used:
            if held is not None:
                yield held
            held = Segment(text, False, begin, begin + used)
        begin += used
        rest = data[used:]
    if held is not None:
        yield held._replace(ends_document=ends)
    elif ends:
        yield Segment("", True, begin, begin)


def lines(blocks: Iterable[bytes], begin: int, where: Path, errors: str) -> Iterator[Segment]:
    """Yield each line as a document; a long one in several segments. Raises NotUTF8."""
    held: list[bytes] = []
    size = 0
    started = False
    for block in blocks:
        if b"\n" not in block:
            held.append(block)
            size += len(block)
            if size >= BLOCK:
                data = b"".join(held)
                text, used = _decoded(data, begin, where, errors, final=False)
                yield Segment(text, False, begin, begin + used)
                begin += used
                held, size, started = [data[used:]], len(data) - used, True
            continue
        first, *others = block.split(b"\n")
        last = others.pop()
        for line in (b"".join([*held, first]), *others):
            stop = begin + len(line) + 1
            yield Segment(_decoded(line, begin, where, errors, final=True)[0], True, begin, stop)
            begin = stop
        held, size, started = [last] if last else [], len(last), False
    if held or started:
        line = b"".join(held)
        yield Segment(_decoded(line, begin, where, errors, final=True)[0], True, begin, begin + len(line))


def json_lines(blocks: Iterable[bytes], begin: int, where: Path, errors: str, field: str) -> Iterator[Segment]:
    """Yield the text under ``field`` of each line as a document. Raises NotUTF8, UnreadableInput."""
    held: list[bytes] = []
    for block in chain(blocks, (None,)):
        if block is not None and b"\n" not in block:
            held.append(block)
            continue
        if block is None:
            whole, held = ([b"".join(held)] if held else []), []
        else:
            first, *whole = block.split(b"\n")
            whole.insert(0, b"".join([*held, first]))
            held = [last] if (last := whole.pop()) else []
        for line in whole:
            stop = begin + len(line) + (block is not None)
            text = _decoded(line, begin, where, errors, final=True)[0]
            if text and not text.isspace():
                yield Segment(field_of(text, field, Place(where, begin), errors), True, begin, stop)
            begin = stop


class Place:
    """A line of a file, told by where it begins; its number is counted when somebody asks for it."""

    def __init__(self, path: Path, begin: int) -> None:
        self._path, self._begin = path, begin

    def __str__(self) -> str:
        return f"{self._path}, the line from byte {self._begin:,} on,"


def field_of(line: str, field: str, where: object, errors: str = "strict") -> str:
    """Return the text under ``field`` of a line of JSON; ``where`` names the line. Raises UnreadableInput.

    >>> field_of('{"text": "low"}', "text", "x.jsonl, line 1")
    'low'
    """
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as problem:
        why = "it is nested too deep" if isinstance(problem, RecursionError) else str(problem)
        raise UnreadableInput(f"{where} is no JSON: {why}.\nFor lines of plain text say --lines.") from None
    if not isinstance(value, dict):
        raise UnreadableInput(f"{where} is no JSON object: it begins with {line.strip()[:20]!r}.")
    if not isinstance(value.get(field), str):
        names = ", ".join(map(repr, list(value)[:8])) or "none"
        what = "no text" if field in value else "nothing"
        raise UnreadableInput(f"{where} has {what} under {field!r}. Its names are: {names}.")
    found: str = value[field]
    return found


def _decoded(data: bytes, begin: int, where: Path, errors: str, *, final: bool) -> tuple[str, int]:
    """Return the text of ``data`` and how many of its bytes that is; a character that is cut off is left."""
    try:
        return codecs.utf_8_decode(data, errors, final)
    except UnicodeDecodeError as problem:
        at = begin + problem.start
        raise NotUTF8(
            f"{where} is no UTF-8: byte {at:,} is {data[problem.start]:#04x}.\n"
            "Convert it first, for example with iconv -t utf-8, or say: errors='replace' (--errors replace)"
        ) from None
