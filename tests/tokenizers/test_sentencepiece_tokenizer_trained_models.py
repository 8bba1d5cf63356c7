"""Models that sentencepiece trains on the spot, and Mistral's, against sentencepiece 0.2.3 itself.

In CI some hundred texts for each model. The long run, 20,000 for each, takes about a minute a model::

    MINBPE_COURSE_LONG_TESTS=1 python -m pytest tests/test_sentencepiece_tokenizer_trained_models.py -k "bpe"
"""

from __future__ import annotations

import os
import random
from functools import cache

import pytest

from minbpe_course.corpus.texts import course_text
from tests.shared.piece_cases import NAMES, fixed_texts, mistral_files, trained
from tests.shared.random_pieces import random_texts
from tests.tokenizers.piece_differences import Both

pytestmark = pytest.mark.medium

LONG = os.environ.get("MINBPE_COURSE_LONG_TESTS") == "1"
TEXTS, IN_EVERYTHING = (20_000, 1_000) if LONG else (400, 60)
AT_A_TIME = 2_000

# Words of one letter for the longest text, words that no model knows, no words at all.
LONG_TEXTS = {
    "the course": lambda: (course_text() * 9)[:250_000],
    "no spaces": lambda: "".join(course_text().split())[:60_000],
    "one letter": lambda: "a" * 30_000,
    "spaces": lambda: " " * 20_000 + "x" + " " * 20_000,
    "unknown": lambda: "鬱" * 9_000 + "\0" * 900,
    "nines": lambda: "9" * 20_000,
    "overlapping": lambda: "aab" * 9_000 + "<a><b><a" * 2_000,
}


@cache
def both(name: str) -> Both:
    data = mistral_files()[name].read_bytes() if name in mistral_files() else trained(name)
    return Both(name, data)


@pytest.mark.parametrize("name", [*mistral_files(), *NAMES])
def test_generated_texts(name: str) -> None:
    rng = random.Random(f"2026 {name}")
    model = both(name)
    model.same_vocabulary()
    model.same_ids(fixed_texts())
    data = model.theirs.serialized_model_proto()
    for begin in range(0, TEXTS, AT_A_TIME):
        texts = random_texts(rng, data, min(AT_A_TIME, TEXTS))
        model.same_ids(texts)
        for number, text in enumerate(texts, start=begin):
            if number < IN_EVERYTHING:
                model.same_in_everything(text, rng)
            elif LONG:
                model.same_in_places(text)
    for text in fixed_texts()[:: 1 if LONG else 20]:
        model.same_in_everything(text, rng)


@pytest.mark.parametrize("text", LONG_TEXTS)
def test_long_texts(text: str) -> None:
    names = [*mistral_files(), *NAMES] if LONG else ["v1", "v7", *NAMES[::5]]
    for name in names:
        model = both(name)
        ids = model.same("encode", LONG_TEXTS[text]())
        model.same("decode", ids)
        model.same("encode", LONG_TEXTS[text](), out_type=str)
        if LONG:
            model.same("encode", LONG_TEXTS[text](), out_type="serialized_proto")
