r"""Hugging Face's ``tokenizer.json``: byte-level BPE, WordPiece, and files whose tokens are pieces of text.

    added_tokens      cut out of the text first, also with the white space around them or only as single words
    normalizer        NFC, NFD, NFKC, NFKD, Nmt, Lowercase, StripAccents, Bert, Replace, Prepend, Strip
    pre_tokenizer     ByteLevel, Split, Digits, Punctuation: one pattern where one is enough, else several steps
    model             BPE: tokens spelled with GPT-2's printable bytes, merges, CLIP's end-of-word suffix
    post_processor    ids added around every text by a template

``huggingface.kept_parts`` keeps the parts that no field of a record describes, and writes them back.

This file reads and writes the byte-level files of GPT-2, Llama 3, Qwen and of models trained here. Files like those of
Llama 2, Gemma or T5 are read by ``huggingface.piece_files``, and ``huggingface.piece_writing`` writes SentencePiece
models. WordPiece is in ``huggingface.word_piece_files``.

The ids of a text are those of ``Tokenizer.encode(text, add_special_tokens=False)`` without truncation and padding.
Where `tokenizers` 0.23 and 1.0.0rc3 differ, 0.23 is followed. A setting that would change ids and is not supported is
refused when the file is read, with its path in the file.

`tokenizers` has no place for some fields of a record: how a pattern was spelled, or that the merges follow from the
ids. They go into a note inside ``model``, which `tokenizers` ignores, with a hash of what the rest of the file says.
The reader uses a note only if the hash is right. So a program that edits the file can ignore the note.

Limits: no dropout, no decoder but ByteLevel. BPE of bytes with marks that not every byte has is read as pieces, too.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from minbpe_course.engines.as_byte_pairs import as_byte_pairs, simplest
from minbpe_course.engines.same_ids import as_vocabulary, merging_of
from minbpe_course.engines.word_ends import with_marks
from minbpe_course.errors import (
    InvalidModel,
    InvalidPattern,
    InvalidSpecialToken,
    UnsupportedModel,
)
from minbpe_course.files import read_whole, write_whole
from minbpe_course.formats.huggingface import transformers_folder
from minbpe_course.formats.huggingface.added_tokens import added_documents, enter_specials, read_added_tokens
from minbpe_course.formats.huggingface.kept_parts import UNAPPLIED, enter_kept, source_of, with_kept_parts
from minbpe_course.formats.huggingface.piece_files import holds_pieces, kind_of, record_of_pieces
from minbpe_course.formats.huggingface.piece_writing import piece_document
from minbpe_course.formats.huggingface.post_processor import frame_document, read_frame
from minbpe_course.formats.huggingface.pre_tokenizer import (
    check_byte_level,
    read_splitting,
    splitting_document,
)
from minbpe_course.formats.huggingface.vocabulary import (
    NOTE,
    Vocabulary,
    model_document,
    read_tokens,
    read_unknown,
    read_vocabulary,
    spelled_tokens,
)
from minbpe_course.formats.huggingface.word_piece_files import made_document, record_of_word_pieces, word_piece_document
from minbpe_course.formats.json_text import Value, read_value
from minbpe_course.model import BytePairModel, PieceModel, VocabularyModel
from minbpe_course.text.byte_alphabet import BYTE_OF

Model: TypeAlias = BytePairModel | VocabularyModel

_KEYS = (
    *("version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder"),
    "model",
)
_ALPHABET = frozenset(BYTE_OF)


def read(path: str | os.PathLike[str]) -> Model | PieceModel:
    """Return the record in a ``tokenizer.json``: a BytePairModel if that loses nothing, else a VocabularyModel; a
    PieceModel for a file whose tokens are pieces of text.

    Raises UnusablePath; UnreadableModel, with line and column or the path of the value, if the file is damaged;
    UnsupportedModel if a setting would give other ids here.

    >>> import tempfile
    >>> model = BytePairModel([(104, 105)], special_tokens={"<|end|>": 257})
    >>> read(write(model, Path(tempfile.mkdtemp()) / "tokenizer.json")) == model
    True
    """
    return from_json(read_whole(path), name=Path(path).name)


def from_json(data: bytes | str, name: str = "tokenizer.json") -> Model | PieceModel:
    """Return the record in the text of a ``tokenizer.json``, such as ``tokenizers.Tokenizer.to_str()`` gives.

    name : the file name in error messages. Raises UnreadableModel, UnsupportedModel.

    >>> from_json(to_json(BytePairModel([(104, 105)]))).merges
    ((104, 105),)
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    document = read_value(data, name)
    document.only(*_KEYS)
    if "version" in document and document.get("version").text() != "1.0":
        document.get("version").unsupported("The only supported version of the format is 1.0.")
    for key in UNAPPLIED:
        if document.get(key).value is not None:
            document.get(key).an_object()
    model = document.get("model")
    kind = kind_of(model.value) if isinstance(model.value, dict) else ""
    if kind == "WordPiece":
        return record_of_word_pieces(document)
    if kind == "WordLevel":
        model.unsupported("It is a WordLevel model, a list of whole words, and no class here looks up whole words.")
    return (record_of_pieces if holds_pieces(document) else _record_of)(document)


def write(model: Model | PieceModel, path: str | os.PathLike[str]) -> Path:
    """Write a ``tokenizer.json`` that gives the same ids in `tokenizers`; return the path.

    The same record gives the same bytes. Raises UnsupportedModel, with the reason, and UnusablePath.
    """
    return write_whole(path, to_json(model))


def to_json(model: Model | PieceModel) -> bytes:
    """Return the text of a ``tokenizer.json``, UTF-8. Raises UnsupportedModel."""
    try:
        document = _piece_document(model) if isinstance(model, PieceModel) else _document_with_note(model)
    except InvalidPattern as error:
        raise UnsupportedModel(str(error)) from error
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def _piece_document(model: PieceModel) -> dict[str, Any]:
    pipeline = model.pipeline
    if model.model_type == "wordpiece":
        return word_piece_document(model)
    if pipeline is None:
        return piece_document(model)
    if not pipeline.by_scores:
        raise UnsupportedModel("it was read from a file whose tokens are pieces of text.")
    for token in pipeline.added:
        parts = ((token.content[:at], token.content[at:]) for at in range(1, len(token.content)))
        if token.ascii_space or any(model.piece_ids.keys() >= {*pair} for pair in parts):
            raise UnsupportedModel(
                f"its token {token.content!r:.60} strips white space as llama.cpp does, or other pieces merge into it, "
                "and tokenizers does neither."
            )
    inner = {name: getattr(model, name) for name in ("pieces", "scores", "kinds", "byte_fallback", "normalizer")}
    document = piece_document(PieceModel(**inner))
    return made_document(model, pipeline) | {"model": document["model"]}


def why_not(model: Model | PieceModel) -> str | None:
    """Return why no ``tokenizer.json`` gives the ids of ``model``; None if one does."""
    try:
        to_json(model)
    except UnsupportedModel as error:
        return str(error)
    return None


# ---- Reading


def _record_of(document: Value) -> Model:
    plain = plain_record(document)
    note = document.get("model").get(NOTE).value
    if not isinstance(note, dict) or note.get("sha256") != _digest(plain, note):
        return simplest(plain)
    try:
        return _with_note(plain, note)
    except (AttributeError, TypeError, KeyError, ValueError) as error:
        document.get("model").get(NOTE).wrong(f"it does not fit the file: {error!r:.80}")


def plain_record(document: Value, vocabulary: Vocabulary | None = None) -> VocabularyModel:
    """Return the record that a file without a note describes. vocabulary : the model, if it is read already.

    Raises UnreadableModel, UnsupportedModel.
    """
    if document.get("decoder").value is not None:
        for step in document.get("decoder").steps("decoders"):
            if step.get("type").text() != "ByteLevel":
                step.unsupported("Only the decoder ByteLevel is supported, which joins the bytes of the tokens.")
            check_byte_level(step)
    splitting = read_splitting(document)
    vocabulary = vocabulary or read_vocabulary(document)
    added = read_added_tokens(document, vocabulary.ids, splitting.normalization)
    keep_added = vocabulary.whole_words and bool(splitting.normalization or splitting.split_steps or added.flags)
    tokens = read_tokens(document, vocabulary, added.ids, keep_added)
    unknown, fuses = read_unknown(document.get("model"), vocabulary.ids, tokens.lacking)
    frame, pair_frame = read_frame(document)
    try:
        record = VocabularyModel(
            tokens.ordinary,
            vocabulary.merges,
            whole_words=vocabulary.whole_words,
            pattern=splitting.pattern,
            pattern_engine=splitting.engine,
            normalization=splitting.normalization,
            special_tokens=added.ids,
            plain_tokens=added.plain,
            frame=frame,
            pair_frame=pair_frame,
            split_steps=splitting.split_steps,
            prefix_space=splitting.prefix_space,
            word_end=vocabulary.word_end,
            special_flags=added.flags,
            decode_only=tokens.decode_only,
            lacking=tokens.lacking,
            unknown=unknown,
            fuse_unknown=fuses,
            source=source_of(document, vocabulary.ids),
        )
        if record.word_end:
            with_marks(record)
    except (InvalidModel, InvalidSpecialToken, UnsupportedModel) as error:
        raise UnsupportedModel(f"{document.name}: {error}") from error
    return record


# ---- The note

_NOTED = ("pattern", "pattern_engine", "whole_words")


def _digest(plain: VocabularyModel, note: dict[str, Any]) -> str:
    """Return a hash of what the file describes without its note, and of the note but for the hash in it."""
    options = plain.options() | {"source": ""}
    # Older notes have hashes without this field.
    for name, usual in (("pair_frame", None), ("lacking", b""), ("unknown", None), ("fuse_unknown", False)):
        if options[name] == usual:
            del options[name]
    said = json.dumps([options, {key: value for key, value in note.items() if key != "sha256"}], default=sorted)
    parts = (plain.ids, plain.token_text, plain.token_starts, plain.merge_table, said.encode("ascii"))
    return hashlib.sha256(b"".join(bytes(part) for part in parts if part is not None)).hexdigest()


def _with_note(plain: VocabularyModel, note: dict[str, Any]) -> Model:
    """Return the record that a note describes. Raise almost anything if it does not fit the file."""
    record = plain.replace(
        special_tokens={text: plain.special_tokens[text] for text in note["special_tokens"]},
        **{name: note[name] for name in _NOTED},
        **({"merges": None} if note["ranks"] else {}),
        **({} if note["pattern"] is None else {"split_steps": ()}),
    )
    return as_byte_pairs(record) if note["byte_pairs"] else record


def _note_for(model: Model, read: Model) -> dict[str, Any]:
    """Return what the reader needs to get ``model``, if without a note it would get ``read``."""
    if read == model and list(read.special_tokens) == list(model.special_tokens):
        return {}
    vocabulary = as_vocabulary(model)
    return {
        "byte_pairs": isinstance(model, BytePairModel),
        "ranks": vocabulary.merge_table is None,
        "special_tokens": list(model.special_tokens),
        **{name: getattr(vocabulary, name) for name in _NOTED},
    }


# ---- Writing


def _document_of(model: Model) -> dict[str, Any]:
    """Return the tokenizer.json of a record, without a note. Raises UnsupportedModel, InvalidPattern."""
    vocabulary = as_vocabulary(model)
    whole_words = vocabulary.whole_words
    if vocabulary.merge_table is None:
        found = merging_of(vocabulary)
        merges, whole_words = found.merges, found.whole
    else:
        merges = vocabulary.merge_table
    if vocabulary.fuse_unknown and vocabulary.unknown is None:
        raise UnsupportedModel(
            f"the byte {vocabulary.lacking[0]:#04x} has no token and keeps what is beside it apart, as in llama.cpp; "
            "in tokenizers, its neighbours merge."
        )
    spelled = spelled_tokens(vocabulary.token_bytes)
    ids = {key: token_id for token_id, key in spelled.items()}
    ids |= {text: token_id for token_id, text in vocabulary.decode_only.items()}
    specials = vocabulary.special_tokens
    enter_kept(ids, vocabulary)
    enter_specials(ids, specials, _ALPHABET)
    names = spelled | {token_id: text for text, token_id in specials.items()}
    model_part = model_document(spelled, ids, merges[:, :2], bool(whole_words), vocabulary.word_end)
    normalizer, pre_tokenizer = splitting_document(vocabulary)
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added_documents(specials, vocabulary.plain_tokens, vocabulary.special_flags),
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": frame_document(vocabulary.frame, vocabulary.pair_frame, names),
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": model_part,
    }
    return with_kept_parts(document, vocabulary, ids)


def _document_with_note(model: Model) -> dict[str, Any]:
    """Return the tokenizer.json from which the reader gets exactly this record. Raises UnsupportedModel."""
    document = _document_of(model)
    plain = plain_record(Value(document, "$", "tokenizer.json"))
    note = _note_for(model, simplest(plain))
    if note:
        note["sha256"] = _digest(plain, note)
        parts = document["model"]
        document["model"] = {key: parts[key] for key in parts if key not in ("vocab", "merges")}
        document["model"] |= {NOTE: note, "vocab": parts["vocab"], "merges": parts["merges"]}
        if _with_note(plain, note) != model:
            raise UnsupportedModel("reading the file again would give another record.")
    return document


# ---- A folder for transformers


def write_folder(
    model: Model | PieceModel, folder: str | os.PathLike[str], companions: Mapping[str, bytes] = MappingProxyType({})
) -> Path:
    """Write what transformers reads into ``folder``, which is created if its parent exists; return the folder.

    companions : files next to the tokenizer.json that the model was read from (``huggingface.transformers_folder``).
    Raises UnsupportedModel with the reason, and UnusablePath, also if the folder contains files of another tokenizer.

    >>> import tempfile
    >>> model = BytePairModel([(104, 105)], special_tokens={"<|endoftext|>": 257})
    >>> sorted(path.name for path in write_folder(model, Path(tempfile.mkdtemp(), "a")).iterdir())
    ['special_tokens_map.json', 'tokenizer.json', 'tokenizer_config.json']
    """
    return transformers_folder.write(model, to_json(model), folder, companions)
