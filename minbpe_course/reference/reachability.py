"""Find the tokens of a vocabulary that its own tokenizer never writes, by encoding the text of each token.

    itself                 the text of the token encodes to the token: nothing to see
    part of a character    its bytes alone are not text, so there is no text to encode
    other tokens           its text encodes to something else; only a longer text can bring it about, if any

A token of the last kind can come from a split pattern other than the one it was trained with, from a vocabulary that
was put together by hand, or from a merge that another, earlier one always forestalls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["itself", "part of a character", "other tokens"]


@dataclass(frozen=True)
class Fate:
    """The encoding of the text of one token; ``ids`` is empty if the token has no text."""

    token_id: int
    kind: Kind
    ids: tuple[int, ...]


def fate(token_id: int, token: bytes, encode: Callable[[str], Sequence[int]]) -> Fate:
    r"""Return what becomes of a token when its text is encoded.

    encode : text -> ids, special tokens not recognised.

    >>> fate(7, b"ab", {"ab": [7]}.get).kind, fate(8, b"ba", {"ba": [98, 97]}.get).kind, fate(9, b"\xe2\x99", list).kind
    ('itself', 'other tokens', 'part of a character')
    """
    try:
        text = token.decode("utf-8")
    except UnicodeDecodeError:
        return Fate(token_id, "part of a character", ())
    ids = tuple(encode(text))
    return Fate(token_id, "itself" if ids == (token_id,) else "other tokens", ids)


def fates(vocabulary: Mapping[int, bytes], encode: Callable[[str], Sequence[int]]) -> Iterator[Fate]:
    """Yield the fate of every token, in the order of the vocabulary.

    >>> [found.kind for found in fates({97: b"a", 255: bytes([255])}, lambda text: [ord(text)])]
    ['itself', 'part of a character']
    """
    for token_id, token in vocabulary.items():
        yield fate(token_id, token, encode)
