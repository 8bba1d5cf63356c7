"""Exercise 07.candidates: a lazy heap for the rule first-seen.

The class is not a trainer: the calls say which pairs are born and which places are gone, and ask for the best pair in
between.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, Outcome, edited
from minbpe_course.reference.pairs import Pair


class Candidates:
    """Keep the pairs of a trainer that breaks ties by first occurrence.

    minbpe breaks ties by *first seen*: of the pairs with the highest count, it takes the one that occurs first in the
    text as it is at that moment. In the lesson, a corrected table of counts lost track of that. Build the part of a
    trainer that keeps track of it: the candidates.

    * `Candidates()` has no pairs at first.
    * `born(pair, places)` is called once for each pair, when it comes into being. `places` is a list of `(place,
      count)` in ascending order: where the pair occurs in the text, and how often the word at that place occurs.
    * `gone(pair, place)` says that one of the pair's places was merged away.
    * `best()` returns `(pair, count)` for the best pair that still has places, or `None` if there is no such pair. The
      best pair has the highest sum of counts over its remaining places; in a tie, it is the pair whose first
      *remaining* place is smallest. No two pairs share a place.

    | call | returns |
    |---|---|
    | `born((97, 98), [(1, 1), (8, 2)])` | |
    | `born((98, 99), [(5, 2)])` | |
    | `best()` | `((97, 98), 3)` |
    | `gone((97, 98), 1)` | |
    | `best()` | `((98, 99), 2)`, since 5 comes before 8 |

    If `best()` looks at all pairs, its answers are right and it passes. A lazy heap looks at only a few of them. Why
    can it be lazy here, although *two* things about a pair change? The check tries counts that fall, ties, first places
    that go away, every pair gone, and no pairs at all.
    """

    def __init__(self):
        """Begin without pairs."""
        ### BEGIN SOLUTION
        self.places, self.totals, self.heap = {}, {}, []
        ### END SOLUTION

    def born(self, pair, places):
        """Add a new pair with its places, each with a count."""
        ### BEGIN SOLUTION
        pair = tuple(pair)
        self.places[pair] = dict(sorted(places))
        self.totals[pair] = sum(self.places[pair].values())
        heapq.heappush(self.heap, (-self.totals[pair], next(iter(self.places[pair])), pair))
        ### END SOLUTION

    def gone(self, pair, place):
        """Remove one place of a pair."""
        ### BEGIN SOLUTION
        pair = tuple(pair)
        self.totals[pair] -= self.places[pair].pop(place)
        ### END SOLUTION

    def best(self):
        """Return (pair, count) for the best remaining pair, or None."""
        ### BEGIN SOLUTION
        while self.heap:
            *stored, front = heapq.heappop(self.heap)
            if self.places[front]:
                # Sums only fall and first places only move right: the stored entry is never worse.
                truth = [-self.totals[front], next(iter(self.places[front]))]
                heapq.heappush(self.heap, (*truth, front))
                if stored == truth:
                    return front, self.totals[front]
        return None
        ### END SOLUTION


Places = Sequence[tuple[int, int]]
Script = tuple[tuple[str, tuple[Any, ...]], ...]


class _Candidates:
    """Work everything out again at each call of ``best``."""

    def __init__(self) -> None:
        self.living: dict[Pair, dict[int, int]] = {}

    def born(self, pair: Pair, places: Places) -> None:
        self.living[pair] = dict(places)

    def gone(self, pair: Pair, place: int) -> None:
        del self.living[pair][place]

    def order(self, pair: Pair) -> Any:
        """Return the entry of the pair in a heap."""
        places = self.living[pair]
        return -sum(places.values()), min(places), pair

    def best(self) -> tuple[Pair, int] | None:
        count, _, pair = min((self.order(pair) for pair, places in self.living.items() if places), default=(0, 0, None))
        return (pair, -count) if pair else None


class _DropsOutdated(_Candidates):
    """Drop outdated entries of the heap instead of correcting them."""

    def __init__(self) -> None:
        super().__init__()
        self.heap: list[Any] = []

    def born(self, pair: Pair, places: Places) -> None:
        super().born(pair, places)
        heapq.heappush(self.heap, self.order(pair))

    def best(self) -> tuple[Pair, int] | None:
        while self.heap:
            count, _, pair = self.heap[0]
            if self.living[pair] and self.heap[0] == self.order(pair):
                return pair, -count
            heapq.heappop(self.heap)
        return None


class _TrustsTheHeap(_DropsOutdated):
    """Push an entry at each change, and believe the old ones as well."""

    def gone(self, pair: Pair, place: int) -> None:
        super().gone(pair, place)
        if self.living[pair]:
            heapq.heappush(self.heap, self.order(pair))

    def best(self) -> tuple[Pair, int] | None:
        count, _, pair = min((entry for entry in self.heap if self.living[entry[2]]), default=(0, 0, None))
        return (pair, -count) if pair else None


def _offers_the_dead(case: Case, outcome: Outcome, wanted: Any) -> bool:
    pairs = zip(outcome.value, wanted, strict=True)
    return all(mine == right or (right is None and mine[0] and mine[1] == 0) for mine, right in pairs)


def _fails_when_no_pair_is_alive(case: Case, outcome: Outcome, wanted: Any) -> bool:
    empty = any(words in outcome.message for words in ("empty", "index out of range", "pop from"))
    return outcome.error in ("ValueError", "IndexError") and empty and None in wanted


def _script(random: Random, number: int, longest: int, most: int, asked: float) -> Script:
    """Return calls for ``number`` pairs, each of which is born once, with ``best`` now and then."""
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
            # Usually the first place goes, since that is the one that decides ties.
            place = living[pair].pop(0 if random.random() < 0.7 else random.randrange(len(living[pair])))
            if not living[pair]:
                del living[pair]
            calls.append(("gone", (pair, place)))
        if random.random() < asked:
            calls.append(("best", ()))
    return (*calls, ("best", ()))


_AB, _BC, _XY = (97, 98), (98, 99), (120, 121)


def _candidate_cases(random: Random) -> Iterator[Case]:
    yield Case("no pair is born", (), (("best", ()),))
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
        yield Case("all pairs die", (), (*_script(random, number, 2, 3, 0.3), ("best", ())))


EXERCISE = Exercise(
    key="07.candidates",
    answer=Candidates,
    title="First seen, lazily",
    kind="match",
    entry="Candidates",
    difficulty=4,
    minutes=25,
    points=4,
    hints=(
        "What must the heap store about a pair, so that its smallest entry is the best pair? Which parts of that can "
        "change later, and in which direction?",
        "entry = (minus count, first remaining place, pair); best: while the first entry is outdated, "
        "replace it with the current one, or drop it if the pair has no places left",
        "Lesson 07, where the heap is lazy: a stored entry is never worse than the current one.",
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
        Case("all pairs die", (), (("born", (_AB, [(1, 4)])), ("gone", (_AB, 1)), ("best", ()))),
    ),
    drawn=_candidate_cases,
    mistakes=(
        Mistake(
            "fails-when-no-pair-is-left",
            "If no pair has places left, there is no best one: return None.",
            when=_fails_when_no_pair_is_alive,
        ),
        Mistake(
            "throws-outdated-entries-away",
            "That is the classic bug of the lesson: a pair whose count has fallen is still there, with a lower count.",
            like=_DropsOutdated,
        ),
        Mistake(
            "trusts-the-heap",
            "Old entries stay in your heap and promise too much. How do you notice that an entry is out of date?",
            like=_TrustsTheHeap,
        ),
        Mistake(
            "best-takes-it-out",
            "`best` only asks. What is missing from your heap after it has answered?",
            like=edited(
                _Candidates,
                ("self.living: dict[Pair, dict[int, int]] =", "self.taken, self.living = {},"),
                ("if places", "if places and pair not in self.taken"),
                ("return (pair, -count)", "self.taken[pair] = True\n        return (pair, -count)"),
            ),
        ),
        Mistake(
            "dead-pairs-stay",
            "A pair without remaining places is not a candidate, even if no other pair is left.",
            like=edited(_Candidates, (" if places", ""), ("min(places)", "min(places, default=0)")),
            when=_offers_the_dead,
        ),
        Mistake(
            "the-first-place-for-ever",
            "The first place of a pair may be gone. Which is its first place now?",
            like=edited(
                _Candidates,
                ("del self.living[pair][place]", "self.living[pair][place] = 0"),
                ("if places", "if any(places.values())"),
            ),
        ),
        Mistake(
            "smallest-pair",
            "In a tie the ids do not matter here: the pair with the smallest remaining place wins.",
            like=edited(_Candidates, ("min(places), pair", "pair, pair")),
        ),
        Mistake(
            "order-of-birth",
            "The order in which pairs are born does not matter: the one with the smallest remaining place wins.",
            like=edited(_Candidates, ("min(places), pair", "list(self.living).index(pair), pair")),
        ),
        Mistake(
            "counts-places",
            "Each place has a count, that of its word. A place in a word that occurs five times counts five times.",
            like=edited(_Candidates, ("sum(places.values())", "len(places)")),
        ),
    ),
)
