"""``encode_files`` gives the ids of whole documents, wherever files are cut, and leaves no half-written file."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course import Corpus, Encoding, SentencePieceTokenizer, get_encoding, train
from minbpe_course.errors import (
    DisallowedSpecialToken,
    InvalidOption,
    InvalidSource,
    InvalidSpecialToken,
    MissingFile,
    UnreadableInput,
    UnusablePath,
)
from minbpe_course.tokenizers import file_encoding
from tests.shared.cases import MISTRAL, hostile_text
from tests.shared.long_run import examples

pytestmark = pytest.mark.medium

AWKWARD = [
    "",
    "\ufeffwith a mark\r\nand\r\n\r\nCRLF\r\n",
    " " * 300 + "\n" * 200 + "\t \r\n" * 60 + "x",
    "one\n\n\n two   three\n   ",
    "日本語、中文。 é e\u0301 😀 it's <|end" * 9,
    "1234567890" * 30,
    "\n",
]


@pytest.fixture
def cut_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut files into ranges of a few bytes."""
    monkeypatch.setattr(file_encoding, "RANGE", 16)
    monkeypatch.setattr(file_encoding, "LONGEST_RANGE", 64)


def written(folder: Path, texts: list[str]) -> list[Path]:
    """Write each text into a file."""
    folder.mkdir(exist_ok=True)
    paths = [folder / f"{number:04}.txt" for number in range(len(texts))]
    for path, text in zip(paths, texts):
        path.write_bytes(text.encode("utf-8"))
    return paths


def documents(made: tuple[np.ndarray, np.ndarray]) -> list[list[int]]:
    """Return the ids of each document."""
    ids, ends = made
    assert not ends.size or ends[-1] == ids.size
    return [part.tolist() for part in np.split(ids, ends)[:-1]]


@settings(max_examples=examples(40))
@given(seed=st.integers(0, 10**9), size=st.integers(1, 200), longest=st.integers(1, 400), threads=st.integers(1, 3))
def test_any_cut_gives_the_same_ids(tmp_path_factory: Any, seed: int, size: int, longest: int, threads: int) -> None:
    rng = random.Random(seed)
    texts = [hostile_text(rng, rng.randrange(80)) for _ in range(rng.randrange(1, 6))]
    folder = tmp_path_factory.mktemp("cut")
    encoding = get_encoding("cl100k_base")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_encoding, "RANGE", size)
        patch.setattr(file_encoding, "LONGEST_RANGE", longest)
        patch.setattr(file_encoding, "_TOGETHER", rng.randrange(1, 4))
        made = encoding.encode_files(written(folder, texts), folder / "o", specials="all", num_threads=threads)
        lines = Corpus(folder / "*.txt", lines=True)
        by_line = encoding.encode_files(lines, folder / "l", specials="all", append="<|endoftext|>")
    assert documents(made) == [encoding.encode(text, allowed_special="all") for text in texts]
    wanted = [line for text in texts for line in text.removesuffix("\n").split("\n") if text]
    assert documents(by_line) == [[*encoding.encode(line, allowed_special="all"), 100257] for line in wanted]


@pytest.mark.parametrize("word", [" " * 5_000_000, "ab1 " + "漢" * 1_500_000 + "。end"])
def test_one_endless_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    encoding = get_encoding("cl100k_base")
    text = "before it " + word + " after it. " * 1000
    (path,) = written(tmp_path, [text])
    for longest in (1 << 24, 1 << 20):
        # The second is too short to hold the word, so that the text is cut as a stream.
        monkeypatch.setattr(file_encoding, "LONGEST_RANGE", longest)
        ids, ends = encoding.encode_files(path, tmp_path / "ids.npy")
        assert np.array_equal(ids, encoding.encode_to_numpy(text))
        assert ends.tolist() == [ids.size]


def test_other_kinds_of_files(tmp_path: Path, cut_small: None) -> None:
    encoding, texts = get_encoding("gpt2"), ["one two\nthree four five six seven", "", "日本 is <|endoftext|>"]
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(texts[0].encode()))
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    (tmp_path / "b.jsonl").write_text(lines, encoding="utf-8")
    for name in ("c.txt", "d.txt"):
        (tmp_path / name).write_bytes(texts[0].encode())
    corpus = Corpus(*(tmp_path / name for name in ("c.txt", "a.txt.gz", "b.jsonl", "d.txt")), field="text")
    made = encoding.encode_files(corpus, tmp_path / "ids.npy", specials="none", append=0)
    wanted = [texts[0], texts[0], *texts, texts[0]]
    assert documents(made) == [[*encoding.encode_ordinary(text), 0] for text in wanted]
    assert made[0].dtype == np.uint16
    with (tmp_path / "ids.npy").open("rb") as file:
        assert np.load(file).tolist() == made[0].tolist()
        assert np.load(file).tolist() == made[1].tolist()


def test_tokenizers_that_need_a_str(tmp_path: Path, cut_small: None) -> None:
    texts = [AWKWARD[4], " Hello  world <s> it is\n\n 日本語 " * 20, "", " x"]
    paths = written(tmp_path, texts)
    pieces = SentencePieceTokenizer(MISTRAL)
    assert documents(pieces.encode_files(paths, tmp_path / "a.npy")) == [pieces.encode(text) for text in texts]
    other = Encoding.from_model(train("to be or not to be " * 3, 270, pattern=r"\w+|\W(?=\w|(.))|\W"), "other")
    assert documents(other.encode_files(paths, tmp_path / "b.npy")) == [other.encode(text) for text in texts]


def test_special_tokens(tmp_path: Path, cut_small: None) -> None:
    encoding = get_encoding("cl100k_base")
    text = "one line\n" * 20 + "then <|endoftext|> more <|endofprompt|>, <|end, é <|"
    (path,) = written(tmp_path / "in", [text])
    for options in ({}, {"num_threads": 1}):
        with pytest.raises(DisallowedSpecialToken, match=r"0000\.txt, line 21: .*'<\|endoftext\|>'"):
            encoding.encode_files(path, tmp_path / "ids.npy", **options)  # type: ignore[arg-type]
    assert not list(tmp_path.glob("*.npy"))
    made = encoding.encode_files(path, tmp_path / "ids.npy", specials="all")
    assert documents(made) == [encoding.encode(text, allowed_special="all")]
    with pytest.raises(InvalidOption, match="'raise', 'none' or 'all'"):
        encoding.encode_files(path, tmp_path / "ids.npy", specials="some")
    with pytest.raises(InvalidSpecialToken, match="no special token"):
        encoding.encode_files(path, tmp_path / "ids.npy", append="<|nothing|>")
    with pytest.raises(InvalidOption, match="65,535"):
        encoding.encode_files(path, tmp_path / "ids.npy", dtype="uint16")
    with pytest.raises(MissingFile, match=r"no file nowhere\.txt"):
        encoding.encode_files("nowhere.txt", tmp_path / "ids.npy")


@pytest.mark.parametrize("bad", [b"\xff", b"\xe6\x97", b"\xed\xa0\x80"])
def test_bytes_that_are_not_utf8(tmp_path: Path, cut_small: None, bad: bytes) -> None:
    encoding = get_encoding("gpt2")
    data = "a few words, é\n".encode() * 30 + b"and " + bad + b" more\n" * 20
    path, out = tmp_path / "bad.txt", tmp_path / "ids.npy"
    path.write_bytes(data)
    out.write_bytes(b"what was here before")
    with pytest.raises(UnreadableInput, match=rf"bad\.txt is not UTF-8: byte {data.index(bad):,} is 0x.. \(line 31\)"):
        encoding.encode_files(path, out)
    assert out.read_bytes() == b"what was here before"
    assert sorted(tmp_path.iterdir()) == [path, out]
    made = encoding.encode_files(Corpus(path, errors="replace"), out)
    assert documents(made) == [encoding.encode(data.decode("utf-8", "replace"))]


def test_a_character_in_two_files_is_not_utf8(tmp_path: Path) -> None:
    for name, data in ("1.txt", "é".encode()[:1]), ("2.txt", "é".encode()[1:]):
        (tmp_path / name).write_bytes(data)
    corpus, out = Corpus(tmp_path / "*.txt", errors="replace"), tmp_path / "ids.npy"
    with pytest.raises(UnreadableInput, match=r"1\.txt is not UTF-8: byte 0 is 0xc3"):
        get_encoding("gpt2").encode_files(corpus.files, out)
    assert documents(get_encoding("gpt2").encode_files(corpus, out)) == [[4210], [4210]]


@pytest.mark.parametrize("problem", [KeyboardInterrupt(), MemoryError()])
def test_an_interruption_leaves_nothing(
    tmp_path: Path, cut_small: None, monkeypatch: pytest.MonkeyPatch, problem: BaseException
) -> None:
    (path,) = written(tmp_path / "in", ["some words and more " * 100])
    read, calls = file_encoding._read, []

    def interrupted(each: Any) -> bytes:
        calls.append(each)
        if len(calls) > 9:
            raise problem
        return read(each)

    monkeypatch.setattr(file_encoding, "_read", interrupted)
    with pytest.raises(type(problem)):
        get_encoding("gpt2").encode_files(path, tmp_path / "ids.npy")
    assert list(tmp_path.iterdir()) == [tmp_path / "in"]


def test_a_file_that_changes_meanwhile(tmp_path: Path, cut_small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    (path,) = written(tmp_path, ["some words and more " * 100])
    read, calls = file_encoding._read, []

    def changing(each: Any) -> bytes:
        calls.append(each)
        if len(calls) == 3:
            path.write_bytes(b"short")
        return read(each)

    monkeypatch.setattr(file_encoding, "_read", changing)
    with pytest.raises(UnusablePath, match=r"0000\.txt (became shorter|changed)"):
        get_encoding("gpt2").encode_files(path, tmp_path / "ids.npy", num_threads=1)


def test_a_number_is_an_id_and_never_the_piece_of_that_text(tmp_path: Path) -> None:
    paths, out = written(tmp_path / "in", ["1 and 2"]), tmp_path / "ids.npy"
    tokenizer = SentencePieceTokenizer(model_file=MISTRAL)
    ids, _ = tokenizer.encode_files(paths, out, append=2)
    assert ids[-1] == 2 != tokenizer.piece_to_id("2")
    for number in (-1, 10**6, 10**30):
        with pytest.raises(InvalidSpecialToken, match="is no id of"):
            tokenizer.encode_files(paths, out, append=number)


@pytest.mark.parametrize("dtype", ["uint8", "bogus", 3.5])
def test_a_dtype_that_cannot_hold_ids_is_refused(tmp_path: Path, dtype: Any) -> None:
    paths, out = written(tmp_path / "in", ["hello"]), tmp_path / "ids.npy"
    with pytest.raises(InvalidOption, match="uint16 or uint32"):
        get_encoding("gpt2").encode_files(paths, out, dtype=dtype)
    assert not out.exists()


def test_an_output_that_is_no_file_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    paths = written(tmp_path / "in", ["hello"])
    with pytest.raises(UnusablePath, match="is not a file"):
        get_encoding("gpt2").encode_files(paths, tmp_path)
    with pytest.raises(UnusablePath, match="is one of the files to encode"):
        get_encoding("gpt2").encode_files(paths, paths[0])
    assert paths[0].read_bytes() == b"hello"
    for wrong in (5, None, b"a.txt"):
        with pytest.raises(InvalidSource, match="give files as paths"):
            get_encoding("gpt2").encode_files(wrong, tmp_path / "o.npy")


def test_the_line_of_a_special_token_where_bytes_were_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xff" * 30 + b"\nx <|endoftext|>\n" + b"line\n" * 40)
    with pytest.raises(DisallowedSpecialToken, match=r"a\.txt, line 2: the text"):
        get_encoding("gpt2").encode_files(Corpus(path, errors="replace"), tmp_path / "o.npy", specials="raise")
