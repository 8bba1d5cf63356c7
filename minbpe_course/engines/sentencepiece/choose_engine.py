"""Which engine runs a model, and what releases of sentencepiece up to 0.2.1 did otherwise.

Parity means sentencepiece 0.2.3. ``compat="0.2.1"`` stands for all releases up to that one, which agree:

    BPE          -0.0 and 0.0 are the same score; a character that is an UNUSED piece keeps its id
    char, word   UNUSED pieces keep their ids
    unigram      sums are made in double precision, user-defined pieces score otherwise, sums are never set back

Not imitated: there, a text that spells a control piece of one character (char, BPE) or of one word encoded to nothing,
and a NUL piece was an ordinary piece.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from minbpe_course.engines.sentencepiece.bpe_engine import PieceEngine
from minbpe_course.engines.sentencepiece.whole_pieces import WholePieceEngine
from minbpe_course.errors import InvalidOption
from minbpe_course.model import NORMAL, UNUSED, PieceModel

OLD_RELEASES = ("0.1.99", "0.2.0", "0.2.1")
NEW_RELEASES = ("0.2.2", "0.2.3")


def is_old(compat: str | None) -> bool:
    """Tell whether a release, named as its version, encodes as 0.2.1 did. Raises InvalidOption.

    >>> is_old(None), is_old("0.2.0")
    (False, True)
    """
    if compat is not None and compat not in OLD_RELEASES + NEW_RELEASES:
        raise InvalidOption(
            f"compat={compat!r}: None or '0.2.3' gives the ids of today, '0.2.1' those of all releases before 0.2.2."
        )
    return compat in OLD_RELEASES


def engine_for(model: PieceModel, old: bool = False) -> Any:
    """Return the engine of a model; ``old`` for one that encodes as 0.2.1 did, which a tokenizer.json never does."""
    if model.pipeline is not None:
        from minbpe_course.engines.sentencepiece.pipeline_engine import PipelineEngine

        return PipelineEngine(model)
    if model.model_type == "unigram":
        # Here and not above: that room is built on this one.
        from minbpe_course.engines.sentencepiece.unigram_engine import UnigramEngine

        return UnigramEngine(model, old)
    if old:
        model = as_before(model)
    return PieceEngine(model) if model.model_type == "bpe" else WholePieceEngine(model)


def as_before(model: PieceModel) -> PieceModel:
    """Return a BPE, char or word model that encodes today as ``model`` did up to 0.2.1.

    >>> old = as_before(PieceModel(("<unk>", "a", "ab"), (0.0, -1.0, -0.0), (2, 5, 5)))
    >>> old.scores, old.kinds
    ((0.0, -1.0, 0.0), (2, 1, 5))
    """
    bpe = model.model_type == "bpe"
    # A piece of several characters was always joined from others, and is taken apart again as it is today.
    kinds = [
        NORMAL if kind == UNUSED and piece != "\0" and (len(piece) == 1 or not bpe) else kind
        for piece, kind in zip(model.pieces, model.kinds)
    ]
    return replace(model, kinds=tuple(kinds), scores=tuple(score + 0.0 for score in model.scores), source=b"")
