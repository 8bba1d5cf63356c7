"""The record of everything in a tokenizer.json that a SentencePiece ``.model`` file cannot contain.

    text --added tokens--> segments --normalizer--> --cutting--> words --merges or scores--> ids --decoder--> text

A ``PieceModel`` with a pipeline gives the ids of the `tokenizers` library for that file. They can differ from those of
sentencepiece: tokens are cut out of the text before it is normalized, each merge has its own rank, and scores are added
in double precision.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeAlias

import numpy as np

Step: TypeAlias = tuple[str | bytes | bool | int, ...]
"""One step of a normalizer, pre-tokenizer or decoder: its type as in the file, then its options in a fixed order."""


@dataclass(frozen=True)
class AddedToken:
    """A string that is cut out of a text before anything else, and its id.

    normalized : whether it is found in the normalized text, after all tokens for which this is False · lstrip, rstrip :
    whether it includes the white space on that side.
    """

    content: str
    id: int
    normalized: bool = False
    lstrip: bool = False
    rstrip: bool = False


@dataclass(frozen=True, eq=False)
class PiecePipeline:
    """The rest of a tokenizer.json: everything but the list of pieces.

    known : how many pieces, from id 0 on, text can become; the others are added tokens only · merges : uint32[n, 3],
    left, right and made, the preferred merge first, or None for a Unigram model · scores : float64 of each known id, or
    None for BPE · cut_at_marks : whether a word ends before every ▁ · frame : the ids before and after every text.
    """

    known: int
    merges: np.ndarray | None = None
    scores: np.ndarray | None = None
    added: tuple[AddedToken, ...] = ()
    normalizer: tuple[Step, ...] = ()
    cutting: tuple[Step, ...] = ()
    cut_at_marks: bool = False
    decoder: tuple[Step, ...] | None = None
    frame: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    def __eq__(self, other: object) -> bool:
        return self.key() == other.key() if isinstance(other, PiecePipeline) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.known, self.added, self.normalizer, self.cutting))

    def key(self) -> tuple[object, ...]:
        """Return everything that makes two pipelines the same, as one tuple of plain values."""
        values = (getattr(self, each.name) for each in fields(self))
        return tuple(value.tobytes() if isinstance(value, np.ndarray) else value for value in values)
