"""minbpe-course counts: its output equals that of the library, and wrong options are reported."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from minbpe_course import count_words, merge_counts, open_counts, prune_counts, write_counts
from minbpe_course.corpus.texts import course_text
from tests.counting.counts_cases import hostile_text, run_of

TEXT = hostile_text(8, 3000)


@pytest.fixture
def path(tmp_path):
    counts = dict(count_words(course_text(), pattern="gpt2"))
    return write_counts(counts, tmp_path / "text.counts", pattern="gpt2", special_tokens=["<|x|>"]).path


@pytest.fixture
def hostile(tmp_path):
    path = tmp_path / "hostile.counts"
    path.write_bytes(run_of(TEXT))
    return path


def covering(counts: list[int], share: int) -> int:
    """How many of the greatest make up so many per cent, one after the other."""
    covered = needed = 0
    for count in sorted(counts, reverse=True):
        if 100 * covered >= share * sum(counts):
            break
        covered += count
        needed += 1
    return needed


def test_show_for_machines_and_people(verbs, path, hostile):
    for each in (path, hostile):
        counts = open_counts(each)
        facts = json.loads(verbs("counts", "show", each, "--format", "json", "--top", 3).out)
        assert facts["distinct_words"] == len(counts)
        assert (facts["occurrences"], facts["bytes"]) == (counts.occurrences, counts.bytes)
        assert facts["occur_once"] == sum(count == 1 for count in counts.values())
        for share, words in facts["words_that_cover"].items():
            assert words == covering(list(counts.values()), int(share))
        assert [row["count"] for row in facts["most_common"]] == [count for _, count in counts.most_common(3)]
    page = verbs("counts", "show", path).out.decode()
    assert "' the'" in page
    assert "that of gpt2" in page
    assert "<|x|>" in page
    assert "only their order" in page
    assert len(verbs("counts", "show", path, hostile, "--format", "json").out) > 1000
    two = json.loads(verbs("counts", "show", path, hostile, "--format", "json", "--top", 0).out)
    assert [one["most_common"] for one in two] == [[], []]


def test_merge_and_prune(verbs, path, tmp_path):
    done = verbs("counts", "merge", path, path, "-o", tmp_path / "sum.counts")
    assert done.code == 0
    assert (tmp_path / "sum.counts").read_bytes() == merge_counts([path, path], tmp_path / "y").path.read_bytes()
    done = verbs("counts", "prune", tmp_path / "sum.counts", "--min-frequency", 4, "-o", tmp_path / "few.counts")
    few = prune_counts(tmp_path / "sum.counts", tmp_path / "z", 4)
    assert (tmp_path / "few.counts").read_bytes() == few.path.read_bytes()
    assert f"dropped {few.dropped.words:,} distinct words" in done.out.decode()
    page = verbs("counts", "show", tmp_path / "few.counts").out.decode()
    assert "below 4 may be missing" in page
    assert f"{few.dropped.bytes:,} bytes" in page
    verbs("counts", "merge", path, path, "--min-frequency", 4, "-o", tmp_path / "at once.counts")
    assert (tmp_path / "at once.counts").read_bytes() == few.path.read_bytes()


def test_check(verbs, path, hostile):
    done = verbs("counts", "check", path, hostile)
    assert (done.code, done.err) == (0, "")
    assert open_counts(path).sha256 in done.out.decode()
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    done = verbs("counts", "check", path, hostile)
    assert done.code == 1
    assert "byte " in done.err
    assert str(hostile) in done.out.decode(), "the others are checked all the same"


def test_export(verbs, hostile):
    expected = Counter(TEXT)
    rows = [json.loads(line) for line in verbs("counts", "export", hostile).out.splitlines()]
    found = {row["word"].encode() if "word" in row else bytes.fromhex(row["hex"]): row["count"] for row in rows}
    assert found == expected
    lines = verbs("counts", "export", hostile, "--format", "tsv").out.decode().split("\n")
    assert lines.pop() == ""
    assert [int(line.split("\t")[1]) for line in lines] == list(open_counts(hostile).values())
    assert len({line.split("\t")[0] for line in lines}) == len(expected), "an escape must not make two words one"
    top = verbs("counts", "export", hostile, "--format", "tsv", "--top", 2).out.decode().splitlines()
    assert [int(line.split("\t")[1]) for line in top] == [count for _, count in expected.most_common(2)]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("show {} --min-frequency 2", "is for merge and prune"),
        ("merge {}", "say where"),
        ("prune {} -o x", "--min-frequency 2"),
    ],
)
def test_invalid_combinations_are_refused(verbs, path, line, said, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    done = verbs("counts", *line.format(path, path).split(" "))
    assert (done.code, done.out) == (2, b"")
    assert said in done.err
    assert not (tmp_path / "x").exists()
