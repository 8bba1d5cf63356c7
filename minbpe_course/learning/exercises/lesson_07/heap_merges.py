"""Exercise 07.heap_merges: repair a trainer with a lazy heap whose new pairs are pushed too early."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from random import Random

from minbpe_course.learning.exercises.lesson_07.tests_of_growth import HEAP, PUSHES, WRONG
from minbpe_course.learning.judge.callers import implementation_of
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, changed
from minbpe_course.reference.pairs import Pair
from minbpe_course.reference.training import train_steps


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


def heap_merges(words, number):
    """Return at most number merges, as pairs of ids in the order learned.

    This trainer avoids the lesson's classic bug: it replaces an outdated entry with a correct one. On most texts, its
    merges are right, but not on all. Find the other bug, and repair it.

    * **In:** `words`, a dict from word (`bytes`) to count; `number`, how many merges are wanted.
    * **Out:** a list of pairs in the order learned; ties go to the smallest pair of ids. The list is shorter if the
      pairs run out.

    For example, `heap_merges({b"abc": 2, b"abcd": 3, b"xy": 4}, 2)` has to be `[(97, 98), (256, 99)]`: once `ab` is
    merged, the pair of `ab` and `c` occurs five times.

    The check tries new pairs that occur in several words, counts that fall, ties, overlapping pairs, and more merges
    than there are pairs.
    """
    row = [(list(word), count) for word, count in words.items()]
    counts, index, merges = {}, {}, []
    for at, (ids, count) in enumerate(row):
        add_pairs(counts, ids, count)
        for pair in zip(ids, ids[1:]):
            index.setdefault(pair, set()).add(at)
    heap = [(-count, pair) for pair, count in counts.items()]
    heapq.heapify(heap)
    while heap and len(merges) < number:
        stored, pair = heapq.heappop(heap)
        if -stored != counts[pair]:
            if counts[pair]:
                heapq.heappush(heap, (-counts[pair], pair))
            continue
        new_id, born, visited = 256 + len(merges), set(), sorted(index.pop(pair))
        merges.append(pair)
        for at in visited:
            ids, count = row[at]
            add_pairs(counts, ids, -count)
            row[at] = merge(ids, pair, new_id), count
        ### BEGIN SOLUTION
        for place in visited:
            left_over, weight = row[place]
            add_pairs(counts, left_over, weight)
            for both in zip(left_over, left_over[1:]):
                index.setdefault(both, set()).add(place)
                born |= {both} if new_id in both else set()
        for both in born:  # only now are their counts complete
            heapq.heappush(heap, (-counts[both], both))
        ### INSTEAD
        # for at in visited:
        #     ids, count = row[at]
        #     add_pairs(counts, ids, count)
        #     for new_pair in zip(ids, ids[1:]):
        #         index.setdefault(new_pair, set()).add(at)
        #         if new_id in new_pair and new_pair not in born:
        #             born.add(new_pair)
        #             heapq.heappush(heap, (-counts[new_pair], new_pair))
        ### END SOLUTION
    return merges


def _heap_merges(words: Mapping[bytes, int], number: int) -> list[Pair]:
    return [step.pair for step in train_steps(words, 256 + number, tie_break="smallest-pair")]


def _training(source: str) -> Callable[[Mapping[bytes, int], int], list[Pair]]:
    """Return a trainer of 07.test_growth without its number of steps."""
    train = implementation_of(source, "train")
    return lambda words, number: train(words, number)[0]


def _words(random: Random, number: int, longest: int, letters: bytes, most: int) -> dict[bytes, int]:
    words = {}
    for _ in range(number):
        word = bytes(random.choice(letters) for _ in range(random.randint(2, longest)))
        words[word] = random.randint(1, most)
    return words


# In each, a pair is born in two words and is the best only with both counts together. In _FALLS, the next best
# pair is one whose count has fallen.
_FALLS: tuple[dict[bytes, int], int] = ({b"abx": 5, b"bc": 4, b"abc": 3, b"yz": 3, b"pq": 2}, 3)
_GROWS: tuple[dict[bytes, int], int] = ({b"abc": 2, b"abcd": 3, b"xy": 4}, 2)


def _heap_cases(random: Random) -> Iterator[Case]:
    yield Case("no words at all", ({}, 3))
    yield Case("no merges asked for", ({b"abc": 2}, 0))
    yield Case("more merges than there are pairs", ({b"abc": 2, b"a": 1}, 9))
    for size in range(3, 9):
        letters = bytes(random.sample(range(256), 4))
        a, b, c, d = letters
        low, more = random.randint(2, 5), random.randint(2, 5)
        yield Case(
            "a pair that is born in several words",
            ({bytes([a, b, c]): low, bytes([a, b, c, d]): more, bytes([d, a]): low + more - 1}, 2),
        )
        yield Case("counts that fall", (_words(random, 3 * size, 6, letters, 20), 2 * size))
        yield Case("ties", (_words(random, 2 * size, 5, letters[:3], 2), 2 * size))
        yield Case("overlapping pairs", ({b"a" * size: 2, b"aab" * 2: 3, b"ba" * size: 1}, 6))


EXERCISE = Exercise(
    key="07.heap_merges",
    answer=heap_merges,
    title="The heap that knows too little",
    kind="repair",
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "A count stored in the heap may be too high, because the trainer checks it later. Can it be too low?",
        "collect the new pairs while you merge the words; push each of them once its count has stopped growing",
        "Lesson 07, where an index and a heap replace the search: when does the trainer push a new pair?",
    ),
    wanted=_heap_merges,
    shown=(
        Case("a pair that is born in several words", _GROWS),
        Case("counts that fall", _FALLS),
        Case("more merges than there are pairs", ({b"abc": 1}, 5)),
    ),
    drawn=_heap_cases,
    mistakes=(
        Mistake(
            "no-new-pairs",
            "Pairs that contain a new id are never pushed, so they can never be merged.",
            like=_training(changed(HEAP, (PUSHES, ""))),
        ),
        Mistake(
            "throws-outdated-entries-away",
            "That is the classic bug of the lesson: a pair whose count has fallen is still there, with a lower count.",
            like=_training(WRONG["throws-outdated-entries-away"]),
        ),
        Mistake(
            "trusts-the-heap",
            "The first entry of the heap may be outdated: compare it with the table before you merge.",
            like=_training(
                changed(HEAP, ("if -stored != counts[pair]:", "if False:"), ("index.pop(pair)", "index.pop(pair, ())"))
            ),
        ),
        Mistake(
            "ignores-counts", "A word that occurs five times counts five times.", like=_training(WRONG["words-once"])
        ),
    ),
)
