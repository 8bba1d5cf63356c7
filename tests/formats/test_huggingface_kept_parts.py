"""A tokenizer.json that is read and written again: `tokenizers` returns the same as before in every respect."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from minbpe_course import Encoding, SentencePieceTokenizer, convert, load_tokenizer
from minbpe_course.errors import InvalidModel, LeftOut, NotApplied, UnsupportedModel
from minbpe_course.formats import huggingface_json
from minbpe_course.formats.any_format import FORMATS, read_model
from minbpe_course.model import BytePairModel
from minbpe_course.text.byte_alphabet import to_printable
from minbpe_course.tokenizers.loading import difference
from tests.shared import added_token_files
from tests.shared.huggingface_files import PROCESSORS, added_token, file_of_kind, kind_texts, kinds, template


def rewritten(kind: str, processor: str, **changes: Any) -> dict[str, Any]:
    """The document of a kind of file, with another post_processor and other changes."""
    document = json.loads(file_of_kind(kind))
    tokens = [(token["content"], token["id"]) for token in document["added_tokens"]]
    document["post_processor"] = PROCESSORS[processor](tokens[0], tokens[-1])
    return document | changes


def behaviour(text: str, kind: str) -> list[Any]:
    """Everything that `tokenizers` returns for hostile texts and pairs of them."""
    witness = Tokenizer.from_str(text)
    found: list[Any] = [
        {token_id: (str(token), *vars_of(token)) for token_id, token in witness.get_added_tokens_decoder().items()},
        witness.get_vocab_size(with_added_tokens=True),
    ]
    texts = [*kind_texts(kind, 8), " a  b ", "x"]
    for one, other in [(each, None) for each in texts] + list(zip(texts, reversed(texts))):
        for special in (True, False):
            try:
                got = witness.encode(one, other, add_special_tokens=special)
            except BaseException as error:
                if type(error).__name__ != "PanicException":
                    raise
                continue
            found.append((got.ids, got.type_ids, got.offsets, got.special_tokens_mask, got.attention_mask, got.tokens))
            found += [witness.decode(got.ids, skip_special_tokens=skip) for skip in (True, False)]
    return found


def vars_of(token: Any) -> tuple[bool, ...]:
    return token.special, token.normalized, token.lstrip, token.rstrip, token.single_word


@pytest.mark.parametrize("place", range(len(kinds())))
def test_tokenizers_returns_the_same_after_a_rewrite(place: int, tmp_path: Path) -> None:
    """Every kind of file and every post_processor, both in turn."""
    kind, processor = kinds()[place % len(kinds())], list(PROCESSORS)[place % len(PROCESSORS)]
    document = rewritten(kind, processor)
    if place % 3 == 0:
        document["decoder"] = None
    source = tmp_path / "tokenizer.json"
    source.write_text(json.dumps(document), encoding="utf-8")
    wanted = behaviour(source.read_text(encoding="utf-8"), kind)
    loaded = load_tokenizer(source)
    assert isinstance(loaded, Encoding)
    record = read_model(source)
    for src in (Tokenizer.from_file(str(source)), loaded, pickle.loads(pickle.dumps(record)), source):
        path = convert(src, tmp_path / f"{len(list(tmp_path.iterdir()))}.json")
        assert behaviour(path.read_text(encoding="utf-8"), kind) == wanted
        assert read_model(path) == record
    parts = json.loads(path.read_bytes())
    assert {key: value for key, value in parts.items() if key != "model"} == {
        key: value for key, value in document.items() if key != "model"
    }


@pytest.mark.parametrize("kind", ["gpt2 of 2020", "roberta", "pieces"])
def test_truncation_and_padding_are_kept_and_not_applied(kind: str, tmp_path: Path) -> None:
    """As in a tokenizer that has encoded a batch. The first kind is a BytePairModel, the second a VocabularyModel."""
    pieces = added_token_files.document("random, Llama's pieces", 1)
    plain = json.dumps(pieces) if kind == "pieces" else file_of_kind(kind)
    source = Tokenizer.from_str(plain)
    source.enable_padding(pad_id=3, pad_token="[PAD]", length=9)
    source.enable_truncation(2, stride=1)
    texts = ["the cat sat on the mat", "", "a"]
    wanted = [each.ids for each in Tokenizer.from_str(plain).encode_batch(texts, add_special_tokens=False)]
    with pytest.warns(NotApplied, match="truncation and padding") as caught:
        ours = load_tokenizer(source)
    assert [each.filename for each in caught] == [__file__]
    assert ours.encode_batch(texts) == wanted
    if isinstance(ours, SentencePieceTokenizer):
        return
    path = convert(source, tmp_path / "tokenizer.json")
    parts, given = json.loads(path.read_bytes()), json.loads(source.to_str())
    assert {key: parts[key] for key in ("truncation", "padding")} == {
        key: given[key] for key in ("truncation", "padding")
    }
    if kind == "gpt2 of 2020":
        with pytest.warns(LeftOut, match="truncation; padding"):
            convert(path, tmp_path / "a.tiktoken")


def test_what_is_changed_is_written_and_the_rest_is_kept() -> None:
    """A special token is added, the frame goes, the pattern changes: each time the other parts stay as they were."""
    document = rewritten("roberta", "roberta")
    record = huggingface_json.from_json(json.dumps(document))
    more = {**record.special_tokens, "<|new|>": record.vocab_size}

    def parts(changed: Any) -> dict[str, Any]:
        found = json.loads(huggingface_json.to_json(changed))
        assert huggingface_json.from_json(json.dumps(found)) == changed
        return {key: value for key, value in found.items() if key != "model" and value != document[key]}

    added = parts(record.replace(special_tokens=more)).pop("added_tokens")
    assert [one for one in added if one["content"] != "<|new|>"] == document["added_tokens"]
    assert parts(record.replace(frame=((), ()))).keys() == {"post_processor"}
    assert parts(record.replace(pattern=None)).keys() == {"pre_tokenizer"}
    assert parts(record.replace(normalization="NFC", special_flags={})).keys() == {"normalizer", "added_tokens"}
    moved = {**record.special_tokens, "<pad>": record.vocab_size}
    witness = Tokenizer.from_str(huggingface_json.to_json(record.replace(special_tokens=moved)).decode())
    assert witness.encode("a", "b").ids == Tokenizer.from_str(json.dumps(document)).encode("a", "b").ids
    assert witness.encode("<pad>", add_special_tokens=False).ids == [record.vocab_size]


@pytest.mark.parametrize("change", [{"<s>": 720}, {}])
def test_a_post_processor_does_not_name_what_has_moved(change: dict[str, int]) -> None:
    """A template for pairs only."""
    document = rewritten("roberta", "none")
    cls = document["added_tokens"][0]
    document["post_processor"] = template("A", "A <s> B", {"<s>": cls["id"]})
    record = huggingface_json.from_json(json.dumps(document))
    kept = {text: token_id for text, token_id in record.special_tokens.items() if text != "<s>"}
    with pytest.raises(InvalidModel, match="pair_frame has the part"):
        record.replace(special_tokens=kept | change, special_flags={})
    changed = record.replace(special_tokens={**kept, "<new>": cls["id"], **change}, special_flags={})
    with pytest.raises(UnsupportedModel, match=r"names '<s>'.*record.replace\(source=''\)"):
        huggingface_json.to_json(changed)
    assert huggingface_json.from_json(huggingface_json.to_json(changed.replace(source=""))) == changed


def test_padding_does_not_name_what_has_moved() -> None:
    witness = Tokenizer.from_str(file_of_kind("gpt-4o"))
    witness.add_special_tokens(["<pad>"])
    witness.enable_padding(pad_id=702, pad_token="<pad>")
    record = huggingface_json.from_json(witness.to_str())
    names = dict(record.special_tokens)
    assert json.loads(huggingface_json.to_json(record))["padding"]["pad_id"] == names["<pad>"] == 702
    moved = record.replace(special_tokens={**names, "<pad>": 709})
    with pytest.raises(UnsupportedModel, match=r"padding .* names '<pad>'.*record.replace\(source=''\)"):
        huggingface_json.to_json(moved)
    assert json.loads(huggingface_json.to_json(moved.replace(source="")))["padding"] is None


@pytest.mark.parametrize("name", ["a.tiktoken", "a/", "tekken.json"])
def test_other_formats_refuse_pairs_and_name_offsets(name: str, tmp_path: Path) -> None:
    # In a tekken.json, special tokens come first.
    special, first = (0, 1) if name == "tekken.json" else (256, 0)
    document = rewritten("gpt2 of 2020", "trimmed offsets")
    document["added_tokens"] = [added_token(special, "<s>")]
    vocab = {to_printable(bytes([byte])): first + byte for byte in range(256)} | {"<s>": special}
    document["model"] |= {"vocab": vocab, "merges": []}
    source, target = tmp_path / "tokenizer.json", f"{tmp_path}/{name}"
    source.write_text(json.dumps(document), encoding="utf-8")
    with pytest.warns(LeftOut, match=r"post_processor \(offsets"):
        convert(source, target)
    document["post_processor"] = template("A", "A <s> B:1", {"<s>": special})
    source.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(UnsupportedModel, match=rf"pairs of texts \(A, B\) the parts \['A', {special}, 'B'\]"):
        convert(source, target, overwrite=True)
    without = read_model(source).replace(pair_frame=None)
    assert difference(read_model(convert(without, target, overwrite=True)), without) is None


@pytest.mark.parametrize("source", ["{", '{"a": 1}', 5])
def test_a_source_of_nonsense_is_refused_by_name(source: Any) -> None:
    record = BytePairModel([(97, 97)]).replace(source=source)
    for made in FORMATS.values():
        if made.name not in ("sentencepiece", "wordpiece", "gguf"):
            assert "replace(source='')" in (made.why_not(record) or "")
