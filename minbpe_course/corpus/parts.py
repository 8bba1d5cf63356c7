r"""Parts of a corpus, which workers read, and where exactly the text of a part begins.

A part is defined before anything is read: a file and two offsets. Where its text really begins and ends is determined
when it is read, with the same result by the reader of this part and by the reader of the part before:

    plain text      the first place from the offset on where words may be separated (``Cutter.first_place``)
    lines           after the first line end from the byte before the offset on
    Parquet         row groups, which the file defines
    compressed      one part, since reading has to begin at the beginning

If there is no such place before the next offset, the part is empty, and the part before it is longer.
"""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from minbpe_course.corpus.documents import Manner
from minbpe_course.corpus.opening import ByteFile, must_be_unchanged
from minbpe_course.errors import MinbpeCourseError
from minbpe_course.splitting.boundaries import Cutter

TEXT, LINES, JSON_LINES, PARQUET = "text", "lines", "json lines", "parquet"

# Bytes that are read again to find a line number.
_COUNTED = 1 << 30
# Bytes read at a time to find a place.
_WINDOW = 1 << 14
_LARGEST_WINDOW = 1 << 20
# A byte that is not UTF-8. It will be read as U+FFFD, which a special token may contain.
_ESCAPED = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True)
class Part:
    """A part of a corpus: all that is needed to read it besides the file itself.

    number : in the corpus, from 0 · path : as given to the corpus · kind : "text", "lines", "json lines" or "parquet" ·
    compression : "gz", "bz2", "xz", "zst" or None · start, stop : offsets in bytes, or numbers of row groups in
    Parquet; a stop of None is the end of the file · size, modified : bytes and modification time in nanoseconds of the
    file when the part was made · field, errors : as in ``Corpus``.
    """

    number: int
    path: str
    kind: str
    compression: str | None
    start: int
    stop: int | None
    size: int
    modified: int
    field: str | None = None
    errors: str = "strict"


def check_unchanged(part: Part, found: os.stat_result) -> None:
    """Raise UnusablePath if the ``stat`` of the file is not the one from when the part was made."""
    must_be_unchanged(part.path, (part.size, part.modified), found)


def manner_of(part: Part) -> Manner:
    """Return the ``Manner`` in which the bytes of a part become text."""
    return Manner(Path(part.path), part.errors, partial(_line_at, part))


def place_in(part: Part, at: int, *, lines: int = 0) -> str:
    """Describe the place of a byte, or of a row of Parquet, or some lines after it."""
    if part.kind == PARQUET:
        return f"{part.path}, row {at:,} (from 0)"
    manner = manner_of(part)
    if lines:
        manner = manner._replace(line_at=lambda at: None if (line := _line_at(part, at)) is None else line + lines)
    return manner.place(at).rstrip(",")


def _line_at(part: Part, at: int) -> int | None:
    """Return the line number of a byte, or None in the middle of a large file, where counting takes too long."""
    if at > _COUNTED:
        return None
    line = 1
    with contextlib.suppress(MinbpeCourseError, OSError), ByteFile(part.path, part.compression) as file:
        if not file.seekable:
            return None
        for block in file.blocks():
            line += block.count(b"\n", 0, at)
            if at <= len(block):
                return line
            at -= len(block)
    return None


# ---- Where a part begins


def borders(part: Part, file: ByteFile, cutter: Cutter) -> tuple[int, int | None]:
    """Return the uncompressed bytes at which the text of a part begins and ends; None is the end of the file."""
    if part.kind == PARQUET or part.stop is None:
        return 0, None
    begin = _border(part, file, part.start, part.stop, cutter)
    if begin is None:
        return part.stop, part.stop
    end = _border(part, file, part.stop, part.size, cutter)
    return begin, part.size if end is None else end


def _border(part: Part, file: ByteFile, offset: int, stop: int, cutter: Cutter) -> int | None:
    if part.kind == TEXT:
        return first_place(file, offset, stop, part.size, cutter, replaced=part.errors == "replace")
    return first_line(file, offset, stop)


def first_line(file: ByteFile, offset: int, stop: int) -> int | None:
    """Return where the first line from ``offset`` on begins, None if none begins before ``stop``."""
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
    """Return the first place from ``offset`` on where words may be separated, or None before ``stop``.

    size : bytes of the file · replaced : whether bytes that are not UTF-8 will be read as U+FFFD. Whether a place
    qualifies depends only on the text around it, not on ``offset``.
    """
    if offset == 0:
        return 0 if stop > 0 else None
    if not cutter.cuts:
        return None
    # A character has up to four bytes, and may be cut off at either end.
    margin = 4 * (cutter.reach + 1)
    doubtful = replaced and any("\ufffd" in name for name in cutter.special_tokens)
    at, window = offset, _WINDOW
    while at < stop:
        until = min(at + window, stop)
        begin = max(at - margin, 0)
        # Bytes that are not UTF-8 are reported when their part is read; here each becomes one odd character.
        text = file.at(begin, min(until + margin, size) - begin).decode("utf-8", "surrogateescape")
        start = len(file.at(begin, at - begin).decode("utf-8", "surrogateescape")) - 4
        while (place := cutter.first_place(text, max(start, 1 if begin == 0 else 0), len(text))) is not None:
            found = begin + len(text[:place].encode("utf-8", "surrogateescape"))
            if found >= until:
                break
            if found >= at and not (doubtful and _ESCAPED.search(text, place - cutter.reach, place + cutter.reach)):
                return found
            start = place + 1
        at, window = until, min(2 * window, _LARGEST_WINDOW)
    return None
