"""Print to terminals that cannot write every character: a console of Windows in an old code page, say."""

from __future__ import annotations

import os
import sys
from typing import Any

from minbpe_course.cli.ending import ESCAPED


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
