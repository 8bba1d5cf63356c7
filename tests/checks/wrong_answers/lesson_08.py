"""Wrong answers to the exercises of lesson 08, and what the check says about each."""

# ruff: noqa: F811, F821
from __future__ import annotations

from tests.checks.wrong_answers import Shelf

WRONG = Shelf()

WRONG.edit("08.certain_text", "decodes strictly", "strict", ('errors="replace"), data', 'errors="strict"), data'))
WRONG.edit("08.heal", "sorted", "", ("return place, allowed", "return place, sorted(allowed)"))
WRONG.edit("08.word_cache", "takes everything", "overflows", ("if len(self.inside) <= self.size", "if True"))
WRONG.edit(
    "08.word_cache",
    "a word that it knows goes",
    "goes-for-nothing",
    ("self.inside:\n            return None", "self.inside:\n            return word"),
)
WRONG.edit(
    "08.word_cache",
    "forgets to cross out what went",
    "goes-twice",
    ("sorted(self.inside)", "sorted(self.scores)"),
    ("inside.remove", "inside.discard"),
)
WRONG.edit(
    "08.word_cache",
    "the least recently used goes",
    "below the level",
    ("self.scores.get(word, 0.0) + 2.0 ** (self.clock / 150)", "self.clock"),
    points=2,
)
WRONG.edit(
    "08.word_cache", "counts since the beginning", "below the level", ("2.0 ** (self.clock / 150)", "1"), points=3
)


@WRONG.add("08.test_encode", "three words", "misses:longest-token")
def test_encode(encode):
    ranks = VOCABULARIES[0]
    assert encode(b"aab", ranks) == [257]
    assert encode(b"abab", ranks) == [259]
    assert encode(b"bbb", ranks) == [98, 98, 98]


@WRONG.add("08.test_encode", "short words only", "misses:order-of-the-dict", points=1)
def test_encode(encode):
    from itertools import pairwise, product

    def slow(word, ranks):
        ids = list(word)
        while found := [(ranks[p], at) for at, p in enumerate(pairwise(ids)) if p in ranks]:
            new_id, at = min(found)
            ids[at : at + 2] = [new_id]
        return ids

    for ranks in VOCABULARIES:
        for size in range(7):
            for word in map(bytes, product(b"ab", repeat=size)):
                assert encode(word, ranks) == slow(word, ranks)


@WRONG.add("08.test_encode", "the longest token is taken for right", "rejects-right")
def test_encode(encode):
    assert encode(b"babb", VOCABULARIES[1]) == [98, 257]
    assert encode(b"aabab", VOCABULARIES[0]) == [257, 97, 98]
