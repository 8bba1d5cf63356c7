"""SentencePiece ``.model`` files: a protocol-buffer message of pieces, training options and normaliser.

    record = read("tokenizer.model")        write(record, "copy.model")        the copy is the same file, byte for byte

The record keeps the bytes of its file, so an unchanged one is written as it was. Of a changed one, all options and all
unknown fields of the file and of its options are written as well. All four model types are read.

A file is read or refused as by sentencepiece 0.2.3, with one difference: Unigram scores and tables of the normaliser
are checked when the file is read, not when the first text is encoded. ``protobuf_fields`` reads the bytes, because
Python's protobuf library differs from the C++ library in sentencepiece: it judges odd messages otherwise, cannot hold
pieces that are not UTF-8, and writes fields in its own order. Tests compare with both.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any

import numpy as np

from minbpe_course.errors import InvalidModel, UnreadableModel, UnsupportedModel
from minbpe_course.files import read_whole, write_whole
from minbpe_course.formats.protobuf_fields import (
    FOUR_BYTES,
    LENGTH,
    VARINT,
    BrokenMessage,
    field_bytes,
    read_fields,
    varint,
)
from minbpe_course.formats.sentencepiece_options import Options, normalizer_options, trainer_options
from minbpe_course.kernels.common.memory import TOKEN_SLACK, Block, slots_for
from minbpe_course.kernels.lazy import layout, machine, piece_fields, tables
from minbpe_course.model import (
    BYTE,
    KIND_NAMES,
    MODEL_TYPES,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    NormalizerRules,
    PieceModel,
    piece_utf8,
)
from minbpe_course.model.piece_rules import BYTE_PIECES
from minbpe_course.model.pieces import FlatPieces
from minbpe_course.text.normalize import Charsmap

_PIECES, TRAINER, NORMALIZER, _DENORMALIZER = 1, 2, 3, 5
_PIECE, _SCORE, _KIND = 1, 2, 3
_TYPE_NUMBERS = {name: number for number, name in MODEL_TYPES.items()}
# The fields of the record that are options of the training, and those of a normaliser.
_TRAINER = (
    "treat_whitespace_as_suffix",
    "byte_fallback",
    "unk_surface",
    "unk_piece",
    "bos_piece",
    "eos_piece",
    "pad_piece",
)
_RULES = ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")

_FOUR, _TAG_AND_SCORE = struct.Struct("<f"), struct.Struct("<Bf")
_ADVICE = "Give the .model file that SentencePiece wrote (often called tokenizer.model or spiece.model)."


def read(path: str | os.PathLike[str]) -> PieceModel:
    """Read a ``.model`` file.

    Raises UnusablePath if there is no such file, UnreadableModel if it is not a SentencePiece model, is damaged, or
    contradicts itself in a way that sentencepiece refuses too.
    """
    return from_bytes(read_whole(path), name=str(Path(path).name))


def write(model: PieceModel, path: str | os.PathLike[str]) -> Path:
    """Write a ``.model`` file that ``read`` and sentencepiece can load. Raises UnusablePath."""
    return write_whole(path, to_bytes(model))


def from_bytes(data: bytes, name: str = "the model") -> PieceModel:
    """Read the bytes of a ``.model`` file; ``name`` is its name in error messages.

    >>> record = PieceModel(("<unk>", "a"), (0.0, -1.0), (2, 1))
    >>> from_bytes(to_bytes(record)) == record
    True
    """
    if not data:
        raise UnreadableModel(f"{name} is empty. {_ADVICE}")
    try:
        model = _record(_parse(data), data)
    except BrokenMessage as error:
        raise UnreadableModel(
            f"{name} is not a SentencePiece model, or is cut off ({error}).{_guess(data)} {_ADVICE}"
        ) from error
    except (InvalidModel, UnreadableModel) as error:
        raise UnreadableModel(f"{name} is not usable: {error}{_guess(data)}") from error
    return model


def to_bytes(model: PieceModel) -> bytes:
    """Return the bytes that ``write`` would write.

    Raises UnsupportedModel for a model with a pipeline, which such a file cannot hold.
    """
    if model.pipeline is not None:
        raise UnsupportedModel(
            "a model that was read from a tokenizer.json does not fit into a SentencePiece .model file: sentencepiece "
            "would give other ids. Keep the tokenizer.json."
        )
    file = _parse(model.source)
    if model.source and _record(file, model.source) == model:
        return model.source
    trainer = file.options[TRAINER]
    _change(trainer, "model_type", _TYPE_NUMBERS[model.model_type])
    for name in _TRAINER:
        _change(trainer, name, getattr(model, name))
    if trainer.has("vocab_size"):
        _change(trainer, "vocab_size", len(model))
    for number, rules in ((NORMALIZER, model.normalizer), (_DENORMALIZER, model.denormalizer)):
        _change(file.options[number], "precompiled_charsmap", rules.charsmap)
        for name in _RULES:
            _change(file.options[number], name, getattr(rules, name))
    pieces = map(piece_message, model.pieces, model.scores, model.kinds)
    options = ((number, options.to_bytes()) for number, options in file.options.items())
    return b"".join([*pieces, *(field_bytes(number, data) for number, data in options if data), *file.others])


def piece_message(piece: str, score: float, kind: int) -> bytes:
    """Return one piece as a file holds it: field 1, in it 1 the text, 2 the score, 3 the kind if not NORMAL."""
    text = piece_utf8(piece)
    tail = _TAG_AND_SCORE.pack(0x15, score) + (b"" if kind == NORMAL else bytes((0x18, kind)))
    size = varint(len(text))
    return b"\x0a" + varint(1 + len(size) + len(text) + len(tail)) + b"\x0a" + size + text + tail


def normalizer_of(model: PieceModel) -> Options:
    """Return the options of a model's normaliser."""
    return _parse(to_bytes(model)).options[NORMALIZER]


def _change(options: Options, name: str, value: Any) -> None:
    if getattr(options, name) != value:
        options.put(name, value)


class _File:
    """The content of a file: its pieces, its options, and all other fields.

    ``flat`` has the pieces while all of them are in the usual form; ``listed`` moves them to the lists.
    """

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.scores: list[float] = []
        self.kinds: list[int] = []
        self.flat: FlatPieces | None = None
        self.options = {
            TRAINER: trainer_options(),
            NORMALIZER: normalizer_options(),
            _DENORMALIZER: normalizer_options(),
        }
        self.others: list[bytes] = []

    def listed(self) -> _File:
        if self.flat is not None:
            flat, self.flat = self.flat, None
            self.pieces.extend(flat.pieces())
            self.scores.extend(flat.scores.tolist())
            self.kinds.extend(flat.kinds.tolist())
        return self


def _parse(data: bytes) -> _File:
    file = _File()
    at = 0
    while at < len(data):
        if data[at] == 0x0A:
            at = _usual_pieces(data, at, file)
            if at == len(data):
                break
        field = next(read_fields(data, at))
        if field.kind == LENGTH and field.number == _PIECES:
            _read_piece(data, field.value, field.end, file.listed())
            if not file.pieces[-1]:  # there may be millions of them
                raise InvalidModel(f"piece {len(file.pieces) - 1} is empty.")
        elif field.kind == LENGTH and field.number in file.options:
            file.options[field.number].read(data[field.value : field.end])
        else:
            file.others.append(data[field.begin : field.end])
        at = field.end
    return file


def _usual_pieces(data: bytes, at: int, file: _File) -> int:
    """Read pieces in the usual form (text, score, perhaps a kind; all short) and return where they end."""
    room = (len(data) - at) // piece_fields.SHORTEST + 1
    texts, starts = np.empty(len(data) + TOKEN_SLACK, dtype=np.uint8), np.empty(room + 1, dtype=np.int64)
    scores, kinds = np.empty((room, 4), dtype=np.uint8), np.empty(room, dtype=np.uint8)
    ends = np.empty(2, dtype=np.int64)
    number = piece_fields.read_pieces(np.frombuffer(data, dtype=np.uint8), at, texts, starts, scores, kinds, ends)
    if number:
        first = not file.pieces and file.flat is None
        file.listed()
        file.flat = FlatPieces(
            texts[: ends[1] + TOKEN_SLACK].copy(),
            starts[: number + 1].copy(),
            scores[:number].view("<f4").ravel().astype(np.float32),
            kinds[:number].copy(),
        )
        if not first:
            file.listed()
    return int(ends[0])


def _read_piece(data: bytes, begin: int, end: int, file: _File) -> None:
    text, score, kind = b"", 0.0, NORMAL
    for field in read_fields(data, begin, end, depth=1):
        if field.number == _PIECE and field.kind == LENGTH:
            text = data[field.value : field.end]
        elif field.number == _SCORE and field.kind == FOUR_BYTES:
            score = _FOUR.unpack_from(data, field.value)[0]
        elif field.number == _KIND and field.kind == VARINT and field.value & 0xFFFFFFFF in KIND_NAMES:
            # An unknown kind counts as if the field were absent.
            kind = field.value & 0xFFFFFFFF
    file.pieces.append(text.decode("utf-8", "surrogateescape"))
    file.scores.append(score)
    file.kinds.append(kind)


def _record(file: _File, data: bytes) -> PieceModel:
    if not file.pieces and file.flat is None:
        raise InvalidModel("it contains no pieces, so it is not a SentencePiece model.")
    trainer = file.options[TRAINER]
    said: dict[str, Any] = {name: getattr(trainer, name) for name in _TRAINER}
    said |= {
        "model_type": MODEL_TYPES[trainer.model_type],
        "normalizer": _rules(file.options[NORMALIZER]),
        "denormalizer": _rules(file.options[_DENORMALIZER]),
        "source": data,
    }
    if file.flat is not None and _is_sound(file.flat, said["model_type"], said["byte_fallback"]):
        return PieceModel.of_checked(file.flat, **said)
    file.listed()
    return PieceModel(tuple(file.pieces), tuple(file.scores), tuple(file.kinds), **said)


def _is_sound(flat: FlatPieces, model_type: str, byte_fallback: bool) -> bool:
    """Return whether the pieces are valid beyond doubt; ``PieceModel`` checks the others and names what is wrong."""
    count = np.bincount(flat.kinds, minlength=BYTE + 1)
    if count[UNKNOWN] != 1 or bool(count[BYTE]) != byte_fallback or len(flat.kinds) >= tables.MOST_TOKENS:
        return False
    if byte_fallback and {flat.piece(at) for at in np.flatnonzero(flat.kinds == BYTE).tolist()} != _BYTE_NAMES:
        return False
    written = count[NORMAL] + count[USER_DEFINED] + count[UNUSED]
    if model_type == "unigram" and not (written and np.isfinite(flat.scores).all()):
        return False
    try:
        flat.text[: flat.starts[-1]].tobytes().decode("utf-8")
    except UnicodeDecodeError:
        return False
    # Two pieces with one text find one place in a table of all of them.
    work, slots = Block(layout.BLOCK), slots_for(len(flat.kinds))
    words = np.full(slots, tables.FREE, dtype=np.uint32)
    work.token_text, work.token_starts = flat.text, flat.starts
    work.words, work.word_mask = words, slots - 1
    work.wanted, work.wanted_count = np.arange(len(flat.kinds), dtype=np.uint32), len(flat.kinds)
    machine.run(tables.enter_words.address, work.address)
    return np.count_nonzero(words != tables.FREE) == len(flat.kinds)


_BYTE_NAMES = frozenset(BYTE_PIECES)


def _rules(options: Options) -> NormalizerRules:
    Charsmap(options.precompiled_charsmap)  # refuses a table that sentencepiece would refuse
    return NormalizerRules(options.precompiled_charsmap, **{name: getattr(options, name) for name in _RULES})


def _guess(data: bytes) -> str:
    """Return a sentence that names the kind of file, if it is one that people often mistake for a model."""
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
