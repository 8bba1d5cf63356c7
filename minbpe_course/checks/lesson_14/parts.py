"""The repair of lesson 14: an encoder that brings every text back, with ids that nobody else has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from random import Random

from minbpe_course.checks.exercise import Case
from minbpe_course.reference.training import train_steps

PLAIN, EQUAL = "words without equal pairs in a row", "equal pairs that overlap"

Ranks = Mapping[bytes, int]


def encode_parts(word: bytes, ranks: Ranks) -> list[int]:
    """Return the ids of a word: the lowest rank first, of equal ones the leftmost.

    >>> encode_parts(b"aaa", {b"a": 0, b"aa": 1})
    [1, 0]
    """
    parts = [word[at : at + 1] for at in range(len(word))]
    while True:
        found = [(ranks[a + b], at) for at, (a, b) in enumerate(pairwise(parts)) if a + b in ranks]
        if not found:
            return [ranks[part] for part in parts]
        _, at = min(found)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


def from_the_right(word: bytes, ranks: Ranks) -> list[int]:
    """The fault that is handed out: of equal pairs the rightmost."""
    parts = [word[at : at + 1] for at in range(len(word))]
    while len(parts) > 1:
        lowest, place = None, 0
        for at in range(len(parts) - 1):
            rank = ranks.get(parts[at] + parts[at + 1])
            if rank is not None and (lowest is None or rank <= lowest):
                lowest, place = rank, at
        if lowest is None:
            break
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return [ranks[part] for part in parts]


def first_possible(word: bytes, ranks: Ranks) -> list[int]:
    """The first pair in the word, whatever its rank."""
    parts = [word[at : at + 1] for at in range(len(word))]
    while True:
        at = next((at for at in range(len(parts) - 1) if parts[at] + parts[at + 1] in ranks), None)
        if at is None:
            return [ranks[part] for part in parts]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


def longest_first(word: bytes, ranks: Ranks) -> list[int]:
    """The longest token at every place."""
    ids = []
    while word:
        size = next(size for size in range(len(word), 0, -1) if word[:size] in ranks)
        ids.append(ranks[word[:size]])
        word = word[size:]
    return ids


def newest_first(word: bytes, ranks: Ranks) -> list[int]:
    """The highest rank first."""
    parts = [word[at : at + 1] for at in range(len(word))]
    while True:
        found = [(-ranks[a + b], at) for at, (a, b) in enumerate(pairwise(parts)) if a + b in ranks]
        if not found:
            return [ranks[part] for part in parts]
        _, at = min(found)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


def part_cases(dice: Random) -> Iterator[Case]:
    """Yield words, with ranks that were learnt from random letters."""
    for number in range(18):
        letters = "abc" if number % 3 else "ab"
        data = "".join(dice.choices(letters, k=40)).encode()
        ranks = {letter.encode(): at for at, letter in enumerate(letters)}
        for step in train_steps({data: 1, b"aaaa": 3, b"bbbaaab": 2}, 262):
            if step.token in ranks:
                break
            ranks[step.token] = len(ranks)
        word = "".join(dice.choices(letters, k=3 + number)).encode()
        if number % 2:
            word += b"aaa" + word[:3] + b"bbb"
        yield Case(EQUAL if number % 2 else PLAIN, (word, ranks))
