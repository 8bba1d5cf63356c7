"""Training against programs that other people wrote, one for each tie-break rule.

    smallest-pair     rustbpe's trainer
    huggingface       BpeTrainer of tokenizers 0.x
    first-seen        tiktoken's educational trainer, which takes max() of a dict, as minbpe does
    greatest-bytes    the rule of Stanford's CS336, told again below in a dozen lines

Tokens in order are compared; a trained token can be made by one pair only, so equal tokens mean equal merges. Where the
other program also names its pairs, those are compared too.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterable

import numpy as np
import pytest
import regex
import rustbpe
from tiktoken._educational import SimpleBytePairEncoding
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from minbpe_course.corpus.texts import course_sections, course_text
from minbpe_course.counting.count_words import count_words
from minbpe_course.model import BytePairModel
from minbpe_course.reference.training import HUGGINGFACE_ORDER
from minbpe_course.text.patterns import named_pattern
from minbpe_course.trainers.byte_pair import TIE_BREAKS, train

pytestmark = pytest.mark.medium

EVERYTHING = r"[\s\S]+"


def tied_text(seed: int) -> str:
    """Words over few letters, all about as frequent, so that nearly every merge is decided by the rule."""
    random = np.random.default_rng(seed)
    letters = list("abcxyzäß我 \n0'")
    return "".join(random.choice(letters, size=2500).tolist())


def runs_text(seed: int) -> str:
    """Runs of equal letters of many lengths, where occurrences of a pair overlap."""
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 40, size=120).tolist()
    return "".join(letter * length for letter, length in zip(random.choice(list("ab -."), size=120).tolist(), lengths))


TEXTS = {
    "course": course_text(),
    **{f"ties {seed}": tied_text(seed) for seed in range(6)},
    **{f"runs {seed}": runs_text(seed) for seed in range(4)},
    "one word": "aaabdaaabac",
    "nothing": "",
}

texts = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
patterns = pytest.mark.parametrize("pattern", ["gpt2", "minbpe_gpt4", "whole"])


def trained(text: str, vocab_size: int, pattern: str, tie_break: str, **options) -> BytePairModel:
    pattern = EVERYTHING if pattern == "whole" else pattern
    return train(text, vocab_size, pattern=pattern, tie_break=tie_break, **options)


def learned_tokens(model: BytePairModel) -> list[bytes]:
    return [model.token_bytes[token_id] for token_id in model.merge_ids]


def written(pattern: str) -> str:
    return EVERYTHING if pattern == "whole" else named_pattern(pattern)


# ----------------------------------------------------------------------------------------------------
# rustbpe


def rustbpe_tokens(parts: Iterable[str], vocab_size: int, pattern: str) -> list[bytes]:
    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(iter(parts), vocab_size, pattern=written(pattern))
    ranks = {token_id: bytes(token) for token, token_id in tokenizer.get_mergeable_ranks()}
    return [ranks[token_id] for token_id in range(256, len(ranks))]


@patterns
@texts
def test_smallest_pair_is_rustbpe(text, pattern):
    model = trained(text, 900, pattern, "smallest-pair")
    assert learned_tokens(model) == rustbpe_tokens([text], 900, pattern)


@pytest.mark.parametrize("pattern", ["cl100k_base", "gpt2", "minbpe_gpt4"])
def test_smallest_pair_is_rustbpe_until_hardly_a_pair_is_left(pattern):
    tokens = rustbpe_tokens([course_text()], 12_000, pattern)
    assert learned_tokens(train(course_text(), 12_000, pattern=pattern, tie_break="smallest-pair")) == tokens


def test_a_stream_of_texts_is_rustbpe_too():
    parts = list(course_sections().values())
    model = train(iter(parts), 1500, pattern="minbpe_gpt4", tie_break="smallest-pair")
    assert learned_tokens(model) == rustbpe_tokens(parts, 1500, "minbpe_gpt4")


# ----------------------------------------------------------------------------------------------------
# Hugging Face


def huggingface_merges(parts: Iterable[str], vocab_size: int, pattern: str, min_frequency: int = 0):
    """Train with tokenizers; return its tokens in order and its merges as pairs of our ids."""
    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(written(pattern)), behavior="isolated")
    to_printable = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, to_printable])
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, min_frequency=min_frequency, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(parts, trainer)

    stored = json.loads(tokenizer.to_str())["model"]
    # The first 256 entries are the bytes, ordered by the character that stands for each of them.
    byte_of = {token: HUGGINGFACE_ORDER.index(number) for token, number in stored["vocab"].items() if number < 256}
    tokens = sorted(stored["vocab"], key=stored["vocab"].get)
    ids = {token: byte_of.get(token, number) for token, number in stored["vocab"].items()}
    learned = [bytes(byte_of[letter] for letter in token) for token in tokens[256:]]
    return learned, [(ids[left], ids[right]) for left, right in stored["merges"]]


@patterns
@texts
def test_huggingface_is_tokenizers(text, pattern):
    model = trained(text, 900, pattern, "huggingface")
    assert (learned_tokens(model), list(model.merges)) == huggingface_merges([text], 900, pattern)


@pytest.mark.parametrize("min_frequency", [2, 3, 7, 50])
@pytest.mark.parametrize("name", ["course", "ties 0", "runs 1"])
def test_minimum_frequency_is_that_of_tokenizers(name, min_frequency):
    model = train(TEXTS[name], 5000, pattern="gpt2", tie_break="huggingface", min_frequency=min_frequency)
    tokens, merges = huggingface_merges([TEXTS[name]], 5000, "gpt2", min_frequency)
    assert (learned_tokens(model), list(model.merges)) == (tokens, merges)
    assert len(model.merges) < 5000 - 256, "nothing was cut off by the minimum"


# ----------------------------------------------------------------------------------------------------
# tiktoken's educational trainer


def educational_tokens(text: str, vocab_size: int, pattern: str) -> list[bytes]:
    """Train with tiktoken's educational version, which fails once no pair is left: ask for no more than there is."""
    with contextlib.redirect_stdout(io.StringIO()):
        trained = SimpleBytePairEncoding.train(text, vocab_size, written(pattern))
    return sorted(trained.mergeable_ranks, key=trained.mergeable_ranks.get)[256:]


@patterns
@texts
def test_first_seen_is_the_trainer_inside_tiktoken(text, pattern):
    text = text[:6000]
    model = trained(text, 300, pattern, "first-seen")
    assert learned_tokens(model) == educational_tokens(text, model.vocab_size, pattern)


# ----------------------------------------------------------------------------------------------------
# Stanford's rule


def cs336_tokens(text: str, vocab_size: int, pattern: str) -> list[bytes]:
    """Words as tuples of byte strings; the commonest pair, and of equals the greater tuple of byte strings."""
    words = [tuple(bytes([byte]) for byte in word.encode()) for word in regex.findall(written(pattern), text)]
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


@pytest.mark.parametrize("pattern", ["gpt2", "minbpe_gpt4"])
@texts
def test_greatest_bytes_is_the_rule_of_cs336(text, pattern):
    text = text[:6000]
    model = trained(text, 330, pattern, "greatest-bytes")
    assert learned_tokens(model) == cs336_tokens(text, 330, pattern)


# ----------------------------------------------------------------------------------------------------
# That the witnesses can tell the rules apart


def test_the_four_rules_differ_on_these_texts():
    learned = {rule: learned_tokens(train(TEXTS["ties 0"], 300, pattern="gpt2", tie_break=rule)) for rule in TIE_BREAKS}
    assert len({tuple(tokens) for tokens in learned.values()}) == len(TIE_BREAKS)


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_a_trained_token_is_made_by_one_pair_only(tie_break):
    for text in TEXTS.values():
        tokens = learned_tokens(train(text, 2000, pattern="gpt2", tie_break=tie_break))
        assert len(set(tokens)) == len(tokens)


def test_the_words_are_those_of_tokenizers():
    # If the two programs split differently, a difference in merges would say nothing about training.
    split = pre_tokenizers.Split(Regex(named_pattern("minbpe_gpt4")), behavior="isolated")
    theirs = {word.encode() for word, _ in split.pre_tokenize_str(course_text())}
    assert theirs == set(count_words(course_text(), pattern="minbpe_gpt4"))
