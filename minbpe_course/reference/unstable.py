"""Which tokens may stand across the end of a text, once the text goes on?

    end   h t t p s :        tokens   : ://  s:  https  https:  …
    the last place           ://      begins with ":" and goes beyond it
    the place before         (none)   "s:" goes beyond nothing
    the first place          (none)   so does "https:"

A text that stops inside such a token is cut in another way than the finished text will be: its last ids are unstable.
In a sorted vocabulary the tokens with a common beginning stand side by side, so two bisections find them all.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Crossing:
    """The tokens that begin at ``at``, agree with the text up to its end, and are longer."""

    at: int
    tokens: tuple[bytes, ...]


def longer_tokens(beginning: bytes, tokens: Sequence[bytes]) -> tuple[bytes, ...]:
    """Return the tokens that begin with ``beginning`` and are longer. ``tokens`` are sorted, without repetition.

    >>> longer_tokens(b"ab", [b"a", b"ab", b"abc", b"abd", b"b"])
    (b'abc', b'abd')
    """
    # Byte strings are compared byte by byte, so all that begin alike follow the beginning itself without a gap.
    first = bisect_right(tokens, beginning)
    last = bisect_left(tokens, True, lo=first, key=lambda token: not token.startswith(beginning))
    return tuple(tokens[first:last])


def crossing_tokens(end: bytes, tokens: Sequence[bytes]) -> Iterator[Crossing]:
    """Yield, for every place of ``end`` from the first on, the tokens that may stand from there across the end.

    end : the last bytes of a text; nothing is said about tokens that begin before them. tokens : sorted, each once.

    >>> [(one.at, one.tokens) for one in crossing_tokens(b"xab", [b"a", b"ab", b"abc", b"b", b"bc", b"xa"])]
    [(1, (b'abc',)), (2, (b'bc',))]
    """
    for at in range(len(end)):
        found = longer_tokens(end[at:], tokens)
        if found:
            yield Crossing(at, found)
