"""Models at random against sentencepiece 0.2.3: built from nothing, edited, of every type.

The seed is part of every failure; ``MINBPE_COURSE_SEED=123`` gives the same run again.
"""

from __future__ import annotations

import random

import pytest
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from minbpe_course import SentencePieceTokenizer
from minbpe_course.errors import UnreadableModel
from tests.shared.piece_cases import RULES, course_lines, train
from tests.shared.random_pieces import NORMAL, SEED, TYPES, charsmap, random_model, random_texts
from tests.tokenizers.piece_differences import Both

pytestmark = pytest.mark.medium

MODELS, TEXTS = 14, 40
AGAIN = f"MINBPE_COURSE_SEED={SEED}"


def loaded(name: str, data: bytes) -> Both | None:
    """The model on both sides, or None when both refuse it."""
    try:
        sentencepiece.SentencePieceProcessor(model_proto=data)
    except RuntimeError as error:
        with pytest.raises(UnreadableModel):
            pytest.fail(
                f"{name}: sentencepiece refuses ({error}), we load {SentencePieceTokenizer(model_proto=data)!r}"
            )
        return None
    return Both(name, data)


def compare(name: str, data: bytes, rng: random.Random) -> bool:
    both = loaded(name, data)
    if both is None:
        return False
    both.same_vocabulary()
    for text in random_texts(rng, data, TEXTS):
        both.same_in_everything(text, rng)
    both.same_ids(random_texts(rng, data, 4 * TEXTS))
    return True


@pytest.mark.parametrize("kind", TYPES)
def test_models_from_nothing(kind: str, record_property: pytest.RecordProperty) -> None:
    record_property("seed", SEED)
    compared = 0
    for number in range(MODELS):
        rng = random.Random(f"{SEED} {kind} {number}")
        compared += compare(f"{AGAIN}, {kind} model {number}", random_model(rng, kind), rng)
    assert compared > MODELS / 2


@pytest.mark.parametrize("kind", TYPES)
def test_trained_models_edited(kind: str) -> None:
    rng = random.Random(f"{SEED} edited {kind}")
    data = train(
        rng.choices(course_lines(), k=150), model_type=kind, vocab_size=1500, hard_vocab_limit=False,
        byte_fallback=rng.random() < 0.5, split_by_whitespace=rng.random() < 0.7, character_coverage=0.99,
    )  # fmt: skip
    for number in range(2):
        proto = sentencepiece_model_pb2.ModelProto.FromString(data)
        for piece in proto.pieces:
            if piece.type == NORMAL:
                piece.type = rng.choices([1, 5, 4, 3], [70, 20, 6, 4])[0]
                if number % 3:
                    piece.score = rng.choice([piece.score, rng.gauss(-9, 5), -2.0, 0.0, -0.0])
        spec = proto.normalizer_spec
        spec.add_dummy_prefix, spec.remove_extra_whitespaces = rng.random() < 0.5, rng.random() < 0.5
        spec.precompiled_charsmap = charsmap(rng.choice(RULES))
        proto.trainer_spec.treat_whitespace_as_suffix = rng.random() < 0.3
        assert compare(f"{AGAIN}, edited {kind} model {number}", proto.SerializeToString(), rng)
