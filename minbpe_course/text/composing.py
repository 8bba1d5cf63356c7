r"""Unicode's normal forms as `tokenizers` has them: NFC, NFD, NFKC and NFKD.

    e + U+0301   ->   é      NFC: characters that Unicode holds in one piece are written in one piece
    ﬁ            ->   fi     NFKC: characters that stand for others are replaced by those

Qwen's files ask for NFC before a text is split into words. The tables of `tokenizers` are those of Unicode 9.
Characters that came later stay as they are there, also where a later Unicode would compose them or put marks into
another order. So the characters that its tables know to change are frozen in ``text/data``, written by
``tools/unicode_tables.py``, and only runs of them are normalized, by the tables of the running Python: those of known
characters never change.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from minbpe_course.text import unicode_tables

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


def nfc(text: str) -> str:
    r"""Return ``text`` in NFC; lone surrogates stay.

    >>> nfc("e\u0301"), nfc("plain")
    ('é', 'plain')
    """
    return normal_form("NFC", text)


def normal_form(form: Form, text: str) -> str:
    r"""Return ``text`` in one of the four normal forms; lone surrogates stay.

    >>> normal_form("NFKC", "\ufb01"), [*map(ord, normal_form("NFD", "é"))]
    ('fi', [101, 769])
    """
    # A text that is normal by later tables is normal by earlier ones.
    if text.isascii() or unicodedata.is_normalized(form, text):
        return text
    return _runs(form.startswith("NFK")).sub(lambda run: unicodedata.normalize(form, run[0]), text)


def data_file(name: str = "composing") -> Path:
    """Where a frozen table is: of "composing" or of "compatible" characters."""
    return unicode_tables.data_file("tiktoken").with_name(f"{name}-tokenizers.zlib")


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
def compatible_characters() -> np.ndarray:
    """Whether NFKD changes a character, for every code point: bool[0x110000].

    >>> [bool(compatible_characters()[ord(c)]) for c in "eé\ufb01"]
    [False, True, True]
    """
    table = unicode_tables.unpack(data_file("compatible").read_bytes()).astype(bool)
    table.setflags(write=False)
    return table


@cache
def _runs(compatible: bool) -> re.Pattern:
    known = composing_characters()
    if compatible:
        known = known | compatible_characters()
    edges = np.flatnonzero(np.diff(known, prepend=False, append=False)).tolist()
    ranges = (f"\\U{begin:08x}-\\U{end - 1:08x}" for begin, end in zip(edges[::2], edges[1::2]))
    return re.compile(f"[{''.join(ranges)}]+")
