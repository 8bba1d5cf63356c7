"""Warn when a str used as text is the name of a file: ``train("data/*.txt", 1000)`` learns from ten characters."""

from __future__ import annotations

import glob
import inspect
import os
import warnings
from collections.abc import Iterator
from typing import Any

from minbpe_course.errors import TextNamesFiles

# Most file systems allow no longer paths.
_LONGEST = 4096
_PACKAGE = __name__.partition(".")[0] + "."


def warn_if_path(source: Any) -> None:
    """Warn with TextNamesFiles if ``source``, or the first text of a list, is the name of a file or matches files.

    Only a short str of one line is compared with the files on the disk.
    """
    if isinstance(source, (list, tuple)) and source:
        source = source[0]
    if not isinstance(source, str) or not 0 < len(source) < _LONGEST or not source.isprintable():
        return
    if not _names_files(source):
        return
    function, level = _public_call()
    warnings.warn(
        f"{function} takes a str as text, so it works on the {len(source)} characters of {source!r:.200}, although "
        f"there are files with this name. To read the files: {function}(Corpus({source!r:.200}), ...)",
        TextNamesFiles,
        stacklevel=level,
    )


def _names_files(name: str) -> bool:
    if os.path.isfile(name):  # noqa: PTH113 - returns False for an impossible path
        return True
    # Wildcards alone, such as "*" or "?", are more likely to be text.
    if not glob.has_magic(name) or not any(each.isalnum() for each in name):
        return False
    try:
        return any(os.path.isfile(each) for pattern in _shallow(name) for each in glob.iglob(pattern))  # noqa: PTH113, PTH207
    except (OSError, ValueError):
        return False


def _shallow(pattern: str) -> Iterator[str]:
    """Yield patterns without ``**``, which would search a whole tree: these search two folders deep."""
    parts = pattern.replace(os.sep, "/").split("/")
    if "**" not in parts:
        yield pattern
        return
    for stars in ((), ("*",), ("*", "*")):
        yield "/".join(part for each in parts for part in (stars if each == "**" else (each,)))


def _public_call() -> tuple[str, int]:
    """Return the name of the public function that was called, and its stack level for ``warn``."""
    name, level = "train", 2
    frame = inspect.currentframe()
    depth = 0
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith(_PACKAGE):
            return name, level
        name, level = frame.f_code.co_name, depth + 1
        frame = frame.f_back
        depth += 1
    return name, level
