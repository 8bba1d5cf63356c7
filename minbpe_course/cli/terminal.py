"""Write to terminals: text that every encoding can hold, and one line of progress on standard error."""

from __future__ import annotations

import codecs
import os
import sys
import time
from types import TracebackType
from typing import Any

ESCAPED = "minbpe_course_escaped"
_SECONDS_BETWEEN_UPDATES = 0.1


def escaped(error: UnicodeError) -> tuple[str, int]:
    r"""Write characters that an encoding lacks as ``\u00ef`` or ``\U0001f44b``; an error handler for codecs.

    Python's ``backslashreplace`` writes the first as ``\xef``, which this package uses for a byte.

    >>> "na\u00efve \U0001f44b".encode("ascii", ESCAPED)
    b'na\\u00efve \\U0001f44b'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    codes = map(ord, error.object[error.start : error.end])
    return "".join(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}" for code in codes), error.end


codecs.register_error(ESCAPED, escaped)


def say(text: str) -> None:
    """Print a text, with an escape for each character that standard output cannot encode."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, ESCAPED).decode(encoding), flush=True)


def can_overwrite(stream: Any) -> bool:
    """Return whether a line on this stream can be overwritten: it is a terminal that can move its cursor back."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


class ProgressLine:
    """Show one line of progress on standard error, if that is a terminal, and clear it at the end."""

    def __init__(self) -> None:
        self._stream: Any = sys.stderr if can_overwrite(sys.stderr) else None
        self._next = time.monotonic() + _SECONDS_BETWEEN_UPDATES
        self._width = 0

    @property
    def is_shown(self) -> bool:
        """Return whether standard error is a terminal."""
        return self._stream is not None

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def clear(self) -> None:
        """Erase the line, so that something else can be printed."""
        if self._width:
            self._write("")

    def show(self, text: str) -> None:
        """Show ``text``, unless the line changed less than a tenth of a second ago."""
        if self._stream is None or time.monotonic() < self._next:
            return
        self._write(text)
        self._next = time.monotonic() + _SECONDS_BETWEEN_UPDATES

    def _write(self, text: str) -> None:
        # A line as wide as the terminal would wrap, and each update would start a new line.
        text = text[:78]
        self._stream.write(f"\r{text}{' ' * (self._width - len(text))}" + ("" if text else "\r"))
        self._stream.flush()
        self._width = len(text)


def size(number: float) -> str:
    """Return a number of bytes in words.

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
