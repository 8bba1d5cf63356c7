"""The parts of a tokenizer.json that no field of a record describes: kept as they were read, and written back.

    post_processor      offsets (trim_offsets), type ids of single texts, the spelling of the steps
    truncation, padding
    decoder             what `tokenizers` joins the tokens with
    added_tokens        their order, and flags that change no id of this file
    normalizer,         the spelling of the steps
    pre_tokenizer
    model               options without effect on ids, added tokens that are in the vocabulary too

The ``source`` of a record is the text of the file without vocabulary and merges. A part is written back as it was if
it still says what the record says. Otherwise the record has been changed, and the part is made from its fields.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from minbpe_course.errors import UnreadableModel, UnsupportedModel
from minbpe_course.formats.huggingface.added_tokens import AddedTokens, read_added_tokens
from minbpe_course.formats.huggingface.post_processor import named_ids, read_frame
from minbpe_course.formats.huggingface.pre_tokenizer import Splitting, read_splitting
from minbpe_course.formats.huggingface.vocabulary import NOTE
from minbpe_course.formats.json_text import Value
from minbpe_course.model import BytePairModel, PieceModel, VocabularyModel
from minbpe_course.text.patterns import engine_of

# The options of the model that are fields of a record, or follow from them.
_FIELDS = ("type", "vocab", "merges", "ignore_merges", "end_of_word_suffix", NOTE)
_SPLITTING = ("normalizer", "pre_tokenizer")
UNAPPLIED = ("truncation", "padding")


def source_of(document: Value, vocabulary: Mapping[str, int]) -> str:
    """Return the text of a file without vocabulary and merges. Of the vocabulary, the added tokens in it are kept."""
    whole = document.value
    texts = [one["content"] for one in whole.get("added_tokens") or ()]
    model = {key: value for key, value in whole["model"].items() if key not in _FIELDS}
    model["vocab"] = {text: vocabulary[text] for text in texts if text in vocabulary}
    return json.dumps(whole | {"model": model}, ensure_ascii=False)


def enter_kept(vocabulary: dict[str, int], model: VocabularyModel) -> None:
    """Add those added tokens to the vocabulary that were in that of the file."""
    for text, token_id in _kept(model).get("model", {}).get("vocab", {}).items():
        if model.special_tokens.get(text) == token_id and text not in vocabulary:
            vocabulary[text] = token_id


def with_kept_parts(document: dict[str, Any], model: VocabularyModel, vocabulary: Mapping[str, int]) -> dict[str, Any]:
    """Return the document of a record with the parts of its source that say the same.

    vocabulary : spelling -> id. Raises UnsupportedModel if the kept post_processor or the padding names tokens whose
    ids have changed.
    """
    kept = _kept(model)
    if not kept:
        return document
    options = {key: value for key, value in kept["model"].items() if key not in _FIELDS}
    made = document | {"model": document["model"] | options}
    made["added_tokens"] = _added_tokens(document, kept.get("added_tokens"), model, vocabulary)
    if isinstance(padding := kept.get("padding"), dict):
        _check_names("padding", [str(padding.get("pad_token"))], kept, model)
    made |= {key: kept.get(key) for key in (*UNAPPLIED, "decoder")}
    splitting = {key: kept.get(key) for key in _SPLITTING}
    if splitting != {key: document[key] for key in _SPLITTING} and _splits_alike(splitting, document, model):
        made |= splitting
    if read_frame(_value(kept)) == (model.frame, model.pair_frame):
        names = [text for text, _ in named_ids(_value(kept).get("post_processor"))]
        _check_names("post_processor", names, kept, model)
        made["post_processor"] = kept.get("post_processor")
    return made


def why_not_elsewhere(model: BytePairModel | VocabularyModel) -> str | None:
    """Return why only a tokenizer.json gives the ids of pairs of texts; None if other files do."""
    try:
        _kept(model)
    except UnsupportedModel as error:
        return str(error)
    # Each format refuses a frame itself, and without the frame there is no pair_frame either.
    if model.pair_frame is None or any(model.frame):
        return None
    return (
        f"its post_processor makes of pairs of texts (A, B) the parts {[part for part, _ in model.pair_frame[:9]]}, "
        "which only a tokenizer.json does.\nTo leave them to your program: "
        "convert(read_model(src).replace(pair_frame=None), dst), with minbpe_course.formats.any_format.read_model"
    )


def unapplied(model: BytePairModel | VocabularyModel | PieceModel) -> list[str]:
    """Return the settings of a tokenizer.json that change the ids of `tokenizers`, and that encoding here ignores."""
    if isinstance(model, PieceModel):
        return list(model.pipeline.unapplied) if model.pipeline else []
    try:
        return unapplied_in(_kept(model))
    except UnsupportedModel:
        # Only a writer needs the source, and refuses it.
        return []


def unapplied_in(document: Mapping[str, Any]) -> list[str]:
    """Return those settings of a document."""
    return [key for key in UNAPPLIED if document.get(key) is not None]


def left_out(model: BytePairModel | VocabularyModel) -> list[str]:
    """Return the parts of the source, without effect on ids, that files of other formats have no place for."""
    kept = _kept(model)
    names = []
    steps = _value(kept).get("post_processor").steps("processors") if kept else []
    if any(step.get("type").value != "ByteLevel" or step.get("trim_offsets").value for step in steps):
        names.append("post_processor (offsets, type ids, pairs of texts)")
    if kept and kept.get("decoder") is None:
        names.append("decoder (none: tokens joined with spaces)")
    names += unapplied(model)
    return names


def _kept(model: BytePairModel | VocabularyModel) -> dict[str, Any]:
    try:
        kept = json.loads(model.source) if model.source else {}
    except (TypeError, ValueError):
        kept = None
    if not isinstance(kept, dict) or (kept and not isinstance(kept.get("model"), dict)):
        raise UnsupportedModel(
            "its source is not the text of a tokenizer.json. Leave it out: record.replace(source='')"
        )
    return kept


def _value(document: dict[str, Any]) -> Value:
    return Value(document, "$", "tokenizer.json")


def _added_tokens(
    document: dict[str, Any], kept: Any, model: VocabularyModel, vocabulary: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Return the kept list if it says the same, else the new list with what the kept one says about each token."""
    listed: list[dict[str, Any]] = document["added_tokens"]
    if kept == listed:
        return listed
    wanted = _read_added(listed, model, vocabulary)
    entries = {one["content"]: one for one in kept or ()}
    merged = [entries[one["content"]] if _same_token(one, entries.get(one["content"])) else one for one in listed]
    choices = [kept or [], merged]
    return next((each for each in choices if wanted and _read_added(each, model, vocabulary) == wanted), listed)


def _read_added(
    listed: list[dict[str, Any]], model: VocabularyModel, vocabulary: Mapping[str, int]
) -> AddedTokens | None:
    try:
        return read_added_tokens(_value({"added_tokens": listed}), vocabulary, model.normalization_steps)
    except (UnsupportedModel, UnreadableModel):
        return None


def _same_token(one: dict[str, Any], kept: dict[str, Any] | None) -> bool:
    """Return whether a kept entry differs at most in "normalized", which the reader drops where it has no effect."""
    return kept is not None and {**kept, "normalized": False} == {**one, "normalized": False}


def _splits_alike(kept: dict[str, Any], document: dict[str, Any], model: VocabularyModel) -> bool:
    def key(splitting: Splitting) -> Splitting:
        pattern, engine = splitting.pattern, splitting.engine
        return splitting._replace(engine=None if pattern is None else engine or engine_of(pattern))

    fields = Splitting(
        model.pattern, model.pattern_engine, model.normalization_steps, model.split_steps, model.prefix_space
    )
    found = key(read_splitting(_value(kept)))
    return found == key(fields) or found == key(read_splitting(_value(document)))


def _check_names(part: str, names: list[str], kept: dict[str, Any], model: VocabularyModel) -> None:
    """Refuse to keep a part that names an added token which now has another id, or none."""
    before = {one["content"]: one["id"] for one in kept.get("added_tokens") or ()}
    for text in names:
        if text in before and model.special_tokens.get(text) != before[text]:
            now = f"the id {model.special_tokens[text]}" if text in model.special_tokens else "no id"
            raise UnsupportedModel(
                f"the {part} of its file names {text!r:.60}, which had the id {before[text]} and has {now} now. "
                "To have the file made from the fields alone, without padding: record.replace(source='')"
            )
