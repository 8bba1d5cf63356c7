"""A whole tokenizer.json, as values of JSON, and the record that it is.

What a record says and `tokenizers` has no use for (how a pattern was spelled, that merges follow from the ids) goes
into a note inside of ``model``, which `tokenizers` passes over. A note is believed only where the record that it
describes would be written as exactly the rest of this file: whoever edits the file edits the model, and not the note.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from minbpe_course.engines.simplify import simplest
from minbpe_course.engines.word_ends import with_marks
from minbpe_course.errors import InvalidModel, InvalidPattern, InvalidSpecialToken, UnsupportedModel
from minbpe_course.formats.huggingface.added_tokens import added_documents, enter_specials, read_added_tokens
from minbpe_course.formats.huggingface.post_processor import NO_FRAME, frame_document, read_frame
from minbpe_course.formats.huggingface.pre_tokenizer import Cutting, check_byte_level, cutting_document, read_cutting
from minbpe_course.formats.huggingface.ranked_merges import merges_of_ranks
from minbpe_course.formats.huggingface.sentencepiece_like import sentencepiece_sign
from minbpe_course.formats.huggingface.strict_json import Value
from minbpe_course.formats.huggingface.vocabulary import (
    CHARACTERS,
    NOTE,
    model_document,
    read_tokens,
    read_vocabulary,
    spelled_tokens,
)
from minbpe_course.model import BytePairModel, VocabularyModel

Model: TypeAlias = BytePairModel | VocabularyModel

_KEYS = (
    *("version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder"),
    "model",
)
_ALPHABET = frozenset(CHARACTERS)


def record_of(document: Value) -> Model:
    """Return the record that a tokenizer.json holds. Raises UnreadableModel, UnsupportedModel."""
    document.only(*_KEYS)
    if "version" in document and document.get("version").text() != "1.0":
        document.get("version").unsupported("The only version of the form that is known here is 1.0.")
    for name in ("truncation", "padding"):
        if document.get(name).value is not None:
            document.get(name).unsupported(f"Every text would get other ids by it. Take the {name} out of the file.")
    if (sign := sentencepiece_sign(document)) is not None:
        sign.unsupported(
            "This is a SentencePiece tokenizer. Give its tokenizer.model, or spiece.model, which is next to this file."
        )
    if document.get("decoder").value is not None:
        _check_decoder(document.get("decoder"))
    cutting = read_cutting(document)
    vocabulary = read_vocabulary(document)
    added = read_added_tokens(document, vocabulary.ids, cutting.normalization)
    keep_added = vocabulary.whole_words and bool(cutting.normalization or cutting.split_steps or added.flags)
    tokens = read_tokens(document, vocabulary, added.ids, keep_added)
    try:
        record = VocabularyModel(
            tokens.of_bytes,
            vocabulary.merges,
            whole_words=vocabulary.whole_words,
            pattern=cutting.pattern,
            pattern_engine=cutting.engine,
            normalization=cutting.normalization,
            special_tokens=added.ids,
            plain_tokens=added.plain,
            frame=read_frame(document),
            split_steps=cutting.split_steps,
            prefix_space=cutting.prefix_space,
            word_end=vocabulary.word_end,
            special_flags=added.flags,
            decode_only=tokens.decode_only,
        )
        if record.word_end:
            with_marks(record)
    except (InvalidModel, InvalidSpecialToken, UnsupportedModel) as error:
        raise UnsupportedModel(f"{document.name}: {error}") from error
    note = document.get("model").get(NOTE).value
    return _noted(record, note, document.value) if isinstance(note, dict) else simplest(record)


def _check_decoder(value: Value) -> None:
    kind = value.get("type").text()
    if kind == "Sequence":
        for one in value.get("decoders").items():
            _check_decoder(one)
    elif kind == "ByteLevel":
        check_byte_level(value)
    else:
        value.unsupported("Ids are turned into text by ByteLevel here, which joins their bytes.")


# The note


def _noted(plain: VocabularyModel, note: dict[str, Any], document: dict[str, Any]) -> Model:
    try:
        record = _with_note(plain, note)
        if _without_note(document) == _without_note(document_of(record)):
            return record
    except (InvalidModel, InvalidSpecialToken, InvalidPattern, UnsupportedModel, TypeError, KeyError, ValueError):
        pass
    return simplest(plain)


def _with_note(plain: VocabularyModel, note: dict[str, Any]) -> Model:
    """The record that the note describes, where it fits to the file. It may raise anything where it does not."""
    tokens, specials = dict(plain.token_bytes), plain.special_tokens
    for text in note.get("tokens", ()):
        tokens[specials[text]] = text.encode("utf-8")
    for text in note.get("no_tokens", ()):
        del tokens[specials[text]]
    ordered = {text: specials[text] for text in note.get("special_tokens", specials)}
    changes: dict[str, Any] = {"token_bytes": tokens, "special_tokens": ordered}
    changes |= {name: note[name] for name in ("pattern", "pattern_engine", "whole_words") if name in note}
    if note.get("merges") == "ranks":
        changes["merges"] = None
    record = plain.replace(**changes)
    if note["record"] not in ("BytePairModel", "VocabularyModel"):
        raise ValueError(note["record"])
    if note["record"] == "BytePairModel":
        byte_ids = [record.token_bytes[token_id] for token_id in range(256)]
        table = plain.merge_table
        assert table is not None
        return BytePairModel(
            table[:, :2].astype(np.int32),
            b"".join(byte_ids),
            record.pattern,
            record.special_tokens,
            [token_id for token_id in note.get("skipped_ids", ()) if type(token_id) is int],
        )
    return record


def _without_note(document: dict[str, Any]) -> dict[str, Any]:
    return document | {"model": {key: value for key, value in document["model"].items() if key != NOTE}}


def _note_for(model: Model, read: Model) -> dict[str, Any]:
    """What has to be said so that ``model`` comes back, where ``read`` does without."""
    order = list(model.special_tokens)
    ordered = {} if order == list(read.special_tokens) else {"special_tokens": order}
    if read == model and not ordered:
        return {}
    if isinstance(model, BytePairModel):
        skipped = list(model.skipped_ids)
        return {"record": "BytePairModel", "pattern": model.pattern, "skipped_ids": skipped, **ordered}
    specials = {text for text, token_id in model.special_tokens.items() if token_id in model.token_bytes}
    there = VocabularyModel.from_byte_pairs(read) if isinstance(read, BytePairModel) else read
    found = {text for text, token_id in there.special_tokens.items() if token_id in there.token_bytes}
    return {
        "record": "VocabularyModel",
        "pattern": model.pattern,
        "pattern_engine": model.pattern_engine,
        "whole_words": model.whole_words,
        "merges": "ranks" if model.merge_table is None else "listed",
        "tokens": sorted(specials - found),
        "no_tokens": sorted(found - specials),
        **ordered,
    }


# Writing


def document_of(model: Model) -> dict[str, Any]:
    """The tokenizer.json of a record, without a note. Raises UnsupportedModel, InvalidPattern."""
    if isinstance(model, BytePairModel):
        tokens, merges, whole_words = model.token_bytes, model.pairs, False
        cutting = Cutting(model.pattern, None, ())
        plain, frame, flags, word_end, decode_only = frozenset[str](), NO_FRAME, {}, "", {}
    else:
        tokens, whole_words = model.token_bytes, model.whole_words
        cutting = Cutting(
            model.pattern, model.pattern_engine, model.normalization_steps, model.split_steps, model.prefix_space
        )
        plain, frame, flags = model.plain_tokens, model.frame, dict(model.special_flags)
        word_end, decode_only = model.word_end, dict(model.decode_only)
        if model.merge_table is None:
            merges, whole_words = merges_of_ranks(model)
        else:
            merges = model.merge_table[:, :2]
    spelled = spelled_tokens(tokens)
    ids = {key: token_id for token_id, key in spelled.items()}
    if len(ids) < len(spelled):
        twins = next(token for token_id, token in tokens.items() if ids[spelled[token_id]] != token_id)
        raise UnsupportedModel(f"two ids stand for {twins!r:.60}, and here each token has one.")
    ids |= {text: token_id for token_id, text in decode_only.items()}
    enter_specials(ids, model.special_tokens, _ALPHABET)
    names = spelled | {token_id: text for text, token_id in model.special_tokens.items()}
    normalizer, pre_tokenizer = cutting_document(cutting, model)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added_documents(model.special_tokens, plain, flags),
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": frame_document(frame, names),
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": model_document(spelled, ids, merges, bool(whole_words), word_end, {}),
    }


def document_with_note(model: Model) -> dict[str, Any]:
    """The tokenizer.json of a record from which that very record can be read. Raises UnsupportedModel."""
    document = document_of(model)
    note = _note_for(model, record_of(Value(document, "$", "tokenizer.json")))
    if note:
        parts = document["model"]
        document["model"] = {key: parts[key] for key in parts if key not in ("vocab", "merges")}
        document["model"] |= {NOTE: note, "vocab": parts["vocab"], "merges": parts["merges"]}
        if record_of(Value(document, "$", "tokenizer.json")) != model:
            raise UnsupportedModel("it would not come back from the file as it is.")
    return document
