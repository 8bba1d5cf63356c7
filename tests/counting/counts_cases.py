"""Hostile words, and the counts of texts of them, found with dictionaries."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from minbpe_course.counting.counts_file import Header, run_bytes
from minbpe_course.counting.word_counts import Rows
from minbpe_course.reference.runs import WordRow

HEADER = Header(r"\S+|\s", ("<|end|>",))

# Common prefixes, words that are prefixes of others, zeros, and lengths around those of keys and tokens.
PARTS = [b"a", b"b", b"\0", b"\xff", b"\x7f\x80", b"a" * 7, b"a" * 8, b"\0" * 8, "é".encode(), b"x" * 15, b"y" * 130]
hostile_words = st.lists(st.sampled_from(PARTS), min_size=1, max_size=5).map(b"".join)
hostile_texts = st.lists(hostile_words, max_size=60)


def hostile_text(seed: int, words: int) -> list[bytes]:
    """Return many hostile words, the same for the same seed."""
    rng = random.Random(seed)
    usual = range(len(PARTS), 0, -1)
    return [b"".join(rng.choices(PARTS, weights=usual, k=rng.choice([1, 2, 3, 4, 9]))) for _ in range(words)]


def rows_of(text: Sequence[bytes], at: int = 0) -> list[WordRow]:
    """Return the counts of a text of words, in the order first seen."""
    counts: dict[bytes, int] = {}
    firsts: dict[bytes, int] = {}
    for word in text:
        counts[word] = counts.get(word, 0) + 1
        firsts.setdefault(word, at)
        at += len(word)
    return [WordRow(word, count, firsts[word]) for word, count in counts.items()]


def arrays(rows: Sequence[WordRow]) -> Rows:
    """Return rows as flat arrays."""
    text = np.frombuffer(b"".join(row.word for row in rows), dtype=np.uint8)
    ends = np.cumsum([len(row.word) for row in rows], dtype=np.int64)
    return Rows(text, ends, *(np.array([row[column] for row in rows], dtype=np.int64) for column in (1, 2)))


def length_of(rows: Sequence[WordRow]) -> int:
    """Return the bytes of the text that these rows count."""
    return sum(len(row.word) * row.count for row in rows)


def run_of(text: Sequence[bytes], header: Header = HEADER) -> bytes:
    """Return the run of a text of words."""
    return run_bytes(arrays(rows_of(text)), header=header)
