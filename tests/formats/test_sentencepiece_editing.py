"""Editing piece models: what a change gives is loaded by sentencepiece, with the same ids; the rest of a file stays."""

from __future__ import annotations

import random
import re
import struct
from functools import cache

import pytest
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from minbpe_course import SentencePieceTokenizer
from minbpe_course.errors import DuplicatePiece, InvalidModel, InvalidPieceId, UnknownToken
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.formats.protobuf_fields import field_bytes, read_fields
from minbpe_course.model import CONTROL, KIND_NAMES, NORMAL, UNUSED, USER_DEFINED, PieceModel
from tests.shared.piece_cases import course_lines, fixed_texts, hostile_bytes, mistral_files, train

SMALL = PieceModel(("<unk>", "<s>", "a", "b", "ab"), (0.0, 0.0, -1.0, -2.0, -0.0), (2, 3, 1, 1, 1))


@cache
def files() -> dict[str, bytes]:
    """Models with strange things in them, which must survive every change."""
    lines = course_lines()[:120]
    bpe = train(lines, vocab_size=200, user_defined_symbols=["<a>"], normalization_rule_name="identity")
    fallback = train(lines, vocab_size=400, byte_fallback=True)
    odd = field_bytes(200, b"kept") + b"\x3b\x08\x01\x3c" + field_bytes(2, field_bytes(200, b"kept too"))
    in_front = field_bytes(2, field_bytes(35, 0) + field_bytes(44, b"?")) + field_bytes(3, field_bytes(4, 0))
    return {"bpe": bpe, "byte fallback": fallback, "odd": in_front + bpe + odd}


def compare(model: PieceModel, texts: list[bytes]) -> bytes:
    """Check that the written model is read as it is, and that sentencepiece loads it and gives our ids."""
    data = sentencepiece_proto.to_bytes(model)
    again = sentencepiece_proto.from_bytes(data)
    assert again == model
    assert sentencepiece_proto.to_bytes(again) == data
    assert sentencepiece_proto.to_bytes(model.replace(source=b"")) != b""
    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    ours = SentencePieceTokenizer(model=model)
    assert [theirs.id_to_piece(at) for at in range(len(theirs))] == list(model.pieces)
    for text in texts:
        assert ours.encode(text) == theirs.encode(text), text
    ids = list(range(len(model)))
    random.Random(len(model)).shuffle(ids)
    assert ours.decode(ids) == theirs.decode(ids)
    return data


@pytest.mark.parametrize("name", ["bpe", "byte fallback", "odd"])
def test_random_changes(name: str) -> None:
    rng = random.Random(f"editing {name}")
    texts = [text for text in fixed_texts()[::12] if len(text) < 100]
    for _ in range(12):
        model = sentencepiece_proto.from_bytes(files()[name])
        for _ in range(rng.randint(1, 5)):
            model = changed(rng, model)
        data = compare(model, [*texts, *(hostile_bytes(rng) for _ in range(10))])
        if name == "odd":
            for kept in (field_bytes(200, b"kept"), b"\x3b\x08\x01\x3c", field_bytes(200, b"kept too")):
                assert kept in data


def changed(rng: random.Random, model: PieceModel) -> PieceModel:
    """A model with one random change that is allowed."""
    ordinary = [at for at, kind in enumerate(model.kinds) if kind in (NORMAL, UNUSED, USER_DEFINED)]
    some = rng.sample(ordinary, rng.randint(1, 20))
    kind = rng.randrange(7)
    if kind == 0:
        new = {f"new{rng.randrange(10**9)}▁" * rng.randint(1, 2): rng.uniform(-9, 0) for _ in range(rng.randint(1, 5))}
        return model.with_pieces(new, kind=rng.choice([NORMAL, USER_DEFINED, CONTROL, UNUSED]))
    if kind == 1:
        return model.with_kinds({at: rng.choice([NORMAL, UNUSED, "USER_DEFINED", "CONTROL"]) for at in some})
    if kind == 2:
        scores = [0.0, -0.0, -5.0, 1e-40, 1e300, float("-inf"), float("nan"), rng.uniform(-300, 300)]
        return model.with_scores({model.pieces[at]: rng.choice(scores) for at in some})
    if kind == 3:
        return model.renamed({at: f"name{rng.randrange(10**9)}" for at in some[:3]})
    if kind == 4 and len(model) > 350:
        return model.without_last(rng.randint(0, 3))
    if kind == 5:
        return model.replace(unk_surface=rng.choice(["?", "", " ⁇ ", "\ufffd"]), treat_whitespace_as_suffix=True)
    rules = model.normalizer
    return model.replace(normalizer=type(rules)(rules.charsmap, *(rng.random() < 0.5 for _ in range(3))))


def test_the_recipe_for_special_symbols() -> None:
    """What the threads on adding tokens ask for: symbols that stay whole, ids of the others as they were."""
    model = sentencepiece_proto.from_bytes(files()["bpe"])
    more = model.with_pieces(["<|user|>", "<|end|>"]).with_pieces(["[PAD]"], kind="CONTROL").replace(pad_piece="[PAD]")
    data = compare(more, [b"hello<|user|> you<|end|><|end|>", b"[PAD]"])
    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    assert theirs.pad_id() == len(model) + 2
    assert theirs.encode("hello<|user|>", out_type=str)[-1] == "<|user|>"
    # Only what was added is new: the rest of the file is as it was.
    proto, before = (sentencepiece_model_pb2.ModelProto.FromString(each) for each in (data, files()["bpe"]))
    assert list(proto.pieces)[: len(model)] == list(before.pieces)
    assert proto.trainer_spec.vocab_size == before.trainer_spec.vocab_size + 3
    proto.trainer_spec.vocab_size, proto.trainer_spec.pad_piece = before.trainer_spec.vocab_size, "<pad>"
    before.trainer_spec.pad_piece = "<pad>"
    assert (proto.trainer_spec, proto.normalizer_spec) == (before.trainer_spec, before.normalizer_spec)


def test_pieces_in_reserve_are_put_to_use() -> None:
    model = sentencepiece_proto.read(mistral_files()["v3"])
    reserve = next(piece for piece in model.pieces if piece.startswith("[control_"))
    at = model.piece_ids[reserve]
    data = sentencepiece_proto.to_bytes(model.renamed({reserve: "<|im_start|>", "<s>": "<begin>"}))
    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    assert theirs.piece_to_id("<|im_start|>") == at
    assert theirs.bos_id() == model.bos_id
    names = {reserve: "<|im_start|>", "<s>": "<begin>"}
    assert [theirs.id_to_piece(each) for each in range(len(model))] == [names.get(each, each) for each in model.pieces]


def test_byte_fallback_for_a_model_that_had_none() -> None:
    model = sentencepiece_proto.from_bytes(files()["bpe"]).with_byte_fallback()
    compare(model, ["😀 é".encode(), b"\xff\0"])
    assert SentencePieceTokenizer(model=model).encode("\0")[-1] == model.byte_ids[0]


def test_only_the_changed_piece_changes_in_the_file() -> None:
    data = files()["odd"]
    model = sentencepiece_proto.from_bytes(data)
    at = 50
    new = sentencepiece_proto.to_bytes(model.with_scores({at: -77.5}))
    assert len(new) == len(data)
    differing = [place for place in range(len(data)) if data[place] != new[place]]
    assert max(differing) - min(differing) < 4
    assert struct.pack("<f", -77.5) in new
    assert [field.number for field in read_fields(new)] == [field.number for field in read_fields(data)]


def test_minus_zero_is_a_change_and_nan_is_none() -> None:
    model = sentencepiece_proto.from_bytes(sentencepiece_proto.to_bytes(SMALL))
    plus = model.with_scores({"ab": 0.0})
    assert plus != model
    assert [str(score) for score in sentencepiece_proto.from_bytes(sentencepiece_proto.to_bytes(plus)).scores][
        -1
    ] == "0.0"
    odd = model.with_scores({"ab": float("nan")})
    assert odd == sentencepiece_proto.from_bytes(sentencepiece_proto.to_bytes(odd))


def test_scores_are_float32() -> None:
    assert SMALL.with_scores({"a": 0.1}).scores[2] == struct.unpack("<f", struct.pack("<f", 0.1))[0]
    assert SMALL.with_scores({"a": 1e300}).scores[2] == float("inf")


REFUSED = {
    "a piece that is there": (
        lambda: SMALL.with_pieces(["x", "ab"]),
        DuplicatePiece,
        "'ab' is in the model: id 4, NORMAL",
    ),
    "twice": (lambda: SMALL.with_pieces(["x", "y", "x"]), DuplicatePiece, "'x' is given twice"),
    "one text": (lambda: SMALL.with_pieces("abc"), InvalidModel, re.escape("with_pieces(['abc'])")),
    "empty": (lambda: SMALL.with_pieces([""]), InvalidModel, "empty"),
    "NUL": (lambda: SMALL.with_pieces(["a\0"]), InvalidModel, "NUL"),
    "too long": (lambda: SMALL.with_pieces(["x" * 8000]), InvalidModel, "7,999"),
    "half a character": (lambda: SMALL.with_pieces(["\ud800"]), InvalidModel, "surrogate"),
    "a character in bytes": (lambda: SMALL.with_pieces(["\udcc3\udca9"]), InvalidModel, "single bytes"),
    "no kind": (lambda: SMALL.with_pieces(["x"], kind="SPECIAL"), InvalidModel, "USER_DEFINED"),
    "no kind, in numbers": (lambda: SMALL.with_kinds({"a": 7}), InvalidModel, "7 is no kind"),
    "no such piece": (lambda: SMALL.with_kinds({"zz": UNUSED}), UnknownToken, re.escape("model.with_pieces(['zz'])")),
    "no such id": (lambda: SMALL.with_scores({5: 0.0}), InvalidPieceId, "0 to 4"),
    "a second unknown piece": (lambda: SMALL.with_kinds({"a": "UNKNOWN"}), InvalidModel, "exactly one"),
    "no unknown piece": (lambda: SMALL.with_kinds({"<unk>": "CONTROL"}), InvalidModel, "exactly one"),
    "a byte piece": (lambda: SMALL.with_pieces(["<0x41>"], kind="BYTE"), InvalidModel, "byte_fallback is off"),
    "a name that is taken": (lambda: SMALL.renamed({"a": "b"}), DuplicatePiece, "pieces 2 and 3"),
    "too many gone": (lambda: SMALL.without_last(6), InvalidModel, "5 pieces"),
    "the unknown piece gone": (lambda: SMALL.without_last(5), InvalidModel, "exactly one"),
    "an unknown field": (lambda: SMALL.replace(colour="red"), InvalidModel, "no field 'colour'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_model_may_be_is_refused(name: str) -> None:
    change, error, said = REFUSED[name]
    with pytest.raises(error, match=said):
        change()


def test_a_change_leaves_the_model_as_it_was() -> None:
    before = SMALL.pieces, SMALL.scores, SMALL.kinds
    SMALL.with_pieces(["x"]).with_kinds({"a": UNUSED}).with_scores({"a": 1.0}).renamed({"b": "c"}).without_last(1)
    assert (SMALL.pieces, SMALL.scores, SMALL.kinds) == before
    assert set(KIND_NAMES) == set(range(1, 7))
