"""``train`` begins with texts, files or counts, keeps its work in a folder, and ends with one and the same model."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from minbpe_course import train
from minbpe_course.corpus.reading import Corpus
from minbpe_course.corpus.texts import course_sections
from minbpe_course.counting.count_words import count_words
from minbpe_course.errors import InvalidOption, InvalidSource, InvalidVocabularySize, TrainingStoppedEarly
from minbpe_course.text.patterns import named_pattern
from minbpe_course.trainers import byte_pair

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
def test_counts_train_the_same_model_as_texts(tie_break, folder, counts, tmp_path):
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
        with pytest.raises(InvalidSource, match="Leave pattern out") as raised:
            train(source, 300, pattern="cl100k_base")
        assert repr(named_pattern("gpt2")) in str(raised.value)
        with pytest.raises(InvalidSource, match="Leave pattern out"):
            train(source, 300, pattern=None)
        with pytest.raises(InvalidSource, match=r"special_tokens=\['<\|end\|>', '<\|pad\|>'\]"):
            train(source, 300, special_tokens=[SPECIAL])
        # The order is that of their ids, which does not matter to the words.
        assert train(source, 300, special_tokens=["<|pad|>", SPECIAL]).special_tokens == {"<|pad|>": 298, SPECIAL: 299}
    with pytest.raises(InvalidVocabularySize):
        train(counts, 257)
    with pytest.raises(InvalidOption, match="engine="):
        train(counts, 300, engine=object())


@pytest.mark.parametrize(("specials", "reached"), [((), 258), ([SPECIAL], 259)])
def test_a_text_that_is_too_short_is_said_so(specials: list[str], reached: int) -> None:
    with pytest.warns(TrainingStoppedEarly, match=f"the vocabulary has {reached} tokens, not 5000") as said:
        assert train("abc", 5_000, special_tokens=specials).vocab_size == reached
    assert said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert train("abc", reached, special_tokens=specials).vocab_size == reached
