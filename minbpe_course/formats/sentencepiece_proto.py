"""SentencePiece ``.model`` files: a protocol-buffer message of pieces, training options and normaliser.

    record = read("tokenizer.model")        write(record, "copy.model")        the copy is the same file, byte for byte

The record keeps the file it came from. ``write`` changes in it only what the record changes, so options and fields
that the record does not know survive. All four model types are read; which of them can encode is for the tokenizer
classes to say.

Limits: pieces must be valid UTF-8. ``reference.wire`` reads the same format by hand, for the lesson.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

from minbpe_course.errors import InvalidModel, UnreadableModel
from minbpe_course.files import read_whole, write_whole
from minbpe_course.model import BYTE, CONTROL, MODEL_TYPES, NORMAL, UNUSED, NormalizerRules, PieceModel

_TYPE_NUMBERS = {name: number for number, name in MODEL_TYPES.items()}
_ADVICE = "Give the .model file that SentencePiece wrote (often called tokenizer.model or spiece.model)."


def read(path: str | os.PathLike[str]) -> PieceModel:
    """Read a ``.model`` file.

    Raises UnusablePath when there is no such file, UnreadableModel when it is no SentencePiece model, is damaged, or
    contradicts itself in a way that sentencepiece refuses too.
    """
    return from_bytes(read_whole(path), name=str(Path(path).name))


def write(model: PieceModel, path: str | os.PathLike[str]) -> Path:
    """Write a ``.model`` file that ``read`` and sentencepiece can load. Raises UnusablePath when it cannot be done."""
    return write_whole(path, to_bytes(model))


def from_bytes(data: bytes, name: str = "the model") -> PieceModel:
    """Read the bytes of a ``.model`` file; ``name`` is what an error calls them.

    >>> record = PieceModel(("<unk>", "a"), (0.0, -1.0), (2, 1))
    >>> from_bytes(to_bytes(record)) == record
    True
    """
    if not data:
        raise UnreadableModel(f"{name} is empty. {_ADVICE}")
    proto = _parse(data, name)
    try:
        model = _record(proto, data)
    except InvalidModel as error:
        raise UnreadableModel(f"{name} is not usable: {error}") from error
    return model


def to_bytes(model: PieceModel) -> bytes:
    """Return the file that ``write`` would write."""
    proto = _message()
    if model.source:
        proto = _parse(model.source, "the source of the model")
        if _record(proto, model.source) == model:
            return model.source
    _write_pieces(model, proto)
    trainer = proto.trainer_spec
    _put(trainer, "model_type", _TYPE_NUMBERS[model.model_type])
    _put(trainer, "byte_fallback", model.byte_fallback)
    _put(trainer, "treat_whitespace_as_suffix", model.treat_whitespace_as_suffix)
    for field in ("unk_surface", "unk_piece", "bos_piece", "eos_piece", "pad_piece"):
        _put(trainer, field, getattr(model, field))
    _write_rules(model.normalizer, proto.normalizer_spec)
    if proto.HasField("denormalizer_spec") or model.denormalizer != NormalizerRules():
        _write_rules(model.denormalizer, proto.denormalizer_spec)
    data: bytes = proto.SerializeToString()
    return data


def _message() -> Any:
    # The classes in this module are made when it is imported, so a type checker does not see them.
    return importlib.import_module("sentencepiece.sentencepiece_model_pb2").ModelProto()


def _parse(data: bytes, name: str) -> Any:
    from google.protobuf.message import DecodeError

    proto = _message()
    try:
        proto.ParseFromString(data)
    except (DecodeError, RuntimeError, UnicodeDecodeError) as error:
        raise UnreadableModel(f"{name} is not a SentencePiece model, or is cut off.{_guess(data)} {_ADVICE}") from error
    if not proto.pieces:
        raise UnreadableModel(f"{name} holds no pieces, so it is not a SentencePiece model.{_guess(data)} {_ADVICE}")
    return proto


def _guess(data: bytes) -> str:
    """Name the file that people most often take for a model, when it is one."""
    start = data[:200].lstrip()
    if start.startswith(b"{"):
        return " It looks like JSON, such as the tokenizer.json of Hugging Face."
    if start.startswith(b"version https://git-lfs"):
        return " It is a Git LFS pointer: the real file was not downloaded (git lfs pull)."
    if start.startswith(b"minbpe v1"):
        return " It is a minbpe model: RegexTokenizer().load(...) reads it."
    if start[:1] == b"<":
        return " It looks like a web page."
    return ""


def _record(proto: Any, data: bytes) -> PieceModel:
    trainer = proto.trainer_spec
    try:
        pieces = tuple([piece.piece for piece in proto.pieces])
        names = {field: getattr(trainer, field) for field in ("unk_piece", "bos_piece", "eos_piece", "pad_piece")}
        names["unk_surface"] = trainer.unk_surface
    except UnicodeDecodeError as error:
        raise InvalidModel("a piece is not valid UTF-8; sentencepiece itself may still load it.") from error
    if any(isinstance(text, bytes) for text in (*pieces, *names.values())):
        raise InvalidModel("a piece is not valid UTF-8; sentencepiece itself may still load it.")
    kinds = tuple([piece.type for piece in proto.pieces])
    if trainer.byte_fallback and "\0" in pieces and kinds[pieces.index("\0")] not in (CONTROL, BYTE):
        # As sentencepiece 0.2.3 does: such models exist, and NUL can still be written as a byte.
        at = pieces.index("\0")
        kinds = (*kinds[:at], UNUSED, *kinds[at + 1 :])
    return PieceModel(
        pieces=pieces,
        scores=tuple([piece.score for piece in proto.pieces]),
        kinds=kinds,
        model_type=MODEL_TYPES.get(trainer.model_type, "unigram"),
        byte_fallback=trainer.byte_fallback,
        treat_whitespace_as_suffix=trainer.treat_whitespace_as_suffix,
        normalizer=_rules(proto.normalizer_spec),
        denormalizer=_rules(proto.denormalizer_spec),
        source=data,
        **names,
    )


def _rules(spec: Any) -> NormalizerRules:
    return NormalizerRules(
        charsmap=spec.precompiled_charsmap,
        add_dummy_prefix=spec.add_dummy_prefix,
        remove_extra_whitespaces=spec.remove_extra_whitespaces,
        escape_whitespaces=spec.escape_whitespaces,
    )


def _write_rules(rules: NormalizerRules, spec: Any) -> None:
    _put(spec, "precompiled_charsmap", rules.charsmap)
    _put(spec, "add_dummy_prefix", rules.add_dummy_prefix)
    _put(spec, "remove_extra_whitespaces", rules.remove_extra_whitespaces)
    _put(spec, "escape_whitespaces", rules.escape_whitespaces)


def _write_pieces(model: PieceModel, proto: Any) -> None:
    del proto.pieces[len(model) :]
    while len(proto.pieces) < len(model):
        proto.pieces.add()
    for message, piece, score, kind in zip(proto.pieces, model.pieces, model.scores, model.kinds):
        _put(message, "piece", piece)
        # repr tells -0.0 from 0.0, which == does not; the sign decides which merge comes first.
        if not message.HasField("score") or repr(message.score) != repr(score):
            message.score = score
        if message.type != kind and not (piece == "\0" and kind == UNUSED and message.type == NORMAL):
            message.type = kind


def _put(message: Any, field: str, value: Any) -> None:
    """Set a field unless it already reads as ``value``, so that absent defaults stay absent."""
    if getattr(message, field) != value:
        setattr(message, field, value)
