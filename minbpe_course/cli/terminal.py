"""Write to people: text that every encoding can hold and that cannot control a terminal, and a line of progress.

Every message of a verb goes through ``say``, ``tell`` or ``ask``, because names of files, learners and
exercises come from strangers, and an escape character in them would change colours, titles or earlier lines. Data,
such as decoded text, goes through ``sources.output`` and stays as it is. A test reads the verbs for other ways.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from types import TracebackType
from typing import Any, TextIO

_SECONDS_BETWEEN_UPDATES = 0.1
# Control characters, line and paragraph separators, what changes the direction of text, and surrogates, which stand for
# bytes of a name that are not UTF-8.
_CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff]")
_CONTROLS_AND_BREAKS = re.compile(f"{_CONTROLS.pattern}|[\t\n]")


def _code(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str, *, one_line: bool = False) -> str:
    r"""Return text that cannot control a terminal: an escape for each control character but line breaks and tabs.

    one_line : write escapes for those, too.

    >>> print(visible("notes\x1b[31m\u202e.txt\n"), end="")
    notes\u001b[31m\u202e.txt
    >>> print(visible("a\tb\n", one_line=True))
    a\u0009b\u000a
    """
    return (_CONTROLS_AND_BREAKS if one_line else _CONTROLS).sub(lambda found: _code(found[0]), text)


def say(text: str, end: str = "\n") -> None:
    """Print a text for people on standard output."""
    say_coloured(visible(text), end)


def say_coloured(text: str, end: str = "\n") -> None:
    """Print a text with the colours of a terminal, whose other control characters have been escaped already."""
    _print(text, end, sys.stdout)


def tell(text: str, end: str = "\n") -> None:
    """Print a message on standard error; if that fails, continue without it."""
    with contextlib.suppress(OSError, ValueError):
        _print(visible(text), end, sys.stderr)


def _print(text: str, end: str, stream: Any) -> None:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    # Not "backslashreplace", which writes some characters as \xNN: that is a byte here.
    missing = set(text) - set(text.encode(encoding, "ignore").decode(encoding))
    print(text.translate({ord(each): _code(each) for each in missing}), end=end, file=stream, flush=True)


def ask(question: str) -> str:
    """Print a question on standard error; return the line that is typed, empty at the end of the input."""
    tell(f"{question} ", end="")
    return sys.stdin.readline()


def understands_escapes(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that has colours and can move its cursor back."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class ProgressLine:
    """Show one line of progress on standard error, if that is a terminal, and clear it at the end."""

    def __init__(self) -> None:
        self._stream: Any = sys.stderr if understands_escapes(sys.stderr) else None
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
        text = visible(text, one_line=True)[:78]
        _print(f"\r{text:<{self._width}}", "" if text else "\r", self._stream)
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
