"""Check the exercises of lessons 07 and 08: safe cuts, growth of trainers."""

from __future__ import annotations

from random import Random

import pytest

from minbpe_course.corpus.texts import course_text
from minbpe_course.learning.exercises.lesson_07 import tests_of_growth
from minbpe_course.learning.exercises.lesson_08 import safe_cuts
from minbpe_course.learning.judge.callers import implementation_of
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN

pytestmark = pytest.mark.medium


def words_of(text: bytes) -> list[bytes]:
    return Splitter(GPT2_SPLIT_PATTERN).words(text.decode("utf-8"))


def test_a_safe_cut_is_safe_in_the_text_that_the_window_came_from():
    """Compare with the package's own splitter on the course text, with all its scripts and odd spaces."""
    text = course_text().encode("utf-8")
    whole = words_of(text)
    random = Random(5)
    safe = 0
    for _ in range(60):
        begin = random.randrange(len(text) - safe_cuts.WIDTH)
        window = text[begin : begin + safe_cuts.WIDTH]
        for cut in random.sample(range(safe_cuts.WIDTH), 20):
            if safe_cuts.broken_word(window, cut) is None:
                assert words_of(text[: begin + cut]) + words_of(text[begin + cut :]) == whole, (window, cut)
                safe += 1
    assert safe > 100


QUADRATIC = [mutant for mutant in tests_of_growth.EXERCISE.mutants if mutant.category == tests_of_growth.QUADRATIC]


def made_words(seed: int, size: int, letters: bytes = b"abcdefghij", longest: int = 9) -> dict[bytes, int]:
    random = Random(seed)
    words = {}
    for _ in range(size):
        words[bytes(random.choices(letters, k=random.randint(1, longest)))] = random.randint(1, 9)
    return words


def grown(source: str) -> float:
    train = implementation_of(source, "train")
    return train(made_words(1, 400), 400)[1] / train(made_words(1, 50), 50)[1]


def test_eight_times_the_words_tell_quadratic_trainers_from_right_ones():
    """Linear growth is 8 times, quadratic 64 times; merges get cheaper on the way, so both are less."""
    assert all(8 < grown(source) < 16 for source in tests_of_growth.EXERCISE.right)
    assert all(28 < grown(mutant.source) < 64 for mutant in QUADRATIC)
