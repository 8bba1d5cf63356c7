"""One line on standard error that says how far the work is: for a person at a terminal, and for nobody else."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from minbpe_course.cli.say import moves

# Seconds between two looks.
_EVERY = 0.1


class ProgressLine:
    """Overwrites its own line, some times a second, and takes it away at the end.

    >>> with ProgressLine() as line:
    ...     line.show("never seen, unless standard error is a terminal")
    """

    def __init__(self) -> None:
        stream = sys.stderr
        self._stream: Any = stream if moves(stream) else None
        self._next = time.monotonic() + _EVERY
        self._width = 0

    @property
    def is_shown(self) -> bool:
        """Whether anybody sees it."""
        return self._stream is not None

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def clear(self) -> None:
        """Take the line away, so that something else can be said."""
        if self._width:
            self._write("")

    def show(self, text: str) -> None:
        """Write this, if it is time."""
        if self._stream is None or time.monotonic() < self._next:
            return
        self._write(text)
        self._next = time.monotonic() + _EVERY

    def _write(self, text: str) -> None:
        # Shorter than the terminal, or it would be a new line each time.
        text = text[:78]
        self._stream.write(f"\r{text}{' ' * (self._width - len(text))}" + ("" if text else "\r"))
        self._stream.flush()
        self._width = len(text)


def size(number: float) -> str:
    """Say how many bytes.

    >>> size(999), size(12_345_678)
    ('999 bytes', '12.3 MB')
    """
    if number < 1000:
        return f"{int(number)} bytes"
    for unit in ("kB", "MB", "GB"):
        number /= 1000
        if number < 999.95 or unit == "GB":
            break
    return f"{number:.1f} {unit}"
