"""Lesson 07, two lazy heaps: a trainer whose new pairs come to the heap too early, and the rule first-seen.

The trainer is compared with ``reference.training``. The candidates of the second exercise are no trainer: they are told
which pairs are born and which places go, as a trainer would tell them, and asked for the best in between.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from minbpe_course.checks.exercise import Case, Exercise, Mistake, Outcome
from minbpe_course.reference.pairs import Pair, get_stats, merge
from minbpe_course.reference.training import train_steps

# ----------------------------------------------------------------------------------------------------
# 07.heap_merges


def _merges(words: Mapping[bytes, int], number: int) -> list[Pair]:
    return [step.pair for step in train_steps(words, 256 + number, tie_break="smallest-pair")]


def _training(
    push: str = "after", again: bool = True, look: bool = True, weighted: bool = True
) -> Callable[[Mapping[bytes, int], int], list[Pair]]:
    """Return the trainer of the exercise in which one thing may be otherwise.

    push : when a new pair comes to the heap: "after" its count is complete, "at once" with what it is worth in the
    first word, or "never". again : whether an outdated entry is replaced by a true one. look : whether anybody looks.
    """

    def heap_merges(words: Mapping[bytes, int], number: int) -> list[Pair]:
        now = [(list(word), count if weighted else 1) for word, count in words.items()]
        counts: dict[Pair, int] = {}
        for ids, count in now:
            get_stats(ids, counts, count)
        heap = [(-count, pair) for pair, count in counts.items()]
        heapq.heapify(heap)
        merges: list[Pair] = []
        while heap and len(merges) < number:
            stored, pair = heapq.heappop(heap)
            if look and -stored != counts[pair]:
                if again and counts[pair]:
                    heapq.heappush(heap, (-counts[pair], pair))
                continue
            merges.append(pair)
            born: dict[Pair, None] = {}
            for at, (ids, count) in enumerate(now):
                if pair not in pairwise(ids):
                    continue
                get_stats(ids, counts, -count)
                fresh = merge(ids, pair, 255 + len(merges))
                get_stats(fresh, counts, count)
                now[at] = fresh, count
                for found in pairwise(fresh):
                    if 255 + len(merges) in found and found not in born:
                        born[found] = None
                        if push == "at once":
                            heapq.heappush(heap, (-counts[found], found))
            for found in born if push == "after" else ():
                heapq.heappush(heap, (-counts[found], found))
        return merges

    return heap_merges


def _words(random: Random, number: int, longest: int, letters: bytes, most: int) -> dict[bytes, int]:
    words = {}
    for _ in range(number):
        word = bytes(random.choice(letters) for _ in range(random.randint(2, longest)))
        words[word] = random.randint(1, most)
    return words


# In each, a pair is born in two words and is the best only with both counts together; after that, one with a lowered
# count is the best.
_GROWS: tuple[dict[bytes, int], int] = ({b"abc": 2, b"abcd": 3, b"xy": 4}, 2)
_FALLS: tuple[dict[bytes, int], int] = ({b"abx": 5, b"bc": 4, b"abc": 3, b"yz": 3, b"pq": 2}, 3)


def _merge_cases(random: Random) -> Iterator[Case]:
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


HEAP_MERGES = Exercise(
    key="07.heap_merges",
    title="The heap that knows too little",
    kind="repair",
    entry="heap_merges",
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "What is stored in a heap may be too high, since then somebody will look. May it be too low?",
        "collect the new pairs while the words are merged; push each of them once its count has stopped growing",
        'Lesson 07, "The fourth rung": the part in brackets, behind the famous bug.',
    ),
    wanted=_merges,
    planted=_training(push="at once"),
    shown=(
        Case("a pair that is born in several words", _GROWS),
        Case("counts that fall", _FALLS),
        Case("more merges than there are pairs", ({b"abc": 1}, 5)),
    ),
    drawn=_merge_cases,
    mistakes=(
        Mistake(
            "no-new-pairs",
            "Pairs that contain a new id are never pushed, so they can never be merged.",
            like=_training(push="never"),
        ),
        Mistake(
            "throws-outdated-entries-away",
            "That is the famous bug of the lesson: a pair whose count has fallen is still there, with a lower count.",
            like=_training(again=False),
        ),
        Mistake(
            "trusts-the-heap",
            "What comes to the front may be outdated: compare it with the table before you merge.",
            like=_training(look=False),
        ),
        Mistake(
            "ignores-counts",
            "A word that occurs five times counts five times.",
            like=_training(weighted=False),
        ),
    ),
)

# ----------------------------------------------------------------------------------------------------
# 07.candidates

Places = Sequence[tuple[int, int]]


class _Candidates:
    """Everything is worked out again whenever the best is asked for."""

    def __init__(self) -> None:
        self.living: dict[Pair, dict[int, int]] = {}
        self.born_at: dict[Pair, int] = {}

    def born(self, pair: Pair, places: Places) -> None:
        self.living[pair] = dict(places)
        self.born_at[pair] = min(self.living[pair])

    def gone(self, pair: Pair, place: int) -> None:
        del self.living[pair][place]

    def count(self, pair: Pair) -> int:
        return sum(self.living[pair].values())

    def tie(self, pair: Pair) -> Any:
        return min(self.living[pair])

    def best(self) -> tuple[Pair, int] | None:
        living = [pair for pair, places in self.living.items() if places]
        if not living:
            return None
        pair = min(living, key=lambda pair: (-self.count(pair), self.tie(pair)))
        return pair, self.count(pair)


class _FirstPlaceForEver(_Candidates):
    def tie(self, pair: Pair) -> Any:
        return self.born_at[pair]


class _SmallestPair(_Candidates):
    def tie(self, pair: Pair) -> Any:
        return pair


class _OrderOfBirth(_Candidates):
    def tie(self, pair: Pair) -> Any:
        return 0


class _CountsPlaces(_Candidates):
    def count(self, pair: Pair) -> int:
        return len(self.living[pair])


class _ThrowsAway(_Candidates):
    """A heap that drops what is outdated."""

    def __init__(self) -> None:
        super().__init__()
        self.heap: list[tuple[int, int, Pair]] = []

    def born(self, pair: Pair, places: Places) -> None:
        super().born(pair, places)
        heapq.heappush(self.heap, (-self.count(pair), self.tie(pair), pair))

    def best(self) -> tuple[Pair, int] | None:
        while self.heap:
            pair = self.heap[0][2]
            if self.living[pair] and self.heap[0][:2] == (-self.count(pair), self.tie(pair)):
                return pair, self.count(pair)
            heapq.heappop(self.heap)
        return None


def _dies(case: Case, outcome: Outcome, wanted: Any) -> bool:
    return outcome.state == "raised" and outcome.error in ("ValueError", "IndexError") and None in wanted


Script = tuple[tuple[str, tuple[Any, ...]], ...]


def _script(random: Random, number: int, longest: int, most: int, asked: float) -> Script:
    """A life of ``number`` pairs, each of which is born once, at any places; the best is asked for now and then."""
    free = random.sample(range(10 * number * longest), number * longest)
    to_come = random.sample([(left, right) for left in range(97, 97 + number) for right in (98, 300)], number)
    living: dict[Pair, list[int]] = {}
    calls: list[tuple[str, tuple[Any, ...]]] = []
    while to_come or living:
        if to_come and (not living or random.random() < 0.4):
            pair = to_come.pop()
            places = sorted(free.pop() for _ in range(random.randint(1, longest)))
            living[pair] = places
            calls.append(("born", (pair, [(place, random.randint(1, most)) for place in places])))
        else:
            pair = random.choice(list(living))
            # Mostly the first place goes, which is what matters for ties.
            place = living[pair].pop(0 if random.random() < 0.7 else random.randrange(len(living[pair])))
            if not living[pair]:
                del living[pair]
            calls.append(("gone", (pair, place)))
        if random.random() < asked:
            calls.append(("best", ()))
    return (*calls, ("best", ()))


_AB, _BC, _XY = (97, 98), (98, 99), (120, 121)


def _candidate_cases(random: Random) -> Iterator[Case]:
    yield Case("nobody is born", (), (("best", ()),))
    for number in range(2, 9):
        yield Case("counts that fall", (), _script(random, number, 4, 30, 0.5))
        yield Case("ties", (), _script(random, number, 4, 1, 0.7))
        first = random.randrange(5)
        yield Case(
            "a first place that goes",
            (),
            (
                ("born", (_AB, [(first, 1), (first + 20, 2)])),
                ("born", (_BC, [(first + 10 + number, 2)])),
                ("born", (_XY, [(first + 5, 1), (first + 7, 1)])),
                ("gone", (_AB, first)),
                ("best", ()),
                ("gone", (_XY, first + 5)),
                ("best", ()),
            ),
        )
        yield Case("everybody dies", (), (*_script(random, number, 2, 3, 0.3), ("best", ())))


CANDIDATES = Exercise(
    key="07.candidates",
    title="First seen, lazily",
    kind="match",
    entry="Candidates",
    difficulty=4,
    minutes=25,
    points=4,
    hints=(
        "What must the heap store about a pair, so that its smallest entry is the best pair? What of that can change "
        "later, and in which direction?",
        "entry = (minus count, first living place, pair); best: while the front is outdated, put the true entry in its "
        "place, or none when the pair has died",
        'Lesson 07, "The fourth rung" says why a lazy heap is right: what is stored is never worse than the truth.',
    ),
    wanted=_Candidates,
    shown=(
        Case("counts that decide", (), (("born", (_AB, [(3, 5)])), ("born", (_BC, [(7, 4), (9, 2)])), ("best", ()))),
        Case("ties", (), (("born", (_XY, [(3, 2)])), ("born", (_AB, [(7, 1), (9, 1)])), ("best", ()))),
        Case(
            "a first place that goes",
            (),
            (
                ("born", (_AB, [(1, 1), (8, 2)])),
                ("born", (_BC, [(5, 2)])),
                ("best", ()),
                ("gone", (_AB, 1)),
                ("best", ()),
            ),
        ),
        Case("everybody dies", (), (("born", (_AB, [(1, 4)])), ("gone", (_AB, 1)), ("best", ()))),
    ),
    drawn=_candidate_cases,
    mistakes=(
        Mistake(
            "dies-when-nobody-is-left",
            "When no pair is alive, there is no best one: return None.",
            when=_dies,
        ),
        Mistake(
            "throws-outdated-entries-away",
            "That is the famous bug of the lesson: a pair whose count has fallen is still there, with a lower count.",
            like=_ThrowsAway,
        ),
        Mistake(
            "the-first-place-for-ever",
            "The place at which a pair once stood first may be gone. Which is its first place now?",
            like=_FirstPlaceForEver,
        ),
        Mistake(
            "smallest-pair",
            "In a tie the ids do not matter here: the pair wins whose first living place comes first.",
            like=_SmallestPair,
        ),
        Mistake(
            "order-of-birth",
            "Who was born first does not matter: the pair wins whose first living place comes first.",
            like=_OrderOfBirth,
        ),
        Mistake(
            "counts-places",
            "Each place has a count, that of its word. A place in a word that occurs five times counts five times.",
            like=_CountsPlaces,
        ),
    ),
)
