r"""Parts of a corpus: what one worker reads, on whatever machine, and where exactly it begins.

A part is written down before anything is read: a file and two offsets, as the size of the parts wants them. Where it
really begins is worked out when it is read, and whoever reads the part before it works out the same for its end:

    plain text      the first place at or behind the offset where words may be parted (``Cutter.first_place``)
    lines           behind the first line end at or behind the byte before the offset
    Parquet         groups of rows, which the file itself has
    compressed      one part: nobody can begin in the middle

Where there is no such place before the next offset the part is empty, and the one before it is longer. With filters a
part of plain text begins in the first line behind the offset, at a place of what the filters leave of it.
"""

from __future__ import annotations

import dataclasses
import stat
from dataclasses import dataclass
from typing import Any

from minbpe_course.corpus.cleaning import Filter, name_of
from minbpe_course.corpus.cutter import Cutter
from minbpe_course.corpus.opening import ByteFile
from minbpe_course.errors import ChangedFile

TEXT, LINES, JSON_LINES, PARQUET = "text", "lines", "json lines", "parquet"

# Bytes looked at together when a place is looked for.
_WINDOW = 1 << 14
_LARGEST_WINDOW = 1 << 20


@dataclass(frozen=True)
class Part:
    """A part of a corpus: whoever has it and the file can read it.

    number : which of the corpus it is, from 0 · path : as the corpus names it · kind : "text", "lines", "json lines" or
    "parquet" · compression : "gz", "bz2", "xz", "zst" or None · start, stop : offsets in bytes, of Parquet the numbers
    of the groups of rows; a stop of None is the end of a file whose length cannot be told before · size, modified :
    bytes of the file, and nanoseconds, as they were when the part was made · field, errors, clean : as ``Corpus`` has
    them.
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
    clean: tuple[Filter, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the part as JSON can hold it: filters are told by their names."""
        said = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        return {**said, "clean": [name_of(each) for each in self.clean]}


def check_unchanged(part: Part, found: Any) -> None:
    """Raise ChangedFile unless what the system says of the file is what it said when the part was made."""
    if not stat.S_ISREG(found.st_mode):
        return
    now, then = (divmod(time, 1_000_000_000) for time in (found.st_mtime_ns, part.modified))
    # A copy from an archive has its time in whole seconds.
    same_time = now == then or (now[0] == then[0] and 0 in (now[1], then[1]))
    if found.st_size != part.size:
        what = f"it had {part.size:,} bytes, and has {found.st_size:,} now"
    elif not same_time:
        what = "it was written to"
    else:
        return
    raise ChangedFile(
        f"{part.path} changed while it was being read: {what}.\n"
        "What was read of it does not belong together. Wait until nobody writes to it, and begin again."
    )


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


def first_place(file: ByteFile, offset: int, stop: int, size: int, cutter: Cutter) -> int | None:
    """Return the first place at ``offset`` or behind it where words may be parted, None if there is none before
    ``stop``.

    ``size`` : bytes of the whole file. The answer depends on the text round the place alone: two who ask with different
    offsets get the same one, or each a place on his own side of it.
    """
    if offset == 0:
        return 0 if stop > 0 else None
    if not cutter.cuts:
        return None
    # A character has up to four bytes, and one may be cut off at either end.
    beside = 4 * (cutter.reach + 1)
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
            if found >= at:
                return found
            start = place + 1
        at, window = until, min(2 * window, _LARGEST_WINDOW)
    return None
