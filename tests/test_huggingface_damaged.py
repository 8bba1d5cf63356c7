"""Damaged files: a named error, or the ids that `tokenizers` gives for the same file."""

from __future__ import annotations

import json
import os

import pytest
from awkward_models import awkward_model
from cases import hostile_texts
from huggingface_files import ids_of, trained_by_tokenizers
from mutated_files import mutants
from tokenizers import Tokenizer

from minbpe_course.errors import UnreadableModel, UnsupportedModel
from minbpe_course.formats import huggingface_json
from minbpe_course.model import VocabularyModel

COUNT = 5_000 if os.environ.get("MINBPE_COURSE_LONG_TESTS") else 800
OURS = ("plain", "a frame", "ranks, specials first", "whole words", "engine of tiktoken", "specials with spaces")


@pytest.fixture(scope="module")
def files() -> dict[str, dict[str, bytes]]:
    texts = {label: huggingface_json.to_json(awkward_model(label)) for label in OURS}
    texts |= {name: made.to_str(pretty=True).encode() for name, made in trained_by_tokenizers().items()}
    return {name: {"tokenizer.json": data} for name, data in texts.items()}


def test_a_damaged_file_is_refused_by_name_or_gives_the_ids_of_tokenizers(files):
    texts = [*hostile_texts(3, 8), "<|endoftext|>aab aa <s>x</s><think>aa b", "abc aab aaa bc 123 don't\n\n x<think>"]
    read = refused = 0
    for mutant in mutants(files, seed=1, count=COUNT):
        data = mutant.files["tokenizer.json"]
        try:
            record = huggingface_json.from_json(data)
        except (UnreadableModel, UnsupportedModel) as error:
            said = str(error)
        else:
            said = ""
        if said:
            assert said.startswith("tokenizer.json"), (mutant.name, said)
            assert not mutant.harmless, mutant.name
            refused += 1
            continue
        read += 1
        try:
            witness = Tokenizer.from_str(data.decode("utf-8"))
        except Exception as error:
            pytest.fail(f"{mutant.name}: read here, and there {error}")
        encode = ids_of(record)
        before, behind = record.frame if isinstance(record, VocabularyModel) else ((), ())
        for text in [*texts, "a".join([*record.special_tokens][:5])]:
            ids = encode(text)
            assert ids == witness.encode(text, add_special_tokens=False).ids, (mutant.name, text)
            assert [*before, *ids, *behind] == witness.encode(text).ids, (mutant.name, text)
        assert huggingface_json.from_json(huggingface_json.to_json(record)) == record, mutant.name
    assert read > COUNT / 10
    assert refused > COUNT / 3


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "line 1"),
        (b"\xff\xfe{", "line 1"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b'{"model": NaN}', "NaN"),
        (b'{"model": 1, "model": 2}', "twice"),
        (b'{"a": \n [1, }', "line 2"),
        (b"[" * 100_000, "nested"),
        (b'{"model": ' + b"[" * 300 + b"]" * 300 + b"}", "100 deep"),
        (b'{"model": "\\ud800"}', "surrogate"),
        (b'{"a\\udfff": 1}', "surrogate"),
        (b"[]", r"at \$: expected an object"),
        (b"{}\0", "line 1"),
        (b'{"normaliser": null}', "'normaliser' is not known"),
        (b'{"version": "2.0"}', r"\$.version"),
        (b'{"model": {"type": "BPE", "vocab": {"a": 1e9}}}', r"\$.pre_tokenizer"),
    ],
)
def test_what_is_no_file_of_this_kind_is_refused_with_its_place(data, what):
    with pytest.raises((UnreadableModel, UnsupportedModel), match=what):
        huggingface_json.from_json(data)


def test_a_note_that_no_longer_fits_is_not_believed():
    record = awkward_model("ranks, specials first")
    document = json.loads(huggingface_json.to_json(record))
    assert document["model"]["minbpe_course"]["merges"] == "ranks"
    document["model"]["merges"].reverse()
    edited = json.dumps(document)
    back = huggingface_json.from_json(edited)
    assert back.merges is not None
    texts = [*hostile_texts(5, 50), "aab aa aaab"]
    witness = Tokenizer.from_str(edited)
    assert [ids_of(back)(text) for text in texts] == [witness.encode(text).ids for text in texts]


@pytest.mark.parametrize(
    "note", [{}, [], 7, {"record": 5}, {"record": "BytePairModel"}, {"record": "VocabularyModel", "tokens": ["zz"]}]
)
def test_a_note_of_nonsense_is_passed_over(note):
    document = json.loads(huggingface_json.to_json(awkward_model("plain")))
    document["model"]["minbpe_course"] = note
    assert huggingface_json.from_json(json.dumps(document)) == awkward_model("plain")
