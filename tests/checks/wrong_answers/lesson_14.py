"""Wrong answers to the exercises of lesson 14, and what the check says about each."""

# ruff: noqa: F811, F821
from __future__ import annotations

from tests.checks.wrong_answers import Shelf

WRONG = Shelf()

WRONG.edit(
    "14.unbeaten",
    "sorted by name",
    "",
    ("[row[0] for row in rows if not is_beaten(row)]", "sorted(row[0] for row in rows if not is_beaten(row))"),
)


@WRONG.add("14.test_tokenizer", "one sentence comes back", "misses:longest-token")
def test_tokenizer(tokenizer):
    text = "The cat sat on the mat."
    (ids,) = tokenizer(RANKS, [("encode", text)])
    assert tokenizer(RANKS, [("decode", ids)]) == [text]


@WRONG.add("14.test_tokenizer", "the longest token is taken for right", "rejects-right")
def test_tokenizer(tokenizer):
    (ids,) = tokenizer(RANKS, [("encode", "abc")])
    assert ids == [RANKS[b"ab"], RANKS[b"c"]]


@WRONG.add("14.test_tokenizer", "ids of short texts only", "misses:chunks", points=1)
def test_tokenizer(tokenizer):
    from itertools import pairwise, product

    def ids_of(text):
        parts = [bytes([byte]) for byte in text.encode()]
        while found := [(RANKS[a + b], at) for at, (a, b) in enumerate(pairwise(parts)) if a + b in RANKS]:
            at = min(found)[1]
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return [RANKS[part] for part in parts]

    texts = ["".join(letters) for size in range(6) for letters in product("abc", repeat=size)]
    texts += [" a", "a ", "\r\n", "e\u0301"]
    assert tokenizer(RANKS, [("encode", text) for text in texts]) == [ids_of(text) for text in texts]


@WRONG.add("14.choose_tokens", "the commonest two letters", "below the level", points=2)
def choose_tokens(words, budget):
    from collections import Counter

    counts = Counter()
    for word, count in words.items():
        for at in range(len(word) - 1):
            counts[word[at : at + 2]] += count
    return [pair for pair, _ in counts.most_common(budget)]


@WRONG.add("14.choose_tokens", "all words", "too-many")
def choose_tokens(words, budget):
    return list(words)


@WRONG.add("14.choose_tokens", "the commonest bytes", "single-bytes")
def choose_tokens(words, budget):
    from collections import Counter

    counts = Counter(byte for word in words for byte in word)
    return [bytes([byte]) for byte, _ in counts.most_common(min(budget, 2))]


@WRONG.add("14.choose_tokens", "ends, as often as they come", "twice")
def choose_tokens(words, budget):
    return [word[-2:] for word in words][: min(2, budget)] * 1 if len(words) > 3 else [b"lo", b"lo"]
