"""Token files contain the ids of the whole documents, independent of workers and interruptions."""

from __future__ import annotations

import errno
import gzip
import importlib.metadata
import itertools
import json
import os
import pickle
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from minbpe_course import SentencePieceTokenizer, get_encoding, load_tokenizer
from minbpe_course.corpus.reading import Corpus
from minbpe_course.counting.folder_lock import FolderLock
from minbpe_course.errors import (
    DifferentCheckpoint,
    DisallowedSpecialToken,
    FolderInUse,
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
        # In no order: a large document is in several shards.
        numbers = random.Random(1).sample(range(len(wanted)), len(wanted))
        assert [made.document(number).tolist() for number in numbers] == [wanted[number] for number in numbers]
        for number in (-1, len(wanted)):
            with pytest.raises(IndexError, match=f"document {number} of {len(wanted)}"):
                made.document(number)
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
        ({"source": Corpus(folder / "*.txt", folder / "others.jsonl", lines=True)}, "field and lines"),
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
    size = max(path.stat().st_size for path in torn.glob("*.txt"))

    def encode(name: str) -> shards.Shards:
        corpus = Corpus(torn / "*.txt")
        return encode_corpus(corpus, "gpt2", tmp_path / name, specials="none", num_threads=1, part_size=size)

    with pytest.raises(UnreadableInput, match=r"9\.txt is not UTF-8: byte 12"):
        encode("tokens")
    found = sorted(path.name for path in (tmp_path / "tokens").iterdir())
    assert found == ["journal.jsonl", *(f"shard-0000{number}.npy" for number in range(2))], (
        "9.txt shares a shard with 2.txt"
    )
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "tokens").glob("shard*")}
    # Mended, it is another file; those that were not touched are not encoded again.
    (torn / "9.txt").write_bytes(b"good so far and no more")
    made = encode("tokens")
    assert {
        path.name: path.stat().st_mtime_ns for path in (tmp_path / "tokens").glob("shard*")
    }.items() >= before.items()
    assert made.manifest == encode("fresh").manifest


def test_a_file_that_changed_before_encoding_goes_on_is_encoded_again(folder: Path, tmp_path: Path) -> None:
    torn = tmp_path / "data"
    shutil.copytree(folder, torn)
    (torn / "8.txt").write_bytes(b"good")
    (torn / "9.txt").write_bytes(b"good so far \xff and no more")

    def encode(name: str) -> shards.Shards:
        corpus = Corpus(torn / "*.txt")
        return encode_corpus(corpus, "gpt2", tmp_path / name, specials="none", num_threads=1, part_size=1500)

    with pytest.raises(UnreadableInput):
        encode("tokens")
    (torn / "9.txt").unlink()
    (torn / "8.txt").unlink()
    (torn / "1.txt").write_bytes(b"another text")
    made = encode("tokens")
    fresh = encode("fresh")
    assert made.manifest == fresh.manifest
    made.check()
    assert {path.name for path in made.folder.iterdir()} == {path.name for path in fresh.folder.iterdir()}


def small_files(folder: Path) -> list[str]:
    """Write small files of several kinds, and return their documents in the order of a corpus with ``field``."""
    texts = [f"file {number} <|endoftext|> {'naïve ' * (number % 7)}" for number in range(60)]
    for number, text in enumerate(texts):
        (folder / f"a{number:02}.txt").write_text("" if number == 30 else text, encoding="utf-8")
    texts[30] = ""
    (folder / "b.txt.gz").write_bytes(gzip.compress(b"packed\ntext"))
    (folder / "c.jsonl").write_text('{"t": "one"}\n\n{"t": "two"}\n', encoding="utf-8")
    (folder / "d.txt").write_text("long " * 300, encoding="utf-8")
    return [*texts, "packed\ntext", "one", "two", "long " * 300]


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_small_files_share_a_shard_and_keep_names_and_borders(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    wanted = small_files(tmp_path / "data")
    corpus = Corpus(tmp_path / "data" / "*", field="t")
    made = encode_corpus(corpus, "gpt2", tmp_path / "one", specials="none", part_size=1000, num_threads=1)
    assert len(made) == 5, "three of 60 small files, and two of the large one"
    assert [ids.tolist() for ids in made.each_document()] == list(map(get_encoding("gpt2").encode_ordinary, wanted))
    found: dict[str, int] = {}
    for record, shard in zip(made.manifest["shards"], made):
        assert sum(each["documents"] for each in record["sources"]) == len(shard.ends) == record["documents"]
        for each in record["sources"]:
            found[each["path"]] = found.get(each["path"], 0) + each["documents"]
    assert found == {str(path): 2 if path.suffix == ".jsonl" else 1 for path in corpus.files}
    again = encode_corpus(corpus, "gpt2", tmp_path / "two", specials="none", part_size=1000, num_threads=3)
    assert bytes_of(made.folder) == bytes_of(again.folder)
    lines = Corpus(tmp_path / "data" / "a*.txt", lines=True)
    by_line = encode_corpus(lines, "gpt2", tmp_path / "lines", specials="none")
    documents = [each["documents"] for each in by_line.manifest["shards"][0]["sources"]]
    assert documents == [int(path.stat().st_size > 0) for path in lines.files]


def test_a_corpus_that_grew_encodes_what_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    wanted = small_files(tmp_path / "data")

    def encode(name: str) -> shards.Shards:
        corpus = Corpus(tmp_path / "data" / "*", field="t")
        return encode_corpus(corpus, "gpt2", tmp_path / name, specials="none", part_size=1000, num_threads=2)

    before = bytes_of(encode("tokens").folder)
    shutil.copytree(tmp_path / "tokens", tmp_path / "other")
    more = ["new", "newer " * 180, "newest"]
    for number, text in enumerate(more):
        (tmp_path / "data" / f"a3{number}.more").with_suffix(".txt.md").write_text(text, encoding="utf-8")
    calls: list[int] = []
    real = shards.make_shard

    def counted(work: Any, *rest: Any) -> Any:
        calls.append(work.number)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(work, *rest)

    monkeypatch.setattr(shards, "make_shard", counted)
    with pytest.raises(KeyboardInterrupt):
        encode("tokens")
    assert open_shards(tmp_path / "tokens").documents == len(wanted), "until the end, readers see the old corpus"
    grown = encode("tokens")
    assert min(calls) == 5
    assert [ids.tolist() for ids in grown.each_document()] == [
        get_encoding("gpt2").encode_ordinary(text) for text in [*wanted, *more]
    ]
    assert bytes_of(grown.folder) == bytes_of(encode("other").folder)
    assert {name: data for name, data in bytes_of(grown.folder).items() if name in before} | {
        "manifest.json": before["manifest.json"]
    } == before
    calls[:] = [0, 0]
    assert encode("tokens").manifest == grown.manifest
    assert calls == [0, 0], "nothing is new"
    now = bytes_of(grown.folder)
    path = tmp_path / "data" / "a07.txt"
    path.write_text("another text", encoding="utf-8")
    with pytest.raises(
        DifferentCheckpoint, match=r"the tokens of .*a07\.txt, which was changed.*\nName another folder"
    ):
        encode("tokens")
    path.unlink()
    with pytest.raises(DifferentCheckpoint, match=r"the tokens of .*a07\.txt, which is not among the files"):
        encode("tokens")
    assert bytes_of(grown.folder) == now


def test_strays_of_killed_runs_go_but_not_those_of_a_living_one(corpus: Corpus, tmp_path: Path) -> None:
    made = encode_corpus(corpus, "gpt2", tmp_path, specials="none")
    wanted = set(bytes_of(tmp_path))
    strays = [f".{name}.0123456789ab.part" for name in ("shard-00001.npy", "manifest.json", "journal.jsonl")]
    for name in (*strays, ".mine.part"):
        (tmp_path / name).write_bytes(b"half")
    held = FolderLock(tmp_path)
    # Where nothing is to be done, no lock is needed.
    finished = encode_corpus(corpus, "gpt2", tmp_path / "finished", specials="none")
    other = FolderLock(finished.folder)
    assert encode_corpus(corpus, "gpt2", finished.folder, specials="none").manifest == finished.manifest
    other.release(remove=True)
    shutil.rmtree(finished.folder)
    with pytest.raises(FolderInUse):
        encode_corpus(corpus, "gpt2", tmp_path, specials="none")
    held.release()
    assert wanted | {*strays, ".mine.part", "lock"} == set(bytes_of(tmp_path))
    assert encode_corpus(corpus, "gpt2", tmp_path, specials="none").manifest == made.manifest
    assert wanted | {".mine.part"} == set(bytes_of(tmp_path))


def test_a_finished_folder_on_a_read_only_disk_is_opened(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = encode_corpus(corpus, "gpt2", tmp_path / "tokens", specials="none")

    def refuse(*_: object, **__: object) -> None:
        # Linux says so of a missing file, too.
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    for name in ("unlink", "replace", "open"):
        monkeypatch.setattr(os, name, refuse)
    assert encode_corpus(corpus, "gpt2", tmp_path / "tokens", specials="none").manifest == made.manifest


def test_many_shards_need_few_descriptors(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the cat sat on the mat\n" * 100, encoding="utf-8")
    for form in ("npy", "parquet"):
        made = encode_corpus(tmp_path / "a.txt", "gpt2", tmp_path / form, part_size=20, format=form)
        assert len(made) > 100
        lengths = [len(shard.ids) for shard in made]
        assert made[3].ids is made[3].ids
        assert len(made._open) == (32 if form == "npy" else 1)
        copy = pickle.loads(pickle.dumps(made))
        assert ([len(shard.ids) for shard in copy], copy[-1].ends.tolist()) == (
            lengths,
            made[len(made) - 1].ends.tolist(),
        )
        if Path("/proc/self/fd").is_dir():
            names = [os.path.realpath(each) for each in Path("/proc/self/fd").iterdir()]
            assert sum(str(tmp_path / form) in name for name in names) <= 2 * 2 * 32


def test_the_advice_about_special_tokens_works(tmp_path: Path) -> None:
    text, token = "x\n\ny <|endoftext|>\n", "endoftext"
    table = pytest.importorskip("pyarrow").table({"t": ["x", "y <|endoftext|>"]})
    pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "d.parquet")
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress((text[:2] * 400_000 + text).encode()))
    (tmp_path / "c.jsonl").write_text('{"t": "x"}\n\n \n{"t": "y <|endoftext|>"}\n', encoding="utf-8")
    places = {"a.txt": "line 3", "b.txt.gz": "line 400,003", "c.jsonl": "line 4", "d.parquet": r"row 1 \(from 0\)"}
    for name, place in places.items():
        corpus, folder = Corpus(tmp_path / name, field="t"), tmp_path / f"of {name}"
        with pytest.raises(
            DisallowedSpecialToken, match=rf"{re.escape(name)}, {place}: .*{token}(.|\n)*specials='none'"
        ):
            encode_corpus(corpus, "gpt2", folder)
        assert encode_corpus(corpus, "gpt2", folder, specials="none").documents in (1, 2)
    # Not if there are shards in which no such token may be.
    (tmp_path / "0.txt").write_text("x" * 30, encoding="utf-8")
    with pytest.raises(DisallowedSpecialToken, match=r"shards made with specials='raise': delete it then"):
        encode_corpus([tmp_path / "0.txt", tmp_path / "a.txt"], "gpt2", tmp_path / "both", part_size=30, num_threads=1)


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
