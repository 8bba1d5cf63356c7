"""A file that is cut short or written to while a verb or a call reads it is refused, never used by half."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from minbpe_course import train_sentencepiece
from minbpe_course.cli import documents, id_reader, sources
from minbpe_course.corpus import columns, opening
from minbpe_course.corpus.reading import Corpus
from minbpe_course.errors import UnusablePath
from tests.cli.conftest import verbs

pytestmark = [
    pytest.mark.medium,
    pytest.mark.skipif(os.name == "nt", reason="Windows keeps open files from being changed"),
]

__all__ = ["verbs"]

LINES = "".join(f"the cat number {number} sat on the mat\n" for number in range(4000))


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"995\n")


def write_over(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"T")
    os.utime(path, (2e9, 2e9))


def after_one_block(monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None], path: Path) -> None:
    """Change a file once some of it has been read."""
    left = [1]

    def changing(module: object, name: str) -> None:
        real = getattr(module, name)

        def read(*given: object) -> object:
            for block in real(*given):
                yield block
                if left:
                    left.clear()
                    change(path)

        monkeypatch.setattr(module, name, read)

    monkeypatch.setattr(sources, "BLOCK", 1 << 14)
    monkeypatch.setattr(opening, "BLOCK", 1 << 14)
    monkeypatch.setattr(documents, "BATCH", 1 << 12)
    monkeypatch.setattr(id_reader, "_STEP", 1000)
    changing(sources, "blocks_of")
    changing(id_reader, "blocks_of")
    changing(id_reader, "_arrays")
    changing(opening.ByteFile, "_raw")


VERBS = {
    "count tokens": ("count", "-t", "gpt2", "-j", 1),
    "count words": ("count", "--words"),
    "count into a file": ("count", "-o", "out.counts"),
    "count by line": ("count", "--lines", "--words"),
    "count with memory": ("count", "--memory", "64MB", "--words"),
    "count on": ("count", "--checkpoint", "work", "--words"),
    "encode": ("encode", "-t", "gpt2", "-o", "out.npy", "--lines"),
    "train": ("train", "-n", 300, "-o", "out.model"),
    "train pieces": ("train", "-n", 100, "--kind", "sentencepiece-bpe", "-o", "out.model"),
}


@pytest.mark.parametrize(("verb", "change"), list(zip(VERBS, 3 * [cut, append, write_over])))
def test_a_verb_refuses_a_text_that_changes(verbs, verb, change, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.txt"
    path.write_text(LINES, encoding="utf-8")
    os.utime(path, (1e9, 1e9))
    if verb == "encode":
        # Whole ranges are read at once, so the change comes between cutting and reading.
        monkeypatch.setattr("minbpe_course.cli.encode.is_plain", lambda name: False)
    with monkeypatch.context() as patch:
        after_one_block(patch, change, path)
        done = verbs(*VERBS[verb], path)
    assert done.code == 2, done
    assert "a.txt changed while it was being read" in done.err or "a.txt became shorter" in done.err
    assert not list(tmp_path.glob("out.*"))


@pytest.mark.parametrize("change", [cut, append])
def test_ids_and_tables_that_change_are_refused(verbs, change, tmp_path, monkeypatch):
    ids = tmp_path / "a.ids"
    ids.write_text("31373 995\n" * 4000, encoding="ascii")
    array = tmp_path / "a.npy"
    np.save(array, np.full(9000, 995))
    for path in (ids, array):
        with monkeypatch.context() as patch:
            after_one_block(patch, change, path)
            done = verbs("decode", "-t", "gpt2", "-o", tmp_path / "out.txt", path)
        assert done.code == 2
        assert "changed while it was being read" in done.err or "became shorter" in done.err or "cut off" in done.err
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": LINES.splitlines()}), table)
    real = columns.rows

    def changing(*given):
        change(table)
        return real(*given)

    monkeypatch.setattr(columns, "rows", changing)
    done = verbs("count", "-t", "gpt2", table)
    assert (done.code, "a.parquet" in done.err) == (2, True)


def test_calls_of_python_refuse_it(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text(LINES, encoding="utf-8")
    real = os.fstat
    calls = []

    def stat_and_change(number: int) -> os.stat_result:
        calls.append(number)
        found = real(number)
        if len(calls) == 1:
            cut(path)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(os, "fstat", stat_and_change)
        with pytest.raises(UnusablePath, match=r"a\.txt changed while"):
            train_sentencepiece(input=str(path), vocab_size=100, model_type="bpe")
    with monkeypatch.context() as patch:
        after_one_block(patch, cut, path)
        with pytest.raises(UnusablePath, match=r"a\.txt"):
            list(Corpus(path))


def test_a_file_behind_standard_input_is_a_file(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text(LINES, encoding="utf-8")
    with path.open("rb") as file, monkeypatch.context() as patch:
        patch.setattr("sys.stdin", file)
        given = sources.opened("-")
        assert given.__enter__() is file
        cut(path)
        with pytest.raises(UnusablePath, match="standard input changed"):
            given.__exit__(None, None, None)


def test_pipes_and_files_that_the_system_makes_up_are_read(verbs, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(LINES.encode(),))
    writer.start()
    assert json.loads(verbs("count", "--format", "jsonl", pipe).out)["bytes"] == len(LINES)
    writer.join()
    for made_up in ("/dev/null", "/proc/version", "/proc/self/status"):
        if Path(made_up).exists():
            assert verbs("count", made_up).code == 0
