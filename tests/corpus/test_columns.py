"""Columns of Parquet files as documents, and the errors for tables without text."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from minbpe_course.corpus import columns
from minbpe_course.corpus.reading import Corpus, Cutter
from minbpe_course.errors import InvalidSource, MissingFile, UnreadableInput
from tests.corpus.corpus_files import all_pieces, assert_resumes, documents_in, written

pytestmark = pytest.mark.medium

GPT2 = Cutter("gpt2")


def read(corpus: Corpus, size: int = 10) -> list[str]:
    return documents_in(all_pieces(corpus, GPT2, size))


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
        with pytest.raises(UnreadableInput, match=r"cut\.parquet is not a complete Parquet file"):
            read(Corpus(path))
    with pytest.raises(MissingFile):
        read(Corpus(tmp_path / "no.parquet"))


DAMAGING = """
import random, sys
from pathlib import Path
from minbpe_course.corpus.reading import Corpus
from minbpe_course.errors import MinbpeCourseError

path, chance = Path(sys.argv[1]), random.Random(2)
good, refused = path.read_bytes(), 0
for _ in range(1500):
    data = bytearray(good)
    for _ in range(chance.choice([1, 2, 5])):
        data[chance.randrange(len(data))] = chance.randrange(256)
    path.write_bytes(data)
    try:
        list(Corpus(path, field="text"))
    except MinbpeCourseError:
        refused += 1
print(refused)
"""


@pytest.mark.slow
def test_any_damaged_byte_of_a_table_is_a_named_error_or_harmless(tmp_path):
    # In another process, because pyarrow aborts while it reads some of these files.
    path = table(tmp_path / "pages.parquet", group=100, text=pa.array(["a", "b", "c"] * 10, pa.large_string()))
    done = subprocess.run([sys.executable, "-c", DAMAGING, path], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 1000


def test_a_column_that_is_not_utf8(tmp_path):
    wrong = pa.array([b"one", b"caf\xe9"]).cast(pa.binary()).view(pa.string())
    path = table(tmp_path / "pages.parquet", text=wrong)
    with pytest.raises(UnreadableInput, match=r"row 1 \(from 0\), is not UTF-8 in 'text': byte 3 is 0xe9"):
        list(Corpus(path))
    assert list(Corpus(path, errors="replace")) == ["one", "caf\ufffd"]
