"""SentencePieceTokenizer against sentencepiece itself: ids, pieces, offsets, normalised text, decoded text, errors."""

from __future__ import annotations

import pickle
import random
from functools import cache
from typing import Any

import numpy as np
import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece import sentencepiece_model_pb2

from minbpe_course import SentencePieceTokenizer
from minbpe_course.checks.equality import assert_same_ids
from minbpe_course.corpus.texts import course_text
from minbpe_course.errors import InvalidPieceId, InvalidSpecialToken, InvalidText, NotText, NotTrained, UnreadableModel
from tests.shared.piece_cases import course_lines, fixed_texts, hostile_bytes, mistral_files, train

pytestmark = pytest.mark.slow

MISTRAL = tuple(mistral_files())
SYMBOLS = ["<a>", "<a><b>", "▁▁", "foo bar", " x", "ing", "th", "ab", "a"]
TRAINED: dict[str, dict[str, Any]] = {
    "llama": dict(byte_fallback=True, remove_extra_whitespaces=False, allow_whitespace_only_pieces=True),
    "identity": dict(),
    "no dummy": dict(add_dummy_prefix=False, remove_extra_whitespaces=False),
    "suffix": dict(treat_whitespace_as_suffix=True),
    "suffix, spaces kept": dict(treat_whitespace_as_suffix=True, remove_extra_whitespaces=False, byte_fallback=True),
    "nmt_nfkc": dict(normalization_rule_name="nmt_nfkc"),
    "nfkc_cf": dict(normalization_rule_name="nfkc_cf", byte_fallback=True),
    "nfkc suffix": dict(normalization_rule_name="nfkc", treat_whitespace_as_suffix=True),
    "symbols": dict(user_defined_symbols=SYMBOLS, remove_extra_whitespaces=False),
    "symbols nmt_nfkc": dict(user_defined_symbols=SYMBOLS, normalization_rule_name="nmt_nfkc", byte_fallback=True),
    "across words": dict(split_by_whitespace=False, control_symbols=["¶", "a b"]),
}


@cache
def pair(name: str) -> tuple[SentencePieceTokenizer, Any]:
    if name in MISTRAL:
        data = mistral_files()[name].read_bytes()
    else:
        options = {"normalization_rule_name": "identity", "character_coverage": 0.98, **TRAINED[name]}
        data = train(course_lines()[:700], vocab_size=1500, **options)
    return SentencePieceTokenizer(model_proto=data), sentencepiece.SentencePieceProcessor(model_proto=data)


def same(name: str, texts: list[bytes]) -> None:
    ours, theirs = pair(name)
    if ours.encode(texts) != theirs.encode(texts):
        assert_same_ids([text.decode("utf-8", "replace") for text in texts], ours.encode, theirs.encode)
    for text, mine, other in zip(texts, ours.encode(texts, out_type=str), theirs.encode(texts, out_type=str)):
        assert mine == other, text


@pytest.mark.parametrize("name", MISTRAL)
def test_models_of_mistral(name: str) -> None:
    # Two models in full, the others in part; test_sentencepiece_tokenizer_trained_models has all of them in full.
    rng = random.Random(name)
    same(name, fixed_texts() + [hostile_bytes(rng) for _ in range(20_000 if name in ("v1", "v7") else 2_000)])


@pytest.mark.parametrize("name", TRAINED)
def test_models_trained_on_the_spot(name: str) -> None:
    rng = random.Random(name)
    same(name, fixed_texts() + [hostile_bytes(rng) for _ in range(1_000)])


@pytest.mark.parametrize("name", ["v1", "v7", *TRAINED])
def test_normalised_text_offsets_and_decoding(name: str) -> None:
    ours, theirs = pair(name)
    rng = random.Random(name)
    for text in fixed_texts()[::5] + [hostile_bytes(rng) for _ in range(400)]:
        assert ours.normalize(text) == theirs.normalize(text), text
        engine = ours._engine
        assert engine.normalize_with_positions(text) == tuple(theirs.normalize(text, with_offsets=True)), text
        proto = theirs.encode(text, return_type="proto")
        ids, offsets = ours.encode_with_offsets(text)
        assert ids == [piece.id for piece in proto.pieces], text
        assert offsets == [(piece.begin, piece.end) for piece in proto.pieces], text
        assert ours.decode(ids) == theirs.decode(ids), text
        pieces = theirs.encode(text, out_type=str)
        assert ours.decode(pieces) == theirs.decode(pieces), text


@pytest.mark.parametrize("name", ["v1", "v3", *TRAINED])
def test_decoding_random_ids(name: str) -> None:
    ours, theirs = pair(name)
    rng = random.Random(name)
    spaces = [i for i in range(len(ours)) if "▁" in ours.model.pieces[i]]
    for _ in range(3_000):
        ids = [rng.randrange(len(ours)) for _ in range(rng.randint(0, 6))]
        ids += rng.sample(spaces, 2) if rng.random() < 0.3 else []
        if ours.model.byte_fallback and rng.random() < 0.6:
            ids += rng.choices(ours.model.byte_ids, k=rng.randint(1, 6))
        rng.shuffle(ids)
        assert ours.decode(ids) == theirs.decode(ids), ids
    assert ours.decode([ours.bos_id(), *spaces[:2]]) == theirs.decode([ours.bos_id(), *spaces[:2]])


@pytest.mark.parametrize("name", ["v1", "v7", "nmt_nfkc", "symbols"])
def test_long_texts(name: str) -> None:
    ours, theirs = pair(name)
    for text in [
        course_text() * 2,
        "x" * 20_000,
        " " * 5_000,
        "aab" * 9_000,
        "你好世界" * 5_000,
        "".join(course_text().split()),
    ]:
        assert ours.encode(text) == theirs.encode(text)


@pytest.mark.parametrize("seed", range(12))
def test_models_edited_at_random(seed: int) -> None:
    rng = random.Random(seed)
    proto = sentencepiece_model_pb2.ModelProto.FromString(pair("llama" if seed % 2 else "identity")[0].model.source)
    scores = [lambda: rng.choice([-1.0, -2.0, -0.0, 0.0]), lambda: rng.uniform(-9, 9), lambda: rng.choice([1e30, -1e9])]
    for piece in proto.pieces:
        if piece.type == 1:
            piece.type = rng.choices([1, 5, 4, 3], [60, 30, 6, 4])[0]
            if seed % 4:
                piece.score = scores[seed % 4 - 1]()
    data = proto.SerializeToString()
    ours, theirs = SentencePieceTokenizer(model_proto=data), sentencepiece.SentencePieceProcessor(model_proto=data)
    for _ in range(400):
        text = hostile_bytes(rng)
        assert ours.encode(text) == theirs.encode(text), text
        assert ours.encode(text, out_type=str) == theirs.encode(text, out_type=str), text


@pytest.mark.parametrize("seed", range(8))
def test_flags_edited_at_random(seed: int) -> None:
    rng = random.Random(seed)
    proto = sentencepiece_model_pb2.ModelProto.FromString(pair("symbols" if seed % 2 else "identity")[0].model.source)
    table = pair("nfkc_cf")[0].model.normalizer.charsmap
    for rules in (proto.normalizer_spec, proto.denormalizer_spec):
        rules.add_dummy_prefix = rng.random() < 0.5
        rules.remove_extra_whitespaces = rng.random() < 0.5
        rules.escape_whitespaces = rng.random() < 0.5
        rules.precompiled_charsmap = table if rng.random() < 0.6 else b""
    proto.trainer_spec.treat_whitespace_as_suffix = rng.random() < 0.5
    proto.trainer_spec.unk_surface = rng.choice(["", "?", " \u2047 "])
    data = proto.SerializeToString()
    ours, theirs = SentencePieceTokenizer(model_proto=data), sentencepiece.SentencePieceProcessor(model_proto=data)
    for text in fixed_texts()[::3] + [hostile_bytes(rng) for _ in range(300)]:
        assert ours.encode(text) == theirs.encode(text), text
        assert ours.normalize(text) == theirs.normalize(text), text
        ids = rng.choices(range(len(ours)), k=5)
        assert ours.decode(ids) == theirs.decode(ids), ids
        assert ours.decode(ours.encode(text)) == theirs.decode(theirs.encode(text)), text


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


@settings(max_examples=300, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text(text: str) -> None:
    for name in ("v1", "symbols nmt_nfkc"):
        ours, theirs = pair(name)
        ids = ours.encode(text)
        assert ids == theirs.encode(text)
        assert ours.decode(ids) == theirs.decode(ids)


@settings(max_examples=200, deadline=None)
@given(data=st.binary())
def test_any_bytes(data: bytes) -> None:
    ours, theirs = pair("v3")
    assert ours.encode(data) == theirs.encode(data)


@pytest.mark.parametrize("name", ["v1", "identity", "symbols"])
def test_options(name: str) -> None:
    ours, theirs = pair(name)
    for text in ["Hello world", "", "東京 xyz ¿", "a<a>b"]:
        for options in range(32):
            wanted = {
                key: bool(options >> at & 1)
                for at, key in enumerate(("add_bos", "add_eos", "reverse", "emit_unk_piece"))
            }
            out_type = str if options & 16 else int
            assert ours.encode(text, out_type=out_type, **wanted) == theirs.encode(text, out_type=out_type, **wanted)


@pytest.mark.parametrize("name", [*MISTRAL, *TRAINED])
def test_every_piece(name: str) -> None:
    ours, theirs = pair(name)
    everything = list(range(len(ours)))
    assert len(ours) == ours.vocab_size() == theirs.vocab_size() == len(theirs)
    assert ours.id_to_piece(everything) == theirs.id_to_piece(everything)
    assert list(map(repr, ours.get_score(everything))) == list(map(repr, theirs.get_score(everything)))
    for question in ("is_unknown", "is_control", "is_unused", "is_byte"):
        assert getattr(ours, question)(everything) == getattr(theirs, question)(everything)
    pieces = [*ours.model.pieces, "no such piece", ""]
    assert ours.piece_to_id(pieces) == theirs.piece_to_id(pieces)
    for name_of_id in ("unk_id", "bos_id", "eos_id", "pad_id"):
        assert getattr(ours, name_of_id)() == getattr(theirs, name_of_id)()


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


def test_what_is_not_text() -> None:
    ours, theirs = pair("v1")
    for wrong in (None, 5, ("a",), bytearray(b"a"), ["a", None]):
        with pytest.raises(TypeError):
            theirs.encode(wrong)
        with pytest.raises(NotText):
            ours.encode(wrong)
    with pytest.raises(InvalidText, match="lone surrogate"):
        ours.encode("a\ud800")
    with pytest.raises(InvalidText):
        ours.encode_batch(["fine", "\udc00"])


def test_ids_that_do_not_exist() -> None:
    ours, theirs = pair("v1")
    for wrong in (len(ours), -1, [1, 99_999]):
        for ask in ("decode", "id_to_piece", "get_score", "is_control"):
            with pytest.raises(IndexError):
                getattr(theirs, ask)(wrong)
            with pytest.raises(InvalidPieceId, match="0 to 31999"):
                getattr(ours, ask)(wrong)
    for wrong_kind in (3.0, [1, "a"], ["a", 1], [1.5], [None]):
        with pytest.raises(TypeError):
            theirs.decode(wrong_kind)
        with pytest.raises(NotText):
            ours.decode(wrong_kind)


def test_what_decode_takes() -> None:
    ours, theirs = pair("v1")
    for given_ids in (None, [], 450, [[450, 451], []], np.array([450, 451]), (450, 451), "▁the", ["▁the", "cat"], ""):
        assert ours.decode(given_ids) == theirs.decode(given_ids), given_ids


def test_special_pieces_that_are_not_there() -> None:
    ours = SentencePieceTokenizer(model_proto=train(["ab ac ad"] * 9, vocab_size=9, bos_id=-1))
    with pytest.raises(InvalidSpecialToken, match="add_bos"):
        ours.encode("a", add_bos=True)
    assert ours.bos_id() == -1
    assert ours.encode("a", add_eos=True)[-1] == ours.eos_id()


def test_it_survives_pickling() -> None:
    ours, _ = pair("v1")
    again = pickle.loads(pickle.dumps(ours))
    assert again.encode("Hello wörld 東") == ours.encode("Hello wörld 東")
    assert again.model == ours.model


def test_a_model_must_be_there() -> None:
    with pytest.raises(NotTrained, match="model_file="):
        SentencePieceTokenizer().encode("a")
