"""The format of a file, and the errors for files without one."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minbpe_course import get_encoding, load_tokenizer
from minbpe_course.errors import (
    FolderGiven,
    InvalidOption,
    MissingFile,
    UnknownEncoding,
    UnreadableModel,
    UnusableTokenizer,
)
from minbpe_course.formats import any_format as opening
from minbpe_course.formats.any_format import guess, read_model, write_model
from minbpe_course.formats.detection import detect
from minbpe_course.model import BytePairModel, PieceModel
from minbpe_course.text.patterns import R50K_PATTERN

SMALL = BytePairModel([(97, 97), (256, 98)], pattern=r"\S+|\s+", special_tokens={"<|end|>": 258})
PIECES = PieceModel(("<unk>", "▁a", "b"), (0.0, -1.0, -2.0), (2, 1, 1), model_type="unigram")


def zipped(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr(name, b"data")
    return buffer.getvalue()


def saved_array() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.arange(4))
    return buffer.getvalue()


NOT_TOKENIZERS = {
    "nothing.json": (b"", "empty"),
    "model.zip": (zipped("tokenizer.json"), "zip archive"),
    "pytorch_model.bin": (zipped("archive/data.pkl"), "PyTorch"),
    "old.pt": (pickle.dumps({"a": 1}), "pickle"),
    "model.safetensors": ((90).to_bytes(8, "little") + b'{"__metadata__":{}' + b" " * 80, "safetensors"),
    "tokenizer.json.gz": (b"\x1f\x8b\x08\x00abc", "gzip"),
    "tokenizer.tar": (b"tokenizer.json".ljust(257, b"\0") + b"ustar\x0000", "tar archive"),
    "ids.npy": (saved_array(), "NumPy"),
    "page.json": (b"\n <!DOCTYPE html><html>", "web page"),
    "tokenizer.model": (b"version https://git-lfs.github.com/spec/v1\noid sha256:00", "Git LFS"),
    "mine.vocab": (b"[\\u0000] 0\n[\\u0001] 1\n", "people to read"),
    "spiece.vocab": ("<unk>\t0\n▁a\t-1.5\n".encode(), "people to read"),
    "list.json": (b'["a", "b"]', "a list"),
    "other.json": (b'{"name": "x", "list": [1]}', "nor vocab.json: it contains 'list'"),
    "empty.json": (b"{}", "it contains nothing"),
    "lesson.ipynb": (b'{"cells": [], "nbformat": 4}', "notebook"),
    "config.json": (b'{"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2"}', "settings of a network"),
    "tokenizer_config.json": (b'{"tokenizer_class": "GPT2Tokenizer"}', "settings of a tokenizer"),
    "model.safetensors.index.json": (b'{"metadata": {}, "weight_map": {}}', "weights"),
    "notes": (b"just words", "not a tokenizer file"),
    "notes.txt": ("\ufeffjust words".encode("utf-16"), "UTF-16"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_TOKENIZERS)
def test_a_file_that_is_not_a_tokenizer_is_described(name: str, tmp_path: Path) -> None:
    data, says = NOT_TOKENIZERS[name]
    path = tmp_path / name
    path.write_bytes(data)
    for ask in (guess, read_model, load_tokenizer):
        with pytest.raises(UnreadableModel, match=says) as raised:
            ask(path)
        message = str(raised.value)
        assert name in message
        # The message also says what to do next.
        assert message.count(". ") + message.count("? ") >= 1 or message.endswith("?"), message


@pytest.mark.parametrize(
    ("name", "data", "format"),
    [
        ("a.model", b"minbpe v1\n\n0\n", "minbpe"),
        ("anything", b"#version: 0.2\na b\n", "gpt2"),
        ("other.json", b'{"!": 0, "a": 64}', "gpt2"),
        ("ranks.txt", b"IQ== 0\nIg== 1\n", "tiktoken"),
        ("x.bin", b'{"version": "1.0", "truncation": null, "model"', "huggingface"),
        ("tekken.json", b'{"added_tokens": [], "model": {"type": "BPE"}}', "huggingface"),
        ("tokenizer.json", b'{"vocab": [], "config": {"pattern": "x"}}', "tekken"),
        ("blob", b"GGUF\x03\0\0\0", "gguf"),
        ("m.txt", b"\x0a\x0c\x0a\x05<unk>\x15\x00\x00\x00\x00", "sentencepiece"),
        # If the content matches no format, the name decides, and its reader says what is wrong.
        ("cut.json", b'{"model": {"type"', "huggingface"),
        ("tekken_240911.json", b'{"config": {', "tekken"),
        ("my-vocab.json", b'{"a": 0, "b', "gpt2"),
        ("odd.tiktoken", b"no base64 at all", "tiktoken"),
        ("tokenizer.model.v3", b"\x00\x01\x02", "sentencepiece"),
    ],
)
def test_content_decides_the_format_then_the_name(name: str, data: bytes, format: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert guess(path) == guess(str(path)) == format


def test_deeply_nested_json_does_not_crash() -> None:
    assert detect(b"[" * 200_000) is None
    assert detect(b'{"a": ' * 200_000) is None


@pytest.mark.parametrize(
    ("name", "record", "format"),
    [
        ("mine.tiktoken", SMALL, "tiktoken"),
        ("tokenizer.json", SMALL, "huggingface"),
        ("tekken.json", SMALL, "tekken"),
        ("my_tekken_v2.json", SMALL, "tekken"),
        ("mine.model", SMALL, "minbpe"),
        ("mine.model", PIECES, "sentencepiece"),
        ("merges.txt", SMALL, "gpt2"),
        ("gpt2-vocab.json", SMALL, "gpt2"),
        ("", SMALL, "gpt2"),
    ],
)
def test_the_name_decides_the_format_to_write(name: str, record: Any, format: str, tmp_path: Path) -> None:
    assert guess(tmp_path / name, record) == format


@pytest.mark.parametrize("name", ["mine", "mine.bin", "mine.txt", "mine.tiktoken.json", "mine.vocab"])
def test_a_name_without_a_format(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidOption):
        guess(tmp_path / name, SMALL)


def test_an_unknown_format() -> None:
    with pytest.raises(InvalidOption, match="Did you mean 'tiktoken'"):
        opening.named("tiktokens")
    with pytest.raises(InvalidOption, match="'minbpe', 'gpt2'"):
        read_model("nowhere.model", "onnx")


def test_an_explicit_format_wins_over_content(tmp_path: Path) -> None:
    (tmp_path / "a.model").write_bytes(b"minbpe v1\n\n0\n")
    with pytest.raises(UnreadableModel, match="not a SentencePiece model"):
        read_model(tmp_path / "a.model", "sentencepiece")


@pytest.mark.parametrize("data", [b"", "{}".encode("utf-16"), b"version https://git-lfs.github.com/spec/v1\n"])
@pytest.mark.parametrize("name", ["vocab.json", "merges.txt", "tokenizer.json", "tekken.json", "tokenizer.model"])
def test_a_file_of_a_folder_gets_the_message_of_a_single_file(name: str, data: bytes, tmp_path: Path) -> None:
    if name in ("vocab.json", "merges.txt"):
        write_model(SMALL.replace(pattern=R50K_PATTERN), tmp_path, "gpt2")
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UnreadableModel, match=f"{name} is (empty|text in UTF-16|a Git LFS pointer)") as alone:
        read_model(tmp_path / name)
    with pytest.raises(UnreadableModel) as in_folder:
        read_model(tmp_path)
    assert str(in_folder.value) == str(alone.value)


def test_folders(tmp_path: Path) -> None:
    with pytest.raises(FolderGiven, match="name the file"):
        guess(tmp_path)
    write_model(SMALL, tmp_path / "a.model")
    with pytest.raises(FolderGiven, match=r"it contains a\.model: name one of them"):
        guess(tmp_path)
    write_model(PIECES, tmp_path / "tokenizer.model")
    assert opening.locate(tmp_path) == ("sentencepiece", tmp_path / "tokenizer.model")
    assert read_model(tmp_path) == PIECES
    (tmp_path / "vocab.json").write_bytes(b'{"a": 0}')
    (tmp_path / "merges.txt").write_bytes(b"#version: 0.2\n")
    assert opening.locate(tmp_path) == ("gpt2", tmp_path)
    # merges.txt does not contain the split pattern; tokenizer.json does.
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {}}), encoding="utf-8")
    assert opening.locate(tmp_path) == ("huggingface", tmp_path / "tokenizer.json")
    assert opening.locate(tmp_path, "gpt2") == ("gpt2", tmp_path)
    with pytest.raises(FolderGiven, match="without mistral-common"):
        opening.locate(tmp_path, "tekken")


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ("https://huggingface.co/gpt2/resolve/main/tokenizer.json", MissingFile, "Download the file"),
        ("s3://bucket/tokenizer.model", MissingFile, "nothing is fetched"),
        ("meta-llama/Meta-Llama-3-8B", MissingFile, "Download its tokenizer.json"),
        ("nowhere.json", MissingFile, "no file nowhere.json"),
        ("cl100k", UnknownEncoding, "given by its path"),
        ("a\0b", UnknownEncoding, "given by its path"),
        (b"gpt2", UnusableTokenizer, "bytes is no tokenizer"),
        (None, UnusableTokenizer, "NoneType is no tokenizer"),
    ],
)
def test_a_source_that_cannot_be_opened(given: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        load_tokenizer(given)


def test_names_of_bundled_encodings_are_the_encodings() -> None:
    assert load_tokenizer("gpt2") is get_encoding("gpt2")


def test_minbpes_name_ends_in_model(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match=r"NAME\.model"):
        write_model(SMALL, tmp_path / "mine.txt", "minbpe")
