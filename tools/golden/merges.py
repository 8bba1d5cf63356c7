"""Trained merges: five corpora and the four tie rules, and models of ``train_sentencepiece``, each with its witness.

first-seen, greatest-bytes     the readable trainer in ``reference``, which is minbpe's
smallest-pair                  the same, and rustbpe
huggingface                    the same, and the trainer of tokenizers
sentencepiece BPE              the file of sentencepiece, byte for byte
other sentencepiece models     the same; its version decides what is in them, so only the sizes are written down
"""

from __future__ import annotations

import hashlib
import io
import json
import random
from typing import Any

import rustbpe
import sentencepiece
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from minbpe_course import train, train_sentencepiece
from minbpe_course.corpus.texts import course_sections
from minbpe_course.model import BytePairModel
from minbpe_course.reference.training import HUGGINGFACE_ORDER, train_steps
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text.patterns import named_pattern
from minbpe_course.trainers.byte_pair import TIE_BREAKS

MERGES, SHOWN = 150, 8
WHOLE = r"[\s\S]+"
LANGUAGES = ("Icelandic", "Vietnamese", "Greek", "Russian", "Hebrew", "Hindi", "Thai", "Simplified Chinese", "Japanese")
CODE = ("A program in Python", "Indented with tabs", "Other notations")
PIECE_OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {"vocab_size": 500},
    "byte fallback": {"vocab_size": 700, "byte_fallback": True, "character_coverage": 0.985, "split_digits": True},
    "spaces kept": {
        "vocab_size": 480,
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "treat_whitespace_as_suffix": True,
        "user_defined_symbols": ["<tool>", "th"],
        "pad_id": 3,
    },
}


def corpora() -> dict[str, tuple[str, str]]:
    """Return each corpus, and the pattern that splits it, by its name."""
    sections, chance = course_sections(), random.Random(47)
    runs = "".join(chance.choice("ab -.") * chance.randint(1, 40) for _ in range(120))
    return {
        "english": (sections["The Foundry on Ferry Street"], named_pattern("gpt2")),
        "languages": ("".join(sections[f"A morning in {name}"] for name in LANGUAGES), named_pattern("minbpe_gpt4")),
        "code": ("".join(sections[name] for name in CODE), named_pattern("minbpe_gpt4")),
        "long runs": (runs, WHOLE),
        "ties everywhere": ("".join(chance.choices("abcxyzäß我 \n0'", k=2000)), named_pattern("gpt2")),
    }


def sections() -> list[str]:
    """Return the two kinds of models."""
    return ["byte pairs", "sentencepiece"]


def lines(section: str) -> list[str]:
    """Return a line for each corpus and rule, or for each corpus and set of options."""
    return _byte_pairs() if section == "byte pairs" else _sentencepiece()


def _byte_pairs() -> list[str]:
    found = ["# corpus | rule | merges, digest | the first tokens"]
    for name, (text, pattern) in corpora().items():
        for rule in TIE_BREAKS:
            made = train(text, 256 + MERGES, pattern=pattern, tie_break=rule)
            merges = list(made.merges)
            assert merges == _by_reference(text, pattern, rule), (name, rule)
            if rule == "smallest-pair":
                assert _tokens(made) == _by_rustbpe(text, pattern), name
            if rule == "huggingface":
                assert (_tokens(made), merges) == _by_tokenizers(text, pattern), name
            first = " ".join(repr(token) for token in _tokens(made)[:SHOWN])
            found.append(f"{name} | {rule} | {len(merges)}, {digest(json.dumps(merges).encode())} | {first}")
    return found


def _sentencepiece() -> list[str]:
    found = ["# corpus | options of train_sentencepiece | pieces, digest of the file | the first learned pieces"]
    for name, (text, _) in corpora().items():
        for label, options in PIECE_OPTIONS.items():
            data, model = _pieces(text, options)
            first = " ".join(_plain(piece) for piece in model.pieces if len(piece) > 1 and piece[0] != "<")
            found.append(f"{name} | {label} | {len(model.pieces)}, {digest(data)} | {' '.join(first.split()[:SHOWN])}")
    for kind in ("unigram", "char", "word"):
        _, model = _pieces(corpora()["english"][0], {"model_type": kind, "vocab_size": 120})
        found.append(f"english | {kind} | {len(model.pieces)}")
    return found


def digest(data: bytes) -> str:
    """Return the beginning of the SHA-256 of some bytes."""
    return hashlib.sha256(data).hexdigest()[:16]


def _plain(piece: str) -> str:
    return piece if piece.isprintable() else ascii(piece)


def _tokens(made: BytePairModel) -> list[bytes]:
    return [made.token_bytes[token_id] for token_id in made.merge_ids]


def _by_reference(text: str, pattern: str, rule: str) -> list[tuple[int, int]]:
    words = Splitter(pattern).words(text)
    return [step.pair for step in train_steps(words, 256 + MERGES, tie_break=rule)]


def _by_rustbpe(text: str, pattern: str) -> list[bytes]:
    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(iter([text]), 256 + MERGES, pattern=pattern)
    ranks = {token_id: bytes(token) for token, token_id in tokenizer.get_mergeable_ranks()}
    return [ranks[token_id] for token_id in range(256, len(ranks))]


def _by_tokenizers(text: str, pattern: str) -> tuple[list[bytes], list[tuple[int, int]]]:
    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(pattern), behavior="isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(False, use_regex=False)])
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=256 + MERGES, min_frequency=0, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([text], trainer)
    stored = json.loads(tokenizer.to_str())["model"]
    # The first 256 entries are the bytes, in the order of the characters that stand for them.
    byte_of = {token: HUGGINGFACE_ORDER.index(number) for token, number in stored["vocab"].items() if number < 256}
    ids = {token: byte_of.get(token, number) for token, number in stored["vocab"].items()}
    tokens = sorted(stored["vocab"], key=stored["vocab"].__getitem__)[256:]
    merges = [(ids[left], ids[right]) for left, right in stored["merges"]]
    return [bytes(byte_of[letter] for letter in token) for token in tokens], merges


def _pieces(text: str, options: dict[str, Any]) -> tuple[bytes, Any]:
    """Train with both libraries; return the file and our record."""
    given: dict[str, Any] = {"model_type": "bpe", "hard_vocab_limit": False, "minloglevel": 2} | options
    sentences = [line for line in text.splitlines() if line]
    ours, theirs = io.BytesIO(), io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(model_writer=theirs, sentence_iterator=iter(sentences), **given)
    record = train_sentencepiece(model_writer=ours, sentence_iterator=sentences, **given)
    assert ours.getvalue() == theirs.getvalue(), options
    return ours.getvalue(), record
