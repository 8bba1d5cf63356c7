"""The config files of transformers for GPT-2's two files: supported, or refused with the place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from minbpe_course.errors import UnreadableModel, UnsupportedModel, UnusablePath
from minbpe_course.formats import gpt2_merges
from minbpe_course.formats.gpt2_config import compact
from minbpe_course.formats.gpt2_merges import from_files
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.text.byte_alphabet import printable_bytes
from minbpe_course.text.patterns import R50K_PATTERN
from tests.formats.awkward_models import awkward_model

CONFIG, ADDED, MAP = "tokenizer_config.json", "added_tokens.json", "special_tokens_map.json"
BYTES = {character: byte for byte, character in printable_bytes().items()}
TWO = {"vocab.json": compact(BYTES | {"aa": 256, "<|endoftext|>": 257}), "merges.txt": b"#version: 0.2\na a\n"}
END = {"<|endoftext|>": 257}


def read(**beside: Any) -> BytePairModel | VocabularyModel:
    names = {"config": CONFIG, "added": ADDED, "map": MAP}
    return from_files(TWO | {names[key]: json.dumps(value).encode() for key, value in beside.items()})


def token(text: str, **flags: bool) -> dict[str, Any]:
    return {"content": text, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False} | flags


SUPPORTED: Mapping[str, tuple[dict[str, Any], dict[str, int]]] = {
    "nothing": ({}, END),
    "added tokens": ({"added": {"<pad>": 258, "a b": 300}}, END | {"<pad>": 258, "a b": 300}),
    "names of what is there": ({"map": {"eos_token": "<|endoftext|>", "bos_token": token("<|endoftext|>")}}, END),
    "a decoder": (
        {
            "config": {
                "tokenizer_class": "GPT2TokenizerFast",
                "added_tokens_decoder": {"258": token("<x>", special=True)},
            }
        },
        END | {"<x>": 258},
    ),
    "a special token spelled like another": ({"added": {"aa": 258}}, END | {"aa": 258}),
    "an ordinary token as special": ({"map": {"eos_token": "aa"}}, END | {"aa": 256}),
}


@pytest.mark.parametrize("label", SUPPORTED)
def test_supported_settings(label: str) -> None:
    beside, expected = SUPPORTED[label]
    model = read(**beside)
    assert dict(model.special_tokens) == expected
    assert model.pattern == R50K_PATTERN
    if gpt2_merges.why_not(model) is None:
        assert from_files(gpt2_merges.to_files(model)) == model


def test_tokens_that_are_not_special_stay_in_a_text() -> None:
    model = read(
        config={"added_tokens_decoder": {"258": token("<think>", special=False), "259": token("<x>", special=True)}}
    )
    assert isinstance(model, VocabularyModel)
    assert model.plain_tokens == {"<think>"}
    assert from_files(gpt2_merges.to_files(model)) == model


def test_the_class_of_qwen_has_another_pattern_and_nfc() -> None:
    model = read(config={"tokenizer_class": "Qwen2Tokenizer"})
    assert isinstance(model, VocabularyModel)
    assert (model.normalization, r"\p{N}| " in str(model.pattern)) == ("NFC", True)


REFUSED: Mapping[str, tuple[dict[str, Any], str]] = {
    "white space taken in": ({"map": {"mask_token": token("<m>", lstrip=True)}}, r"special_tokens_map\.json.*lstrip"),
    "borders of words": (
        {"config": {"added_tokens_decoder": {"258": token("<m>", single_word=True)}}},
        r"\$\.added_tokens_decoder\[\"258\"\]: single_word",
    ),
    "a space in front": ({"config": {"add_prefix_space": True}}, r"\$\.add_prefix_space: true. It changes ids"),
    "a name without an id": ({"map": {"pad_token": "<pad>"}}, r"\$\.pad_token: \"<pad>\" has no id"),
    "a key that is not an id": (
        {"config": {"added_tokens_decoder": {"0258": token("<m>")}}},
        r"\[\"0258\"\]: expected an id",
    ),
    "two ids for a text": (
        {"added": {"<m>": 258}, "config": {"added_tokens_decoder": {"259": token("<m>")}}},
        r"added_tokens\.json.*contradicts",
    ),
    "the id of another": ({"added": {"<m>": 257}}, r"added_tokens\.json, .*the id 257"),
    "the id of an ordinary token": ({"added": {"<m>": 256}}, r"added_tokens\.json, .*the id 256"),
    "names that are a number": (
        {"map": {"additional_special_tokens": 7}},
        r"additional_special_tokens: expected a list",
    ),
    "an empty token": ({"added": {"": 258}}, r"cannot be empty"),
}


@pytest.mark.parametrize("label", REFUSED)
def test_what_would_change_ids_is_refused_with_its_place(label: str) -> None:
    beside, expected = REFUSED[label]
    with pytest.raises((UnreadableModel, UnsupportedModel), match=expected) as caught:
        read(**beside)
    assert len(str(caught.value)) < 400


# ---- Ours

OWN = BytePairModel([(97, 97)], pattern=R50K_PATTERN, special_tokens={"ab": 257})
"""A model whose special token two others spell, so that a config has to name it."""


def test_writing_a_model_without_config_removes_the_old_config(tmp_path: Path) -> None:
    gpt2_merges.write(OWN, tmp_path)
    assert (tmp_path / CONFIG).exists()
    gpt2_merges.write(awkward_model("plain"), tmp_path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["merges.txt", "vocab.json"]
    assert gpt2_merges.read(tmp_path) == awkward_model("plain")


@pytest.mark.parametrize("name", [CONFIG, ADDED, MAP])
def test_a_config_of_another_program_is_not_overwritten(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text('{"eos_token": "x"}', encoding="utf-8")
    with pytest.raises(UnusablePath, match="written by another program"):
        gpt2_merges.write(OWN, tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == [name]
