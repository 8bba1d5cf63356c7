"""Folders of token files from strangers: nothing outside is touched, and nothing is read that contradicts itself."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minbpe_course.corpus.reading import Corpus
from minbpe_course.errors import UnreadableModel
from minbpe_course.token_files import shards
from minbpe_course.token_files.shards import encode_corpus, open_shards

pytestmark = pytest.mark.medium


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Token files of two documents, the first of which is cut into several shards."""
    (tmp_path / "a.txt").write_text("the cat sat on the mat. " * 40, encoding="utf-8")
    (tmp_path / "b.txt").write_text("hello world", encoding="utf-8")
    encode_corpus(Corpus(tmp_path / "*.txt"), "gpt2", tmp_path / "tokens", part_size=300)
    return tmp_path / "tokens"


def changed(folder: Path, change: Callable[[Any], object]) -> None:
    said = json.loads((folder / "manifest.json").read_bytes())
    change(said)
    (folder / "manifest.json").write_text(json.dumps(said), encoding="utf-8")


def put(*keys: Any) -> Callable[[Any], None]:
    """Return a function that puts the last of ``keys`` at the place that the others name."""

    def change(said: Any) -> None:
        *path, last, value = keys
        for key in path:
            said = said[key]
        said[last] = value

    return change


def swap(said: Any) -> None:
    said["shards"].reverse()


BAD_NAMES = ["../victim", "shard-0.npy", "shard-00001.npy", "shard-00000.parquet", 5]
BAD_NUMBERS = [-1, 1.0, True, "3", 10**30]
CHANGES: list[Callable[[Any], object]] = [
    *(put("shards", 0, "file", bad) for bad in BAD_NAMES),
    *(put("shards", 0, field, bad) for field in ("number", "bytes", "tokens", "documents") for bad in BAD_NUMBERS),
    *(put(field, bad) for field in ("tokens", "documents") for bad in (*BAD_NUMBERS, 7)),
    *(put("dtype", bad) for bad in ("float64", ">u2", None)),
    *(put("format", bad) for bad in ("csv", None)),
    *(put("shards", bad) for bad in ({}, [[]], None)),
    put("shards", 0, "sources", None),
    put("shards", 0, "sources", []),
    put("shards", 0, "sources", 0, None),
    put("shards", 0, "sources", 0, "path", 5),
    lambda said: said["shards"][0]["sources"][0].pop("start"),
    lambda said: said["shards"][0]["sources"][0].pop("stop"),
    put("shards", 0, "sources", 0, "start", None),
    put("shards", 0, "sources", 0, "stop", "5"),
    put("shards", 0, "sources", 0, "documents", 7),
    put("shards", 0, "sha256", 5),
    put("source", {}),
    put("source", "files", 0, ["a.txt"]),
    put("source", "added", [1]),
    put("source", "added", [3, -1]),
    put("version", 1),
    swap,
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_manifest_with_an_impossible_field_is_refused(change: Callable[[Any], object], made: Path) -> None:
    changed(made, change)
    with pytest.raises(UnreadableModel, match=r"manifest\.json is no manifest of token files: "):
        open_shards(made)


@pytest.mark.parametrize("name", ["manifest.json", "journal.jsonl"])
@pytest.mark.parametrize("data", [b"[" * 100_000, b"5", b"\xff", b'{"form": NaN}'])
def test_files_that_are_something_else_are_refused(name: str, data: bytes, made: Path, tmp_path: Path) -> None:
    (made / "manifest.json").unlink()
    (made / name).write_bytes(data + b"\n")
    if name == "manifest.json":
        with pytest.raises(UnreadableModel):
            open_shards(made)
    with pytest.raises(UnreadableModel):
        encode_corpus(Corpus(tmp_path / "*.txt"), "gpt2", made, part_size=300)


@pytest.mark.parametrize("bad", ["../victim", 5])
def test_a_journal_that_names_another_file_deletes_nothing(bad: Any, made: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious", encoding="utf-8")
    said = json.loads((made / "manifest.json").read_bytes())
    records = said.pop("shards")
    del said["tokens"], said["documents"]
    # Of a corpus with a file more, so that a shard is left over.
    said["source"]["files"].append(["z.txt", 1, 1])
    said["source"]["added"] = [3]
    records.append(copy.deepcopy(records[-1]) | {"number": len(records), "file": bad})
    (made / "manifest.json").unlink()
    lines = "".join(json.dumps(each) + "\n" for each in [said, *records])
    (made / shards.JOURNAL).write_text(lines, encoding="utf-8")
    with pytest.raises(UnreadableModel, match=r"journal\.jsonl .* a shard is never called that"):
        encode_corpus(Corpus(tmp_path / "*.txt"), "gpt2", made, part_size=300)
    assert victim.read_text(encoding="utf-8") == "precious"


def test_only_a_long_text_may_continue_in_the_next_file(made: Path) -> None:
    opened = open_shards(made)
    assert opened[0].ends.size == 0
    assert opened.documents == 2
    # The same shards, said to be of lines, end in the middle of a document.
    changed(made, put("shards", 0, "sources", 0, "kind", "lines"))
    with pytest.raises(UnreadableModel, match="its last document ends at id 0, but there are"):
        open_shards(made)[0]


def test_parquet_files_that_are_damaged_or_of_another_kind_are_refused(made: Path, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    folder = tmp_path / "parquet"
    whole = encode_corpus(tmp_path / "b.txt", "gpt2", folder, format="parquet")
    path = folder / whole.manifest["shards"][0]["file"]
    good = path.read_bytes()
    ids = arrow.array([[31373, 995]], arrow.list_(arrow.uint16()))

    def table(ids: Any, ends: Any) -> bytes:
        out = arrow.BufferOutputStream()
        parquet.write_table(arrow.table({"ids": ids, "ends_document": ends}), out)
        return bytes(out.getvalue())

    two = arrow.list_(arrow.uint16())
    bad = {
        "a null row": (
            table(arrow.array([[31373, 995], None], two), [True, True]),
            "row 1 .* has no 'ids': it is null",
        ),
        "a null id": (table(arrow.array([[31373, None]], two), [True]), "one of its ids is null"),
        "other ids": (table(arrow.array([[31373, 995]], arrow.list_(arrow.uint32())), [True]), "its columns are"),
        "an open end": (table(ids, [False]), "its last document ends at id 0"),
        "half a file": (good[: len(good) // 2], "not the file that was written"),
        "nothing": (b"", "not the file that was written"),
    }
    for name, (data, told) in bad.items():
        path.write_bytes(data)
        changed(folder, put("shards", 0, "bytes", len(data)))
        with pytest.raises(UnreadableModel, match=told):
            print(name, open_shards(folder)[0])
    path.write_bytes(good)
    changed(folder, put("shards", 0, "bytes", len(good)))
    assert np.asarray(open_shards(folder)[0].ids).tolist() == [31373, 995]
