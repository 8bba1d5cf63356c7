"""Lesson 19: do the cures of BPE help a small model, with two budgets of compute?

Text : the help pages and the source of the running Python. Tokenizers and models learn from about 130 kB; 240 kB in
other documents are held out. Paragraphs that occur more than once are read once.

Compute : multiplications for one token, times tokens. 600 and 2,400 batches of a model with 1,024 ids; a smaller
vocabulary gets as many batches as cost the same. Each budget is a training of its own, with three seeds.

What is compared : bits per byte minus those of BPE. A document's bits are the mean over the seeds, and the interval is
the paired bootstrap over documents (``paired_interval``); the differences of the single seeds are next to it.
"""

from __future__ import annotations

import random
from collections import Counter
from pydoc_data.topics import topics
from typing import Any

import numpy as np
import regex

from minbpe_course import RegexTokenizer, train
from minbpe_course.corpus.texts import python_source
from minbpe_course.learning.practice import rivals
from minbpe_course.reference import picky_bpe
from minbpe_course.reference.bpe_dropout import encode_with_dropout
from minbpe_course.reference.fewest_tokens import fewest_tokens
from minbpe_course.reference.measures import paired_interval

IDS = 1_024
TRANSITION = 800
THRESHOLD = 0.9
DROPOUT = 0.1
BUDGETS = 600, 2_400
SEEDS = 3
LONGEST = 6_000  # characters of a document
PROGRAMS = 36


def documents() -> tuple[list[str], list[str]]:
    """Return the texts to learn from and the held-out ones: each third document of either kind, and the others."""
    seen: set[str] = set()
    pages, source = [], python_source(2_000_000)
    for name in sorted(topics):
        new = [part for part in topics[name].split("\n\n") if part not in seen]
        seen.update(new)
        pages.append("\n\n".join(new)[:LONGEST])
    programs = [source[at : at + LONGEST] for at in range(0, len(source), len(source) // PROGRAMS)][:PROGRAMS]
    whole = [text for text in pages if len(text) >= 200] + programs
    return whole[::3], [text for number, text in enumerate(whole) if number % 3]


def entries(read: list[str]) -> dict[str, rivals.Rival]:
    """Return the tokenizers by name, each with IDS ids (bytes: 256) learned from the texts."""
    model = train(read, IDS, pattern="gpt2")
    phrases = RegexTokenizer.from_model(train(read, IDS, pattern="superwords", stages=[(TRANSITION, "gpt2")]))
    bpe = RegexTokenizer.from_model(model).encode_ordinary
    split = regex.compile(model.pattern).findall
    events = picky_bpe.train_picky(Counter(word.encode() for text in read for word in split(text)), IDS, THRESHOLD)
    vocabulary = {token: token_id for token_id, token in model.token_bytes.items()}

    def noisy(text: str, luck: random.Random) -> list[int]:
        words = split(text)
        return [i for word in words for i in encode_with_dropout(word.encode(), model.ranks, DROPOUT, luck)]

    return {
        "BPE": rivals.Rival(bpe, model.token_bytes),
        "dropout": rivals.Rival(bpe, model.token_bytes, noisy),
        "SuperBPE": rivals.Rival(phrases.encode_ordinary, phrases.vocab),
        "PickyBPE": rivals.Rival(
            rivals.by_words(lambda word: picky_bpe.encode_picky(word, events), split),
            picky_bpe.vocabulary_after(events),
        ),
        "fewest": rivals.Rival(rivals.by_words(lambda word: fewest_tokens(word, vocabulary), split), model.token_bytes),
        "bytes": rivals.Rival(lambda text: [*text.encode()], {byte: bytes([byte]) for byte in range(256)}),
    }


def results() -> dict[str, Any]:
    """Train every model with both budgets; return bits per byte and the differences from BPE."""
    read, held = documents()
    luck = random.Random(7)
    tests = {"clean": held, "typos": [rivals.with_typos(text, luck) for text in held]}
    sizes = {name: [len(text.encode()) for text in texts] for name, texts in tests.items()}
    found: dict[str, Any] = {
        "bytes": {"read": sum(len(text.encode()) for text in read), "held": sum(sizes["clean"])},
        "documents": {"read": len(read), "held": len(held)},
        "bytes per token": {},
        "budgets": {},
    }
    made = entries(read)
    bits: dict[tuple[int, str], list[np.ndarray]] = {}
    tokens = {name: [float(len(rival.encode(text))) for text in held] for name, rival in made.items()}
    for name, counted in tokens.items():
        found["bytes per token"][name] = sum(sizes["clean"]) / sum(counted)
    found["tokens per byte, minus BPE's"] = {
        name: paired_interval(tokens["BPE"], tokens[name], sizes["clean"]) for name in made if name != "BPE"
    }
    for budget in BUDGETS:
        for name, rival in made.items():
            bits[budget, name] = rivals.document_bits(rival, read, [*tests.values()], budget, SEEDS)
        with rivals.seeing(12):
            bits[budget, "bytes, far"] = rivals.document_bits(made["bytes"], read, [*tests.values()], budget, SEEDS)
    for budget in BUDGETS:
        rows: dict[str, Any] = {}
        for (at, name), both in bits.items():
            if at != budget:
                continue
            rows[name] = {}
            for number, (kind, size) in enumerate(sizes.items()):
                base = bits[budget, "BPE"][number]
                rows[name][kind] = {
                    "bits per byte": both[number].sum(axis=1).mean() / sum(size),
                    "minus BPE": paired_interval(base.mean(axis=0).tolist(), both[number].mean(axis=0).tolist(), size),
                    "seeds": (both[number].sum(axis=1) - base.sum(axis=1)) / sum(size),
                }
        found["budgets"][budget] = rows
    return found
