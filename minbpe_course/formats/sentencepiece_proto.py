"""SentencePiece ``.model`` files: a protocol-buffer message of pieces, training options and normaliser.

    record = read("tokenizer.model")        write(record, "copy.model")        the copy is the same file, byte for byte

The record keeps the bytes of its file. ``write`` replaces only what has changed, so everything else (options, unknown
fields, an unusual order) survives in its place. All four model types are read.

A file is read or refused as by sentencepiece 0.2.3, with one difference: Unigram scores and tables of the normaliser
are checked when the file is read, not when the first text is encoded. ``protobuf_fields`` reads the bytes, because
Python's protobuf library differs from the C++ library in sentencepiece: it judges odd messages otherwise, cannot hold
pieces that are not UTF-8, and writes fields in its own order. Tests compare with both.
"""

from __future__ import annotations

import os
import struct
from collections import deque
from collections.abc import Mapping
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
    with_fields,
)
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
_MODEL_TYPE, _VOCAB_SIZE = 3, 4
_TYPE_NUMBERS = {name: number for number, name in MODEL_TYPES.items()}
_TRAINER_SWITCHES = {"treat_whitespace_as_suffix": 24, "byte_fallback": 35}
_TRAINER_TEXTS = {"unk_surface": 44, "unk_piece": 45, "bos_piece": 46, "eos_piece": 47, "pad_piece": 48}
_RULES_TABLE = 2
_RULES_SWITCHES = {"add_dummy_prefix": 3, "remove_extra_whitespaces": 4, "escape_whitespaces": 5}
_RULES_FIELDS = {"charsmap": _RULES_TABLE, **_RULES_SWITCHES}
# The defaults of absent fields.
_NO_TRAINER = PieceModel(("<unk>", "a"), (0.0, 0.0), (2, 1), model_type="unigram")
_NO_RULES = NormalizerRules()

_FOUR = struct.Struct("<f")
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

    If the number of pieces has changed, the training option ``vocab_size`` is updated if present. (No reader uses it.)
    Raises UnsupportedModel for a model with a pipeline, which such a file cannot hold.
    """
    if model.pipeline is not None:
        raise UnsupportedModel(
            "a model that was read from a tokenizer.json does not fit into a SentencePiece .model file: sentencepiece "
            "would give other ids. Keep the tokenizer.json."
        )
    file = _parse(model.source).listed()
    old = _record(file, model.source) if model.source else None
    if old == model:
        return model.source
    specs = {
        TRAINER: _trainer_changes(model, old or _NO_TRAINER),
        NORMALIZER: _changes(model.normalizer, old.normalizer if old else _NO_RULES, _RULES_FIELDS),
        _DENORMALIZER: _changes(model.denormalizer, old.denormalizer if old else _NO_RULES, _RULES_FIELDS),
    }
    if old and len(old) != len(model) and _VOCAB_SIZE in file.specs[TRAINER]:
        specs[TRAINER][_VOCAB_SIZE] = field_bytes(_VOCAB_SIZE, len(model))

    fields = list(read_fields(model.source))
    messages: dict[int, list[bytes]] = {number: [] for number in (_PIECES, *specs)}
    for field in fields:
        if field.kind == LENGTH and field.number in messages:
            messages[field.number].append(model.source[field.value : field.end])
    pieces = [field_bytes(_PIECES, piece) for piece in _piece_messages(model, old, file, messages[_PIECES])]
    changed = {number: deque(with_fields(messages[number], specs[number])) for number in specs if specs[number]}

    out: list[bytes] = []
    at, last = 0, len(messages[_PIECES]) - 1
    for field in fields:
        if field.kind == LENGTH and field.number == _PIECES:
            # New pieces follow the last old one; removed pieces are left out.
            out += pieces[at:] if at == last else pieces[at : at + 1]
            at += 1
        elif field.kind == LENGTH and changed.get(field.number):
            out.append(field_bytes(field.number, changed[field.number].popleft()))
        else:
            out.append(model.source[field.begin : field.end])
    if at == 0:
        out += pieces
    out += [field_bytes(number, message) for number, left in changed.items() for message in left]
    return b"".join(out)


class _File:
    """The content of a file: its pieces, and the last value of each field of each message of options.

    In ``specs`` the key of a VARINT field is its number, that of a LENGTH field its negative number: a file may contain
    both kinds under one number, and only one of them has a meaning. ``flat`` has the pieces while all of them are in
    the usual form; ``listed`` moves them to the lists.
    """

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.scores: list[float] = []
        self.kinds: list[int] = []
        self.flat: FlatPieces | None = None
        self.specs: dict[int, dict[int, int | bytes]] = {TRAINER: {}, NORMALIZER: {}, _DENORMALIZER: {}}

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
        elif field.kind == LENGTH and field.number in file.specs:
            _read_options(data, field.value, field.end, field.number, file)
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
        elif field.number == _KIND and field.kind == VARINT and _enum(field.value) in KIND_NAMES:
            kind = _enum(field.value)
    file.pieces.append(text.decode("utf-8", "surrogateescape"))
    file.scores.append(score)
    file.kinds.append(kind)


def _read_options(data: bytes, begin: int, end: int, number: int, file: _File) -> None:
    spec = file.specs[number]
    for field in read_fields(data, begin, end, depth=1):
        if field.kind == LENGTH:
            spec[-field.number] = data[field.value : field.end]
        elif field.kind == VARINT:
            is_type = (number, field.number) == (TRAINER, _MODEL_TYPE)
            if not is_type or _enum(field.value) in MODEL_TYPES:
                spec[field.number] = field.value


def _enum(value: int) -> int:
    """Return the 32 bits of an enum value. Unknown values count as if the field were absent."""
    return value & 0xFFFFFFFF


def _record(file: _File, data: bytes) -> PieceModel:
    if not file.pieces and file.flat is None:
        raise InvalidModel("it contains no pieces, so it is not a SentencePiece model.")
    trainer = file.specs[TRAINER]
    model_type = trainer.get(_MODEL_TYPE, _TYPE_NUMBERS["unigram"])
    assert isinstance(model_type, int)
    said: dict[str, Any] = {name: bool(trainer.get(number, 0)) for name, number in _TRAINER_SWITCHES.items()}
    for name, number in _TRAINER_TEXTS.items():
        text = trainer.get(-number)
        if isinstance(text, bytes):
            said[name] = text.decode("utf-8", "surrogateescape")
    said |= {
        "model_type": MODEL_TYPES[_enum(model_type)],
        "normalizer": _rules(file.specs[NORMALIZER]),
        "denormalizer": _rules(file.specs[_DENORMALIZER]),
        "source": data,
    }
    if file.flat is not None and _is_sound(file.flat, said["model_type"], said["byte_fallback"]):
        return PieceModel.of_checked(file.flat, **said)
    file.listed()
    return PieceModel(tuple(file.pieces), tuple(file.scores), tuple(file.kinds), **said)


def _is_sound(flat: FlatPieces, model_type: str, byte_fallback: bool) -> bool:
    """Whether pieces of the usual form are certainly a valid model; ``PieceModel`` says what is wrong with others."""
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


def _rules(spec: Mapping[int, int | bytes]) -> NormalizerRules:
    charsmap = spec.get(-_RULES_TABLE, b"")
    assert isinstance(charsmap, bytes)
    Charsmap(charsmap)  # refuses a table that sentencepiece would refuse
    return NormalizerRules(charsmap, **{name: bool(spec.get(at, 1)) for name, at in _RULES_SWITCHES.items()})


def _trainer_changes(model: PieceModel, old: PieceModel) -> dict[int, bytes]:
    changes = {}
    if model.model_type != old.model_type:
        changes[_MODEL_TYPE] = field_bytes(_MODEL_TYPE, _TYPE_NUMBERS[model.model_type])
    return changes | _changes(model, old, _TRAINER_SWITCHES | _TRAINER_TEXTS)


def _changes(new: object, old: object, numbers: Mapping[str, int]) -> dict[int, bytes]:
    """Return the fields whose values differ. numbers : attribute -> the number of its field."""
    changes = {}
    for name, number in numbers.items():
        value = getattr(new, name)
        if value != getattr(old, name):
            changes[number] = field_bytes(number, piece_utf8(value) if isinstance(value, str) else value)
    return changes


def _piece_messages(model: PieceModel, old: PieceModel | None, file: _File, messages: list[bytes]) -> list[bytes]:
    """Return the message of every piece; unchanged pieces keep their bytes."""
    out = []
    scores = np.array(model.scores, dtype=np.float32).view(np.int32).tolist()
    # Without byte fallback a piece NUL must be UNUSED in the file; with it, it only counts as UNUSED.
    kinds = old.kinds if old and model.byte_fallback else file.kinds
    was = np.array(file.scores, dtype=np.float32).view(np.int32).tolist()
    for at, (piece, score, kind) in enumerate(zip(model.pieces, scores, model.kinds)):
        new = at >= len(messages)
        changes = {}
        if new or piece != file.pieces[at]:
            changes[_PIECE] = field_bytes(_PIECE, piece_utf8(piece))
        if new or score != was[at]:
            changes[_SCORE] = field_bytes(_SCORE, struct.pack("<i", score), FOUR_BYTES)
        if kind != (NORMAL if new else kinds[at]):
            changes[_KIND] = field_bytes(_KIND, kind)
        out += with_fields([] if new else [messages[at]], changes) if changes else [messages[at]]
    return out


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
