"""SentencePiece's ``.model`` files: sentencepiece decides what loads and which ids it gives, also of edited files."""

from __future__ import annotations

import random
import re
import struct
from functools import cache

import pytest
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from minbpe_course import SentencePieceTokenizer
from minbpe_course.errors import (
    InvalidModel,
    InvalidPieceId,
    InvalidText,
    UnknownToken,
    UnreadableModel,
)
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.formats.protobuf_fields import BrokenMessage, field_bytes, read_fields, varint
from minbpe_course.model import CONTROL, NORMAL, UNUSED, USER_DEFINED, PieceModel
from minbpe_course.reference import wire
from minbpe_course.text.normalize import Charsmap
from tests.shared.piece_cases import course_lines, fixed_texts, hostile_bytes, train

pytestmark = pytest.mark.medium

# ---- Odd messages that are still valid


def piece(text: bytes, score: float = 0.0, kind: int = 1, longer: bytes = b"") -> bytes:
    message = field_bytes(1, text) + b"\x15" + struct.pack("<f", score) + field_bytes(3, kind) + longer
    return field_bytes(1, message)


BPE = field_bytes(2, field_bytes(3, 2))
PIECES = piece(b"<unk>", 0, 2) + piece(b"a", -1) + piece(b"b", -2) + piece("▁a".encode(), -0.0)
BYTES = b"".join(piece(f"<0x{byte:02X}>".encode(), 0, 6) for byte in range(256))
FALLBACK = field_bytes(2, field_bytes(3, 2) + field_bytes(35, 1))
MODEL = PIECES + BPE


def theirs(data: bytes) -> sentencepiece.SentencePieceProcessor | None:
    processor = sentencepiece.SentencePieceProcessor()
    try:
        processor.LoadFromSerializedProto(data)
    except RuntimeError:
        return None
    return processor


def check_loaded(data: bytes) -> PieceModel | None:
    """Check that we load what sentencepiece loads, write it as it was, and give the same ids."""
    witness = theirs(data)
    if witness is None:
        with pytest.raises(UnreadableModel):
            sentencepiece_proto.from_bytes(data)
        return None
    model = sentencepiece_proto.from_bytes(data)
    assert sentencepiece_proto.to_bytes(model) == data
    assert len(model) == len(witness)
    assert (model.bos_id, model.eos_id, model.pad_id) == (witness.bos_id(), witness.eos_id(), witness.pad_id())
    assert model.declared_unk_id == witness.unk_id()
    assert [model.scores[at] for at in range(len(model))] == [witness.get_score(at) for at in range(len(model))]
    ours = SentencePieceTokenizer(model=model)
    for text in ["a b ab", " aab", "x\0y<s>", "<0x41> é", "cacab"]:
        assert ours.encode(text) == witness.encode(text)
    return model


GROUP = b"\x3b" + field_bytes(1, 5) + b"\x3c"
LOADED = {
    "options in two messages": PIECES + field_bytes(2, field_bytes(3, 1)) + BPE,
    "the same option twice": PIECES + field_bytes(2, field_bytes(3, 4) + field_bytes(3, 2)),
    "no options at all": PIECES,
    "an unknown type of model": PIECES + field_bytes(2, field_bytes(3, 7)),
    "a type written with 33 bits": PIECES + field_bytes(2, field_bytes(3, 2**32 + 2)),
    "a switch of 64 bits": PIECES + BPE + field_bytes(3, field_bytes(3, 2**63)),
    "a switch that is text": PIECES + BPE + field_bytes(3, field_bytes(3, b"no")),
    "an unknown kind of piece": MODEL + piece(b"c", 0, 9),
    "a piece with everything twice": MODEL
    + field_bytes(1, field_bytes(1, b"x") + field_bytes(1, b"c") + b"\x15" + b"\0" * 4),
    "a piece without score and kind": MODEL + field_bytes(1, field_bytes(1, b"c")),
    "unknown fields": MODEL + field_bytes(77, b"what") + field_bytes(200, 3) + field_bytes(4, b"self-test"),
    "a group in the options": PIECES + field_bytes(2, GROUP + field_bytes(3, 2)),
    "a piece that is not UTF-8": MODEL + piece(b"a\xff\xfe") + piece(b"\xe2\x96"),
    "a name that is not UTF-8": PIECES + field_bytes(2, field_bytes(3, 2) + field_bytes(46, b"\xff")),
    "scores that are no numbers": MODEL + piece(b"c", float("inf")) + piece(b"ab", float("-inf")),
    "7,999 bytes": MODEL + piece(b"x" * 7999),
    "bytes": PIECES + BYTES + FALLBACK,
    "bytes without unknown piece": piece(b"a") + BYTES + FALLBACK,
    "a NUL that is the unknown piece": piece(b"a") + piece(b"\0", 0, 2) + BYTES + FALLBACK,
    "Unigram: a text on both lists": PIECES + piece(b"<s>") + piece(b"<s>", 0, 3),
}
REFUSED = {
    "no pieces": BPE,
    "BPE: a text on both lists": MODEL + piece(b"<s>") + piece(b"<s>", 0, 3),
    "Unigram: twice on one list": PIECES + piece(b"a"),
    "Unigram: infinite": PIECES + piece(b"c", float("-inf")),
    "Unigram: no number, even of a control piece": PIECES + piece(b"<s>", float("nan"), 3),
    "Unigram: nothing for text": piece(b"<unk>", 0, 2) + piece(b"<s>", 0, 3),
    "an unknown kind is NORMAL": piece(b"<unk>", 0, 9) + BPE,
    "a hundred groups in the options": MODEL + field_bytes(2, b"\x3b" * 100 + b"\x3c" * 100),
    "an empty piece": MODEL + piece(b""),
    "two unknown pieces": MODEL + piece(b"c", 0, 2),
    "a byte piece without bytes": MODEL + piece(b"<0x41>", 0, 6),
    "bytes without byte pieces": MODEL + field_bytes(2, field_bytes(35, 1)),
    "8,000 bytes": MODEL + piece(b"x" * 8000),
    "broken rules": MODEL + field_bytes(3, field_bytes(2, b"\x07\0\0\0abc")),
    "a NUL": MODEL + piece(b"\0"),
    "a NUL inside": PIECES + BYTES + piece(b"a\0") + FALLBACK,
    "255 bytes": PIECES + BYTES[: -len(piece(b"<0xFF>", 0, 6))] + FALLBACK,
    "a table of the denormaliser": MODEL + field_bytes(5, field_bytes(2, b"\0\4\0\0" + b"\0" * 1024 + b"a")),
}


@pytest.mark.parametrize("name", LOADED | REFUSED)
def test_what_sentencepiece_loads_is_loaded_and_nothing_else(name: str) -> None:
    assert (check_loaded((LOADED | REFUSED)[name]) is not None) == (name in LOADED)


def test_pieces_that_are_not_utf8_have_one_str_each() -> None:
    model = sentencepiece_proto.from_bytes(LOADED["a piece that is not UTF-8"])
    assert model.pieces[-2:] == ("a\udcff\udcfe", "\udce2\udc96")
    assert not {"a\udcff\udcfe", "\udce2\udc96"} & set(model.mergeable)
    again = sentencepiece_proto.to_bytes(model.with_scores({"a\udcff\udcfe": -7.0}).with_pieces(["c"]))
    check_loaded(again)
    assert field_bytes(1, b"a\xff\xfe") + b"\x15" + struct.pack("<f", -7.0) in again


def garbage(rng: random.Random, depth: int = 0) -> bytes:
    """Fields that may be well formed or not."""
    out = b""
    for _ in range(rng.randint(1, 3)):
        inner = garbage(rng, depth + 1) if depth < 3 else b""
        number = rng.choice([1, 2, 3, 5, 7, 15, 200, 2**29 - 1])
        odd = b"".join(rng.choice([b"\x80", b"\xff", b"\x87"]) for _ in range(rng.randint(0, 10)))
        odd += rng.choice([b"\0", b"\1", b"\7", b"\x08", b"\x0f", b"\x7f"])
        out += rng.choice(
            [
                odd,
                varint(number << 3) + odd,
                varint(number << 3 | 2) + rng.choice([varint(len(inner)), varint(len(inner)), odd]) + inner,
                varint(7 << 3 | 3) + inner + varint(rng.choice([7, 7, 7, 9]) << 3 | 4),
                varint(number << 3 | 5) + bytes(4),
                varint(number << 3 | 1) + bytes(8),
                rng.randbytes(rng.randint(1, 3)),
            ]
        )
    return out


@pytest.mark.parametrize("seed", range(2))
def test_the_same_messages_are_valid_as_in_the_cpp_library(seed: int) -> None:
    rng = random.Random(seed)
    accepted = 0
    for _ in range(1500):
        part = garbage(rng)
        data = rng.choice([part + MODEL, MODEL + part, MODEL + field_bytes(2, part), MODEL + field_bytes(3, part)])
        processor = sentencepiece.SentencePieceProcessor()
        try:
            processor.LoadFromSerializedProto(data)
            parsed = True
        except RuntimeError as error:
            parsed = "ParseFromArray" not in str(error)
        try:
            sentencepiece_proto._parse(data)
            ours = True
        except BrokenMessage:
            ours = False
        except InvalidModel:  # an empty piece: the rest is not read
            assert theirs(data) is None
            continue
        assert ours == parsed, f"seed {seed}: {part.hex()}"
        accepted += parsed
    assert accepted > 100


@pytest.mark.parametrize("seed", range(2))
def test_usual_pieces_and_odd_ones_in_any_order_are_read_as_protobuf_reads_them(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(60):
        parts = [piece(b"<unk>", 0, 2)]
        for number in range(rng.randrange(1, 12)):
            character = chr(rng.choice([rng.randrange(1, 0x80), rng.randrange(0x80, 0xD800)]))
            text = f"{number}{character}▁".encode() + b"x" * rng.choice([0, 1, 100, 116, 117, 118, 130, 300])
            score = field_bytes(2, struct.pack("<f", rng.choice([-0.0, 0.0, 1e-40, rng.uniform(-9, 9)])), 5)
            kind = field_bytes(3, rng.choice([NORMAL, CONTROL, USER_DEFINED, UNUSED]))
            fields = [field_bytes(1, text), *(each for each in (score, kind) if rng.random() < 0.8)]
            fields += rng.choices([b"", b"\x9a\x03\x01a"], [4, 1])
            if rng.random() < 0.3:
                rng.shuffle(fields)
            parts += rng.choices([b"", field_bytes(9, b"unknown")], [6, 1])
            parts.append(field_bytes(1, b"".join(fields)))
        data = b"".join(parts) + BPE
        read = sentencepiece_proto.from_bytes(data)
        theirs = sentencepiece_model_pb2.ModelProto.FromString(data).pieces
        wanted = [(each.piece, each.score, each.type) for each in theirs]
        assert list(zip(read.pieces, read.scores, read.kinds)) == wanted
        assert [tuple(each) for each in wire.read_pieces(data)] == wanted
        by_hand = [(field.number, field.kind, field.begin, field.end) for field in wire.read_fields(data)]
        assert by_hand == [(field.number, field.kind, field.begin, field.end) for field in read_fields(data)]
        assert sentencepiece_proto.to_bytes(read) == data


# ---- Editing: sentencepiece loads the new model with the same ids; the rest of the file stays


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


def check_edited(model: PieceModel, texts: list[bytes]) -> bytes:
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
    for _ in range(8):
        model = sentencepiece_proto.from_bytes(files()[name])
        for _ in range(rng.randint(1, 5)):
            model = changed(rng, model)
        data = check_edited(model, [*texts, *(hostile_bytes(rng) for _ in range(10))])
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


def test_byte_fallback_for_a_model_that_had_none() -> None:
    model = sentencepiece_proto.from_bytes(files()["bpe"]).with_byte_fallback()
    check_edited(model, ["😀 é".encode(), b"\xff\0"])
    assert SentencePieceTokenizer(model=model).encode("\0")[-1] == model.byte_ids[0]


def test_minus_zero_is_a_change_and_nan_is_not() -> None:
    model = sentencepiece_proto.from_bytes(sentencepiece_proto.to_bytes(SMALL))
    plus = model.with_scores({"ab": 0.0})
    assert plus != model
    assert str(sentencepiece_proto.from_bytes(sentencepiece_proto.to_bytes(plus)).scores[-1]) == "0.0"
    odd = model.with_scores({"ab": float("nan")})
    assert odd == sentencepiece_proto.from_bytes(sentencepiece_proto.to_bytes(odd))


NOT_A_MODEL = {
    "a piece that is there": (
        lambda: SMALL.with_pieces(["x", "ab"]),
        InvalidModel,
        "'ab' is in the model: id 4, NORMAL",
    ),
    "empty": (lambda: SMALL.with_pieces([""]), InvalidModel, "empty"),
    "NUL": (lambda: SMALL.with_pieces(["a\0"]), InvalidModel, "NUL"),
    "too long": (lambda: SMALL.with_pieces(["x" * 8000]), InvalidModel, "7,999"),
    "no kind": (lambda: SMALL.with_pieces(["x"], kind="SPECIAL"), InvalidModel, "USER_DEFINED"),
    "no such piece": (lambda: SMALL.with_kinds({"zz": UNUSED}), UnknownToken, re.escape("model.with_pieces(['zz'])")),
    "no such id": (lambda: SMALL.with_scores({5: 0.0}), InvalidPieceId, "0 to 4"),
    "a second unknown piece": (lambda: SMALL.with_kinds({"a": "UNKNOWN"}), InvalidModel, "exactly one"),
    "a name that is taken": (lambda: SMALL.renamed({"a": "b"}), InvalidModel, "pieces 2 and 3"),
    "the unknown piece gone": (lambda: SMALL.without_last(5), InvalidModel, "exactly one"),
}


@pytest.mark.parametrize("name", NOT_A_MODEL)
def test_invalid_changes_are_refused(name: str) -> None:
    change, error, said = NOT_A_MODEL[name]
    with pytest.raises(error, match=said):
        change()


# ---- Tables of the normaliser that lead round in circles or outside


def circular(replacement: bytes, has_rule: bool, value: int = 0, root: int = 256) -> bytes:
    """A model whose normaliser has a trie with one child, for "a", that leads back to where it began.

    value : where the replacement begins in the strings · root : where the trie begins.
    """
    base, size = 256, 512
    child = base ^ ord("a")
    units = [0] * size
    units[0] = root << 10
    units[child] = (child ^ base) << 10 | has_rule << 8 | ord("a")
    for at in range(1, size):
        if at != child:  # a label that no byte leads to
            units[at] = (at ^ 0x55) & 0xFF
    if has_rule:
        units[base] = 1 << 31 | value
    table = struct.pack("<I", 4 * size) + struct.pack(f"<{size}I", *units) + replacement + b"\0"
    pieces = (("<unk>", 2), ("a", 1), ("b", 1), ("▁", 1))
    return (
        b"".join(piece(text.encode(), 0.0, kind) for text, kind in pieces) + BPE + field_bytes(3, field_bytes(2, table))
    )


@pytest.mark.parametrize("has_rule", [False, True])
def test_a_table_that_goes_round_in_circles(has_rule: bool) -> None:
    data = circular(b"b", has_rule)
    mine, witness = SentencePieceTokenizer(model_proto=data), sentencepiece.SentencePieceProcessor(model_proto=data)
    for text in [b"a" * 200, b"aaab a", b"a" * 33]:
        assert mine.encode(text) == witness.encode(text)
    assert len(mine.encode(b"a" * 100_000)) > 1000  # 10**10 / 2 steps if every step went round to the end
    rules = Charsmap(mine.model.normalizer.charsmap)
    assert rules.longest_rule(b"a" * 5000, 0) == ((32, b"b") if has_rule else None)


def test_a_table_that_leads_outside_is_refused() -> None:
    for said, value, root in (("", 1, 256), ("without a replacement", 2, 256), ("out of itself", 0, 512)):
        data = circular(b"b", True, value, root)
        if not said:  # the empty replacement at the very end is still inside
            witness = sentencepiece.SentencePieceProcessor(model_proto=data)
            assert SentencePieceTokenizer(model_proto=data).encode("ab") == witness.encode("ab")
            continue
        with pytest.raises(RuntimeError):
            sentencepiece.SentencePieceProcessor(model_proto=data)
        with pytest.raises(UnreadableModel, match=said):
            SentencePieceTokenizer(model_proto=data)


def test_a_table_that_makes_a_text_longer_without_end() -> None:
    tokenizer = SentencePieceTokenizer(model_proto=circular(b"b" * 3_000_000, True))
    with pytest.raises(InvalidText, match="longer"):
        tokenizer.encode(b"ab" * 1000)
    with pytest.raises(InvalidText, match="longer"):
        tokenizer.encode_batch(["b", "ab" * 1000])
    assert tokenizer.encode(b"bbb") == [3, 2, 2, 2]


@pytest.mark.parametrize("kind", ["NORMAL", "USER_DEFINED"])
def test_long_pieces_cost_no_more_than_their_bytes(kind: str) -> None:
    """Pieces of the greatest size: looked at cut by cut, some hundreds of them would take minutes."""
    rng = random.Random(kind)
    long = ["".join(rng.choices("abc", k=7999)) for _ in range(60)]
    data = sentencepiece_proto.to_bytes(SMALL.with_pieces(["c", *long], kind=kind))
    mine, witness = SentencePieceTokenizer(model_proto=data), sentencepiece.SentencePieceProcessor(model_proto=data)
    text = f"{long[3]}abc{long[5][:-1]} {long[7]}"
    assert mine.encode(text) == witness.encode(text)


def test_control_pieces_keep_their_parts_when_they_are_renamed() -> None:
    model = PieceModel(("<unk>", "<s>", "</s>", "<pad>"), (0.0,) * 4, (2, 3, 3, 3))
    renamed = model.renamed({"</s>": "<end>", "<pad>": "<fill>"})
    assert (renamed.bos_id, renamed.eos_id, renamed.pad_id) == (1, 2, 3)
