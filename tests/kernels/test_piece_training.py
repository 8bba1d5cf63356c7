"""The compiled trainer of pieces against ``reference.piece_training``: words, characters, and every piece in its order.

Cases named ``small`` run a second time in a Python that compiles nothing, where a write outside an array is an error.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.model.piece_training_rules import PieceRules
from minbpe_course.reference import piece_training as reference
from minbpe_course.text.normalize import Charsmap, LongestMatch, normalize
from minbpe_course.trainers import piece_training
from minbpe_course.trainers.piece_corpus import Corpus, read_corpus
from minbpe_course.trainers.piece_options import read_options
from tests.shared.long_run import examples

pytestmark = pytest.mark.medium

SMALL = {
    "runs of all lengths": {"a" * n: 1 for n in range(1, 14)},
    "only ties": {"zy": 1, "yx": 1, "xw": 1, "éa": 1, "ab": 1, "▁a": 1},
    "rare characters": {"ab▅ab": 3, "▅▅": 2, "a▅": 1},
    "far from its count": {"ab" * 200 + "c": 2, "xy" * 127 + "z": 3, "xy" * 128: 1},
    "counts of more than 32 bits": {"ab": 1 << 40, "abc": (1 << 40) - 1, "bcd": 1 << 32, "cd": (1 << 60) + 5},
    "scripts": {"aяa": 4, "カかな漢ー": 3, "a1a１": 2, "a\u0301я\u0301": 5, "\u0301a": 1},
    "spaces": {"▁▁▁▁a▁▁": 3, "▁": 2, "a▁b": 4},
}


def corpus_of(words: Mapping[str, int]) -> Corpus:
    texts = [word.replace("▁", " ").encode() for word in words]
    totals = np.zeros(0x110000, dtype=np.int64)
    for character, count in reference.count_characters(words).items():
        totals[ord(character)] = count
    return Corpus(
        np.frombuffer(b"".join(texts), dtype=np.uint8),
        np.cumsum([len(text) for text in texts]),
        np.array(list(words.values()), dtype=np.int64),
        totals,
        sum(map(len, words)),
    )


def assert_agrees(words: Mapping[str, int], number: int, rules: PieceRules) -> None:
    wanted = [step.piece for step in reference.train_steps(words, number, rules)]
    assert piece_training.learn_pieces(corpus_of(words), sorted(set("".join(words))), number, rules) == wanted
    assert len(set(wanted)) == len(wanted)


@pytest.mark.parametrize("words", SMALL.values(), ids=SMALL.keys())
def test_small_cases_to_the_last_pair(words: dict[str, int]) -> None:
    assert_agrees(words, 300, PieceRules())
    assert_agrees(words, 3, PieceRules())


words_of_few = st.dictionaries(
    st.text(st.sampled_from("ab▁1яé\u0301漢か▅"), min_size=1, max_size=12), st.integers(1, 4), min_size=1, max_size=9
)
rules_of_any = st.builds(
    PieceRules, st.integers(1, 20), st.booleans(), st.booleans(), st.booleans(), st.booleans(), st.booleans(),
    st.booleans(),
)  # fmt: skip


@settings(max_examples=examples(200))
@given(words=words_of_few, rules=rules_of_any, number=st.integers(0, 90))
def test_small_reference_agrees_where_almost_everything_is_a_tie(words, rules, number):
    assert_agrees(words, number, rules)


RESERVED = ["<s>", "</s>", "▁ab", "ab", "漢", "a▁b", "a b"]
HOW = ("split_by_whitespace", "treat_whitespace_as_suffix", "allow_whitespace_only_pieces", "add_dummy_prefix")


def assert_same_words(sentences: list[str], options: dict[str, object]) -> None:
    plan = read_options(options | {"model_type": "bpe", "normalization_rule_name": "nmt_nfkc"})
    rules = piece_training.rules_of(plan.trainer)
    charsmap = Charsmap(plan.normalizer.precompiled_charsmap)
    normalized = [
        normalize(
            data,
            charsmap,
            LongestMatch(),
            add_dummy_prefix=plan.normalizer.add_dummy_prefix,
            remove_extra_whitespaces=plan.normalizer.remove_extra_whitespaces,
            treat_whitespace_as_suffix=plan.trainer.treat_whitespace_as_suffix,
        )[0]
        for sentence in sentences
        if (data := sentence.encode().rstrip(b"\r\n"))
    ]
    wanted = reference.count_words(normalized, LongestMatch(piece.encode() for piece in RESERVED), rules)
    corpus = read_corpus(plan, RESERVED, sentences)
    text, begins = corpus.text.tobytes(), [0, *corpus.ends.tolist()]
    found = {
        text[begin:end].decode().replace(" ", "▁"): count
        for begin, end, count in zip(begins, corpus.ends.tolist(), corpus.counts.tolist())
    }
    assert found == wanted
    characters = reference.count_characters(wanted)
    assert {chr(point): int(corpus.totals[point]) for point in np.flatnonzero(corpus.totals)} == characters


@settings(max_examples=examples(60))
@given(
    sentences=st.lists(st.text(st.sampled_from("ab ▁<s>/漢\u3000\x1fé\n"), max_size=20), min_size=1, max_size=6),
    flags=st.tuples(*[st.booleans()] * 5),
)
def test_any_texts_have_the_same_words(sentences, flags):
    assert_same_words([*sentences, "ab"], dict(zip((*HOW, "remove_extra_whitespaces"), flags)))
