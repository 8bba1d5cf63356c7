"""Wrong answers to the exercises of lesson 02, and what the check says about each."""

# ruff: noqa: F811, F821
from __future__ import annotations

from tests.checks.wrong_answers import Shelf

WRONG = Shelf()

WRONG.edit("02.count_pairs", "sorted", "another-order", ("return counts", "return dict(sorted(counts.items()))"))
WRONG.edit(
    "02.merge", "compares a list with a tuple", "nothing-merged", ("tuple(ids[at : at + 2])", "ids[at : at + 2]")
)
WRONG.edit("02.train_merges", "max of nothing", "fails-when-pairs-run-out", ("if not counts:", "if False:"))
_BY_COUNT_AND_LENGTH = (
    "max(counts, key=counts.get)",
    "max(counts, key=lambda pair: (counts[pair], -pair[1], pair[0]))",
)
WRONG.edit("02.train_merges", "ties by the right half", "ties-by-another-order", _BY_COUNT_AND_LENGTH)


@WRONG.add("02.merge", "in place", "changes its input")
def merge(ids, pair, new_id):
    if isinstance(ids, bytes):
        ids = list(ids)
    at = 0
    while at < len(ids) - 1:
        if (ids[at], ids[at + 1]) == tuple(pair):
            ids[at : at + 2] = [new_id]
        at += 1
    return ids


@WRONG.add("02.test_merge", "the example of the text", "misses:first-only")
def test_merge(merge):
    assert merge([1, 2, 3], (1, 2), 4) == [4, 3]


@WRONG.add("02.test_merge", "everything but the ends", "misses:end", points=1)
def test_merge(merge):
    assert merge([1, 2, 3, 1, 2, 3], (1, 2), 4) == [4, 3, 4, 3]
    assert merge([2, 1, 3], (1, 2), 4) == [2, 1, 3]
    assert merge([1, 1, 1, 3], (1, 1), 4) == [4, 1, 3]
    assert merge([1, 3, 1, 2, 3], (1, 2), 4) == [1, 3, 4, 3]


@WRONG.add("02.test_merge", "demands that overlaps are merged", "rejects-right")
def test_merge(merge):
    assert merge([1, 2, 3, 1, 2], (1, 2), 4) == [4, 3, 4]
    assert merge([1, 1, 1], (1, 1), 4) == [4, 4]


@WRONG.add("02.fair_merges", "more than allowed", "not allowed")
def fair_merges(texts, number):
    return [pair for text in texts.values() for pair in train_merges({text: 1}, number)]


@WRONG.add("02.fair_merges", "ids that do not exist yet", "not allowed")
def fair_merges(texts, number):
    share = number // len(texts)
    return [pair for text in reversed(texts.values()) for pair in train_merges({text: 1}, share)][::-1]


@WRONG.add("02.fair_merges", "a dict, as the lesson has it", "not allowed")
def fair_merges(texts, number):
    merges = train_merges(dict.fromkeys(texts.values(), 1), number)
    return {pair: new_id for new_id, pair in enumerate(merges, 256)}


@WRONG.add("02.merge", "gives bytes back where nothing is merged", "wrong type")
def merge(ids, pair, new_id):
    if not any(tuple(ids[at : at + 2]) == pair for at in range(len(ids))):
        return ids
    merged, at = [], 0
    while at < len(ids):
        found = tuple(ids[at : at + 2]) == pair
        merged.append(new_id if found else ids[at])
        at += 2 if found else 1
    return merged


@WRONG.add("02.merge", "an id for each pair of neighbours", "one-id-for-each-pair")
def merge(ids, pair, new_id):
    return [new_id if (ids[at], ids[at + 1]) == pair else ids[at] for at in range(len(ids) - 1)]
