"""What a command line names for reading: files, patterns and standard input, as blocks of the bytes that are there.

Or, for text, of those that were compressed.
"""

from __future__ import annotations

import contextlib
import glob
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from minbpe_course.corpus.compressed import unpacked
from minbpe_course.corpus.opening import stem_and_compression
from minbpe_course.errors import FolderGiven, MissingFile, NothingToShow, NotPermitted, UnusablePath

# Bytes read at a time.
BLOCK = 1 << 20


def sources(names: Iterable[str], verb: str) -> list[str]:
    """Return what to read, in the order of its naming: patterns become files, "-" stays.

    Nothing named means standard input, unless a person sits there. Raises NothingToShow, MissingFile, FolderGiven.

    >>> sources(["-", "no_such_folder/*.txt"], "encode")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    minbpe_course.errors.MissingFile: no file matches no_such_folder/*.txt. ...
    """
    found: list[str] = []
    for name in names:
        if name == "-" or not glob.has_magic(name) or Path(name).exists():
            found.append(name)
            continue
        # A folder that a pattern happens to match is not meant.
        matches = [each for each in sorted(glob.glob(name, recursive=True)) if not Path(each).is_dir()]  # noqa: PTH207
        if not matches:
            raise MissingFile(f"no file matches {name}. {_here()}")
        found += matches
    if not found:
        if sys.stdin is None or sys.stdin.isatty():
            raise NothingToShow(f"name a file: minbpe-course {verb} notes.txt, or - to read standard input.")
        found = ["-"]
    return found


def must_be_files(names: Iterable[str]) -> None:
    """Raise MissingFile or FolderGiven unless each name is something that can be read; a pipe with a name can."""
    for name in names:
        path = Path(name)
        if name == "-":
            continue
        if path.is_dir():
            raise FolderGiven(f"{name} is a folder. Name the files in it: '{path / '*'}' or '{path / '**' / '*.txt'}'.")
        if not path.exists():
            raise MissingFile(f"there is no file {name}. {_here()}")


def shown(name: str) -> str:
    """Return what to call a source in a message.

    >>> shown("-"), shown("notes.txt")
    ('standard input', 'notes.txt')
    """
    return "standard input" if name == "-" else name


def opened(name: str) -> contextlib.AbstractContextManager[Any]:
    """Open a source for reading bytes; standard input stays open afterwards. Raises UnusablePath."""
    if name == "-":
        return contextlib.nullcontext(getattr(sys.stdin, "buffer", None) or sys.stdin)
    must_be_files([name])
    try:
        return Path(name).open("rb", buffering=0)
    except OSError as error:
        raise _unreadable(name, error) from error


def blocks_of(name: str, file: Any) -> Iterator[bytes]:
    """Yield what can be read, at most BLOCK bytes at a time, as soon as it is there. Raises UnusablePath."""
    read = getattr(file, "read1", file.read)
    while True:
        try:
            block = read(BLOCK)
        except OSError as error:
            raise _unreadable(name, error) from error
        if not block:
            return
        yield block


def unpacked_blocks(name: str, file: Any) -> Iterator[bytes]:
    """Yield what is meant: of gz, bz2, xz and zst what was compressed, told by the name, or else by the first bytes.

    What comes in by a pipe is told by its first bytes too: no text in UTF-8 begins like that. Raises UnusablePath,
    DamagedFile, MissingPackage.
    """
    compression = None if name == "-" else stem_and_compression(name)[1]
    return unpacked(blocks_of(name, file), compression, shown(name))


def _unreadable(name: str, error: OSError) -> UnusablePath:
    kind = NotPermitted if isinstance(error, PermissionError) else UnusablePath
    return kind(f"cannot read {shown(name)}: {error.strerror}.")


def _here() -> str:
    return f"You are in {Path.cwd()}: name it as seen from there."
