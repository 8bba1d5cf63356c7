"""Cutting normalised text into symbols: user-defined pieces and single characters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from minbpe_course.text.normalize import MOST_NESTED_PIECES


class SymbolSplitter:
    """Cuts text into user-defined pieces, the longest first, and single characters.

    >>> SymbolSplitter(["<a>", "<a><b>"]).split("x<a><b><a>")
    ['x', '<a><b>', '<a>']
    """

    def __init__(self, user_defined: Sequence[str]) -> None:
        self.known = frozenset(user_defined)
        # By first character, longest first. A piece that begins with too many shorter ones is never found.
        self._by_first: dict[str, list[str]] = {}
        for piece in sorted(self.known, key=len, reverse=True):
            if sum(piece[:end] in self.known for end in range(1, len(piece))) < MOST_NESTED_PIECES:
                self._by_first.setdefault(piece[0], []).append(piece)
        self._begins = re.compile(f"[{re.escape(''.join(self._by_first))}]") if self._by_first else None

    def split(self, text: str) -> list[str]:
        """Return the symbols of ``text``, in order."""
        if self._begins is None:
            return list(text)
        symbols: list[str] = []
        at = 0
        while (match := self._begins.search(text, at)) is not None:
            place = match.start()
            longest = next(
                (piece for piece in self._by_first[text[place]] if text.startswith(piece, place)), text[place]
            )
            symbols += text[at:place]
            symbols.append(longest)
            at = place + len(longest)
        symbols += text[at:]
        return symbols
