"""Models trained here give the same ids in tiktoken, tokenizers, a folder for transformers, and sentencepiece."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken
from tiktoken.load import load_tiktoken_bpe

from minbpe_course import (
    SentencePieceTokenizer,
    Tokenizer,
    convert,
    get_tokenizer,
    load_tokenizer,
    run_train_bpe,
    train,
    train_sentencepiece,
)
from minbpe_course.corpus.texts import course_text
from minbpe_course.errors import UnsupportedModel, UnusablePath
from minbpe_course.formats.any_format import read_model
from minbpe_course.model import BytePairModel, VocabularyModel
from tests.shared.cases import hostile_texts

pytestmark = pytest.mark.medium

tokenizers = pytest.importorskip("tokenizers")

LONGEST = "<|user|> <|x|>"
SPECIALS = ["<|endoftext|>", "<|user|>", LONGEST]
TEXTS = [text + special for text, special in zip(hostile_texts(61, 160), ["", *SPECIALS, "<|user|>  <|x|>\n"] * 60)]


def trained_by(way: str, pattern: str, tmp_path: Path) -> Any:
    """The result of each way to train, as input of convert and load_tokenizer."""
    if way == "train":
        return train(course_text(), 900, pattern=pattern, special_tokens=SPECIALS)
    if way == "Tokenizer":
        tokenizer = Tokenizer()
        tokenizer.train_from_iterator([course_text()], 900, pattern=pattern)
        return tokenizer.model.replace(special_tokens={text: 900 + at for at, text in enumerate(SPECIALS)})
    path = tmp_path / "corpus.txt"
    path.write_bytes(course_text().encode("utf-8"))
    return get_tokenizer(*run_train_bpe(path, 900, SPECIALS), SPECIALS)


@pytest.mark.parametrize(
    ("way", "pattern"),
    [
        ("train", "gpt2"),
        ("train", "o200k_base"),
        ("Tokenizer", "cl100k_base"),
        ("Tokenizer", "minbpe_gpt4"),
        ("run_train_bpe", "gpt2"),
    ],
)
def test_the_same_ids_everywhere(way: str, pattern: str, tmp_path: Path) -> None:
    given = trained_by(way, pattern, tmp_path)
    ours = load_tokenizer(given)
    assert not isinstance(ours, SentencePieceTokenizer)
    ids = [ours.encode(text, allowed_special="all") for text in TEXTS]

    json_file = convert(given, tmp_path / "tokenizer.json")
    hugging_face = tokenizers.Tokenizer.from_file(str(json_file))
    assert [hugging_face.encode(text, add_special_tokens=False).ids for text in TEXTS] == ids
    assert [hugging_face.decode(each, skip_special_tokens=False) for each in ids[:50]] == TEXTS[:50]

    ranks_file = convert(given, tmp_path / "mine.tiktoken")
    theirs = tiktoken.Encoding(
        "mine",
        pat_str=ours._pat_str,
        mergeable_ranks=load_tiktoken_bpe(str(ranks_file)),
        special_tokens=ours._special_tokens,
    )
    for text, each in zip(TEXTS, ids):
        # Of special tokens that overlap, tiktoken takes the longest only by chance.
        if LONGEST not in text:
            assert theirs.encode(text, allowed_special="all") == each
    assert [load_tokenizer(ranks_file).encode(text, allowed_special="all") for text in TEXTS] == ids
    assert read_model(ranks_file).special_tokens == ours._special_tokens


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


def test_sentencepiece_trains_its_own(tmp_path: Path) -> None:
    train_sentencepiece(
        sentence_iterator=iter(course_text().splitlines()),
        model_prefix=str(tmp_path / "pieces"),
        vocab_size=1000,
        model_type="bpe",
        character_coverage=0.98,
    )
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "pieces.model"))
    ours = load_tokenizer(tmp_path / "pieces.model")
    for text in hostile_texts(81, 200):
        assert ours.encode(text) == theirs.encode(text)
    with pytest.raises(UnsupportedModel, match="train_sentencepiece"):
        convert(BytePairModel(), tmp_path / "bytes.model", "sentencepiece")
