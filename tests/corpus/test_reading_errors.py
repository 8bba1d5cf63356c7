"""Errors in reading a corpus say what is wrong, where, and what to type next."""

from __future__ import annotations

import json
import os
import re
import sys
import threading

import pytest

from minbpe_course.corpus.reading import Corpus, Cutter, read_part
from minbpe_course.errors import (
    FolderGiven,
    InvalidOption,
    InvalidSource,
    MissingFile,
    NotPermitted,
    UnreadableInput,
    UnusablePath,
)
from tests.corpus.corpus_files import PACKERS, all_pieces, assert_resumes, documents_in, written

pytestmark = pytest.mark.medium

GPT2 = Cutter("gpt2")


def read(corpus: Corpus, size: int = 10) -> list[str]:
    return documents_in(all_pieces(corpus, GPT2, size))


@pytest.mark.parametrize("options", [{}, {"lines": True}])
@pytest.mark.parametrize("size", [3, 1000])
def test_bytes_that_are_not_utf8(options, size, tmp_path):
    path = written(tmp_path / "latin.txt", b"first line\nsecond caf\xe9 line\nthird " * 2)
    with pytest.raises(UnreadableInput, match=r"latin\.txt is not UTF-8: byte 21 is 0xe9 \(line 2\)") as told:
        read(Corpus(path, **options), size)
    assert isinstance(told.value, (InvalidSource, UnreadableInput))
    assert "errors='replace'" in str(told.value)
    assert read(Corpus(path, errors="replace"), size) == [path.read_text("utf-8", "replace")]


@pytest.mark.parametrize(
    ("data", "like"),
    [("text".encode("utf-16"), "UTF-16"), (b"PK\x03\x04\xff", "a zip archive"), (b"PAR1\xff", "Parquet")],
)
def test_an_error_says_what_a_file_looks_like(data, like, tmp_path):
    with pytest.raises(UnreadableInput, match=like):
        list(Corpus(written(tmp_path / "text.txt", data)))


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


@pytest.mark.parametrize("change", ["longer", "shorter", "another", "gone"])
@pytest.mark.parametrize("when", ["between", "within"])
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

    expected = MissingFile if change == "gone" else UnusablePath
    if when == "between":
        list(read_part(parts[0], GPT2))
        meddle()
        with pytest.raises(expected, match=re.escape(str(path))):
            list(read_part(parts[1], GPT2))
    elif sys.platform != "win32" or expected is UnusablePath:
        pieces = read_part(parts[0], GPT2)
        next(pieces)
        meddle()
        if expected is UnusablePath:
            with pytest.raises(UnusablePath, match=re.escape(str(path))):
                list(pieces)
        else:
            # An open file can be read to its end after its name is gone.
            list(pieces)
    if expected is UnusablePath:
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
