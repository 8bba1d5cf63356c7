"""The experiments of lesson 16: letters that a model sees, tokens that it never saw, ids that change on the way.

spelling    which share of the letters in Python's help pages have a token to themselves: three vocabularies,
            95 % intervals over the pages
untrained   a tokenizer learns from stories and a forum, a model from the stories alone: which rows training leaves
            as they were, and how well three measures find the tokens that the model never saw. Five seeds
again       texts that such a model writes are decoded and encoded again: how many come back as other ids, and how
            much less likely these are. Three seeds, after 8 and after 32 readings
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import tiktoken

from benchmarks.research.texts import without_repetition
from minbpe_course import RegexTokenizer
from minbpe_course.corpus.texts import pydoc_topics
from minbpe_course.learning.exercises.lesson_16.retokenized import retokenized
from minbpe_course.learning.practice.forum import LENGTH, SIZE, TEXTS, USERS, encoded_again, stories_and_forum
from minbpe_course.reference.bigram_model import BigramModel, log_probabilities, trained_bigrams
from minbpe_course.reference.measures import paired_interval
from minbpe_course.vocabularies import use_bundled_vocabularies

VOCABULARIES = ("gpt2", "cl100k_base", "o200k_base")
SETTINGS: dict[str, dict[str, Any]] = {
    "two tables": {},
    "two tables, decay 0.01": {"decay": 0.01},
    "one table": {"tied": True},
    "one table, decay 0.01": {"tied": True, "decay": 0.01},
}
IMPOSSIBLE = [0xC0, 0xC1, *range(0xF5, 0x100)]  # bytes that never occur in UTF-8


def results() -> dict[str, Any]:
    """Return all numbers, in about two minutes."""
    return {"spelling": spelling(), "untrained": untrained(), "again": again()}


def spelling() -> dict[str, Any]:
    """Return the share of letters with a token of their own, in percent, and its interval."""
    use_bundled_vocabularies()
    pages = without_repetition(re.split(r"\n(?=[^\n]+\n\*{5,}\n)", pydoc_topics()))
    alone: dict[str, list[float]] = {}
    letters: list[float] = []
    for name in VOCABULARIES:
        encoding = tiktoken.get_encoding(name)
        counts = []
        for page in pages:
            tokens = map(encoding.decode_single_token_bytes, encoding.encode_ordinary(page))
            counts.append([sum(map(str.isalpha, token.decode("utf-8", "replace"))) for token in tokens])
        alone[name] = [100 * row.count(1) for row in counts]
        letters = [sum(row) for row in counts]
    nothing = [0.0] * len(pages)
    return {
        "pages": len(pages),
        "letters": sum(letters),
        "percent": {name: paired_interval(nothing, alone[name], letters) for name in VOCABULARIES},
        "o200k_base minus gpt2": paired_interval(alone["gpt2"], alone["o200k_base"], letters),
    }


def untrained() -> dict[str, Any]:
    """Return a list over the seeds for each way to train and each measure."""
    found: dict[str, Any] = {name: {} for name in SETTINGS}
    for seed in range(12, 17):
        tokenizer, ids = stories_and_forum(seed)
        seen = np.bincount(ids, minlength=SIZE)
        users = {token for token, spelled in tokenizer.vocab.items() if spelled.decode("utf-8", "replace") in USERS}
        for name, options in SETTINGS.items():
            model = trained_bigrams(ids, SIZE, seed=seed, **options)
            for measure, value in one_model(model, seen, users).items():
                found[name].setdefault(measure, []).append(value)
    return found


def one_model(model: BigramModel, seen: np.ndarray, users: set[int]) -> dict[str, float]:
    """Return what three measures find: of the N most suspicious tokens, how many the model never saw, in percent."""
    like = model.second[IMPOSSIBLE].sum(axis=0)
    measures = {
        "angle": -model.second @ like / np.linalg.norm(model.second, axis=1),
        "length at the output": np.linalg.norm(model.second, axis=1),
        "length at the input": np.linalg.norm(model.first, axis=1),
    }
    hidden = int((seen == 0).sum()) - len(IMPOSSIBLE)
    values: dict[str, float] = {"never seen": hidden, "untouched": int((model.first == model.begin).all(axis=1).sum())}
    for name, suspicion in measures.items():
        suspects = [token for token in np.argsort(suspicion, kind="stable") if token not in IMPOSSIBLE][:hidden]
        values[name] = 100 * float(np.mean(seen[suspects] == 0))
        values[f"users found by {name}"] = len(users & {*suspects}) / len(users)
    return values


def again() -> dict[str, Any]:
    """Return, by the number of readings and then for each seed, what encoding again changed."""
    found: dict[str, Any] = {"8": [], "32": []}
    for seed in range(12, 15):
        tokenizer, ids = stories_and_forum(seed)
        for epochs in found:
            model = trained_bigrams(ids, SIZE, seed=seed, epochs=int(epochs))
            found[epochs].append(drift(model, tokenizer, seed))
    return found


def drift(model: BigramModel, tokenizer: RegexTokenizer, seed: int) -> dict[str, Any]:
    """Return the shares that change, in percent, and the difference in log probability, in nats a text."""
    chances = log_probabilities(model)
    (the,) = tokenizer.encode_ordinary(" the")
    changed = kept = 0
    first, second = [], []
    rows = encoded_again(model, tokenizer, the, seed)
    for drawn, other in rows:
        ids = [the, *drawn]
        changed += other != ids
        kept += sum(retokenized([the], drawn, other, tokenizer.vocab))
        first.append(float(chances[ids[:-1], ids[1:]].sum()))
        second.append(float(chances[other[:-1], other[1:]].sum()))
    return {
        "not text": 100 * (1 - len(rows) / TEXTS),
        "changed": 100 * changed / len(rows),
        "ids lost": 100 - 100 * kept / len(rows) / LENGTH,
        "nats": paired_interval(first, second),
    }
