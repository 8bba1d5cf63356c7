"""Opening plain and compressed files, and reading their uncompressed bytes in blocks.

"pages.jsonl.zst"  -->  "zst"                 by the name, or else by the first bytes
ByteFile           --at, blocks-->  bytes     compressed files only from the beginning
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from minbpe_course.corpus.compressed import BLOCK, HEAD, SUFFIXES, Unpacked, decompressors, recognise
from minbpe_course.errors import FolderGiven, MissingFile, NotPermitted, UnusablePath

# Compressed bytes read at a time.
_PACKED = 1 << 16


def stem_and_compression(name: str) -> tuple[str, str | None]:
    """Split a name into the name of the uncompressed file and the compression.

    >>> stem_and_compression("pages.jsonl.zst"), stem_and_compression("notes.txt")
    (('pages.jsonl', 'zst'), ('notes.txt', None))
    """
    stem, suffix = os.path.splitext(name)  # noqa: PTH122
    compression = SUFFIXES.get(suffix.lower())
    return (stem, compression) if compression else (name, None)


class ByteFile:
    """Open a file to read its uncompressed bytes; use it in a ``with``.

    path : a file or a pipe · compression : "gz", "bz2", "xz", "zst" or None.

    Raises MissingFile, FolderGiven, NotPermitted, UnusablePath; for a compressed file UnreadableInput, MissingPackage.
    """

    def __init__(self, path: str | os.PathLike[str], compression: str | None = None) -> None:
        self._name = path
        self.compression = compression
        if compression:
            # Raises MissingPackage before anything is read.
            decompressors(compression, str(path))
        try:
            # Without a Path, which takes longer to make than a small file takes to open.
            self._file = open(path, "rb", buffering=0)  # noqa: PTH123, SIM115
        except (OSError, ValueError) as error:
            raise unreadable(self.path, error) from error

    def __enter__(self) -> ByteFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def path(self) -> Path:
        """The path of the file."""
        return Path(self._name)

    @property
    def seekable(self) -> bool:
        """Whether reading can begin at any offset."""
        return self._file.seekable()

    def fileno(self) -> int:
        """Return the number by which the system knows the open file."""
        return self._file.fileno()

    def state(self) -> os.stat_result:
        """Return the ``stat`` of the open file."""
        return os.fstat(self.fileno())

    def at(self, offset: int, size: int) -> bytes:
        """Return ``size`` bytes of an uncompressed file from ``offset`` on, fewer at its end."""
        try:
            self._file.seek(offset)
            found: bytes = self._file.read(max(size, 0))
            while len(found) < size and (more := self._file.read(size - len(found))):
                found += more
        except OSError as error:
            raise unreadable(self.path, error) from error
        return found

    def blocks(self, begin: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """Yield the bytes from ``begin`` to before ``stop``, or to the end, in blocks of at most BLOCK bytes."""
        if self.compression is not None:
            packed = iter(lambda: self._read(_PACKED), b"")
            blocks = iter(Unpacked(packed, self.compression, str(self._name)))
        elif self.seekable:
            self._file.seek(begin)
            blocks, begin = self._raw(None if stop is None else stop - begin), 0
        else:
            blocks = self._raw(stop)
        for block in blocks:
            if begin < len(block):
                yield block[begin:] if begin else block
            begin = max(begin - len(block), 0)

    def _raw(self, left: int | None) -> Iterator[bytes]:
        while block := self._read(BLOCK if left is None else min(BLOCK, max(left, 0))):
            left = None if left is None else left - len(block)
            yield block

    def _read(self, size: int) -> bytes:
        try:
            found: bytes = self._file.read(size)
        except OSError as error:
            raise unreadable(self.path, error) from error
        return found


def compression_of(path: Path, state: os.stat_result | None = None) -> str | None:
    """Return the compression of a file, by its name or else by its first bytes; state : its ``stat``, if known.

    Only the name counts for a pipe, which can be read only once. Raises what ``ByteFile`` raises.
    """
    _, compression = stem_and_compression(os.fspath(path))
    regular = path.is_file() if state is None else stat.S_ISREG(state.st_mode) and state.st_size > 0
    if compression or not regular:
        return compression
    with ByteFile(path) as file:
        return recognise(file.at(0, HEAD))


def must_be_unchanged(path: str | os.PathLike[str], before: tuple[int, int], found: os.stat_result) -> None:
    """Raise UnusablePath if a file was written to, or cut short, since it was opened; pipes and devices may change.

    before : its bytes and its modification time in nanoseconds then · found : its ``stat`` now.
    """
    if (found.st_size, found.st_mtime_ns) == before or not stat.S_ISREG(found.st_mode):
        return
    size, modified = before
    now, then = (divmod(time, 1_000_000_000) for time in (found.st_mtime_ns, modified))
    # A file from an archive has a time in whole seconds.
    same_time = now == then or (now[0] == then[0] and 0 in (now[1], then[1]))
    if found.st_size != size:
        what = f"it had {size:,} bytes, and now has {found.st_size:,}"
    elif not same_time:
        what = "it was written to"
    else:
        return
    raise UnusablePath(
        f"{os.fspath(path)} changed while it was being read: {what}.\n"
        "What was read is inconsistent. Wait until no program writes to it, and start again."
    )


@contextlib.contextmanager
def unchanged(path: str | os.PathLike[str], file: Any) -> Iterator[None]:
    """Raise UnusablePath at the end of the block if an open file changed in it.

    path : its name for the message. A file object without a file descriptor is not checked; a program may give one as
    standard input.
    """
    before = None
    with contextlib.suppress(AttributeError, OSError, ValueError):
        before = os.fstat(file.fileno())
    yield
    if before is not None:
        must_be_unchanged(path, (before.st_size, before.st_mtime_ns), os.fstat(file.fileno()))


def unreadable(path: Path, error: Any) -> UnusablePath:
    """Return the exception of this package for one of the system."""
    if isinstance(error, FileNotFoundError):
        return MissingFile(f"there is no file {path}. You are in {Path.cwd()}: give a path from there.")
    if isinstance(error, IsADirectoryError) or path.is_dir():
        inside = f"'{path / '*'}' or '{path / '**' / '*.txt'}'"
        return FolderGiven(f"{path} is a folder. Name the files in it: {inside}.")
    kind = NotPermitted if isinstance(error, PermissionError) else UnusablePath
    why = getattr(error, "strerror", None) or str(error)
    return kind(f"cannot read {path}: {why}.")
