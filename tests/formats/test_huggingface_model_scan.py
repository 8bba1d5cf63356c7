"""Files that kernels read, and the same files read by ``json``: one record, or one error."""

import json
import random

import pytest

from minbpe_course.errors import MinbpeCourseError
from minbpe_course.formats import huggingface_json
from minbpe_course.formats.huggingface.model_scan import scan
from minbpe_course.model import BytePairModel, PieceModel, VocabularyModel
from minbpe_course.model.piece_rules import BYTE_PIECES
from minbpe_course.text.byte_alphabet import to_printable
from minbpe_course.trainers.byte_pair import train

PIECES = """{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [
    {"id": 0, "content": "<unk>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
     "special": true}],
  "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
     {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
  "pre_tokenizer": null, "post_processor": null, "decoder": null,
  "model": {"type": "BPE", "dropout": null, "unk_token": "<unk>", "continuing_subword_prefix": null,
     "end_of_word_suffix": null, "fuse_unk": true, "byte_fallback": true}}"""


@pytest.fixture(scope="module")
def trained() -> BytePairModel:
    text = 'low lower lowest “newest” "wider" back\\slash 12 34 été\n\n' * 3
    return train(text, 300, pattern="gpt2", special_tokens={"<|end|>": 300, "<|été|>": 301})


def read_by_json(data: bytes, monkeypatch) -> object:
    with monkeypatch.context() as patch:
        patch.setattr(huggingface_json, "scan", lambda *_: None)
        return outcome(data)


def outcome(data: bytes) -> object:
    try:
        return huggingface_json.from_json(data, "x.json")
    except MinbpeCourseError as error:
        return type(error), str(error)


def is_scanned(data: bytes) -> bool:
    return scan(data, "x.json") is not None


def variants(document: dict) -> list[bytes]:
    listed = json.loads(json.dumps(document))
    listed["model"]["merges"] = [one.split(" ") for one in listed["model"]["merges"]]
    backwards = json.loads(json.dumps(document))
    backwards["model"]["vocab"] = dict(reversed(backwards["model"]["vocab"].items()))
    turned = json.loads(json.dumps(document))
    turned["model"] = dict(reversed(turned["model"].items()))
    kinds = [document, listed, backwards, turned]
    styles = [{}, {"ensure_ascii": False}, {"indent": 2}, {"separators": (",", ":"), "ensure_ascii": False}]
    return [json.dumps(kind, **style).encode() for kind in kinds for style in styles]


@pytest.mark.parametrize("kind", ["pairs", "words", "note", "more"])
def test_every_style_of_a_file_is_scanned_and_gives_the_record_that_json_gives(kind, trained, monkeypatch):
    model = VocabularyModel.from_byte_pairs(trained)
    if kind == "words":
        model = model.replace(whole_words=True)
    if kind == "note":
        model = trained.replace(pattern="(?i:a)|" + (trained.pattern or ""))
    document = json.loads(huggingface_json.to_json(trained if kind == "pairs" else model))
    if kind == "more":
        # A token that no merge makes, one that is not spelled as bytes, and one without bytes.
        document["model"]["vocab"] |= {to_printable(b"zz"): 400, "温": 401, "": 402}
        del document["added_tokens"][:]
    for data in variants(document):
        found = outcome(data)
        assert is_scanned(data)
        assert found == read_by_json(data, monkeypatch)
        assert isinstance(found, (BytePairModel, VocabularyModel))
        wanted = read_by_json(data, monkeypatch)
        assert list(found.special_tokens) == list(wanted.special_tokens)


def test_files_of_pieces_are_scanned_and_give_the_record_that_json_gives(monkeypatch):
    names = ["<unk>", "<s>", *BYTE_PIECES, "▁", "a", "b", "▁a", "ab", '"', "\\", "温"]
    merges = ["▁ a", "a b"]
    document = json.loads(PIECES)
    document["model"] |= {"vocab": {name: at for at, name in enumerate(names)}, "merges": merges}
    for data in variants(document):
        found = outcome(data)
        assert is_scanned(data)
        assert isinstance(found, PieceModel)
        assert found == read_by_json(data, monkeypatch)
    for wrong in ({"": 300}, {"new": 300}, {"new": 5}):
        changed = document | {"model": document["model"] | {"vocab": document["model"]["vocab"] | wrong}}
        data = json.dumps(changed).encode()
        assert outcome(data) == read_by_json(data, monkeypatch)


def test_a_damaged_file_gives_the_error_that_json_gives(trained, monkeypatch):
    whole = json.dumps(json.loads(huggingface_json.to_json(trained)), ensure_ascii=False).encode()
    rng = random.Random(5)
    inside = [whole.index(b'"vocab"'), whole.index(b'"merges"'), len(whole)]
    seen = set()
    for number in range(200):
        at = rng.randrange(inside[0], inside[1 + number % 2])
        damaged = bytearray(whole)
        change = rng.choice([b"", b'"', b"\\", b"\\u00e9", b"\x80", b" ", b",", b"[", b"}", b"0", b"-", b"\0", b"a"])
        damaged[at : at + rng.choice([0, 1, 3])] = change
        found = outcome(bytes(damaged))
        assert found == read_by_json(bytes(damaged), monkeypatch), (at, change)
        seen.add(type(found))
    assert len(seen) > 1
    for size in rng.sample(range(len(whole)), 30):
        assert outcome(whole[:size]) == read_by_json(whole[:size], monkeypatch)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"model": {', b'"model": {"vocab": {"a": 1}, '),
        (b'"version": "1.0"', b'"vocab": {"a": 1}, "version": "1.0"'),
        (b'"merges": [', b'"merges": [], "merges": ['),
        (b'"merges": [', b'"merges": ["a b c", '),
        (b'"merges": [', b'"merges": [["a", "b", "c"], '),
        (b'"merges": [', b'"merges": [["a"], '),
        (b'"vocab": {', b'"vocab": {"!": 17, '),
        (b'"vocab": {', b'"vocab": {"new": 5, '),
        (b'"vocab": {', b'"vocab": {"new": 05, '),
        (b'"vocab": {', b'"vocab": {"new": 4294967296, '),
        (b'"vocab": {', b'"vocab": {"new": 500.0, '),
        (b'"vocab": {', b'"vocab": {"\\ud83d\\ude00": 500, '),
        (b'"vocab": {', b'"vocab": {"\\ud83d": 500, '),
        (b'"vocab": {', b'"vocab": {"\\ude00\\ud83d": 500, '),
        (b'"vocab": {', b'"vocab": {"\\ud83d\\u0120": 500, '),
        (b'"vocab": {', b'"vocab": {"\\x41": 500, '),
        (b'"vocab": {', b'"vocab": {"\\/": 500, '),
        (b'"vocab": {', b'"vocab": {"\\u0120new": 500, '),
        # "a" in two bytes, which is not UTF-8.
        (b'"vocab": {', b'"vocab": {"\xc1\xa1!": 500, '),
        (b'"unk_token": null', b'"unk_token": "\\u0000vocab"'),
        (b'"continuing_subword_prefix": null', b'"continuing_subword_prefix": "##"'),
        (b'"end_of_word_suffix": null', b'"end_of_word_suffix": "</w>"'),
    ],
)
def test_an_unusual_file_is_read_or_refused_as_by_json(old, new, trained, monkeypatch):
    whole = json.dumps(json.loads(huggingface_json.to_json(trained))).encode()
    assert old in whole
    changed = whole.replace(old, new, 1)
    assert outcome(changed) == read_by_json(changed, monkeypatch)
