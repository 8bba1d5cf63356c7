"""minbpe-course count of each word, and train from what it wrote: the same as in Python; contradictions are told."""

from __future__ import annotations

import gzip
import json
import random
import shutil
from collections import Counter
from pathlib import Path

import pytest

from minbpe_course import (
    RegexTokenizer,
    count_words,
    merge_counts,
    open_counts,
    prune_counts,
    train,
    write_counts,
)
from minbpe_course.corpus.reading import Corpus
from minbpe_course.corpus.texts import course_text
from tests.counting.counts_cases import hostile_text as hostile_words
from tests.counting.counts_cases import run_of
from tests.shared.cases import hostile_text

pytestmark = pytest.mark.medium

ROOT = Path(__file__).parents[2]
SPECIAL = "<|end|>"
COUNTED = hostile_words(8, 3000)


@pytest.fixture
def paths(tmp_path):
    rng = random.Random(8)
    made = []
    for number in range(3):
        made.append(tmp_path / f"{number}.txt")
        text = hostile_text(rng, pieces=80, surrogates=False) + SPECIAL + "the cat https://a.io in the hat\n" * 20
        made[-1].write_bytes(text.encode("utf-8"))
    return made


def written(verbs, tmp_path, *options) -> bytes:
    out = tmp_path / "made.counts"
    done = verbs("count", *options, "-o", out)
    assert (done.code, done.err) == (0, ""), done.err
    assert done.out.decode().splitlines()[0] == f"{out}: {out.stat().st_size:,} bytes"
    return out.read_bytes()


@pytest.mark.parametrize("pattern", ["cl100k_base", "none"])
def test_every_way_of_counting_writes_the_same_file(verbs, tmp_path, paths, tiny, pattern):
    options = ["--pattern", pattern, "--special", SPECIAL]
    wanted = tmp_path / "wanted.counts"
    count_words(Corpus(*paths), pattern=None if pattern == "none" else pattern, special_tokens=[SPECIAL], output=wanted)
    packed = tmp_path / "1.txt.gz"
    packed.write_bytes(gzip.compress(paths[1].read_bytes()))
    for more in (
        paths,
        [tmp_path / "[012].txt"],
        [*paths, "-j", 1],
        [*paths, "--memory", "64MB"],
        [*paths, "--checkpoint", tmp_path / "work"],
        [*paths, "--checkpoint", tmp_path / "work"],
        [paths[0], packed, paths[2]],
        [paths[0], packed, paths[2], "--memory", "64MB"],
    ):
        assert written(verbs, tmp_path, *options, *more) == wanted.read_bytes(), more
    given = b"".join(path.read_bytes() for path in paths[:1])
    done = verbs("count", *options, "-o", tmp_path / "piped.counts", stdin=given)
    assert done.code == 0
    assert dict(open_counts(tmp_path / "piped.counts")) == dict(
        count_words(given.decode(), pattern=None if pattern == "none" else pattern, special_tokens=[SPECIAL])
    )


def test_lines_and_fields_are_documents_whatever_the_memory(verbs, tmp_path, tiny):
    lines, fields = tmp_path / "a.txt", tmp_path / "a.jsonl"
    lines.write_bytes(b"one\ntwo three\n\nfour")
    fields.write_text("".join(json.dumps({"t": each}) + "\n" for each in ("one", "two\nthree", "")), encoding="utf-8")
    for options in (["--lines", lines], ["--field", "t", fields]):
        found = {written(verbs, tmp_path, "--pattern", "none", *options, *more) for more in ([], ["--memory", "64MB"])}
        assert len(found) == 1
    assert dict(open_counts(tmp_path / "made.counts")) == {b"one": 1, b"two\nthree": 1}


def test_the_summary_of_the_words(verbs, paths):
    text = b"".join(path.read_bytes() for path in paths).decode()
    whole = count_words(Corpus(*paths), special_tokens=[SPECIAL])
    for options in ([], ["--memory", "64MB"]):
        done = verbs("count", "--words", "--special", SPECIAL, "--min-frequency", 3, *options, *paths)
        assert (done.code, done.err) == (0, "")
        kept = count_words(Corpus(*paths), special_tokens=[SPECIAL], min_frequency=3)
        said = done.out.decode("ascii").splitlines()
        size = len(text.replace(SPECIAL, "").encode())
        assert said[0] == f"{len(kept):,} distinct words, {sum(kept.values()):,} in all, {size:,} bytes of text"
        assert said[1].startswith(f"left out, since they occur less than 3 times: {kept.dropped.words:,} distinct")
        assert said[2] == "the commonest:"
        assert len(said) == 13
        common = max(whole.items(), key=lambda pair: pair[1])
        assert said[3].split() == [f"{common[1]:,}", repr(common[0].decode())] or repr(common[0].decode()) in said[3]
        told = json.loads(verbs("count", "--words", "--special", SPECIAL, "--format", "jsonl", *options, *paths).out)
        assert (told["distinct_words"], told["bytes"], told["file"]) == (len(whole), size, None)
        assert len(told["most_common"]) == 10


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--words", "-t", "gpt2"], "--tokenizer is about tokens"),
        (["--words", "-o", "-"], "-o corpus.counts"),
        (["--memory", "1kB"], "too few"),
        (["--words", "--pattern", "["], "not a regular expression"),
        (["--checkpoint", "{}/0.txt"], "is a file"),
        (["--dask", "nowhere"], "is not a cluster"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_impossible_requests_are_reported(verbs, tmp_path, paths, options, said):
    before = sorted(tmp_path.rglob("*"))
    done = verbs("count", paths[0], *(each.replace("{}", str(tmp_path)) for each in options))
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("minbpe-course count: ")
    assert said in done.err
    assert sorted(tmp_path.rglob("*")) == before


# ----------------------------------------------------------------------------------------------------
# Counts files


@pytest.fixture
def path(tmp_path):
    counts = dict(count_words(course_text(), pattern="gpt2"))
    return write_counts(counts, tmp_path / "text.counts", pattern="gpt2", special_tokens=["<|x|>"]).path


@pytest.fixture
def hostile(tmp_path):
    (tmp_path / "hostile.counts").write_bytes(run_of(COUNTED))
    return tmp_path / "hostile.counts"


def test_counts_files_are_shown(verbs, path, hostile):
    found = [
        json.loads(line) for line in verbs("count", "--format", "jsonl", "--top", 3, path, hostile).out.splitlines()
    ]
    for facts, each in zip(found, (path, hostile)):
        counts = open_counts(each)
        assert (facts["file"], facts["sha256"]) == (str(each), counts.sha256)
        assert (facts["distinct_words"], facts["occurrences"]) == (len(counts), sum(counts.values()))
        assert [count for _, count in facts["most_common"]] == [count for _, count in counts.most_common(3)]
    assert (found[0]["special_tokens"], found[0]["places"]) == (["<|x|>"], "order")
    page = verbs("count", path).out.decode().splitlines()
    assert page[0] == f"{path}: {path.stat().st_size:,} bytes"
    assert "' the'" in " ".join(page[2:])
    assert json.loads(verbs("count", "--format", "json", "--top", 0, path).out)["most_common"] == []


def test_counts_files_are_added_and_pruned(verbs, path, tmp_path):
    again = shutil.copy(path, tmp_path / "again.counts")
    assert verbs("count", path, again, "-o", tmp_path / "sum.counts").code == 0
    assert (tmp_path / "sum.counts").read_bytes() == merge_counts([path, path], tmp_path / "y").path.read_bytes()
    done = verbs("count", tmp_path / "sum.counts", "--min-frequency", 4, "-o", tmp_path / "few.counts")
    few = prune_counts(tmp_path / "sum.counts", tmp_path / "z", 4)
    assert (tmp_path / "few.counts").read_bytes() == few.path.read_bytes()
    assert f"less than 4 times: {few.dropped.words:,} distinct words" in done.out.decode()
    verbs("count", path, again, "--min-frequency", 4, "-o", tmp_path / "at once.counts")
    assert (tmp_path / "at once.counts").read_bytes() == few.path.read_bytes()


def test_damaged_counts_files_are_named(verbs, path, hostile):
    data = bytearray(path.read_bytes())
    data[-60] ^= 1
    path.write_bytes(data)
    done = verbs("count", path, hostile)
    assert (done.code, f"{path}: byte " in done.err) == (2, True)
    assert str(hostile) in done.out.decode(), "the others are checked all the same"


def test_words_are_written_as_a_table(verbs, hostile, paths, tmp_path):
    expected = Counter(COUNTED)
    lines = verbs("count", hostile, "--format", "tsv").out.decode().split("\n")
    assert lines.pop() == ""
    assert [tuple(map(int, line.split("\t")[1:])) for line in lines] == [row[1:] for row in open_counts(hostile).rows()]
    assert len({line.split("\t")[0] for line in lines}) == len(expected), "an escape must not make two words one"
    top = verbs("count", hostile, "--format", "tsv", "--top", 2).out.decode().splitlines()
    assert [int(line.split("\t")[1]) for line in top] == [count for _, count in expected.most_common(2)]
    # The same from the text, without a file.
    written(verbs, tmp_path, *paths)
    tables = [
        verbs("count", "--format", "tsv", "--top", 9, *given).out for given in ([tmp_path / "made.counts"], paths)
    ]
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{counts} --min-frequency 2", "-o smaller.counts"),
        ("{counts} {text}", "count those first"),
        ("{counts} --memory 64MB", "--memory is for text"),
        ("{counts} --pattern gpt2", "--pattern is for text"),
        ("{counts} --only words", "--only is about tokens"),
        ("{text} --words --top -1", "-1 is below 0"),
    ],
)
def test_options_for_something_else_are_refused(verbs, path, paths, line, said):
    done = verbs("count", *line.format(counts=path, text=paths[0]).split(" "))
    assert (done.code, done.out) == (2, b"")
    assert said in done.err


# ----------------------------------------------------------------------------------------------------
# train


def test_training_from_counts_is_training_from_texts(verbs, tmp_path, paths):
    cut = ["--pattern", "gpt2", "--special", SPECIAL]
    written(verbs, tmp_path, *cut, *paths)
    counts, size = tmp_path / "made.counts", ["-n", 400, "--tie-break", "huggingface"]
    wanted = train(paths, 400, tie_break="huggingface", pattern="gpt2", special_tokens=[SPECIAL])
    for number, options in enumerate(
        (
            [*paths, *cut],
            [counts],
            [counts, *cut],
            [*paths, *cut, "--memory", "64MB"],
            [*paths, *cut, "--checkpoint", tmp_path / "work"],
            [*paths, *cut, "--checkpoint", tmp_path / "work"],
            [counts, "--checkpoint", tmp_path / "other"],
        )
    ):
        model = tmp_path / f"{number}.model"
        done = verbs("train", *size, *options, "-o", model)
        assert (done.code, done.err) == (0, ""), options
        assert b"400 tokens: 256 bytes, 143 merges, 1 special token" in done.out
        assert RegexTokenizer().load(model).model == wanted, options


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["{}/made.counts", "--pattern", "gpt2"], "Leave --pattern away"),
        (["{}/made.counts", "{}/0.txt"], "count ONE.counts TWO.counts"),
        (["{}/made.counts", "--kind", "sentencepiece-bpe"], "needs the text itself"),
        (["{}/cut.counts"], "cut.counts"),
        (["{}/0.txt", "--kind", "sentencepiece-bpe", "--memory", "1GB"], "--memory goes with --kind bpe"),
        (["{}/0.txt", "--checkpoint", "{}/work"], "pattern"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_training_errors_are_reported(verbs, tmp_path, paths, options, said):
    data = count_words("low lower", output=tmp_path / "made.counts").path.read_bytes()
    (tmp_path / "cut.counts").write_bytes(data[: len(data) // 2])
    train(Corpus(paths[0]), 300, pattern="gpt2", checkpoint=tmp_path / "work")
    done = verbs(
        "train", "-n", 300, "-o", tmp_path / "x.model", *(each.replace("{}", str(tmp_path)) for each in options)
    )
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("minbpe-course train: ")
    assert said in done.err
    assert "count_words" not in done.err
    assert not (tmp_path / "x.model").exists()
