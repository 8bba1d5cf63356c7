"""Find the tokens of a vocabulary that its own tokenizer never writes, by encoding the text of each token.

    itself                 the text of the token encodes to the token: nothing to see
    part of a character    its bytes alone are not text, so nothing can be encoded
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


def fates(vocabulary: Mapping[int, bytes], encode: Callable[[str], Sequence[int]]) -> Iterator[Fate]:
    """Yield what becomes of every token when its text is encoded, in the order of the vocabulary.

    encode : text -> ids, special tokens not recognised.

    >>> [found.kind for found in fates({97: b"a", 255: bytes([255])}, lambda text: [ord(text)])]
    ['itself', 'part of a character']
    """
    for token_id, token in vocabulary.items():
        try:
            text = token.decode("utf-8")
        except UnicodeDecodeError:
            yield Fate(token_id, "part of a character", ())
            continue
        ids = tuple(encode(text))
        yield Fate(token_id, "itself" if ids == (token_id,) else "other tokens", ids)
