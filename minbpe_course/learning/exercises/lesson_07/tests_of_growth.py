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

import random
from functools import partial

from minbpe_course.learning.judge.exercise import Exercise, mutant


def merge(ids, pair, new_id):
    """Return ids with every occurrence of pair replaced by new_id, from left to right."""
    merged = []
    for token in ids:
        if merged and (merged[-1], token) == pair:
            merged[-1] = new_id
        else:
            merged.append(token)
    return merged


def add_pairs(table, ids, count):
    """Add count to the count of each pair of neighbors."""
    for neighbours in zip(ids, ids[1:]):
        table[neighbours] = table.get(neighbours, 0) + count


def test_growth(train):
    """Raise AssertionError unless train makes the right merges and its steps do not grow quadratically.

    A trainer can be right and still be useless if it needs four times the work for twice the text. Write a test that
    finds this out *without a clock*, because another machine takes a different number of seconds.

    * **In:** `train`, someone else's trainer. `train(words, number)` takes a dict from word to count, and returns
      `(merges, steps)`: the merges as in `heap_merges` (ties go to the smallest pair of ids), and the number of steps
      it took. The steps are the pairs and entries it looked at, however its author counts them.
    * **Out:** nothing. Raise an exception if the merges are wrong, or if the steps grow quadratically.

    Your test is run on two correct trainers, one of which counts nine steps where the other counts one, and on eleven
    wrong ones. Six of them make wrong merges, in ways that you know by now. Five make the right merges but are
    quadratic. Catching half of them earns one point, catching all of them three. One call may take two seconds, so a
    few hundred words are enough. To see growth, use more words, not longer ones. Growth shows more clearly if the words
    are made of many different letters. `merge` and `add_pairs` are given again. For example, this test catches few of
    them:

    ```python
    def test_growth(train):
        merges, steps = train({b"low": 5, b"lower": 2, b"newest": 6}, 2)
        assert merges == [(119, 101), (108, 111)]
    ```

    The picture shows what growth looks like for words made of random letters, with as many merges as words.
    """

    def slowly(words, number):
        rows, learned = [(list(word), weight) for word, weight in words.items()], []
        for fresh in range(256, 256 + number):
            table = {}
            for row, weight in rows:
                add_pairs(table, row, weight)
            if not table:
                return learned
            learned.append(min(table, key=lambda chosen: (-table[chosen], chosen)))
            rows = [(merge(row, learned[-1], fresh), weight) for row, weight in rows]
        return learned

    def some_words(size, letters, longest):
        lengths = [random.randint(1, longest) for _ in range(size)]
        return {bytes(random.choices(letters, k=length)): random.randint(1, 9) for length in lengths}

    random.seed(7)
    small = [({b"abc": 2, b"abcd": 3, b"xy": 4}, 2), ({}, 3), ({b"aaaaa": 2, b"aab": 3}, 9)]
    small += [(some_words(8, b"abcd", 5), 8) for _ in range(5)]
    for words, number in small:
        learned, _ = train(dict(words), number)
        wanted = slowly(words, number)
        assert [tuple(chosen) for chosen in learned] == wanted, f"{words}, {number} merges: {learned}, wanted {wanted}"

    spent = [train(some_words(size, b"abcdefghij", 9), size)[1] for size in (12, 48)]
    assert spent[1] < 8 * spent[0], f"{spent[0]} steps, and {spent[1]} for four times the words and merges"


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
    answer=test_growth,
    picture="""
from random import Random

from minbpe_course.reference.incremental_training import heap_steps, recounting_steps
from minbpe_course.learning.charts.training import draw_looked_at

sizes, looked = [50, 100, 200, 400], {"counts again": [], "index and heap": []}
for size in sizes:
    draw = Random(size)
    made = {bytes(draw.choices(b"abcdefghij", k=6)): 1 + at % 9 for at in range(size)}
    for name, rung in zip(looked, (recounting_steps, heap_steps)):
        steps = rung(made, 256 + size, tie_break="smallest-pair")
        looked[name].append(sum(step.looked_at for step in steps))
draw_looked_at(sizes, looked, "Twice the words and twice the merges", "words, and merges")
""",
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
