r"""Exercise 07.test_growth: write a test that accepts two right trainers and rejects wrong and quadratic ones.

Each trainer returns its merges and their cost:

    train({b"low": 5, b"lower": 2, b"newest": 6}, 2)      ([(119, 101), (108, 111)], 55)

The second number counts steps: one for each neighbour or entry that the trainer reads. A right trainer makes the right
merges, and its steps grow about as its words do. Some wrong ones make wrong merges; the others are right and quadratic:
for twice the words and twice the merges they need four times the steps. The number of steps itself does not matter.

They use the standard library only, since each runs in a separate process. Each wrong one is a right one with one
thing changed.
"""

from __future__ import annotations

from functools import partial

from minbpe_course.learning.judge.exercise import Exercise, mutant

HEAP = r"""
import heapq


def replaced(ids, pair, new_id):
    merged, at = [], 0
    while at < len(ids):
        if tuple(ids[at : at + 2]) == pair:
            merged.append(new_id)
            at += 2
        else:
            merged.append(ids[at])
            at += 1
    return merged


def train(words, number):
    now = [(list(word), count) for word, count in words.items()]
    counts, index, merges, steps = {}, {}, [], 0

    def add(at, sign):
        ids, count = now[at]
        for pair in zip(ids, ids[1:]):
            counts[pair] = counts.get(pair, 0) + sign * count
            if sign > 0:
                index.setdefault(pair, {})[at] = True
        return len(ids)

    for at in range(len(now)):
        steps += add(at, 1)
    heap = [(-count, pair) for pair, count in counts.items()]
    heapq.heapify(heap)
    while heap and len(merges) < number:
        steps += 1
        stored, pair = heapq.heappop(heap)
        if -stored != counts[pair]:
            if counts[pair]:
                heapq.heappush(heap, (-counts[pair], pair))
            continue
        new_id = 256 + len(merges)
        merges.append(pair)
        born = set()
        for at in index.pop(pair):
            steps += add(at, -1)
            ids, count = now[at]
            now[at] = replaced(ids, pair, new_id), count
            steps += add(at, 1)
            born.update(found for found in zip(now[at][0], now[at][0][1:]) if new_id in found)
        for found in born:
            heapq.heappush(heap, (-counts[found], found))
    return merges, steps
"""

# Pushes each change at once, so that no entry has to be corrected later. It counts every step nine times, and is right:
# the exercise leaves it to the author what a step is.
_EAGER = r"""
from heapq import heappop, heappush


def train(words, number):
    row = [[list(word), count] for word, count in words.items()]
    counts, holders, heap, merges, seen = {}, {}, [], [], 0

    def read(at, sign, touched):
        ids, count = row[at]
        for pair in zip(ids, ids[1:]):
            counts[pair] = counts.get(pair, 0) + sign * count
            touched.add(pair)
            if sign == 1:
                holders.setdefault(pair, set()).add(at)
        return len(ids)

    touched = set()
    for at in range(len(row)):
        seen += read(at, 1, touched)
    while len(merges) < number:
        for pair in touched:
            if counts[pair]:
                heappush(heap, (-counts[pair], *pair))
        while heap and counts[heap[0][1:]] != -heap[0][0]:
            heappop(heap)
            seen += 1
        if not heap:
            break
        _, left, right = heappop(heap)
        merges.append((left, right))
        touched = set()
        for at in holders.pop((left, right)):
            seen += read(at, -1, touched)
            merged = []
            for token in row[at][0]:
                if merged and merged[-1] == left and token == right:
                    merged[-1] = 255 + len(merges)
                else:
                    merged.append(token)
            row[at][0] = merged
            seen += read(at, 1, touched)
    return merges, 9 * seen
"""


# Places in HEAP that the wrong ones change.
_LOOKS = "        new_id = 256 + len(merges)\n"
_VISITS = "        for at in index.pop(pair):\n"
PUSHES = "        for found in born:\n            heapq.heappush(heap, (-counts[found], found))\n"


_mutant = partial(mutant, HEAP)
QUADRATIC = "makes the right merges, but its steps grow with the square"

_MUTANTS = (
    _mutant(
        "counts-again",
        QUADRATIC,
        (_LOOKS, "        steps += 2 * sum(len(ids) for ids, _ in now)\n" + _LOOKS),
    ),
    _mutant(
        "searches-all-words",
        QUADRATIC,
        (_VISITS, "        index.pop(pair)\n        steps += sum(len(ids) for ids, _ in now)\n"
                  "        for at in [at for at, (ids, _) in enumerate(now) if pair in zip(ids, ids[1:])]:\n"),
    ),
    _mutant(
        "searches-the-table",
        QUADRATIC,
        (_LOOKS, "        steps += len(counts)\n" + _LOOKS),
    ),
    _mutant(
        "builds-the-heap-again",
        QUADRATIC,
        (PUSHES, "        heap = [(-count, found) for found, count in counts.items() if count]\n"
                  "        heapq.heapify(heap)\n        steps += len(heap)\n"),
    ),
    _mutant(
        "visits-everything-now-and-then",
        QUADRATIC,
        (_LOOKS, "        if len(merges) % 8 == 0:\n"
                 "            steps += 12 * sum(len(ids) for ids, _ in now)\n" + _LOOKS),
    ),
    _mutant(
        "throws-outdated-entries-away",
        "throws outdated entries of its heap away",
        ("            if counts[pair]:\n                heapq.heappush(heap, (-counts[pair], pair))\n", ""),
    ),
    _mutant(
        "pushes-too-early",
        "stores counts that are too low",
        (PUSHES, ""),
        ("            born.update(found for found in zip(now[at][0], now[at][0][1:]) if new_id in found)\n",
         "            for found in zip(now[at][0], now[at][0][1:]):\n"
         "                if new_id in found and found not in born:\n"
         "                    born.add(found)\n"
         "                    heapq.heappush(heap, (-counts[found], found))\n"),
    ),
    _mutant(
        "never-looks",
        "trusts outdated entries of its heap",
        ("if -stored != counts[pair]:", "if not counts[pair]:"),
    ),
    _mutant(
        "words-once",
        "counts each word once, however often it occurs",
        ("[(list(word), count) for word, count in words.items()]", "[(list(word), 1) for word in words]"),
    ),
    _mutant(
        "greatest-of-the-tied",
        "breaks ties in another way",
        ("(-count, pair) for", "(-count, (-pair[0], -pair[1])) for"),
        ("stored, pair = heapq.heappop(heap)", "stored, pair = heapq.heappop(heap)\n        pair = -pair[0], -pair[1]"),
        ("(-counts[pair], pair)", "(-counts[pair], (-pair[0], -pair[1]))"),
        ("(-counts[found], found)", "(-counts[found], (-found[0], -found[1]))"),
    ),
    _mutant(
        "one-too-many",
        "makes another number of merges than it was asked for",
        ("len(merges) < number", "len(merges) <= number"),
    ),
)  # fmt: skip

WRONG = {mutant.name: mutant.source for mutant in _MUTANTS}

EXERCISE = Exercise(
    key="07.test_growth",
    title="A test for growth",
    kind="test",
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "One run says nothing about growth. Make words, make twice as many, and compare the steps of both"
        " runs. What else has to double for a trainer that counts again to become quadratic?",
        "for the merges: compare with a slow trainer of your own on many small sets of words; for the "
        "growth: random words, as many merges as words; twice as many of both must need fewer than three "
        "times the steps",
        "Lesson 07 measures how the work grows, with more merges and with more text.",
    ),
    subject="train",
    right=(HEAP, _EAGER),
    mutants=_MUTANTS,
)
