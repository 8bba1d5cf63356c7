"""The references of lesson 18, compared with tiktoken, exhaustive search, and simpler rules."""

from __future__ import annotations

import itertools
import math
from random import Random

import pytest
import tiktoken

from minbpe_course.checks.callers import implementation_of
from minbpe_course.checks.catalogue import find
from minbpe_course.checks.judge import cases_of
from minbpe_course.checks.lesson_18 import choose_tokens, encode_parts, id_bits, shrink, tests_of_tokenizer, unbeaten
from minbpe_course.reference.training import train_steps
from minbpe_course.visual.charts.capstone import pareto
from tests.shared.lesson_code import cases_under, solved

pytestmark = pytest.mark.medium


def test_the_width_is_just_enough_for_the_ids() -> None:
    for highest in [*range(600), 65_535, 65_536, 199_999]:
        width = id_bits.id_bits([highest])
        assert 2**width > highest
        assert width == 1 or 2 ** (width - 1) <= highest
        assert id_bits.id_bits([0, highest, 0]) == 3 * width


def test_the_front_of_two_numbers_is_that_of_the_picture() -> None:
    dice = Random(3)
    for _ in range(200):
        rows = [(f"t{at}", dice.randint(1, 4), dice.randint(1, 4), 1.0) for at in range(dice.randint(1, 8))]
        assert sorted(unbeaten.unbeaten(rows)) == sorted(pareto({name: (a, b) for name, a, b, _ in rows}))


def test_a_point_beyond_the_front_is_beaten_by_one_on_it() -> None:
    for case in cases_under(8, "18.unbeaten"):
        (rows,) = case.args
        front = [row for row in rows if row[0] in unbeaten.unbeaten(rows)]
        for row in rows:
            assert any(all(a >= b for a, b in zip(other[1:], row[1:])) for other in front), row


def test_ids_of_parts_are_tiktoken_s() -> None:
    for case in cases_under(8, "18.encode_parts"):
        word, ranks = case.args
        letters = {bytes([byte]): 1_000 + byte for byte in range(256) if bytes([byte]) not in ranks}
        witness = tiktoken.Encoding(
            "one word", pat_str=r"[\s\S]+", mergeable_ranks={**letters, **ranks}, special_tokens={}
        )
        assert encode_parts.encode_parts(word, ranks) == witness.encode_ordinary(word.decode())


def test_the_notebook_gives_the_functions_of_the_check() -> None:
    names = solved("18")
    assert tuple(names["MERGES"]) == shrink.MERGES
    for size in range(7):
        for letters in itertools.product("abc", repeat=size):
            text = "".join(letters)
            assert names["merged"](text) == shrink.merged(text)
            assert names["longest"](text) == shrink.longest(text)
            assert names["is_wrong"](text) == shrink.is_wrong(text)
    assert names["pieces"](b"lowest", [b"low", b"est"]) == choose_tokens.pieces(b"lowest", [b"low", b"est"]) == 2


def test_no_letter_of_the_result_can_be_removed() -> None:
    dice = Random(8)
    for _ in range(150):
        text = "".join(dice.choices("abc", k=dice.randint(0, 30)))
        small = shrink.shrink(text)
        if not shrink.is_wrong(text):
            assert small == text
            continue
        assert shrink.is_wrong(small)
        assert not any(shrink.is_wrong(small[:at] + small[at + 1 :]) for at in range(len(small)))
        letters = iter(text)
        assert all(letter in letters for letter in small), "a part of the text, in its order"


def test_the_cases_distinguish_the_ways_to_cut() -> None:
    for secret in "abcdefgh":
        texts = [one.case.args[0] for one in cases_of(find("18.shrink"), secret)]
        for way in (shrink.moves_on, shrink.once, shrink.letters_only):
            assert sum(way(text) != shrink.shrink(text) for text in texts) >= 3, (secret, way)


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


def test_fewest_pieces_are_the_fewest_of_all() -> None:
    dice = Random(6)
    for _ in range(150):
        word = bytes(dice.choices(b"ab", k=dice.randint(0, 8)))
        tokens = [bytes(dice.choices(b"ab", k=dice.randint(2, 4))) for _ in range(3)]
        best = math.inf if word else 0
        for cuts in itertools.product((False, True), repeat=max(0, len(word) - 1)):
            ends = [*(at + 1 for at, cut in enumerate(cuts) if cut), len(word)]
            cut = [word[start:end] for start, end in zip([0, *ends], ends)]
            if all(len(piece) == 1 or piece in tokens for piece in cut):
                best = min(best, len(cut))
        assert choose_tokens.pieces(word, tokens) == best


def test_merging_passes_and_whole_words_do_not() -> None:
    for secret in [f"class {number}" for number in range(25)]:
        cases = tuple(one.case for one in cases_of(find("18.choose_tokens"), secret))
        merged = [
            [step.token for step in train_steps(words, 256 + budget)] for words, budget in (c.args for c in cases)
        ]
        by_heart = [sorted(words, key=words.get, reverse=True)[:budget] for words, budget in (c.args for c in cases)]
        assert choose_tokens.measured(cases, merged)[0] < 61
        assert choose_tokens.measured(cases, by_heart)[0] > 90
        assert choose_tokens.measured(cases, [[] for _ in cases])[0] == 100


def test_hidden_words_are_hidden_and_always_the_same() -> None:
    words = choose_tokens.language(Random(1))
    hidden = choose_tokens.hidden_words(words)
    assert hidden == choose_tokens.hidden_words(dict(reversed(words.items())))
    assert len(set(hidden) - set(words)) > len(hidden) / 2
