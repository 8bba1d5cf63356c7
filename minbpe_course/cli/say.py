"""Print to terminals that cannot write every character: a console of Windows in an old code page, say."""

from __future__ import annotations

import codecs
import os
import sys
from typing import Any

ESCAPED = "minbpe_course_escaped"


def escaped(error: UnicodeError) -> tuple[str, int]:
    r"""Write characters that an encoding lacks as ``\u00ef`` or ``\U0001f44b``; an error handler of codecs.

    Python's own ``backslashreplace`` writes the first as ``\xef``, which here means a byte.

    >>> "na\u00efve \U0001f44b".encode("ascii", ESCAPED)
    b'na\\u00efve \\U0001f44b'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    codes = map(ord, error.object[error.start : error.end])
    return "".join(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}" for code in codes), error.end


codecs.register_error(ESCAPED, escaped)


def say(text: str) -> None:
    """Print a text; what the output cannot write is written as an escape.

    >>> say("a check")
    a check
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, ESCAPED).decode(encoding), flush=True)


def moves(stream: Any) -> bool:
    """Whether a line on this stream may be written over: it is a terminal, and one that can go back.

    >>> moves(None)
    False
    """
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
