"""Check the part of lesson 04's class that the learner is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from minbpe_course.learning.exercises.lesson_03.regex_tokenizer import RegexTokenizer
from minbpe_course.learning.exercises.lesson_04.gpt4_tokenizer import GPT4Tokenizer
from minbpe_course.text.byte_alphabet import PRINTABLE_ORDER

PATTERN = r"\w+|\W"
TEXT = "low lower lowest"


@pytest.mark.parametrize("again", ["train", "load"])
def test_a_tokenizer_made_from_ranks_can_be_trained_or_loaded(again: str, tmp_path: Path) -> None:
    """Else it would keep the ids that the ranks gave to the bytes, and encode with merges that mean other bytes."""
    trained = RegexTokenizer(PATTERN).train(TEXT, 260)
    trained.save(tmp_path / "a.model")
    ranks = {bytes([byte]): rank for rank, byte in enumerate(PRINTABLE_ORDER)}
    made = GPT4Tokenizer.from_ranks({**ranks, b"lo": 256}, PATTERN)
    assert made.encode("low") != trained.encode("low")
    made = made.train(TEXT, 260) if again == "train" else made.load(tmp_path / "a.model")
    assert made.encode(TEXT) == trained.encode(TEXT)
    assert made.decode(made.encode(TEXT)) == TEXT
    made.save(tmp_path / "b.model")
    assert (tmp_path / "b.model").read_bytes() == (tmp_path / "a.model").read_bytes()
