"""tokenizer.json files whose tokens are pieces of text: the ids, pieces and texts of `tokenizers`, or a refusal."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from minbpe_course import SentencePieceTokenizer
from minbpe_course.errors import InvalidModel, InvalidText, NotAvailable, UnreadableModel, UnsupportedModel
from minbpe_course.formats import huggingface_json, sentencepiece_proto
from minbpe_course.tokenizers.loading import convert, load_tokenizer
from tests.formats.piece_file_cases import (
    IDLE,
    KINDS,
    TO_MARKS,
    added,
    file_of,
    hostile_texts,
    metaspace,
    sequence,
    unigram,
    whole,
)

pytestmark = pytest.mark.medium

COUNT = 80


def both(kind: str) -> tuple[Tokenizer, SentencePieceTokenizer]:
    text = json.dumps(file_of(kind))
    record = huggingface_json.from_json(text)
    return Tokenizer.from_str(text), SentencePieceTokenizer(model=record)


@pytest.mark.parametrize("kind", KINDS)
def test_ids_pieces_and_texts_are_those_of_tokenizers(kind: str) -> None:
    theirs, ours = both(kind)
    texts = hostile_texts(COUNT, len(kind))
    expected = [theirs.encode(text, add_special_tokens=False).ids for text in texts]
    for text, ids in zip(texts, expected):
        assert ours.encode(text) == ids, text
        assert ours.encode(text, out_type=str) == [theirs.id_to_token(each) for each in ids], text
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False), text
    assert ours.encode(texts) == expected
    ids, ends = ours.encode_batch_to_array(texts)
    assert [part.tolist() for part in map(ids.__getitem__, _slices(ends.tolist()))] == expected


def _slices(ends: list[int]) -> list[slice]:
    return [slice(begin, end) for begin, end in zip([0, *ends], ends)]


@pytest.mark.parametrize(("unk_id", "byte_fallback"), [(0, False), (0, True), (1, False), (1, True)])
@pytest.mark.parametrize("more", [0.0, 1000.0])
def test_unknown_characters_that_are_a_piece_together(unk_id: int, byte_fallback: bool, more: float) -> None:
    """With scores far above zero, unknown characters are better than a piece that has them."""
    names = ["<unk>", "é", *(f"<0x{byte:02X}>" for byte in range(256)), *"▁abcnuk", "xy", "zyx", "xyab", "b</s>"]
    model = unigram() | {"unk_id": unk_id, "byte_fallback": byte_fallback}
    model["vocab"] = [[name, more - at % 7] for at, name in enumerate(names)]
    text = json.dumps(whole(model, None, metaspace("always"), None))
    theirs, ours = Tokenizer.from_str(text), SentencePieceTokenizer(model=huggingface_json.from_json(text))
    rng = random.Random(5)
    parts = ["<unk>", "é", "x", "y", "z", "a", "b", "</s>", " ", "<0x41>", "A", "中", "xy"]
    for text in ("".join(rng.choices(parts, k=rng.randrange(9))) for _ in range(COUNT)):
        assert ours.encode(text) == theirs.encode(text).ids, text


def test_a_file_is_opened_as_a_sentencepiece_tokenizer(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(file_of("Llama 2")), encoding="utf-8")
    theirs, ours = Tokenizer.from_file(str(path)), load_tokenizer(path)
    assert isinstance(ours, SentencePieceTokenizer)
    assert len(ours) == theirs.get_vocab_size()
    assert ours.piece_to_id("<|end|>") == theirs.token_to_id("<|end|>")
    assert load_tokenizer(theirs).encode("hello world") == ours.encode("hello world")
    for other in ("copy.model", "copy.json"):
        with pytest.raises(UnsupportedModel, match=r"Keep that file"):
            convert(path, tmp_path / other)
    with pytest.raises(UnsupportedModel, match=r"Keep the tokenizer\.json"):
        sentencepiece_proto.to_bytes(ours.model)
    with pytest.raises(InvalidModel, match="read it again"):
        ours.model.with_pieces(["<new>"])


def test_what_a_pipeline_cannot_tell_is_an_error() -> None:
    _, ours = both("T5")
    for ask in (
        lambda: ours.encode("a", return_type="offset_mapping"),
        lambda: ours.encode("a", enable_sampling=True),
        lambda: ours.nbest_encode("a", nbest_size=2),
        lambda: ours.encode_with_offsets("a"),
        lambda: ours.normalize("a", with_offsets=True),
        lambda: ours.decode([3], return_type="proto"),
    ):
        with pytest.raises(NotAvailable):
            ask()
    with pytest.raises(InvalidText):
        ours.encode("a\ud800")


PREPEND = {"type": "Prepend", "prepend": " "}
UPPER_A = {"type": "Replace", "pattern": {"String": "a"}, "content": "A"}
TWO_A = [added(1400, "<A>", normalized=True), added(1401, "<a>", normalized=True)]
NO_TOKEN = {"type": "BertProcessing", "cls": ["a", 1], "sep": ["b", 10**6]}
REFUSED: list[tuple[str, Callable[[dict[str, Any]], Any], str]] = [
    ("Llama 2", lambda f: f["model"].update(ignore_merges=True), r"\$\.model\.ignore_merges"),
    ("Llama 2", lambda f: f["model"]["vocab"].pop("<0x80>") and _close(f), r"\$\.model\.byte_fallback"),
    ("Llama 2", lambda f: f["model"].update(unk_token="<none>"), r"\$\.model\.unk_token"),
    ("T5", lambda f: f["model"].update(unk_id=None), r"\$\.model: .*stop at an unknown character"),
    ("Llama 2", lambda f: f["model"]["vocab"].update(far=10**6), r"\$\.model\.vocab\.far"),
    ("Llama 2", lambda f: f["added_tokens"].append(added(10**6, "<far>")), r"\$\.added_tokens\[7\]\.id"),
    ("Llama 2", lambda f: f["added_tokens"][3].update(single_word=True), r"\$\.added_tokens\[3\]\.single_word"),
    ("Llama 2", lambda f: f.update(pre_tokenizer={"type": "UnicodeScripts"}), r"\$\.pre_tokenizer"),
    ("Llama 2", lambda f: f.update(decoder={"type": "CTC"}), r"\$\.decoder"),
    ("Gemma", lambda f: f.update(normalizer=None), r"\$\.normalizer"),
    ("T5", lambda f: f.update(pre_tokenizer=metaspace("first")), r"\$\.pre_tokenizer"),
    ("T5", lambda f: f.update(pre_tokenizer=metaspace() | {"replacement": "_"}), r"\$\.pre_tokenizer\.replacement"),
    ("T5", lambda f: f.update(pre_tokenizer=sequence("pretokenizers", metaspace(), metaspace())), "pretokenizers"),
    ("T5", lambda f: f["model"]["vocab"].append(["<s>", 0.0]), r"\$\.model\.vocab\["),
    ("Llama 2", lambda f: f.update(normalizer=sequence("normalizers", TO_MARKS, {"type": "NFKC"})), r"\$\.normalizer"),
    ("Llama 2", lambda f: f.update(normalizer=sequence("normalizers", TO_MARKS, PREPEND)), r"\$\.normalizer"),
    ("Llama 2", lambda f: f.update(normalizer=sequence("normalizers", PREPEND | {"prepend": ""}, TO_MARKS)), "prepend"),
    ("T5", lambda f: f.update(normalizer=UPPER_A, added_tokens=TWO_A), r"\$\.added_tokens"),
    ("T5", lambda f: f.update(post_processor=NO_TOKEN), r"\$\.post_processor: .*the id 1000000, which no token has"),
    ("Gemma", lambda f: f.update(pre_tokenizer=IDLE | {"behavior": "Removed", "invert": True}), "behavior"),
]


def _close(file: dict[str, Any]) -> None:
    """Number the pieces again after one has gone."""
    file["model"]["vocab"] = {piece: at for at, piece in enumerate(file["model"]["vocab"])}
    file["added_tokens"] = []


@pytest.mark.parametrize(("kind", "change", "path"), REFUSED, ids=[f"{k}-{p}" for k, _, p in REFUSED])
def test_what_cannot_be_done_is_refused_when_the_file_is_opened(
    kind: str, change: Callable[[dict[str, Any]], Any], path: str
) -> None:
    file = file_of(kind)
    change(file)
    with pytest.raises(UnsupportedModel, match=path):
        huggingface_json.from_json(json.dumps(file))


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda f: f["model"]["vocab"].append(["a"]), r"\$\.model\.vocab\["),
        (lambda f: f["model"].update(unk_id=10**6), r"\$\.model\.unk_id"),
        (lambda f: f.update(normalizer={"type": "Precompiled", "precompiled_charsmap": "!"}), "precompiled_charsmap"),
        (lambda f: f.update(pre_tokenizer=metaspace("sometimes")), "prepend_scheme"),
    ],
)
def test_what_is_damaged_is_named_with_its_path(change: Callable[[dict[str, Any]], Any], path: str) -> None:
    file = file_of("T5")
    change(file)
    with pytest.raises(UnreadableModel, match=path):
        huggingface_json.from_json(json.dumps(file))
