"""From names and patterns to files: each real file once, although links give some of them several names.

    "data/**/*.txt"  -->  data/a.txt  data/more/b.txt       sorted, and no folder is entered twice for one ``**``

A file is real if no symbolic link leads to it. A hard link counts as a separate file.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache

_SEPARATORS = re.escape(os.sep + (os.altsep or ""))
_ANY_FOLDERS = re.compile(rf"(?:^|(?<=[{_SEPARATORS}]))(?:\*\*[{_SEPARATORS}]+)*\*\*(?:[{_SEPARATORS}]+|$)")


def is_pattern(name: str) -> bool:
    """Return whether a name is a pattern. An existing name never is, even with ``*`` in it."""
    return glob.has_magic(name) and not os.path.lexists(name)


def matches(pattern: str) -> list[str]:
    """Return the names that match a pattern, sorted; folders that match it are left out.

    ``**`` stands for any number of folders. It follows links to folders, but enters each real folder once.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "a").mkdir(), (folder / "a" / "b.txt").touch(), (folder / "c.txt").touch()
    (None, None, None)
    >>> [pathlib.Path(name).name for name in matches(str(folder / "**" / "*.txt"))]
    ['b.txt', 'c.txt']
    """
    return sorted(name for name in set(_expanded(pattern)) if not os.path.isdir(name))  # noqa: PTH112


def each_once(names: Iterable[str]) -> list[str]:
    """Return the names in order, without those of a real file that an earlier one names; "-" is standard input.

    >>> each_once(["a.txt", "./a.txt", "b.txt"])
    ['a.txt', 'b.txt']
    """
    real: dict[str, str] = {}
    folder = cache(_real)
    for name in names:
        head, tail = os.path.split(name)
        # Following each part of each name is slow. Windows has more than one name for a file without a link.
        if tail in ("", os.curdir, os.pardir) or os.name == "nt" or os.path.islink(name):  # noqa: PTH114
            whole = _real(name)
        else:
            whole = os.path.join(folder(head or os.curdir), tail)  # noqa: PTH118
        real.setdefault(name if name == "-" else whole, name)
    return list(real.values())


def _expanded(pattern: str) -> Iterator[str]:
    found = _ANY_FOLDERS.search(pattern)
    if found is None:
        yield from glob.iglob(pattern)  # noqa: PTH207
        return
    begin, rest = pattern[: found.start()], pattern[found.end() :]
    if found.group().endswith("*"):
        # At the end of a pattern, ``**`` also stands for what the folders contain.
        rest = "*"
    for folder in _below(sorted(glob.iglob(begin)) if begin else [""]):  # noqa: PTH207
        yield from _expanded(os.path.join(glob.escape(folder), rest))  # noqa: PTH118


def _below(folders: Iterable[str]) -> Iterator[str]:
    """Yield folders and all folders in them, each real one once, under the first of its names in sorted order."""
    entered: set[str] = set()
    waiting = list(folders)[::-1]
    while waiting:
        folder = waiting.pop()
        real = _real(folder or os.curdir)
        if real in entered:
            continue
        entered.add(real)
        yield folder
        try:
            with os.scandir(folder or os.curdir) as entries:
                # As in a shell, patterns do not match hidden folders.
                names = sorted(each.name for each in entries if each.name[0] != "." and each.is_dir())
        except OSError:
            continue
        waiting += [os.path.join(folder, name) for name in reversed(names)]  # noqa: PTH118


def _real(name: str) -> str:
    try:
        return os.path.realpath(name)
    except (OSError, ValueError):
        # An impossible name fails when it is opened.
        return name
