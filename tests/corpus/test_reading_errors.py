"""Errors in reading a corpus say what is wrong, where, and what to type next."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from importlib import import_module
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from minbpe_course.corpus import columns
from minbpe_course.corpus.reading import Corpus, Cutter, read_part
from minbpe_course.errors import (
    ChangedFile,
    DamagedFile,
    FolderGiven,
    InvalidOption,
    InvalidSource,
    MissingFile,
    MissingPackage,
    NotPermitted,
    NotUTF8,
    UnknownFilter,
    UnreadableInput,
    UnusablePath,
)
from tests.cli.command_line import tiny, verbs
from tests.corpus.corpus_files import PACKERS, all_pieces, assert_resumes, documents_in, written

__all__ = ["tiny", "verbs"]

GPT2 = Cutter("gpt2")


def read(corpus: Corpus, size: int = 10) -> list[str]:
    return documents_in(all_pieces(corpus, GPT2, size))


@pytest.mark.parametrize("options", [{}, {"lines": True}, {"clean": "urls"}, {"lines": True, "clean": "urls"}])
@pytest.mark.parametrize("size", [3, 40, 1000])
def test_bytes_that_are_not_utf8(options, size, tmp_path):
    path = written(tmp_path / "latin.txt", b"first line\nsecond caf\xe9 line\nthird " * 2)
    with pytest.raises(NotUTF8, match=r"latin\.txt is not UTF-8: byte 21 is 0xe9 \(line 2\)") as told:
        read(Corpus(path, **options), size)
    assert isinstance(told.value, (InvalidSource, UnreadableInput))
    assert "errors='replace'" in str(told.value)
    assert read(Corpus(path, errors="replace"), size) == [path.read_text("utf-8", "replace")]


@pytest.mark.parametrize(
    ("data", "like"),
    [("text".encode("utf-16"), "UTF-16"), (b"PK\x03\x04\xff", "a zip archive"), (b"PAR1\xff", "Parquet")],
)
def test_an_error_says_what_a_file_looks_like(data, like, tmp_path):
    with pytest.raises(NotUTF8, match=like):
        list(Corpus(written(tmp_path / "text.txt", data)))


def test_a_character_that_is_cut_off_at_the_end_of_a_file(tmp_path):
    path = written(tmp_path / "text.txt", "caf\u00e9".encode()[:-1])
    with pytest.raises(NotUTF8, match="byte 3 is 0xc3"):
        list(Corpus(path))
    assert list(Corpus(path, errors="replace")) == ["caf\ufffd"]


def test_a_byte_order_mark_is_text(tmp_path):
    path = written(tmp_path / "text.txt", b"\xef\xbb\xbftext")
    assert list(Corpus(path)) == ["\ufefftext"]


def test_an_empty_file_is_an_empty_document_and_has_no_lines(tmp_path):
    path = written(tmp_path / "empty.txt", b"")
    assert read(Corpus(path)) == [""]
    assert read(Corpus(path, lines=True)) == []
    assert read(Corpus(written(tmp_path / "empty.jsonl", b""), field="text")) == []
    (part,) = Corpus(path).parts(GPT2, 10)
    assert_resumes(part, GPT2)
    assert list(Corpus(written(tmp_path / "lines.txt", "\n\na\n\n"), lines=True)) == ["", "", "a", ""]


def test_paths_that_are_not_files(tmp_path):
    with pytest.raises(MissingFile, match="there is no file"):
        list(Corpus(tmp_path / "nothing.txt"))
    with pytest.raises(MissingFile, match=r"no file matches .*nothing\*"):
        Corpus(tmp_path / "nothing*.txt")
    with pytest.raises(FolderGiven, match=re.escape(str(tmp_path / "*"))):
        list(Corpus(tmp_path))
    with pytest.raises(UnusablePath):
        list(Corpus("a\0b"))
    for wrong in (5, b"text.txt", None):
        with pytest.raises(InvalidSource, match="a str or a Path"):
            Corpus(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidSource, match="needs files"):
        Corpus()
    (tmp_path / "folder.txt").mkdir()
    written(tmp_path / "text.txt", "text")
    assert list(Corpus(tmp_path / "*.txt")) == ["text"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="nobody forbids an administrator anything")
def test_a_file_that_may_not_be_read(tmp_path):
    path = written(tmp_path / "text.txt", "text")
    path.chmod(0)
    with pytest.raises(NotPermitted, match="cannot read"):
        list(Corpus(path))


def test_invalid_options(tmp_path):
    path = written(tmp_path / "text.txt", "text")
    with pytest.raises(InvalidOption, match="'strict' or 'replace'"):
        Corpus(path, errors="ignore")
    with pytest.raises(InvalidOption, match="give only one"):
        Corpus(path, field="text", lines=True)
    with pytest.raises(UnknownFilter, match="there is no filter 'url'"):
        Corpus(path, clean="url")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{not json", r"pages\.jsonl, line 3 is not JSON: .*"),
        ("[" * 100_000, "line 3 is not JSON: it is nested too deep|line 3 is not JSON: "),
        ("5", "line 3 is not a JSON object: it begins with '5'"),
        ('{"other": "x"}', r"line 3 has nothing under 'text'\. Its names are: 'other'"),
        ('{"text": null}', "line 3 has no text under 'text'"),
        ('{"text": "\\ud800"}', "line 3 has half a surrogate pair under 'text'"),
    ],
)
def test_lines_that_are_no_documents(line, told, tmp_path):
    good = json.dumps({"text": "the cat"})
    path = written(tmp_path / "pages.jsonl", f"{good}\n\n{line}\n{good}\n")
    for size in (5, 1 << 20):
        with pytest.raises(UnreadableInput, match=told):
            read(Corpus(path, field="text"), size)
    packed = written(tmp_path / "pages.jsonl.gz", PACKERS["gz"](path.read_bytes()))
    with pytest.raises(UnreadableInput, match=told.replace("pages\\.jsonl", "pages\\.jsonl\\.gz")):
        read(Corpus(packed, field="text"))


def test_a_surrogate_can_be_replaced(tmp_path):
    path = written(tmp_path / "pages.jsonl", '{"text": "a\\ud83d\\ude00b\\ud800"}')
    assert list(Corpus(path, field="text", errors="replace")) == ["a\U0001f600b\ufffd"]


@pytest.mark.parametrize("change", ["longer", "shorter", "another", "gone", "folder"])
@pytest.mark.parametrize("when", ["before", "between", "within"])
def test_a_file_that_changes_is_noticed(change, when, tmp_path):
    text = "the cat sat on the mat. " * 200_000
    path = written(tmp_path / "text.txt", text)
    os.utime(path, (1e9, 1e9))
    corpus = Corpus(path)
    parts = corpus.parts(GPT2, 1 << 22)
    before = corpus.fingerprint()

    def meddle() -> None:
        if change == "longer":
            with path.open("ab") as file:
                file.write(b"more")
        elif change == "shorter":
            with path.open("r+b") as file:
                file.truncate(1 << 21)
        elif change == "another":
            with path.open("r+b") as file:
                file.write(b"The")
        else:
            path.unlink()
            if change == "folder":
                path.mkdir()

    expected: type[Exception] = {"gone": MissingFile, "folder": FolderGiven}.get(change, ChangedFile)
    if when == "before":
        meddle()
        with pytest.raises(expected, match=re.escape(str(path))):
            list(read_part(parts[0], GPT2))
    elif when == "between":
        list(read_part(parts[0], GPT2))
        meddle()
        with pytest.raises(expected, match=re.escape(str(path))):
            list(read_part(parts[1], GPT2))
    elif sys.platform != "win32" or expected is ChangedFile:
        pieces = read_part(parts[0], GPT2)
        next(pieces)
        meddle()
        if expected is ChangedFile:
            with pytest.raises(ChangedFile, match=re.escape(str(path))):
                list(pieces)
        else:
            # An open file can be read to its end after its name is gone.
            list(pieces)
    if expected is ChangedFile:
        assert corpus.fingerprint() != before


def test_a_pipe_with_a_name_is_read_once(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes here")
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"the cat",))
    writer.start()
    assert list(Corpus(path)) == ["the cat"]
    writer.join()


# ---- Columns


def table(path: Path, group: int = 3, **values: list[object] | pa.Array) -> Path:
    pq.write_table(pa.table(values), path, row_group_size=group)
    return path


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_rows_are_documents(kind, tmp_path, monkeypatch):
    texts = [f"the cat {number}\n" * (number % 4) for number in range(20)]
    path = table(tmp_path / "pages.parquet", n=list(range(20)), text=pa.array(texts).cast(kind), url=["u"] * 20)
    monkeypatch.setattr(columns, "_BATCH", 64)
    corpus = Corpus(path, field="text")
    assert list(corpus) == texts
    for size in (1, 50, 1 << 20):
        assert read(corpus, size) == texts
        for part in corpus.parts(GPT2, size):
            assert_resumes(part, GPT2, every=2)
    assert read(Corpus(path, field="text", clean=[str.upper])) == [text.upper() for text in texts]


def test_the_only_column_of_strings_need_not_be_named(tmp_path):
    path = table(tmp_path / "pages.parquet", n=[1, 2], words=["one", "two"])
    assert list(Corpus(path)) == ["one", "two"]
    assert list(Corpus(table(tmp_path / "empty.parquet", words=pa.array([], pa.string())))) == []


def test_tables_without_text(tmp_path):
    path = table(tmp_path / "pages.parquet", n=[1, 2, 3, 4], a=["one", "", None, "four"], b=["", "", "", ""])
    with pytest.raises(InvalidSource, match=r"has 2 columns of strings: choose one .*a \(string\)"):
        list(Corpus(path))
    with pytest.raises(InvalidSource, match=r"has no column 'text'\. Its columns are: n \(int64\), a"):
        list(Corpus(path, field="text"))
    with pytest.raises(InvalidSource, match=r"the column 'n' of .* holds int64, not text"):
        list(Corpus(path, field="n"))
    with pytest.raises(UnreadableInput, match=r"row 2 \(from 0\), has no 'a': it is null"):
        list(Corpus(path, field="a"))
    with pytest.raises(InvalidSource, match="has no column of strings"):
        list(Corpus(table(tmp_path / "numbers.parquet", n=[1])))


def test_damaged_tables(tmp_path):
    whole = table(tmp_path / "pages.parquet", group=10, text=[f"{n} the cat sat" for n in range(2000)]).read_bytes()
    for data in (b"", b"text", whole[:-1], whole[: len(whole) // 2], whole[:500] + bytes(400) + whole[900:]):
        path = written(tmp_path / "cut.parquet", data)
        with pytest.raises(DamagedFile, match=r"cut\.parquet is not a complete Parquet file"):
            read(Corpus(path))
    with pytest.raises(MissingFile):
        read(Corpus(tmp_path / "no.parquet"))


def test_a_column_that_is_not_utf8(tmp_path):
    wrong = pa.array([b"one", b"caf\xe9"]).cast(pa.binary()).view(pa.string())
    path = table(tmp_path / "pages.parquet", text=wrong)
    with pytest.raises(NotUTF8, match=r"row 1 \(from 0\), is not UTF-8 in 'text': byte 3 is 0xe9"):
        list(Corpus(path))
    assert list(Corpus(path, errors="replace")) == ["one", "caf\ufffd"]


def test_a_table_without_pyarrow(tmp_path, monkeypatch):
    path = table(tmp_path / "pages.parquet", text=["one"])
    monkeypatch.setattr(columns, "import_module", lambda name: import_module(f"no_{name}"))
    with pytest.raises(MissingPackage, match="pip install pyarrow"):
        list(Corpus(path))


def test_verbs_read_tables(verbs, tmp_path, tiny):
    path = table(tmp_path / "pages.parquet", text=["the cat", "sat"], url=["u", "v"])
    plain = written(tmp_path / "plain.txt", "the cat\nsat\n")
    assert verbs("encode", "--field", "text", path).out == verbs("encode", "--lines", plain).out
    told = verbs("count", path, plain)
    assert told.code == 2
    assert "2 columns of strings" in told.err
    assert b"plain.txt" in told.out
