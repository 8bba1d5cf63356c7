"""The frozen records that everything else is computed from.

    BytePairModel     merges, byte order, split pattern, special tokens   -> vocabulary, ranks, tables
    VocabularyModel   the same with any ids and merges in any order, as in files of other programs
    PieceModel        pieces, scores, kinds and flags of a SentencePiece file
    PiecePipeline     the rest of a tokenizer.json: added tokens, normalizer, merges, decoder

The vocabulary, the compiled pattern and the inverse tables are computed from the record and so cannot disagree with it.
Records know nothing about files, kernels or tokenizer classes.
"""

from __future__ import annotations

from minbpe_course.model.byte_pair import IDENTITY_BYTE_ORDER, BytePairModel
from minbpe_course.model.piece_rules import (
    BYTE,
    CONTROL,
    KIND_NAMES,
    MODEL_TYPES,
    MOST_PIECE_BYTES,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    piece_utf8,
)
from minbpe_course.model.pieces import AddedToken, NormalizerRules, PieceModel, PiecePipeline
from minbpe_course.model.vocabulary import VocabularyModel

__all__ = [
    "BYTE",
    "CONTROL",
    "IDENTITY_BYTE_ORDER",
    "KIND_NAMES",
    "MODEL_TYPES",
    "MOST_PIECE_BYTES",
    "NORMAL",
    "UNKNOWN",
    "UNUSED",
    "USER_DEFINED",
    "AddedToken",
    "BytePairModel",
    "NormalizerRules",
    "PieceModel",
    "PiecePipeline",
    "VocabularyModel",
    "piece_utf8",
]
