"""``train`` begins with texts, files or counts, keeps its work in a folder, and ends with one and the same model."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from minbpe_course import train
from minbpe_course.corpus.reading import Corpus
from minbpe_course.corpus.texts import course_sections
from minbpe_course.counting.bounded import CountProgress
from minbpe_course.counting.count_words import count_words
from minbpe_course.counting.counts_file import loading
from minbpe_course.errors import (
    DifferentCheckpoint,
    DifferentCounts,
    InvalidOption,
    InvalidVocabularySize,
    UnknownTieBreak,
    UnreadableCounts,
)
from minbpe_course.text.patterns import named_pattern
from minbpe_course.trainers import byte_pair, training_words
from minbpe_course.trainers.byte_pair import MergeProgress

ROOT = Path(__file__).parents[2]
KILLS = 30 if os.environ.get("MINBPE_COURSE_LONG_TESTS") else 1
SPECIAL = "<|end|>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sections of the course's text, a file each, with special tokens between the paragraphs."""
    made = tmp_path_factory.mktemp("texts")
    for number, text in enumerate(course_sections().values()):
        (made / f"{number:02}.txt").write_text(text.replace("\n\n", SPECIAL), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def counts(folder: Path) -> Path:
    path = folder / "corpus.counts"
    count_words(Corpus(folder / "*.txt"), pattern="gpt2", special_tokens=[SPECIAL, "<|pad|>"], output=path)
    return path


@pytest.mark.parametrize("tie_break", byte_pair.TIE_BREAKS)
def test_counts_are_as_good_as_the_texts(tie_break, folder, counts, tmp_path):
    cut = dict(pattern="gpt2", special_tokens=[SPECIAL, "<|pad|>"])
    expected = train(sorted(folder.glob("*.txt")), 700, tie_break=tie_break, **cut)
    assert expected.pattern == named_pattern("gpt2")
    assert expected.special_tokens == {SPECIAL: 698, "<|pad|>": 699}
    assert train(counts, 700, tie_break=tie_break) == expected
    assert train(counts, 700, tie_break=tie_break, **cut) == expected
    assert train(Corpus(folder / "*.txt"), 700, tie_break=tie_break, memory="64MB", **cut) == expected
    kept = train(Corpus(folder / "*.txt"), 700, tie_break=tie_break, checkpoint=tmp_path, **cut)
    assert kept == expected


def test_a_counts_file_says_how_its_words_were_cut(counts):
    from minbpe_course import open_counts

    opened = open_counts(counts)
    for source in (counts, opened):
        with pytest.raises(DifferentCounts, match="Leave pattern away") as raised:
            train(source, 300, pattern="cl100k_base")
        assert repr(named_pattern("gpt2")) in str(raised.value)
        with pytest.raises(DifferentCounts, match="Leave pattern away"):
            train(source, 300, pattern=None)
        with pytest.raises(DifferentCounts, match=r"special_tokens=\['<\|end\|>', '<\|pad\|>'\]"):
            train(source, 300, special_tokens=[SPECIAL])
        # The order is that of their ids, which does not matter to the words.
        assert train(source, 300, special_tokens=["<|pad|>", SPECIAL]).special_tokens == {"<|pad|>": 298, SPECIAL: 299}
    with pytest.raises(InvalidVocabularySize):
        train(counts, 257)
    with pytest.raises(InvalidOption, match="engine="):
        train(counts, 300, engine=object())


def test_word_counts_take_the_pattern_that_is_said():
    assert train({"low": 5, "lower": 2}, 260).pattern == train("low lower", 258).pattern
    assert train({"low": 5, "lower": 2}, 260, pattern=None, special_tokens=[SPECIAL]).pattern is None


def test_a_damaged_counts_file_is_not_trained_on(counts, tmp_path):
    data = bytearray(counts.read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "damaged.counts").write_bytes(data)
    with pytest.raises(UnreadableCounts, match=r"damaged\.counts"):
        train(tmp_path / "damaged.counts", 700)


def test_mapped_counts_train_like_others_and_compile_nothing(counts, monkeypatch):
    from minbpe_course.kernels.training import training

    expected = train(counts, 600)
    before = None if os.environ.get("NUMBA_DISABLE_JIT") == "1" else len(training.train_merges.signatures)
    real = loading.loaded
    monkeypatch.setattr(loading, "loaded", lambda counts, memory: real(counts, 1 << 16))
    assert train(counts, 600) == expected
    if before is not None:
        assert len(training.train_merges.signatures) == before


# ----------------------------------------------------------------------------------------------------
# A folder for the work


def test_a_finished_run_does_nothing_again(folder, tmp_path, monkeypatch):
    corpus = Corpus(folder / "*.txt")
    whole = train(corpus, 700, checkpoint=tmp_path)
    assert (tmp_path / "merges" / "merges.state").is_file()
    assert list((tmp_path / "counts").glob("*.counts"))
    monkeypatch.setattr(byte_pair, "_Row", None)
    seen: list[object] = []
    assert train(corpus, 700, checkpoint=tmp_path, progress=seen.append) == whole
    assert not [each for each in seen if isinstance(each, MergeProgress)]
    assert train(corpus, 400, checkpoint=tmp_path).merges == whole.merges[:144]
    monkeypatch.undo()
    larger = train(corpus, 800, checkpoint=tmp_path, progress=seen.append)
    assert larger == train(corpus, 800)
    assert [each.done for each in seen if isinstance(each, MergeProgress)] == list(range(445, 545))


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (dict(pattern="gpt2"), "pattern"),
        (dict(special_tokens=["the"]), "special"),
        (dict(tie_break="huggingface"), "tie_break='first-seen', and now it is 'huggingface'"),
    ],
    ids=repr,
)
def test_another_call_is_told_what_differs(other, said, folder, tmp_path):
    corpus = Corpus(folder / "0*.txt")
    whole = train(corpus, 400, checkpoint=tmp_path)
    with pytest.raises(DifferentCheckpoint, match=said):
        train(corpus, 400, checkpoint=tmp_path, **other)
    assert train(corpus, 400, checkpoint=tmp_path) == whole


def test_counts_can_be_kept_in_a_folder_too(counts, tmp_path):
    whole = train(counts, 600, checkpoint=tmp_path)
    assert train(counts, 600, checkpoint=tmp_path) == whole == train(counts, 600)
    with pytest.raises(DifferentCheckpoint, match="other word counts"):
        train({"low": 5}, 600, checkpoint=tmp_path)


def test_mistakes_are_told_before_anything_is_counted(folder, monkeypatch):
    monkeypatch.setattr(training_words, "count_words", None)
    with pytest.raises(UnknownTieBreak):
        train(folder / "00.txt", 300, tie_break="last-seen")
    with pytest.raises(InvalidVocabularySize):
        train(folder / "00.txt", 255)


def test_progress_is_of_merges_alone_unless_counting_is_more_than_a_moment(folder, tmp_path):
    seen: list[object] = []
    train(Corpus(folder / "*.txt"), 300, progress=seen.append)
    assert {type(each) for each in seen} == {MergeProgress}
    seen.clear()
    train(Corpus(folder / "*.txt"), 300, progress=seen.append, checkpoint=tmp_path)
    assert {type(each) for each in seen} <= {MergeProgress, CountProgress}
    assert all(str(each) for each in seen)
    assert sum(isinstance(each, MergeProgress) for each in seen) == 44


# ----------------------------------------------------------------------------------------------------
# Killed in earnest

PROGRAM = """
import sys, time
from pathlib import Path
from minbpe_course import train
from minbpe_course.corpus.reading import Corpus
from minbpe_course.trainers import byte_pair, merging_checkpoint
byte_pair._STRIDE, merging_checkpoint._SECONDS, merging_checkpoint._TIMES = 5, 0.0, 0.0
folder, work = map(Path, sys.argv[1:])
print("begun", flush=True)
model = train(Corpus(folder / "*.txt"), 2000, checkpoint=work, memory="64MB", progress=lambda step: time.sleep(0.0003))
(work / "model").write_text(repr(model.merges), encoding="utf-8")
"""


@pytest.mark.parametrize("number", range(KILLS))
def test_a_killed_training_goes_on(number, folder, tmp_path):
    whole = train(Corpus(folder / "*.txt"), 2000)
    chance = random.Random(number)
    command = [sys.executable, "-c", PROGRAM, str(folder), str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_NUM_THREADS": "1"}
    killed = 0
    for last in (False, False, True):
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == b"begun"
            if not last:
                time.sleep(chance.uniform(0.0, 0.7))
                process.kill()
            killed += process.wait() != 0
    assert killed == 2, "a process was done before it could be killed"
    assert (tmp_path / "model").read_text(encoding="utf-8") == repr(whole.merges)
    assert np.array_equal(train(Corpus(folder / "*.txt"), 2000, checkpoint=tmp_path).pairs, whole.pairs)
