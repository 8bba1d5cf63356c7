"""Models trained here give the same ids in tiktoken, tokenizers, a folder for transformers, and sentencepiece."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from minbpe_course import (
    convert,
    load_tokenizer,
    train,
)
from minbpe_course.corpus.texts import course_text
from minbpe_course.errors import UnusablePath
from minbpe_course.model import VocabularyModel
from tests.shared.cases import hostile_texts

pytestmark = pytest.mark.medium

tokenizers = pytest.importorskip("tokenizers")


def test_a_folder_for_transformers(tmp_path: Path) -> None:
    model = train(course_text()[:9000], 400, pattern="gpt2", special_tokens=["<|user|>", "<|endoftext|>"])
    record = VocabularyModel.from_byte_pairs(model).replace(
        special_tokens={**model.special_tokens, "plain": 400}, plain_tokens={"plain"}
    )
    folder = convert(record, tmp_path / "folder", "huggingface")
    config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    roles = json.loads((folder / "special_tokens_map.json").read_text(encoding="utf-8"))
    assert config["tokenizer_class"] == "PreTrainedTokenizerFast"
    assert roles == {
        "bos_token": "<|endoftext|>",
        "eos_token": "<|endoftext|>",
        "additional_special_tokens": ["<|user|>"],
    }
    assert roles.items() <= config.items()
    inside = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    ours = load_tokenizer(folder)
    for text in [*hostile_texts(71, 100), "a plain<|user|> text<|endoftext|>"]:
        assert inside.encode(text).ids == ours.encode(text, allowed_special="all")
    # Once more onto ours, never onto another's.
    assert convert(record, folder, "huggingface", overwrite=True) == folder
    (folder / "tokenizer_config.json").write_text('{"chat_template": "x"}', encoding="utf-8")
    with pytest.raises(UnusablePath, match="another tokenizer"):
        convert(record, folder, "huggingface", overwrite=True)
    assert "chat_template" in (folder / "tokenizer_config.json").read_text(encoding="utf-8")
    with pytest.raises(UnusablePath, match="cannot make"):
        convert(record, tmp_path / "no" / "where", "huggingface")
