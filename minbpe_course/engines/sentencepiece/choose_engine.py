"""Choose the engine of a SentencePiece model, and imitate releases up to 0.2.1, which encoded differently.

The default is sentencepiece 0.2.3. ``compat="0.2.1"`` means all releases up to that one, which agree:

    BPE          -0.0 and 0.0 are the same score; a character that is an UNUSED piece keeps its id
    char, word   UNUSED pieces keep their ids
    unigram      sums in double precision, other scores for user-defined pieces, sums never reset

Two differences are not imitated: in those releases, text that spells a control piece of one character (char, BPE) or of
one word encoded to nothing, and a NUL piece was an ordinary piece.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from minbpe_course.engines.sentencepiece.bpe import PieceEngine
from minbpe_course.engines.sentencepiece.char_and_word import CharWordEngine
from minbpe_course.engines.sentencepiece.pipeline import PipelineEngine
from minbpe_course.engines.sentencepiece.unigram import UnigramEngine
from minbpe_course.errors import InvalidOption
from minbpe_course.model import NORMAL, UNUSED, PieceModel

OLD_RELEASES = ("0.1.99", "0.2.0", "0.2.1")
NEW_RELEASES = ("0.2.2", "0.2.3")


def is_old(compat: str | None) -> bool:
    """Return whether the release ``compat`` encodes as 0.2.1 did. Raises InvalidOption."""
    if compat is not None and compat not in OLD_RELEASES + NEW_RELEASES:
        raise InvalidOption(
            f"compat={compat!r}: None or '0.2.3' gives the ids of today, '0.2.1' those of all releases before 0.2.2."
        )
    return compat in OLD_RELEASES


def engine_for(model: PieceModel, old: bool = False) -> Any:
    """Return the engine of a model; old : encode as 0.2.1 did (never with a tokenizer.json)."""
    if model.pipeline is not None:
        return PipelineEngine(model)
    if model.model_type == "unigram":
        return UnigramEngine(model, old)
    if old:
        model = as_before(model)
    return PieceEngine(model) if model.model_type == "bpe" else CharWordEngine(model)


def as_before(model: PieceModel) -> PieceModel:
    """Return a BPE, char or word model that encodes today as ``model`` did up to 0.2.1.

    >>> old = as_before(PieceModel(("<unk>", "a", "ab"), (0.0, -1.0, -0.0), (2, 5, 5)))
    >>> old.scores, old.kinds
    ((0.0, -1.0, 0.0), (2, 1, 5))
    """
    bpe = model.model_type == "bpe"
    # A piece of several characters was always joined from others, and is taken apart again as in 0.2.3.
    kinds = [
        NORMAL if kind == UNUSED and piece != "\0" and (len(piece) == 1 or not bpe) else kind
        for piece, kind in zip(model.pieces, model.kinds)
    ]
    return replace(model, kinds=tuple(kinds), scores=tuple(score + 0.0 for score in model.scores), source=b"")
