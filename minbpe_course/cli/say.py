"""Print to terminals that cannot write every character: a console of Windows in an old code page, say."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """Print a text; what the output cannot write is written as an escape.

    >>> say("a check")
    a check
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
