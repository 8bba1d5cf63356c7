"""Choose the engine of a SentencePiece model."""

from __future__ import annotations

from typing import Any

from minbpe_course.engines.sentencepiece.bpe import PieceEngine
from minbpe_course.engines.sentencepiece.char_and_word import CharWordEngine
from minbpe_course.engines.sentencepiece.pipeline import PipelineEngine
from minbpe_course.engines.sentencepiece.unigram import UnigramEngine
from minbpe_course.model import PieceModel


def engine_for(model: PieceModel) -> Any:
    """Return the engine of a model."""
    if model.pipeline is not None:
        return PipelineEngine(model)
    return {"unigram": UnigramEngine, "bpe": PieceEngine}.get(model.model_type, CharWordEngine)(model)
