"""Where results go: a file that is there when it is whole, or standard output, in bytes."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

from minbpe_course.errors import UnusablePath
from minbpe_course.files import atomic_file


@contextlib.contextmanager
def output(name: str | None) -> Iterator[Any]:
    """Give a file for bytes; whatever interrupts the block, no half of a file stays. Raises UnusablePath.

    Whoever reads standard output may go away early: that BrokenPipeError is left to ``cli.main``.
    """
    if name is not None and name != "-":
        with atomic_file(name) as file:
            yield file
        return
    stream = getattr(sys.stdout, "buffer", None) or sys.stdout
    try:
        # What was printed before comes first.
        sys.stdout.flush()
        yield stream
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        if isinstance(error, UnusablePath) or error.filename is not None:
            raise
        raise UnusablePath(f"cannot write standard output: {error.strerror}.") from error


def is_terminal(name: str | None) -> bool:
    """Whether the result would be shown to a person."""
    return name in (None, "-") and sys.stdout is not None and sys.stdout.isatty()
