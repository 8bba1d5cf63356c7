"""Reading and writing .model files: byte for byte, by hand and by protobuf, and with errors that say what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from sentencepiece import sentencepiece_model_pb2

from minbpe_course.errors import InvalidModel, UnreadableModel
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.model import PieceModel
from minbpe_course.reference import wire
from minbpe_course.tokenizers.sentencepiece_tokenizer import SentencePieceTokenizer
from tests.shared.piece_cases import mistral_files, train

pytestmark = pytest.mark.medium

FILES = mistral_files()
MODEL = train(["hello world", "the cat sat on the mat", "abc abd abe"] * 5, vocab_size=40)


@pytest.mark.parametrize("name", FILES)
def test_what_is_read_is_written_byte_for_byte(name: str, tmp_path: Path) -> None:
    model = sentencepiece_proto.read(FILES[name])
    copy = sentencepiece_proto.write(model, tmp_path / "copy.model")
    assert copy.read_bytes() == FILES[name].read_bytes()


NOT_MODELS = {
    "text": (b"this is only text, no model at all", "not a SentencePiece model"),
    "minbpe": (b"minbpe v1\n\n0\n", "RegexTokenizer"),
    "cut off": (MODEL[: len(MODEL) // 2], "cut off"),
    "no pieces": (b"\x12\x00", "no pieces"),
}


@pytest.mark.parametrize("name", NOT_MODELS)
def test_what_is_no_model_is_named(name: str, tmp_path: Path) -> None:
    data, said = NOT_MODELS[name]
    path = tmp_path / "some.model"
    path.write_bytes(data)
    with pytest.raises(UnreadableModel, match=said) as caught:
        SentencePieceTokenizer(model_file=path)
    assert "some.model" in str(caught.value)


def test_a_record_that_contradicts_itself() -> None:
    with pytest.raises(InvalidModel, match="2 scores"):
        PieceModel(("<unk>",), (0.0, 1.0), (2,))
    with pytest.raises(InvalidModel, match="both 'a'"):
        PieceModel(("<unk>", "a", "a"), (0.0, 0.0, 0.0), (2, 1, 1))
    with pytest.raises(InvalidModel, match="of kind 9"):
        PieceModel(("<unk>", "a"), (0.0, 0.0), (2, 9))


WIRE_FAULTS = {
    "inside a number": b"\x0a\x85",
    "ten bytes": b"\x08" + b"\xff" * 11,
    "number 0": b"\x00",
    "not in use": b"\x0b",
    "bytes are": b"\x0a\x05abc",
    "bytes, 1 are left": b"\x15\x00",
}


@pytest.mark.parametrize("said", WIRE_FAULTS)
def test_faults_of_the_wire_are_named(said: str) -> None:
    with pytest.raises(UnreadableModel, match=said if said != "bytes are" else "3 are left"):
        list(wire.read_fields(WIRE_FAULTS[said]))


def test_negative_numbers_on_the_wire() -> None:
    proto = sentencepiece_model_pb2.ModelProto()
    proto.trainer_spec.pad_id = -1
    data = proto.trainer_spec.SerializeToString()
    values = {field.number: field.value for field in wire.read_fields(data)}
    assert [wire.read_signed(value) for value in values.values() if isinstance(value, int)] == [-1]
