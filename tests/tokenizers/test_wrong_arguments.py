"""Arguments of the wrong kind: each is refused by a named error that says what to type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minbpe_course import (
    Corpus,
    GPT4Tokenizer,
    SentencePieceTokenizer,
    Tokenizer,
    count_words,
    encode_corpus,
    get_encoding,
    get_tokenizer,
    run_train_bpe,
    train,
)
from minbpe_course.errors import InvalidOption, InvalidSource, NotText
from minbpe_course.inspecting.tokenizer_view import view_of
from minbpe_course.model import PieceModel

PIECES = PieceModel(("<unk>", "▁", "a", "▁a", "aa"), (0.0, -2.0, -3.0, -1.0, -0.0), (2, 1, 1, 1, 1))
TEXTS = ["low lower", "a"]


def files(folder: Path) -> Path:
    path = folder / "a.txt"
    path.write_text("low lower lowest", encoding="utf-8")
    return path


THREADS: dict[str, Callable[[Any, Path], object]] = {
    "Encoding.encode_batch": lambda n, _: get_encoding("gpt2").encode_batch(TEXTS, num_threads=n),
    "Encoding.decode_batch": lambda n, _: get_encoding("gpt2").decode_batch([[1]], num_threads=n),
    "GPT4Tokenizer.encode_batch": lambda n, _: GPT4Tokenizer().encode_batch(TEXTS, num_threads=n),
    "train": lambda n, _: train("low low", 257, num_threads=n),
    "count_words": lambda n, _: count_words("low", num_threads=n),
    "run_train_bpe": lambda n, folder: run_train_bpe(files(folder), 257, [], num_threads=n),
    "encode_corpus": lambda n, folder: encode_corpus(files(folder), "gpt2", folder / "out", num_threads=n),
}
OF_SENTENCEPIECE: dict[str, Callable[[Any], object]] = {
    "encode": lambda n: SentencePieceTokenizer(model=PIECES).encode(["a"], num_threads=n),
    "encode_batch_to_array": lambda n: SentencePieceTokenizer(model=PIECES).encode_batch_to_array(["a"], num_threads=n),
    "decode": lambda n: SentencePieceTokenizer(model=PIECES).decode([[1]], num_threads=n),
    "constructor": lambda n: SentencePieceTokenizer(model=PIECES, num_threads=n).encode(["a"]),
}


@pytest.mark.parametrize("call", THREADS)
def test_threads_are_a_number_from_1_up_or_none(call: str, tmp_path: Path) -> None:
    for wrong in ("2", [2], b"2", 2j, {}):
        with pytest.raises(InvalidOption, match="num_threads"):
            THREADS[call](wrong, tmp_path)
    for wrong in (0, -1, -3, -(2**70), float("nan"), float("-inf"), np.int64(0)):
        with pytest.raises(InvalidOption, match="num_threads must be at least 1"):
            THREADS[call](wrong, tmp_path)
    for number, good in enumerate((1, 2, None, 10**30, float("inf"), np.int32(3))):
        folder = tmp_path / str(number)
        folder.mkdir()
        THREADS[call](good, folder)


@pytest.mark.parametrize("call", OF_SENTENCEPIECE)
def test_sentencepiece_means_every_core_by_a_negative_number(call: str) -> None:
    for wrong in ("2", [2], 2.5):
        with pytest.raises(InvalidOption, match="num_threads"):
            OF_SENTENCEPIECE[call](wrong)
    for good in (-1, 0, 1, 2):
        OF_SENTENCEPIECE[call](good)


ENCODERS: dict[str, Callable[[Any], object]] = {
    "Encoding.encode": lambda text: get_encoding("gpt2").encode(text),
    "Encoding.encode_ordinary": lambda text: get_encoding("gpt2").encode_ordinary(text),
    "Encoding.encode_with_unstable": lambda text: get_encoding("gpt2").encode_with_unstable(text),
    "GPT4Tokenizer.encode": lambda text: GPT4Tokenizer().encode(text),
    "GPT4Tokenizer.encode_to_array": lambda text: GPT4Tokenizer().encode_to_array(text, {"<|endoftext|>"}),
    "get_tokenizer": lambda text: get_tokenizer({at: bytes([at]) for at in range(256)}, [], ["<s>"]).encode(text),
    "cutter": lambda text: view_of("gpt2").cut(text),
    "rustbpe": lambda text: trained().encode(text),
}


def trained() -> Tokenizer:
    tokenizer = Tokenizer()
    tokenizer.train_from_iterator(["low low"], 257)
    return tokenizer


@pytest.mark.parametrize("call", ENCODERS)
def test_what_is_not_text_is_told_what_it_is(call: str) -> None:
    for wrong, advice in (
        (None, "got None: the text is missing"),
        (["a"], "got list; .*batch"),
        (("a", "b"), "got tuple; .*batch"),
        (b"a", r"got bytes; .*decode\('utf-8'\)"),
        (Path("a"), r"read_text\(encoding='utf-8'\)"),
        (5, r"got int; convert it first: str\(value\)"),
    ):
        with pytest.raises(NotText, match=f"text must be a str, {advice}" if wrong is None else advice):
            ENCODERS[call](wrong)


@pytest.mark.parametrize("wrong", [["a.txt", "b.txt"], ("a.txt",), {"a.txt"}, iter(["a.txt"])])
def test_a_corpus_takes_its_paths_one_by_one(wrong: Any) -> None:
    with pytest.raises(InvalidSource, match=r"Corpus\(\*paths\)"):
        Corpus(wrong)
