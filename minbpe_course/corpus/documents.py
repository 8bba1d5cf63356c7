r"""From the bytes of a file to its documents, in segments: pieces of text with their places in the file.

    text          the whole file is one document; a segment is a block of it
    lines         each line is a document, without its line end ``\n``
    json lines    each line is a JSON object, one of whose values is a document; empty lines are skipped

Reading can begin at any segment: at the first byte of a character. So a place in a corpus is the beginning of a segment
and a number of characters.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import accumulate, chain
from pathlib import Path
from typing import NamedTuple

from minbpe_course.corpus.compressed import BLOCK
from minbpe_course.errors import UnreadableInput
from minbpe_course.splitting.splitter import repaired

# The most bytes of a line of JSON, which has to be in memory as a whole. Reading one takes about six times as much.
LONGEST_LINE = 1 << 28

_BEGINNINGS = {
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"PK\x03\x04": "a zip archive, which has to be unpacked first",
    b"%PDF": "PDF",
    b"PAR1": "Parquet, whose name should end in .parquet",
}


class Segment(NamedTuple):
    """A piece of the text of one document.

    begin, stop : offsets in the uncompressed bytes; in Parquet, the numbers of this row and the next.
    """

    text: str
    ends_document: bool
    begin: int
    stop: int


class Whole(NamedTuple):
    """Whole documents, and the offsets where they end."""

    texts: list[str]
    stops: list[int]


class Manner(NamedTuple):
    """How bytes become text.

    where : the file · errors : how to treat bytes that are not UTF-8 · line_at : returns the line number, from 1, of a
    byte, or None if finding it would take too long.
    """

    where: Path
    errors: str = "strict"
    line_at: Callable[[int], int | None] = lambda _: None

    def place(self, at: int) -> str:
        """Describe the place of a byte.

        >>> Manner(Path("x.jsonl")).place(4096)
        'x.jsonl, the line from byte 4,096 on,'
        """
        line = self.line_at(at)
        return f"{self.where}, the line from byte {at:,} on," if line is None else f"{self.where}, line {line:,}"

    def decoded(self, data: bytes, begin: int, *, final: bool = True) -> tuple[str, int]:
        """Return the text of ``data`` and how many bytes it used: an incomplete last character may remain.

        Raises UnreadableInput.
        """
        try:
            return codecs.utf_8_decode(data, self.errors, final)
        except UnicodeDecodeError as problem:
            at = begin + problem.start
            line = self.line_at(at)
            raise UnreadableInput(
                f"{self.where} is not UTF-8: byte {at:,} is {data[problem.start]:#04x}"
                f"{'' if line is None else f' (line {line:,})'}{'' if begin else _looks_like(data)}.\n"
                "Convert it first, for example with iconv -t utf-8, or read U+FFFD instead: "
                "errors='replace' (--errors replace)"
            ) from None


def whole_text(
    blocks: Iterable[bytes], begin: int, manner: Manner, *, ends: bool, empty: bool = True
) -> Iterator[Segment]:
    """Yield the text of a file as segments; ``blocks`` : its bytes from ``begin`` on.

    ends : whether the document ends with the last block · empty : yield one empty segment if there
    are no blocks. Raises UnreadableInput.
    """
    # Hold back one segment until the next block shows whether it is the last.
    held: Segment | None = None
    rest = b""
    for block in chain(blocks, (b"",)):
        data = rest + block if rest else block
        text, used = manner.decoded(data, begin, final=not block)
        if used:
            if held is not None:
                yield held
            held = Segment(text, False, begin, begin + used)
        begin += used
        rest = data[used:]
    if held is not None:
        yield held._replace(ends_document=ends)
    elif ends and empty:
        yield Segment("", True, begin, begin)


def lines(blocks: Iterable[bytes], begin: int, manner: Manner) -> Iterator[Segment | Whole]:
    """Yield each line as a document, a long one in several segments. Raises UnreadableInput."""
    rest = b""
    unfinished = False
    for block in blocks:
        data = rest + block
        cut = data.rfind(b"\n") + 1
        if cut:
            yield _whole_lines(data[: cut - 1], begin, manner)
            begin += cut
            unfinished = False
        rest = data[cut:]
        if len(rest) >= BLOCK:
            text, used = manner.decoded(rest, begin, final=False)
            yield Segment(text, False, begin, begin + used)
            rest, begin, unfinished = rest[used:], begin + used, True
    if rest or unfinished:
        yield Segment(manner.decoded(rest, begin)[0], True, begin, begin + len(rest))


def _whole_lines(data: bytes, begin: int, manner: Manner) -> Whole:
    """Return the lines in ``data``, which lacks the last line end."""
    text = manner.decoded(data, begin)[0]
    texts = text.split("\n")
    sizes = map(len, texts if len(text) == len(data) else data.split(b"\n"))
    # After each comes a line end.
    return Whole(texts, [begin + 1 + number + size for number, size in enumerate(accumulate(sizes))])


def json_lines(blocks: Iterable[bytes], begin: int, manner: Manner, field: str) -> Iterator[Whole]:
    """Yield the text under ``field`` of each line as a document. Raises UnreadableInput."""
    held: list[bytes] = []
    size = 0
    for block in chain(blocks, (b"",)):
        held.append(block)
        size += len(block)
        if block and b"\n" not in block:
            if size > LONGEST_LINE:
                raise too_long_line(manner.place(begin))
            continue
        data = b"".join(held)
        # The last line may have no line end.
        cut = data.rfind(b"\n") + 1 if block else len(data) + 1
        held = [data[cut:]]
        size = len(held[0])
        texts, stops = [], []
        at = begin
        for line, stop in zip(*_whole_lines(data[: cut - 1], begin, manner)):
            if line and not line.isspace():
                texts.append(field_of(line, field, partial(manner.place, at), manner.errors))
                stops.append(stop)
            at = stop
        begin += cut
        yield Whole(texts, stops)


def too_long_line(where: str) -> UnreadableInput:
    """Return the error for a line of JSON longer than LONGEST_LINE."""
    return UnreadableInput(
        f"{where} is longer than {LONGEST_LINE:,} bytes, and a line of JSON has to be in memory as a whole.\n"
        "Write its text as several lines, or into a plain text file of its own."
    )


def field_of(line: str, field: str, where: Callable[[], str], errors: str = "strict") -> str:
    """Return the value of ``field`` in a line of JSON; ``where`` describes the line. Raises UnreadableInput."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as problem:
        why = "it is nested too deeply" if isinstance(problem, RecursionError) else str(problem)
        raise UnreadableInput(f"{where()} is not JSON: {why}.\nFor lines of plain text use --lines.") from None
    if not isinstance(value, dict):
        raise UnreadableInput(f"{where()} is not a JSON object: it begins with {line.strip()[:20]!r}.")
    if not isinstance(value.get(field), str):
        names = ", ".join(map(repr, list(value)[:8])) or "none"
        what = "no text" if field in value else "nothing"
        raise UnreadableInput(f"{where()} has {what} under {field!r}. Its names are: {names}.")
    found: str = value[field]
    # Half a surrogate pair can be written in JSON, but is not text.
    if "\\u" in line:
        try:
            found.encode("utf-8")
        except UnicodeEncodeError as problem:
            if errors == "replace":
                return repaired(found)
            raise UnreadableInput(
                f"{where()} has half a surrogate pair under {field!r}, character {problem.start:,}: this is not text.\n"
                "To read U+FFFD instead: errors='replace' (--errors replace)."
            ) from None
    return found


def _looks_like(head: bytes) -> str:
    for begins, what in _BEGINNINGS.items():
        if head.startswith(begins):
            return f" (it looks like {what})"
    return ""
