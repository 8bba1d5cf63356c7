"""Token files contain the ids of the whole documents, independent of workers and interruptions."""

from __future__ import annotations

import importlib.metadata
import itertools
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from minbpe_course import SentencePieceTokenizer, get_encoding, load_tokenizer
from minbpe_course.corpus.reading import Corpus
from minbpe_course.errors import (
    DifferentCheckpoint,
    DisallowedSpecialToken,
    InvalidOption,
    InvalidSource,
    InvalidSpecialToken,
    MissingPackage,
    UnreadableInput,
    UnreadableModel,
    UnusablePath,
)
from minbpe_course.token_files import shard_files, shards
from minbpe_course.token_files.shards import ShardProgress, encode_corpus, open_shards
from tests.shared.cases import hostile_text

pytestmark = pytest.mark.medium

MISTRAL = Path(str(importlib.metadata.distribution("mistral-common").locate_file("mistral_common"))) / "data"


def documents() -> list[str]:
    rng = random.Random(8)
    words = ["the ", " cat", "  sat", "\n", "12345", "é", "中文", "<|endoftext|>", " on", "mat.", "  ", "\t", "😀"]
    words.append("e\u0301")
    texts = ["".join(rng.choices(words, k=rng.randint(0, 900))) for _ in range(8)]
    return [*texts, "", "<|endoftext|>", " ", *(hostile_text(rng, 400) for _ in range(6))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three documents as files, the others as lines of JSON."""
    folder = tmp_path_factory.mktemp("corpus")
    texts = documents()
    for number, text in enumerate(texts[:3]):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8", newline="")
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts[3:])
    (folder / "others.jsonl").write_text(lines, encoding="utf-8", newline="\n")
    return folder


@pytest.fixture
def corpus(folder: Path) -> Corpus:
    return Corpus(folder / "*.txt", folder / "others.jsonl", field="text")


TOKENIZERS: dict[str, Callable[[], Any]] = {
    "gpt2": lambda: get_encoding("gpt2"),
    "tekken": lambda: load_tokenizer(MISTRAL / "tekken_240718.json"),
    "sentencepiece": lambda: SentencePieceTokenizer(model_file=MISTRAL / "tokenizer.model.v1"),
}


@pytest.mark.parametrize("name", TOKENIZERS)
def test_the_documents_whole_are_the_oracle(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(shard_files, "ROW", 100)
    tokenizer = TOKENIZERS[name]()
    ordinary = getattr(tokenizer, "encode_ordinary", tokenizer.encode)
    wanted = [list(ordinary(text)) for text in documents()]
    for size, form in ((1000, "npy"), ("1.5kB", "parquet"), ("64MB", "npy")):
        made = encode_corpus(
            corpus, tokenizer, tmp_path / str(size), format=form, part_size=size, specials="none", num_threads=2
        )
        made.check()
        assert len(made) > 12 or size == "64MB"
        assert [ids.tolist() for ids in made.each_document()] == wanted
        assert made.tokens == sum(map(len, wanted))
        assert made.documents == len(wanted)
        assert made.dtype == ("uint16" if made.manifest["tokenizer"]["largest_id"] < 65536 else "uint32")
        assert {shard.ids.dtype for shard in made} == {made.dtype}


def test_special_tokens_and_what_is_put_behind_documents(corpus: Corpus, tmp_path: Path) -> None:
    gpt2 = get_encoding("gpt2")
    made = encode_corpus(corpus, "gpt2", tmp_path / "all", specials="all", append="<|endoftext|>", part_size=900)
    wanted = [[*gpt2.encode(text, allowed_special="all"), gpt2.eot_token] for text in documents()]
    assert [ids.tolist() for ids in made.each_document()] == wanted
    with pytest.raises(DisallowedSpecialToken, match=r"\.txt, line \d+: .*endoftext"):
        encode_corpus(corpus, "gpt2", tmp_path / "raise")
    with pytest.raises(InvalidSpecialToken, match="is no special token of gpt2"):
        encode_corpus(corpus, "gpt2", tmp_path / "no", append="<|none|>")


def test_shards_do_not_depend_on_threads_or_interruptions(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = encode_corpus(corpus, "gpt2", tmp_path / "whole", part_size=1000, specials="none", num_threads=1)
    wanted = {path.name: path.read_bytes() for path in whole.folder.iterdir()}
    assert set(wanted) == {"manifest.json", *(record["file"] for record in whole.manifest["shards"])}
    real, calls = shards.make_shard, []
    # Several threads count, so a turn is taken in one step; after the interruption, threads at work go on counting.
    turns, interrupted = itertools.count(1), 0

    def counted(part: Any, *rest: Any) -> Any:
        calls.append(part.number)
        if next(turns) == interrupted:
            raise KeyboardInterrupt
        return real(part, *rest)

    monkeypatch.setattr(shards, "make_shard", counted)
    seen: list[ShardProgress] = []

    def again() -> Any:
        return encode_corpus(
            corpus, "gpt2", tmp_path / "torn", part_size=1000, specials="none", num_threads=3, progress=seen.append
        )

    for interrupted in (5, 4, 5):  # noqa: B007 - counted reads it
        turns = itertools.count(1)
        with pytest.raises(KeyboardInterrupt):
            again()
        with pytest.raises(UnusablePath, match="is not finished"):
            open_shards(tmp_path / "torn")
        # As a kill leaves it: half a line.
        with (tmp_path / "torn" / shards.JOURNAL).open("ab") as journal:
            journal.write(b'{"number": 1')
    interrupted = 0
    made = again()
    assert {path.name: path.read_bytes() for path in made.folder.iterdir()} == wanted
    assert seen[-1] == (len(made), len(made), made.tokens, made.documents)
    # Threads that were at work when the others were stopped may have done theirs for nothing; no more than these.
    assert len(calls) <= len(made) + 3 * 7
    calls.clear()
    assert again().tokens == made.tokens
    assert calls == []
    (tmp_path / "torn" / made.manifest["shards"][3]["file"]).unlink()
    again().check()
    assert calls == [3]


def test_another_choice_is_refused(corpus: Corpus, folder: Path, tmp_path: Path) -> None:
    made = encode_corpus(corpus, "gpt2", tmp_path, specials="none")
    before = (tmp_path / "manifest.json").read_bytes()
    for changed, what in [
        ({"tokenizer": "r50k_base"}, "tokenizer"),
        ({"format": "parquet"}, "format"),
        ({"append": 50256}, "append"),
        ({"source": folder / "0.txt"}, "corpus"),
    ]:
        asked = {"source": corpus, "tokenizer": "gpt2", "specials": "none", **changed}
        with pytest.raises(DifferentCheckpoint, match=f"holds the tokens of another .*{what}"):
            encode_corpus(folder=tmp_path, **asked)
    assert (tmp_path / "manifest.json").read_bytes() == before
    assert open_shards(tmp_path).tokens == made.tokens


def test_what_cannot_be_read_is_named_and_the_rest_is_kept(folder: Path, tmp_path: Path) -> None:
    torn = tmp_path / "data"
    shutil.copytree(folder, torn)
    (torn / "9.txt").write_bytes(b"good so far \xff and no more")
    with pytest.raises(UnreadableInput, match=r"9\.txt is not UTF-8: byte 12"):
        encode_corpus(Corpus(torn / "*.txt"), "gpt2", tmp_path / "tokens", specials="none", num_threads=1)
    found = sorted(path.name for path in (tmp_path / "tokens").iterdir())
    assert found == ["journal.jsonl", *(f"shard-0000{number}.npy" for number in range(3))]
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "tokens").glob("shard*")}
    # Mended, it is another file; those that were not touched are not encoded again.
    (torn / "9.txt").write_bytes(b"good so far and no more")
    made = encode_corpus(Corpus(torn / "*.txt"), "gpt2", tmp_path / "tokens", specials="none", num_threads=1)
    assert {
        path.name: path.stat().st_mtime_ns for path in (tmp_path / "tokens").glob("shard*")
    }.items() > before.items()
    fresh = encode_corpus(Corpus(torn / "*.txt"), "gpt2", tmp_path / "fresh", specials="none", num_threads=1)
    assert made.manifest == fresh.manifest


def test_a_file_that_changed_before_encoding_goes_on_is_encoded_again(folder: Path, tmp_path: Path) -> None:
    torn = tmp_path / "data"
    shutil.copytree(folder, torn)
    (torn / "8.txt").write_bytes(b"good")
    (torn / "9.txt").write_bytes(b"good so far \xff and no more")
    with pytest.raises(UnreadableInput):
        encode_corpus(Corpus(torn / "*.txt"), "gpt2", tmp_path / "tokens", specials="none", num_threads=1)
    (torn / "9.txt").unlink()
    (torn / "8.txt").unlink()
    (torn / "1.txt").write_bytes(b"another text")
    made = encode_corpus(Corpus(torn / "*.txt"), "gpt2", tmp_path / "tokens", specials="none", num_threads=1)
    fresh = encode_corpus(Corpus(torn / "*.txt"), "gpt2", tmp_path / "fresh", specials="none", num_threads=1)
    assert made.manifest == fresh.manifest
    made.check()
    assert {path.name for path in made.folder.iterdir()} == {path.name for path in fresh.folder.iterdir()}


def test_damage_is_found(corpus: Corpus, tmp_path: Path) -> None:
    made = encode_corpus(corpus, "gpt2", tmp_path, specials="none", part_size=2000)
    path = tmp_path / made.manifest["shards"][1]["file"]
    good = path.read_bytes()
    path.write_bytes(good[:-9])
    with pytest.raises(UnreadableModel, match="bytes, and the manifest says"):
        open_shards(tmp_path)
    path.write_bytes(good[:200] + bytes([good[200] ^ 1]) + good[201:])
    opened = open_shards(tmp_path)
    with pytest.raises(UnreadableModel, match="was changed since"):
        opened.check()
    path.unlink()
    with pytest.raises(UnusablePath, match="is missing"):
        open_shards(tmp_path)


def test_questions_that_make_no_sense(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidSource, match=r"got str: Path\('data"):
        encode_corpus("a text", "gpt2", tmp_path)
    for wrong in ({"format": "csv"}, {"specials": "some"}, {"part_size": 0}, {"part_size": "much"}):
        with pytest.raises(InvalidOption):
            encode_corpus(corpus, "gpt2", tmp_path, **wrong)
    with pytest.raises(InvalidOption, match="65,535"):
        encode_corpus(corpus, "cl100k_base", tmp_path, dtype="uint16")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingPackage, match=r'pip install "minbpe-course\[parquet\]"'):
        encode_corpus(corpus, "gpt2", tmp_path, format="parquet")
    assert list(tmp_path.iterdir()) == []
