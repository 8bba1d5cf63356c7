"""The references of lesson 16, compared with slow counting, other programs, and the insides of models."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from functools import partial

import numpy as np
import pytest
import tiktoken
from tokenizers import Tokenizer, models

from minbpe_course import use_bundled_vocabularies
from minbpe_course.checks.callers import implementation_of
from minbpe_course.checks.lesson_16 import (
    cannot_write,
    futures,
    hidden_letters,
    rank_untrained,
    tests_of_clean,
    token_values,
)
from tests.shared.lesson_code import cases_under

pytestmark = pytest.mark.medium

cases = partial(cases_under, 8)


def test_hidden_letters_are_all_but_those_that_stand_alone() -> None:
    for case in cases("16.hidden_letters"):
        (tokens,) = case.args
        letters = [sum(char.isalpha() for char in token) for token in tokens]
        assert hidden_letters.hidden_letters(tokens) + letters.count(1) == sum(letters)
        assert (case.category == hidden_letters.NO_LETTERS) == (not sum(letters))


def test_values_add_up_to_the_number() -> None:
    for case in cases("16.token_values"):
        (tokens,) = case.args
        values = token_values.token_values(tokens)
        assert all(tokens)
        assert sum(values) == int("".join(tokens))
        begins = itertools.accumulate(map(len, tokens), initial=0)
        digits = "".join(tokens)
        assert values == [int(token) * 10 ** (len(digits) - at - len(token)) for at, token in zip(begins, tokens)]
        if case.category == token_values.FROM_THE_LEFT:
            use_bundled_vocabularies()
            gpt4 = tiktoken.get_encoding("cl100k_base")
            assert [token.decode() for token in gpt4.decode_tokens_bytes(gpt4.encode(digits))] == tokens


def test_futures_are_found_by_trying_every_text() -> None:
    rng = random.Random(12)
    for _ in range(300):
        vocabulary = list({bytes(rng.choices(b"ab", k=rng.randint(1, 3))) for _ in range(6)})
        end = bytes(rng.choices(b"ab", k=rng.randint(0, 4)))
        found = set()
        for size in range(1, 4):
            for more in map(bytes, itertools.product(b"ab", repeat=size)):
                text = end + more
                found |= {text for token in vocabulary if text.endswith(token) and len(token) > size}
        assert futures.futures(end, vocabulary) == sorted(found)
    assert {case.category for case in cases("16.futures")} == {
        futures.BEGINNING,
        futures.INSIDE,
        futures.SAME,
        futures.NONE,
    }


def test_lost_tokens_are_those_of_a_program_that_merges_pairs() -> None:
    """The witness is tokenizers; tiktoken would take a word that is a token at once, without merging."""
    compared = Counter()
    for case in cases("16.cannot_write"):
        ranks, pattern = case.args
        tokens = cannot_write.token_bytes(ranks)
        if len({*tokens.values()}) < len(tokens):
            continue  # two ids for the same bytes are more than its vocabulary can hold
        spelling = {byte: chr(0x100 + byte) for byte in range(256)}
        for (left, right), made in sorted(ranks.items(), key=lambda merge: merge[1]):
            spelling[made] = spelling[left] + spelling[right]
        merges = [(spelling[left], spelling[right]) for left, right in sorted(ranks, key=ranks.__getitem__)]
        witness = Tokenizer(models.BPE({text: made for made, text in spelling.items()}, merges))
        lost = []
        for made, token in tokens.items():
            text = token.decode("utf-8", errors="ignore")
            if text.encode("utf-8") == token:
                words = ["".join(chr(0x100 + byte) for byte in word.encode()) for word in re.findall(pattern, text)]
                lost += [made] if [one for word in words for one in witness.encode(word).ids] != [made] else []
        assert cannot_write.cannot_write(ranks, pattern) == lost, case
        compared[case.category] += 1
    assert min(compared.values()) > 10
    assert len(compared) == 4


def test_every_pattern_of_the_vocabularies_keeps_all_text() -> None:
    for case in cases("16.cannot_write"):
        ranks, pattern = case.args
        for token in cannot_write.token_bytes(ranks).values():
            text = token.decode("utf-8", errors="replace")
            assert "".join(re.findall(pattern, text)) == text


@pytest.mark.parametrize("source", tests_of_clean.RIGHT, ids=["search", "pattern", "walk"])
def test_right_cleaners_agree_on_everything_short(source: str) -> None:
    clean, first = (implementation_of(one, "clean") for one in (source, tests_of_clean.RIGHT[0]))
    for specials in ([], ["ab"], ["ab", "ba"], ["a", "ab", "abb"], ["abb", "bba", "ab"], ["aab", "ba", "b"]):
        for size in range(9):
            for letters in itertools.product("ab ", repeat=size):
                text = "".join(letters)
                assert clean(text, specials) == first(text, list(specials)), (text, specials)
                assert not any(special in clean(text, specials) for special in specials)


def test_rows_of_unseen_tokens_are_only_pushed_away() -> None:
    """The truth of a model case: no token of it was ever drawn, and training moved all of them alike."""
    for number, scale in enumerate((0.05, 3.0)):
        seen, rows = rank_untrained.trained_model(random.Random(number), scale)
        case = rank_untrained.model_case(random.Random(number), scale)
        given, unused = case.args
        assert not seen[[*case.held, *unused]].any()
        assert set(np.flatnonzero(seen == 0)) == case.held | set(unused)
        assert np.allclose(given, rows, atol=1e-4)
        typical = rows[unused].mean(axis=0)
        far = np.linalg.norm(rows - typical, axis=1)
        assert np.median(far[list(case.held)]) < 0.7 * np.median(far[seen > 0])


def test_average_precision() -> None:
    wanted = frozenset([1, 3])
    for order in itertools.permutations(range(4)):
        places = sorted(order.index(one) for one in wanted)
        assert rank_untrained.average_precision(order, wanted) == pytest.approx(
            (1 / (places[0] + 1) + 2 / (places[1] + 1)) / 2
        )
    assert rank_untrained.average_precision([1, 3, 0, 2], wanted) == 1
    assert rank_untrained.average_precision([], wanted) == 0


def test_shuffled_rows_do_not_reveal_the_untrained_tokens() -> None:
    """Only ``args`` are sent to where an answer runs."""
    case = rank_untrained.model_case(random.Random(3), 0.05)
    rows, unused = case.args
    assert not case.held & set(unused)
    assert len(rows) == rank_untrained.SIZE
    assert case.script == ()
