"""BPE models with damaged rules and nested pieces against sentencepiece; batches, arrays and errors."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from minbpe_course import SentencePieceTokenizer
from minbpe_course.corpus.texts import course_text
from minbpe_course.errors import InvalidSpecialToken, UnreadableModel
from tests.shared.piece_cases import course_lines, mistral_files, train

pytestmark = pytest.mark.medium


@cache
def pair(name: str) -> tuple[SentencePieceTokenizer, Any]:
    if name in mistral_files():
        data = mistral_files()[name].read_bytes()
    else:
        data = train(course_lines()[:700], vocab_size=1500, character_coverage=0.98, normalization_rule_name=name)
    return SentencePieceTokenizer(model_proto=data), sentencepiece.SentencePieceProcessor(model_proto=data)


@pytest.mark.parametrize("first", ["short", "long", "batch"])
def test_ids_stay_the_same_when_the_tables_are_finished(first: str) -> None:
    ours, theirs = SentencePieceTokenizer(model_file=mistral_files()["v1"]), pair("v1")[1]
    assert "pieces" not in vars(ours.model)
    text = course_text()
    lines = [text[at : at + 100] for at in range(0, 60_000, 100)]

    if first == "long":
        # More characters than are compared with one another.
        assert ours.encode("温" * 63) == theirs.encode("温" * 63)
    if first == "batch":
        assert ours.encode(lines, num_threads=3) == theirs.encode(lines)

    assert ours._engine.tables.complete == (first != "short")
    for one in lines:
        assert ours.encode(one) == theirs.encode(one)
    assert ours._engine.tables.complete


def test_damaged_tables_of_rules_never_read_past_their_end() -> None:
    rng = random.Random(3)
    proto = sentencepiece_model_pb2.ModelProto.FromString(pair("nmt_nfkc")[0].model.source)
    table, loaded = proto.normalizer_spec.precompiled_charsmap, 0
    size = 4 + int.from_bytes(table[:4], "little")
    for _ in range(60):
        damaged = bytearray(table)
        for _ in range(rng.choice([1, 20, 400])):
            at = rng.randrange(len(damaged)) if rng.random() < 0.01 else rng.randrange(4, size)
            damaged[at] = rng.randrange(256)
        proto.normalizer_spec.precompiled_charsmap = bytes(damaged)
        try:
            ours = SentencePieceTokenizer(model_proto=proto.SerializeToString())
        except UnreadableModel:
            continue
        loaded += 1
        for text in ["ﬁne ２① ｶﾞ ㌔ é", course_text()[:3000]]:
            ours.normalize(text).encode("utf-8")
            assert max(ours.encode(text)) < len(ours)
    assert loaded > 5


@pytest.mark.parametrize("leaf_kind", [1, 5])
def test_unused_pieces_nested_deeper_than_sentencepiece_goes(leaf_kind: int) -> None:
    proto = sentencepiece_model_pb2.ModelProto.FromString(train(["ab ac"] * 9, vocab_size=8))
    proto.normalizer_spec.add_dummy_prefix = False
    for length in range(2, 140):
        # The longer the better, so that each is joined from the one before and one letter more.
        proto.pieces.add(piece="z" * length, score=length - 1000.0, type=5)
    for length, kind in ((1, leaf_kind), (150, 1)):
        proto.pieces.add(piece="z" * length, score=-5.0, type=kind)
    data = proto.SerializeToString()
    ours, theirs = SentencePieceTokenizer(model_proto=data), sentencepiece.SentencePieceProcessor(model_proto=data)
    for length in (1, 2, 50, 99, 100, 101, 102, 103, 110, 139, 200, 300):
        for text in ("z" * length, "q" + "z" * length + "q"):
            assert ours.encode(text) == theirs.encode(text), length
            assert ours.encode(text, out_type=str) == theirs.encode(text, out_type=str), length


def test_batches_threads_and_arrays() -> None:
    ours, theirs = pair("v1")
    texts = [course_text()[at : at + 1500] for at in range(0, 60_000, 1500)] * 5 + ["", "x"]
    expected = theirs.encode(texts)
    for threads in (None, 1, 2, 3, 500):
        assert ours.encode_batch(texts, num_threads=threads) == expected
        ids, ends = ours.encode_batch_to_array(texts, num_threads=threads)
        assert ids.dtype == np.uint32
        assert [part.tolist() for part in np.split(ids, ends[:-1])] == expected
    array = ours.encode_to_array("Hello", add_bos=True, add_eos=True)
    assert array.dtype == np.uint32
    assert array.tolist() == theirs.encode("Hello", add_bos=True, add_eos=True)
    assert ours.encode_batch([]) == []
    assert ours.encode_batch_to_array([])[0].size == 0


def test_special_pieces_that_are_not_there() -> None:
    ours = SentencePieceTokenizer(model_proto=train(["ab ac ad"] * 9, vocab_size=9, bos_id=-1))
    with pytest.raises(InvalidSpecialToken, match="add_bos"):
        ours.encode("a", add_bos=True)
    assert ours.bos_id() == -1
    assert ours.encode("a", add_eos=True)[-1] == ours.eos_id()
