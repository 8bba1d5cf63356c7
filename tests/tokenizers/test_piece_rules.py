"""Each rule of SentencePiece in its smallest example: the readable algorithms, the class, and sentencepiece agree."""

from __future__ import annotations

import random

import pytest

from minbpe_course.formats import sentencepiece_proto
from minbpe_course.model import PieceModel
from minbpe_course.reference.pieces import Token, encode_naive, encode_pieces, encode_steps
from minbpe_course.reference.unigram import encode_unigram
from minbpe_course.text.normalize import Charsmap, LongestMatch, normalize
from tests.text.piece_rules import RULES, Rule, file_of
from tests.tokenizers.piece_differences import Both

pytestmark = pytest.mark.medium

READABLE = {"bpe": encode_pieces, "unigram": encode_unigram}


def by_reading(model: PieceModel, text: bytes) -> tuple[str, list[int], list[Token]]:
    """Normalised text, positions and tokens, the readable way."""
    rules = model.normalizer
    normalized, positions = normalize(
        text,
        Charsmap(rules.charsmap),
        LongestMatch(piece.encode() for piece in model.user_defined),
        add_dummy_prefix=rules.add_dummy_prefix,
        remove_extra_whitespaces=rules.remove_extra_whitespaces,
        escape_whitespaces=rules.escape_whitespaces,
        treat_whitespace_as_suffix=model.treat_whitespace_as_suffix,
    )
    return normalized.decode(), positions, READABLE[model.model_type](normalized.decode(), model)


def texts_of(rule: Rule) -> list[bytes]:
    return [text.encode() if isinstance(text, str) else text for text in rule.texts]


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.kind in READABLE])
def test_small_the_rule_when_read(name: str) -> None:
    rule = RULES[name]
    theirs = Both.witness(data := file_of(rule))
    model = sentencepiece_proto.from_bytes(data)
    for text in texts_of(rule):
        normalized, positions, tokens = by_reading(model, text)
        assert (normalized.encode(), positions) == theirs.normalize(text, with_offsets=True), text
        assert [token.id for token in tokens] == theirs.encode(text), text
        assert [token.piece for token in tokens] == theirs.encode(text, out_type=str), text
        if model.model_type == "bpe":
            *_, last = encode_steps(normalized, model)
            assert list(last.symbols) == encode_naive(normalized, model), text


@pytest.mark.parametrize("name", RULES)
def test_small_the_rule_in_the_class(name: str) -> None:
    rule = RULES[name]
    both = Both(name, file_of(rule))
    both.same_vocabulary()
    both.same_ids(texts_of(rule))
    for text in texts_of(rule):
        both.same_in_everything(text, random.Random(1))
        for options in range(16):
            wanted = {
                name: bool(options >> at & 1)
                for at, name in enumerate(("add_bos", "add_eos", "reverse", "emit_unk_piece"))
            }
            for out_type in (int, str):
                both.same("encode", text, out_type=out_type, **wanted)
    for ids in rule.decoded:
        both.same("decode", list(ids))
        both.same("decode", list(ids), out_type="serialized_proto")
        both.same("decode", both.theirs.id_to_piece(list(ids)))
