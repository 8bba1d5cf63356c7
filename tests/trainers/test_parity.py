"""``train(parity=)`` learns the merges of ``reference.parity_merges``."""

from __future__ import annotations

import random

import pytest

from minbpe_course import count_words, train
from minbpe_course.errors import InvalidOption, InvalidSource, InvalidVocabularySize, TrainingStoppedEarly
from minbpe_course.reference.parity_merges import parity_steps
from minbpe_course.trainers import training_arrays

pytestmark = pytest.mark.medium

LEARN = {"English": "the cat and the dog and the cow", "Greek": "η γάτα και ο σκύλος και η γάτα"}
SAME = {"English": "the cat", "Greek": "η γάτα"}


def random_words(draw: random.Random, letters: str) -> dict[bytes, int]:
    words = ["".join(draw.choices(letters, k=draw.randint(1, 6))).encode() for _ in range(draw.randint(0, 8))]
    return {word: draw.randint(1, 5) for word in words}


@pytest.mark.parametrize("grow", [False, True])
def test_merges_are_those_of_the_reference(grow, monkeypatch):
    draw = random.Random(f"parity {grow}")
    if grow:
        # Slots run out at almost every merge.
        made = training_arrays.TrainingArrays.__init__

        def small(self, *given):
            made(self, *given)
            size = self.used_slots + 1
            self.slots, self.heap = [slots[: 2 * size].copy() for slots in self.slots], self.heap[: 3 * size].copy()

        monkeypatch.setattr(training_arrays.TrainingArrays, "__init__", small)
    for _ in range(60):
        languages = draw.sample(["one", "two", "three"], draw.randint(1, 3))
        letters = {language: draw.choice(["ab", "abc", "aé", "éα"]) for language in languages}
        learn = {language: random_words(draw, letters[language]) for language in languages}
        same = {language: random_words(draw, letters[language]) for language in draw.sample(languages, len(languages))}
        spelled = {
            language: [word for word, count in words.items() for _ in range(count)] for language, words in same.items()
        }
        steps = list(parity_steps(learn, spelled, 20))
        seen: list = []
        if len(steps) < 20:
            with pytest.warns(TrainingStoppedEarly):
                found = train(learn, 276, parity=same, progress=seen.append)
        else:
            found = train(learn, 276, parity=same, progress=seen.append)
        assert list(found.merges) == [pair for _, pair in steps]
        assert [(each.pair, each.new_id, each.done) for each in seen] == [
            (pair, 256 + at, at + 1) for at, (_, pair) in enumerate(steps)
        ]
        assert [each.token for each in seen] == [found.token_bytes[each.new_id] for each in seen]


def test_counts_of_progress_are_those_of_the_language_that_chose():
    seen: list = []
    train(
        {"one": {b"ab": 9, b"cd": 5}, "two": {b"cd": 3}}, 257, parity={"one": "a", "two": "cdcd"}, progress=seen.append
    )
    assert [(each.token, each.count) for each in seen] == [(b"cd", 3)]


@pytest.mark.parametrize("rule", ["greatest-bytes", "smallest-pair", "huggingface"])
def test_ties_go_by_the_rule(rule):
    words = {"one": {b"ab": 2, b"\x00b": 2, b"zb": 2}}
    alone = train(words["one"], 258, tie_break=rule)
    assert train(words, 258, tie_break=rule, parity={"one": "ab"}).merges == alone.merges


def test_special_tokens_patterns_and_counts_files(tmp_path):
    given = dict(pattern="gpt2", special_tokens=["<|end|>"])
    texts = train({name: text + "<|end|>" for name, text in LEARN.items()}, 270, parity=SAME, **given)
    assert texts.special_tokens == {"<|end|>": 269}
    files = {name: count_words(text, output=tmp_path / f"{name}.counts", **given) for name, text in LEARN.items()}
    counted = {name: tmp_path / f"{name}.counts" for name in files}
    assert train(counted, 270, parity=SAME, **given).merges == texts.merges
    with pytest.raises(InvalidSource, match="different patterns"):
        train(counted, 270, parity=SAME)


def test_what_does_not_fit_is_refused():
    for source, parity in ((LEARN, {"English": "a"}), ("text", SAME), (LEARN, "text"), ({}, {})):
        with pytest.raises(InvalidSource, match="same languages"):
            train(source, 300, parity=parity)
    for more in (dict(base="gpt2"), dict(stages=[(256, "gpt2")]), dict(memory="1GB"), dict(checkpoint="folder")):
        with pytest.raises(InvalidOption, match="parity="):
            train(LEARN, 300, parity=SAME, **more)
    with pytest.raises(InvalidVocabularySize):
        train(LEARN, 256, parity=SAME, special_tokens=["<|end|>"])
