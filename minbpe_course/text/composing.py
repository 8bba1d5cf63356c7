r"""NFC as `tokenizers` does it: characters that Unicode holds in one piece are written in one piece.

    e + U+0301   ->   é

Qwen's files ask for it before a text is cut into words. The tables of `tokenizers` are those of Unicode 9. Characters
that came later stay as they are there, also where a later Unicode would compose them or put marks into another order.
So the characters that its tables know to change are frozen in ``text/data``, written by ``tools/unicode_tables.py``,
and only runs of them are normalised, by the tables of the running Python: those of known characters never change.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path

import numpy as np

from minbpe_course.text import unicode_tables


def nfc(text: str) -> str:
    r"""Return ``text`` in NFC; lone surrogates stay.

    >>> nfc("e\u0301"), nfc("plain")
    ('é', 'plain')
    """
    # What is in NFC by later tables is so by earlier ones.
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text
    return _runs().sub(lambda run: unicodedata.normalize("NFC", run[0]), text)


def data_file() -> Path:
    """Where the frozen table lies."""
    return unicode_tables.data_file("tiktoken").with_name("composing-tokenizers.zlib")


@cache
def composing_characters() -> np.ndarray:
    """Whether NFC may change a character or what stands beside it, for every code point: bool[0x110000].

    >>> [bool(composing_characters()[ord(c)]) for c in "eé!"]
    [True, True, False]
    """
    table = unicode_tables.unpack(data_file().read_bytes()).astype(bool)
    table.setflags(write=False)
    return table


@cache
def _runs() -> re.Pattern:
    edges = np.flatnonzero(np.diff(composing_characters(), prepend=False, append=False)).tolist()
    ranges = (f"\\U{begin:08x}-\\U{end - 1:08x}" for begin, end in zip(edges[::2], edges[1::2]))
    return re.compile(f"[{''.join(ranges)}]+")
