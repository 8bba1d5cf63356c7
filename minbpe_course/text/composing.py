"""NFC: characters that Unicode holds in one piece are written in one piece.

    e + ́   ->   é

Qwen's files ask for it before a text is cut into words. The tables are those of the running Python
(``unicodedata.unidata_version``); a newer Unicode composes a few more characters of scripts that it adds, and never
changes how older ones compose.
"""

from __future__ import annotations

import unicodedata


def nfc(text: str) -> str:
    r"""Return ``text`` in NFC; lone surrogates stay.

    >>> nfc("e\u0301"), nfc("plain")
    ('é', 'plain')
    """
    return text if text.isascii() else unicodedata.normalize("NFC", text)
