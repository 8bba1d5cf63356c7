"""Compare the right tokenizers of lesson 18 with tiktoken."""

from __future__ import annotations

import itertools
from random import Random

import pytest
import tiktoken

from minbpe_course.learning.exercises.lesson_18 import tests_of_tokenizer
from minbpe_course.learning.judge.callers import implementation_of
from tests.shared.lesson_code import solved

pytestmark = pytest.mark.medium


@pytest.mark.parametrize("number", range(len(tests_of_tokenizer.RIGHT)))
def test_the_right_tokenizers_are_tiktoken(number: int) -> None:
    ranks = dict(solved("18")["RANKS"])
    witness = tiktoken.Encoding("one word", pat_str=r"[\s\S]+", mergeable_ranks=ranks, special_tokens={})
    tokenizer = implementation_of(tests_of_tokenizer.RIGHT[number], "tokenizer")
    texts = ["".join(letters) for size in range(1, 7) for letters in itertools.product("abc", repeat=size)]
    texts += ["the theatre", " a\r\n", "aab" * 70, "e\u0301", "\U0001f600"]
    ids = tokenizer(ranks, [("encode", text) for text in texts])
    assert ids == [witness.encode_ordinary(text) for text in texts]
    dice = Random(2)
    rows = [[dice.choice(list(ranks.values())) for _ in range(dice.randint(0, 6))] for _ in range(200)]
    assert tokenizer(ranks, [("decode", row) for row in rows]) == [witness.decode(row) for row in rows]
    with pytest.raises((KeyError, ValueError)):
        tokenizer(ranks, [("decode", [99_999])])
