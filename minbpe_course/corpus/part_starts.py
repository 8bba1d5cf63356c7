r"""Where exactly a part of a file begins: whoever reads it, and whoever reads the one before it, work out the same.

    plain text      the first place at or behind the offset where words may be parted (``Cutter.first_place``)
    lines           behind the first line end at or behind the byte before the offset
    Parquet         groups of rows, which the file itself has
    compressed      one part: nobody can begin in the middle

Where there is no such place before the next offset the part is empty, and the one before it is longer.

Filters take characters away, so there a place is told as a line, and a number of characters of what the filters leave
of that line and those behind it. The line is the first one at or behind the offset.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from minbpe_course.corpus.documents import whole_text
from minbpe_course.corpus.opening import ByteFile
from minbpe_course.corpus.parts import PARQUET, TEXT, Part, manner_of
from minbpe_course.splitting.boundaries import Cutter

# Bytes looked at together when a place is looked for.
_WINDOW = 1 << 14
_LARGEST_WINDOW = 1 << 20
# What stands for a byte that is no UTF-8: where special tokens hold U+FFFD, it might be a part of one.
_ESCAPED = re.compile("[\udc80-\udcff]")


class Border(NamedTuple):
    """A place: an offset in the bytes that are meant, and so many characters of what follows there."""

    offset: int
    characters: int = 0


def borders(part: Part, file: ByteFile, cutter: Cutter) -> tuple[Border, Border | None]:
    """Return where the text of a part begins and stops; None: at the end of the file, wherever that is."""
    if part.kind == PARQUET or part.stop is None:
        return Border(0), None
    begin = _border(part, file, part.start, part.stop, cutter)
    if begin is None:
        return Border(part.stop), Border(part.stop)
    return begin, _border(part, file, part.stop, part.size, cutter) or Border(part.size)


def _border(part: Part, file: ByteFile, offset: int, stop: int, cutter: Cutter) -> Border | None:
    if part.kind == TEXT and part.clean and offset:
        line = first_line(file, offset, stop)
        return None if line is None else _cleaned_place(part, file, line, cutter)
    if part.kind == TEXT:
        place = first_place(file, offset, stop, part.size, cutter, replaced=part.errors == "replace")
    else:
        place = first_line(file, offset, stop)
    return None if place is None else Border(place)


def first_line(file: ByteFile, offset: int, stop: int) -> int | None:
    """Return where the first line at ``offset`` or behind it begins, None if none does before ``stop``."""
    if offset == 0:
        return 0 if stop > 0 else None
    at, window = offset - 1, _WINDOW
    while at < stop - 1:
        data = file.at(at, min(window, stop - 1 - at))
        if not data:
            return None
        found = data.find(b"\n")
        if found >= 0:
            return at + found + 1
        at += len(data)
        window = min(2 * window, _LARGEST_WINDOW)
    return None


def first_place(file: ByteFile, offset: int, stop: int, size: int, cutter: Cutter, *, replaced: bool) -> int | None:
    """Return the first place at ``offset`` or behind it where words may be parted, None if there is none before
    ``stop``.

    size : bytes of the whole file · replaced : bytes that are no UTF-8 will be read as U+FFFD. The answer depends on
    the text round the place alone: two who ask with different offsets get the same one, or each a place on his own side
    of it.
    """
    if offset == 0:
        return 0 if stop > 0 else None
    if not cutter.cuts:
        return None
    # A character has up to four bytes, and one may be cut off at either end.
    beside = 4 * (cutter.reach + 1)
    strange = replaced and any("\ufffd" in name for name in cutter.special_tokens)
    at, window = offset, _WINDOW
    while at < stop:
        until = min(at + window, stop)
        begin = max(at - beside, 0)
        # What is no UTF-8 stays to be told by whoever reads it; here it is one strange character for each byte.
        text = file.at(begin, min(until + beside, size) - begin).decode("utf-8", "surrogateescape")
        start = len(file.at(begin, at - begin).decode("utf-8", "surrogateescape")) - 4
        while (place := cutter.first_place(text, max(start, 1 if begin == 0 else 0), len(text))) is not None:
            found = begin + len(text[:place].encode("utf-8", "surrogateescape"))
            if found >= until:
                break
            if found >= at and not (strange and _ESCAPED.search(text, place - cutter.reach, place + cutter.reach)):
                return found
            start = place + 1
        at, window = until, min(2 * window, _LARGEST_WINDOW)
    return None


def _cleaned_place(part: Part, file: ByteFile, line: int, cutter: Cutter) -> Border | None:
    """The first place of what the filters leave of a line and those behind it, None if there is none in the file."""
    text, looked = "", cutter.reach
    for stretch in _cleaned_stretches(part, file, line):
        text += stretch
        place = cutter.first_place(text, looked, len(text) - cutter.reach)
        if place is not None:
            return Border(line, place)
        looked = max(looked, len(text) - cutter.reach)
    return None


def cleaned_from(part: Part, file: ByteFile, border: Border) -> str:
    """Return the characters between the offset of a border and the border."""
    held: list[str] = []
    length = 0
    for stretch in _cleaned_stretches(part, file, border.offset):
        held.append(stretch)
        length += len(stretch)
        if length >= border.characters:
            break
    return "".join(held)[: border.characters]


def _cleaned_stretches(part: Part, file: ByteFile, line: int) -> Iterator[str]:
    def blocks() -> Iterator[bytes]:
        at, window = line, _WINDOW
        while data := file.at(at, window):
            yield data
            at, window = at + len(data), min(2 * window, _LARGEST_WINDOW)

    # What is no UTF-8 is told by whoever reads the part in which it stands, and not by one that looks for its end.
    manner = manner_of(part)._replace(errors="replace")
    for segment in whole_text(blocks(), line, manner, ends=True):
        yield segment.text
