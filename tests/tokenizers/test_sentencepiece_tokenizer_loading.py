"""Loading and decoding with SentencePiece models: the errors and texts of sentencepiece, the pieces of protobuf."""

from __future__ import annotations

import random
import struct

import numpy as np
import pytest
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from minbpe_course import SentencePieceTokenizer
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.formats.protobuf_fields import field_bytes
from tests.shared.piece_cases import course_lines, train

pytestmark = pytest.mark.medium


def piece(text: bytes, score: float = 0.0, kind: int = 1, longer: bytes = b"") -> bytes:
    message = field_bytes(1, text) + b"\x15" + struct.pack("<f", score) + field_bytes(3, kind) + longer
    return field_bytes(1, message)


def test_usual_pieces_and_odd_ones_in_any_order_are_read_as_protobuf_reads_them() -> None:
    rng = random.Random(5)
    for _ in range(60):
        parts = [piece(b"<unk>", 0, 2)]
        for number in range(rng.randrange(1, 12)):
            text = f"{number}é▁".encode() + b"x" * rng.choice([0, 1, 100, 116, 117, 118, 130, 300])
            score = field_bytes(2, struct.pack("<f", rng.uniform(-9, 0)), 5)
            parts.append(
                rng.choice([
                    lambda text=text, score=number: piece(text, -score),
                    lambda text=text, score=number: piece(text, -score, longer=b"\x9a\x03\x01a"),
                    lambda text=text, score=score: field_bytes(1, score + field_bytes(1, text)),
                    lambda text=text, score=score: field_bytes(1, field_bytes(1, text) + score),
                    lambda text=text: field_bytes(1, field_bytes(1, text)),
                    lambda text=text: field_bytes(9, b"unknown") + piece(text, 1e-40),
                ])()
            )  # fmt: skip
        data = b"".join(parts) + field_bytes(2, field_bytes(3, 2))
        read = sentencepiece_proto.from_bytes(data)
        theirs = sentencepiece_model_pb2.ModelProto.FromString(data).pieces
        assert list(zip(read.pieces, read.scores, read.kinds)) == [(p.piece, p.score, p.type) for p in theirs]
        assert sentencepiece_proto.to_bytes(read) == data


MODELS = {
    "unigram": {"model_type": "unigram"},
    "bytes": {"byte_fallback": True, "user_defined_symbols": ["<u>", "▁▁"], "control_symbols": ["<c>"]},
    "spaces kept": {"remove_extra_whitespaces": False, "byte_fallback": True, "control_symbols": ["<c>"]},
    "unknown is nothing": {"unk_surface": ""},
}


@pytest.mark.parametrize("kind", MODELS)
def test_short_lists_of_odd_ids_decode_as_in_sentencepiece(kind: str) -> None:
    data = train(course_lines()[:300], vocab_size=2400, hard_vocab_limit=False, **{"model_type": "bpe", **MODELS[kind]})
    theirs, ours = sentencepiece.SentencePieceProcessor(model_proto=data), SentencePieceTokenizer(model_proto=data)
    size = len(theirs)
    odd = [at for at in range(size) if theirs.is_control(at) or theirs.is_unknown(at)]
    odd += [at for at in range(size) if theirs.is_byte(at)][::3]
    odd += [at for at in range(size) if theirs.id_to_piece(at).startswith("▁") and len(theirs.id_to_piece(at)) < 3]
    rng = random.Random(kind)
    for _ in range(800):
        ids = [rng.choice(odd) if rng.random() < 0.6 else rng.randrange(size) for _ in range(rng.randrange(7))]
        assert ours.decode(ids) == theirs.decode(ids), ids
        assert ours.decode(np.array(ids, dtype=np.int64)) == theirs.decode(ids), ids
