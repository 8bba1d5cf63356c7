"""Files named on a command line, with patterns expanded here too: a shell of Windows passes them on as they are."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from pathlib import Path

from minbpe_course.errors import MissingFile


def named(names: Iterable[str]) -> list[Path]:
    """Return the files, each once, in the order of their naming; a pattern gives its matches in sorted order.

    Raises MissingFile for a name without a file and a pattern without a match.

    >>> named(["no_such_folder/*.ipynb"])
    Traceback (most recent call last):
    ...
    minbpe_course.errors.MissingFile: no file matches no_such_folder/*.ipynb.
    """
    found: dict[Path, None] = {}
    for name in names:
        if Path(name).exists() or not glob.has_magic(name):
            matches = [name]
        else:
            matches = sorted(glob.glob(name, recursive=True))  # noqa: PTH207 (an absolute pattern, too)
            if not matches:
                raise MissingFile(f"no file matches {name}.")
        for match in matches:
            if not Path(match).is_file():
                raise MissingFile(f"there is no file {match}.")
            found[Path(match)] = None
    return list(found)
