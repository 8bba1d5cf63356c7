"""``train(stages=)`` learns the merges of ``reference.superwords``."""

from __future__ import annotations

import random

import numpy as np
import pytest
import regex

from minbpe_course import count_words, train
from minbpe_course.corpus import course_text
from minbpe_course.errors import InvalidOption, InvalidPattern, InvalidSource, InvalidText, SlowPattern
from minbpe_course.reference.superwords import superword_steps
from minbpe_course.splitting import blocks
from minbpe_course.text.patterns import PATTERNS
from minbpe_course.trainers import byte_pair
from minbpe_course.trainers import phrases as phrases_module
from minbpe_course.trainers.byte_pair import TIE_BREAKS

pytestmark = pytest.mark.medium

WORDS = {"words": r" ?[^ ]+| ", "letters": "[a-zé]| |'", "runs": r"(?:a|é)+|[^aé]+", "phrases": r"[\s\S]+"}
# Patterns that cut inside what the merges of other words would join, again and again.
CUTTING = [r"a{1,3}|b{1,2}|[^ab]", r" {1,2}|[^ ]{1,3}|[\s\S]", r"\s+(?!\S)|\s|[^\s]{1,2}", r"[\s\S]{1,3}"]
TEXT = course_text()[:30_000].replace("<|", "<")


def random_phrases(draw: random.Random) -> dict[bytes, int]:
    words = ["".join(draw.choices("abé'", k=draw.randint(1, 4))) for _ in range(4)]
    return {
        (draw.choice(["", " "]) + " ".join(draw.choices(words, k=draw.randint(1, 5)))).encode(): draw.randint(1, 5)
        for _ in range(draw.randint(1, 6))
    }


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
@pytest.mark.parametrize("name", WORDS)
def test_merges_are_those_of_the_reference(name, tie_break, monkeypatch):
    draw = random.Random(f"{name} {tie_break}")
    split = regex.compile(WORDS[name]).findall
    for _ in range(40):
        monkeypatch.setattr(phrases_module, "_BLOCK", draw.choice([1, 10, 1 << 22]))
        monkeypatch.setattr(phrases_module, "_ROW", draw.choice([1, 10, 1 << 20]))
        phrases, transition = random_phrases(draw), 256 + draw.randint(0, 14)
        rules = {"tie_break": tie_break, "min_frequency": draw.randint(1, 3)}
        steps = superword_steps(phrases, split, 280, transition, **rules)
        reported: list = []
        found = train(
            phrases, 280, stages=[(transition, WORDS[name])], pattern=r"[\s\S]+", progress=reported.append, **rules
        )
        expected = [(step.pair, step.new_id, step.count, step.token) for step in steps]
        assert [(each.pair, each.new_id, each.count, each.token) for each in reported] == expected
        assert list(found.merges) == [pair for pair, *_ in expected]
        assert [each.done for each in reported] == list(range(1, len(expected) + 1))


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_words_whose_tokens_do_not_fit_together_are_encoded_as_one(tie_break, monkeypatch):
    draw = random.Random(tie_break)
    rounds = [0] * 80
    encode = phrases_module._encode_words
    for run in range(80):

        def counted(*given, run=run):
            rounds[run] += 1
            return encode(*given)

        monkeypatch.setattr(phrases_module, "_ROW", draw.choice([10, 1 << 20]))
        monkeypatch.setattr(phrases_module, "_encode_words", counted)
        letters, cutting = draw.choice(["ab ", "a\n ", "aab\n  ", "abé' "]), draw.choice(CUTTING)
        sizes = [draw.randint(1, 40) for _ in range(draw.randint(1, 12))]
        phrases = {"".join(draw.choices(letters, k=size)).encode(): draw.randint(1, 4) for size in sizes}
        transition = 256 + draw.randint(0, 20)
        options = dict(pattern=r"[\s\S]+", tie_break=tie_break, num_threads=draw.choice([1, 2]))
        found = train(phrases, 300, stages=[(transition, cutting)], **options)
        steps = superword_steps(phrases, regex.compile(cutting).findall, 300, transition, tie_break=tie_break)
        assert list(found.merges) == [step.pair for step in steps]
    assert max(rounds) >= 4


def test_every_way_to_give_a_text_trains_the_same_model(tmp_path, monkeypatch):
    """Text is cut as it comes: in blocks, on several threads, from files; phrases never reach across texts."""
    monkeypatch.setattr(blocks.blocks, "__defaults__", (None, 5000))
    monkeypatch.setattr(phrases_module, "_ROW", 3000)
    lines = [line + "<|end|>" for line in TEXT.splitlines(keepends=True)]
    rules = dict(stages=[(500, "cl100k_base")], special_tokens=["<|end|>"])
    phrases = count_words(lines, pattern="superwords", special_tokens=["<|end|>"], num_threads=1)
    expected = train(phrases, 600, pattern="superwords", **rules)
    file = tmp_path / "text.txt"
    file.write_text("".join(lines), encoding="utf-8")
    for source in ("".join(lines), lines, file, [file, ""], file.with_name("*.txt")):
        for threads in (1, 2, 5):
            assert train(source, 600, num_threads=threads, **rules) == expected
    assert train(lines, 600, memory="1GB", **rules) == expected
    with pytest.raises(InvalidText, match="surrogate"):
        train(["fine", "a\ud800"], 600, **rules)
    with pytest.warns(SlowPattern):
        slow = train(TEXT[:500], 300, pattern=r"(?<=a)b|[^ ]+| (?=\w+ )|[\s\S]", stages=[(280, "gpt2")])
    assert len(slow.merges) == 44


def test_three_stages_continue_each_other():
    phrases = {b"by the way": 5, b"by the by": 3, b"way by way": 1}
    two = train(phrases, 270, stages=[(260, "[a-z]+| ")], pattern="superwords")
    three = train(phrases, 270, stages=[(260, "[a-z]+| "), (260, "gpt2")], pattern="superwords")
    assert two == three
    later = train(phrases, 270, stages=[(258, "[a-z]+| "), (264, "gpt2")], pattern="superwords")
    assert later.merges[:2] == two.merges[:2]
    assert not any(b" " in token[1:] for token in list(later.token_bytes.values())[:264])


def test_counts_file_of_phrases_gives_the_same_model(tmp_path):
    file = count_words(TEXT, pattern="superwords", special_tokens=["<|end|>"], output=tmp_path / "phrases.counts")
    stages = [(600, "o200k_base")]
    expected = train(TEXT, 700, stages=stages, special_tokens=["<|end|>"])
    assert train(file.path, 700, stages=stages) == expected
    assert expected.vocab_size == 700


@pytest.mark.parametrize(
    ("stages", "problem"),
    [
        (None, "a list of"),
        ([900], "tokens to reach, pattern"),
        ([(255, "gpt2")], "from 256 to 299"),
        ([(300, "gpt2")], "from 256 to 299"),
        ([("280", "gpt2")], "from 256 to 299"),
        ([(280, "gpt2"), (270, "gpt2")], "from 280 to 299"),
        ([(280, r"(?<=a)b|[\s\S]")], "Use another pattern"),
    ],
)
def test_stages_that_make_no_sense_are_refused_before_counting(stages, problem):
    with pytest.raises(InvalidOption, match=problem):
        train(iter(()), 300, stages=stages, special_tokens=["<|end|>"])


def test_a_pattern_that_is_none_is_refused():
    with pytest.raises(InvalidPattern, match="Did you mean 'cl100k_base'"):
        train("text", 300, stages=[(280, "cl100k")])


@pytest.mark.parametrize("floor", [2, 8])
def test_too_few_frequent_pairs_are_looked_for_again(floor, monkeypatch):
    """Few pairs are examined at first, so several rounds are needed; the merges stay those of the reference."""
    monkeypatch.setattr(byte_pair, "_PAIRS_FOR_A_MERGE", floor)
    rounds = []
    whole = byte_pair.frequent_parts
    monkeypatch.setattr(byte_pair, "frequent_parts", lambda *given: rounds.append(given[1]) or whole(*given))
    phrases = dict(count_words(TEXT, pattern="superwords"))
    split = regex.compile(PATTERNS["gpt2"]).findall
    found = train(phrases, 400, stages=[(300, "gpt2")], pattern="superwords")
    assert list(found.merges) == [step.pair for step in superword_steps(phrases, split, 400, 300)]
    assert rounds[0] == floor * 100
    everything = {b"ab": 2, b"cd": 3, b"a d": 2}
    assert len(train(everything, 300, stages=[(257, "gpt2")], pattern="superwords").merges) == 4


@pytest.mark.parametrize("phrases", [{b"\xff": 2}, {b"\xc3": 1, b"\xa9": 1}, {b"ab\xe4": 1}])
def test_phrases_must_be_text(phrases):
    with pytest.raises(InvalidSource, match="UTF-8"):
        train(phrases, 300, stages=[(280, "gpt2")])
    assert len(train(np.array([]).tolist(), 300, stages=[(280, "gpt2")]).merges) == 0
