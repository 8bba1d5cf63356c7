"""Parts of a corpus: what one worker reads, on whatever machine.

A part is written down before anything is read: a file, and two offsets as the size of the parts wants them. Where its
text really begins and stops is worked out when it is read (``corpus.borders``).
"""

from __future__ import annotations

import contextlib
import dataclasses
import stat
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from minbpe_course.corpus.cleaning import Filter, name_of
from minbpe_course.corpus.documents import Manner
from minbpe_course.corpus.opening import ByteFile
from minbpe_course.errors import ChangedFile, MinbpeCourseError

TEXT, LINES, JSON_LINES, PARQUET = "text", "lines", "json lines", "parquet"

# Bytes that are read again for the number of a line.
_COUNTED = 1 << 30


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


def manner_of(part: Part) -> Manner:
    """Return how the bytes of a part become text."""
    return Manner(Path(part.path), part.errors, part.clean, partial(_line_at, part))


def _line_at(part: Part, at: int) -> int | None:
    """The number of the line in which a byte stands; in the middle of a large file that is not worth the time."""
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
