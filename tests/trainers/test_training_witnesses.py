"""Training with a minimum against tokenizers, and against the rule of Stanford's CS336 in a dozen lines.

The golden corpus compares all four tie rules with the programs that have them.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
import regex
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from minbpe_course.corpus.texts import course_text
from minbpe_course.model import BytePairModel
from minbpe_course.reference.training import HUGGINGFACE_ORDER
from minbpe_course.text.patterns import named_pattern
from minbpe_course.trainers.byte_pair import TIE_BREAKS, train

pytestmark = pytest.mark.medium


def tied_text(seed: int) -> str:
    """Words over few letters, all about as frequent, so that nearly every merge is decided by the rule."""
    random = np.random.default_rng(seed)
    letters = list("abcxyzäß我 \n0'")
    return "".join(random.choice(letters, size=2500).tolist())


TEXTS = {
    "course": course_text(),
    "ties": tied_text(0),
    "other ties": tied_text(1),
    "runs": "".join(letter * (size % 39 + 1) for size, letter in zip(range(0, 2400, 17), "ab -.ba." * 18)),
    "one word": "aaabdaaabac",
    "nothing": "",
}


def learned_tokens(model: BytePairModel) -> list[bytes]:
    return [model.token_bytes[token_id] for token_id in model.merge_ids]


# ----------------------------------------------------------------------------------------------------
# Hugging Face


def huggingface_merges(text: str, vocab_size: int, pattern: str, min_frequency: int):
    """Train with tokenizers; return its tokens in order and its merges as pairs of our ids."""
    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(named_pattern(pattern)), behavior="isolated")
    to_printable = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, to_printable])
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, min_frequency=min_frequency, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([text], trainer)

    stored = json.loads(tokenizer.to_str())["model"]
    # The first 256 entries are the bytes, ordered by the character that stands for each of them.
    byte_of = {token: HUGGINGFACE_ORDER.index(number) for token, number in stored["vocab"].items() if number < 256}
    tokens = sorted(stored["vocab"], key=stored["vocab"].get)
    ids = {token: byte_of.get(token, number) for token, number in stored["vocab"].items()}
    learned = [bytes(byte_of[letter] for letter in token) for token in tokens[256:]]
    return learned, [(ids[left], ids[right]) for left, right in stored["merges"]]


@pytest.mark.parametrize("min_frequency", [2, 7])
@pytest.mark.parametrize("name", ["course", "ties", "runs"])
def test_minimum_frequency_is_that_of_tokenizers(name, min_frequency):
    model = train(TEXTS[name], 5000, pattern="gpt2", tie_break="huggingface", min_frequency=min_frequency)
    tokens, merges = huggingface_merges(TEXTS[name], 5000, "gpt2", min_frequency)
    assert (learned_tokens(model), list(model.merges)) == (tokens, merges)
    assert len(model.merges) < 5000 - 256, "nothing was cut off by the minimum"


# ----------------------------------------------------------------------------------------------------
# Stanford's rule


def cs336_tokens(text: str, vocab_size: int, pattern: str) -> list[bytes]:
    """Words as tuples of byte strings; the commonest pair, and of equals the greater tuple of byte strings."""
    words = [tuple(bytes([byte]) for byte in word.encode()) for word in regex.findall(named_pattern(pattern), text)]
    learned: list[bytes] = []
    while len(learned) < vocab_size - 256:
        counts: dict[tuple[bytes, bytes], int] = {}
        for word in words:
            for at in range(len(word) - 1):
                counts[word[at : at + 2]] = counts.get(word[at : at + 2], 0) + 1
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        learned.append(best[0] + best[1])
        words = [joined(word, best) for word in words]
    return learned


def joined(word: tuple[bytes, ...], pair: tuple[bytes, bytes]) -> tuple[bytes, ...]:
    parts: list[bytes] = []
    rest = list(word)
    while rest:
        part = rest.pop(0)
        if rest and (part, rest[0]) == pair:
            part += rest.pop(0)
        parts.append(part)
    return tuple(parts)


@pytest.mark.parametrize("name", TEXTS)
def test_greatest_bytes_is_the_rule_of_cs336(name):
    text = TEXTS[name][:6000]
    model = train(text, 330, pattern="gpt2", tie_break="greatest-bytes")
    assert learned_tokens(model) == cs336_tokens(text, 330, "gpt2")


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_a_trained_token_is_made_by_one_pair_only(tie_break):
    for text in TEXTS.values():
        tokens = learned_tokens(train(text, 2000, pattern="gpt2", tie_break=tie_break))
        assert len(set(tokens)) == len(tokens)
