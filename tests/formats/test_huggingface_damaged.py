"""Damaged files: a named error, or the ids that `tokenizers` gives for the same file."""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from tokenizers import Tokenizer

from minbpe_course.errors import UnreadableModel, UnsupportedModel
from minbpe_course.formats import huggingface_json
from minbpe_course.model import VocabularyModel
from minbpe_course.tokenizers.encoding import Encoding
from tests.formats.awkward_models import awkward_model
from tests.shared.cases import hostile_texts
from tests.shared.huggingface_files import asked, file_of_kind, kind_texts, kinds, trained_by_tokenizers
from tests.shared.mutated_files import mutants

pytestmark = pytest.mark.slow

COUNT = 5_000 if os.environ.get("MINBPE_COURSE_LONG_TESTS") else 800
MUTANTS = 5_000 if os.environ.get("MINBPE_COURSE_LONG_TESTS") else 250
OURS = ("plain", "a frame", "ranks, specials first", "whole words", "engine of tiktoken", "specials with spaces")


@pytest.fixture(scope="module")
def files() -> dict[str, dict[str, bytes]]:
    texts = {label: huggingface_json.to_json(awkward_model(label)) for label in OURS}
    texts |= {name: made.to_str(pretty=True).encode() for name, made in trained_by_tokenizers().items()}
    texts |= {kind: json.dumps(json.loads(file_of_kind(kind)), indent=1).encode() for kind in kinds()}
    return {name: {"tokenizer.json": data} for name, data in texts.items()}


def ids_of(record: Any) -> Callable[[str], list[int]]:
    return partial(Encoding.from_model(record).encode, allowed_special="all")


def test_a_damaged_file_is_refused_by_name_or_gives_the_ids_of_tokenizers(files):
    awkward = [text for kind in kinds() for text in kind_texts(kind, 2)]
    texts = [
        *awkward,
        *hostile_texts(3, 8),
        "<|endoftext|>aab aa <s>x</s><think>aa b",
        "abc aab aaa bc 123 don't\n\n x<think>",
    ]
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
        (b"[]", r"json, \$: expected an object"),
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


# ---- Damage to everything but the tokens


PARTS = ("normalizer", "pre_tokenizer", "added_tokens", "decoder", "post_processor")
VALUES = [
    None, True, False, 0, 1, 259, -1, 2**32, 0.5, "", " ", "a", "\\s+", "[a-z]", "(?i)s", "(", "</w>", [], {}, [1],
    {"a": 1}, "Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous", "NFC", "NFKD", "Lowercase",
    "Strip", "StripAccents", "Sequence", "ByteLevel", "Digits", "Punctuation", "Split", "Replace", "Prepend",
    "Metaspace", "Unigram", "BPE", {"Regex": "\\d"}, {"String": "e"}, {"type": "ByteLevel"}, {"type": "NFKC"},
    "\u2581", "\u0301",
]  # fmt: skip


def damaged(rng: random.Random, kind: str) -> str:
    """A file of a kind with one or two values changed, taken away, or listed twice, none of them a token."""
    document = json.loads(file_of_kind(kind))
    options = {name: value for name, value in document["model"].items() if name not in ("vocab", "merges")}
    parts = {name: document[name] for name in PARTS} | {"model": options}
    for _ in range(rng.choice([1, 1, 2])):
        places = list(_places(parts))
        inside, key = rng.choice(places)
        if isinstance(inside[key], list) and inside[key] and rng.random() < 0.5:
            chosen = inside[key][rng.randrange(len(inside[key]))]
            inside[key].insert(rng.randrange(len(inside[key]) + 1), copy.deepcopy(chosen))
        elif isinstance(inside[key], bool) and rng.random() < 0.7:
            inside[key] = not inside[key]
        elif inside is not parts and isinstance(inside, dict) and rng.random() < 0.2:
            del inside[key]
        else:
            inside[key] = copy.deepcopy(rng.choice(VALUES))
    model = parts.pop("model")
    document |= parts
    if isinstance(model, dict):
        document["model"] = model | {name: document["model"][name] for name in ("vocab", "merges")}
    return json.dumps(document, ensure_ascii=False)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Everything that can be replaced: (list or object, place or key)."""
    for key in range(len(value)) if isinstance(value, list) else value:
        yield value, key
        if isinstance(value[key], (list, dict)):
            yield from _places(value[key])


def test_damage_to_steps_and_flags_is_refused_at_once_or_has_the_ids_of_tokenizers():
    rng = random.Random(23)
    read, wrong = 0, []
    for number in range(MUTANTS):
        kind = rng.choice(kinds())
        data = damaged(rng, kind)
        try:
            record = huggingface_json.from_json(data)
        except (UnreadableModel, UnsupportedModel) as error:
            if not str(error).startswith("tokenizer.json"):
                wrong.append((number, kind, str(error)))
            continue
        read += 1
        encode, witness = ids_of(record), Tokenizer.from_str(data)
        texts = kind_texts(kind, 6, seed=rng.randrange(5))
        for text in texts:
            ids = asked(witness, text)
            if ids is not None and encode(text) != ids:
                wrong.append((number, kind, text))
        assert huggingface_json.from_json(huggingface_json.to_json(record)) == record, number
    assert wrong[:3] == []
    assert read > MUTANTS / 10
