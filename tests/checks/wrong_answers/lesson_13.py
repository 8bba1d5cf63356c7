"""Wrong answers to the exercises of lesson 13, and what the check says about each."""

# ruff: noqa: F811
from __future__ import annotations

from tests.checks.wrong_answers import Shelf

WRONG = Shelf()


@WRONG.add("13.drop_merges", "counts only what goes up to the first that is larger", "")
def drop_merges(merges, dropped):
    def moved(half):
        by = 0
        for gone in dropped:
            if gone > half:
                break
            by += 1
        return half - by

    kept = [pair for place, pair in enumerate(merges) if 256 + place not in dropped]
    return [(moved(left), moved(right)) for left, right in kept]


@WRONG.add("13.pruning_order", "who is needed is decided once", "needed")
def pruning_order(merges, counts):
    needed = {half for pair in merges for half in pair}
    free = sorted((t for t in counts if t not in needed), key=lambda t: (counts[t], -t))
    return free + sorted((t for t in counts if t in needed), key=lambda t: (counts[t], -t))


@WRONG.add("13.test_prune", "one easy case", "misses:old-names")
def test_prune(prune):
    assert prune([(97, 98), (99, 100)], [257]) == [(97, 98)]


@WRONG.add("13.test_prune", "names, and no errors", "misses:all-alike", points=1)
def test_prune(prune):
    merges = [(120, 120), (97, 98), (257, 99), (258, 257), (257, 258)]
    answer = [tuple(pair) for pair in prune(merges, [256])]
    assert answer == [(97, 98), (256, 99), (257, 256), (256, 257)]
    assert len(merges) == 5


@WRONG.add("13.test_prune", "wants lists for pairs", "rejects-right")
def test_prune(prune):
    for pair in prune([(97, 98), (256, 99)], [257]):
        assert isinstance(pair, list)


@WRONG.add("13.choose_merges", "the longest that occur", "cannot-be-made")
def choose_merges(words, merges, budget):
    spelled = {i: bytes([i]) for i in range(256)}
    for number, (left, right) in enumerate(merges, 256):
        spelled[number] = spelled[left] + spelled[right]
    counts = {i: sum(n * word.count(spelled[i]) for word, n in words.items()) for i in spelled if i > 255}
    return sorted(counts, key=lambda i: -counts[i] * len(spelled[i]))[:budget]


@WRONG.add("13.choose_merges", "all of them", "too-many")
def choose_merges(words, merges, budget):
    return [256 + place for place in range(len(merges))]


@WRONG.add("13.choose_merges", "places", "places")
def choose_merges(words, merges, budget):
    return list(range(min(budget, len(merges))))
