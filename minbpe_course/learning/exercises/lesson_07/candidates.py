"""Exercise 07.candidates: a lazy heap for the rule first-seen.

The class is not a trainer: the calls say which pairs are born and which places are gone, and ask for the best pair in
between.
"""

import heapq
import re

from minbpe_course.learning import Case, Exercise, Mistake


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
        self.places[pair] = dict(places)
        self.totals[pair] = sum(self.places[pair].values())
        heapq.heappush(self.heap, (-self.totals[pair], next(iter(self.places[pair])), pair))
        ### END SOLUTION

    def gone(self, pair, place):
        """Remove one place of a pair."""
        ### BEGIN SOLUTION
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


AB, BC, XY = (97, 98), (98, 99), (120, 121)


def calls(category, *rows):
    return Case(category, (), tuple((method, tuple(args)) for method, *args in rows))


def random_calls(random, category, number, longest, most, asked):
    """Return a case in which each pair is born and loses its places, with a call of ``best`` now and then."""
    free = random.sample(range(10 * number * longest), number * longest)
    turns, rows = [], []
    for pair in random.sample([(left, right) for left in range(97, 97 + number) for right in (98, 300)], number):
        places = sorted(free.pop() for _ in range(random.randint(1, longest)))
        # Usually the first place goes first, since that is the one that decides ties.
        gone = random.choice([places, places, random.sample(places, len(places))])
        born = "born", pair, [(place, random.randint(1, most)) for place in places]
        life = [born, *(("gone", pair, place) for place in gone)]
        turns += [life] * len(life)
    for life in random.sample(turns, len(turns)):
        rows += [life.pop(0), *[("best",)] * (random.random() < asked)]
    return calls(category, *rows, ("best",), ("best",))


def cases(random):
    yield calls("no pair is born", ("best",))
    for number in range(2, 9):
        yield random_calls(random, "counts that fall", number, 4, 30, 0.5)
        yield random_calls(random, "ties", number, 4, 1, 0.7)
        yield random_calls(random, "a first place that goes", number, 3, 2, 1)
        yield random_calls(random, "all pairs die", number, 2, 3, 0.3)


PUSH = "heapq.heappush(self.heap, (*truth, front))"
BORN, NOW = "next(iter(self.places[pair]))", "next(iter(self.places[front]))"

EXERCISE = Exercise(
    "07.candidates",
    "First seen, lazily",
    "match",
    answer=Candidates,
    entry="Candidates",
    difficulty=4,
    minutes=25,
    points=4,
    hints=(
        "What must the heap store about a pair, so that its smallest entry is the best pair? Which parts of that can "
        "change later, and in which direction?",
        "Lesson 07, where the heap is lazy: a stored entry is never worse than the current one.",
        "entry = (minus count, first remaining place, pair); best: while the first entry is outdated, "
        "replace it with the current one, or drop it if the pair has no places left",
    ),
    shown=(
        calls("counts that decide", ("born", AB, [(3, 5)]), ("born", BC, [(7, 4), (9, 2)]), ("best",)),
        calls("ties", ("born", XY, [(3, 2)]), ("born", AB, [(7, 1), (9, 1)]), ("best",)),
        calls(
            "a first place that goes",
            ("born", AB, [(1, 1), (8, 2)]),
            ("born", BC, [(5, 2)]),
            ("best",),
            ("gone", AB, 1),
            ("best",),
        ),
        calls("all pairs die", ("born", AB, [(1, 4)]), ("gone", AB, 1), ("best",)),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "fails-when-no-pair-is-left",
            "If no pair has places left, there is no best one: return None.",
            when=lambda case, outcome, wanted: bool(re.search("empty|index out of range", outcome.message)),
        ),
        Mistake(
            "throws-outdated-entries-away",
            "That is the classic bug of the lesson: a pair whose count has fallen is still there, with a lower count.",
            like=((PUSH, "pass"), ("return front", f"{PUSH}\n                    return front")),
        ),
        Mistake(
            "trusts-the-heap",
            "Old entries stay in your heap and promise too much. How do you notice that an entry is out of date?",
            like=(
                ("*truth, ", "*stored, "),
                ("stored == truth", "True"),
                ("front, self.totals[front]", "front, -stored[0]"),
            ),
        ),
        Mistake(
            "best-takes-it-out",
            "`best` only asks. What is missing from your heap after it has answered?",
            like=("return front", "heapq.heappop(self.heap)\n                    return front"),
        ),
        Mistake(
            "dead-pairs-stay",
            "A pair without remaining places is not a candidate, even if no other pair is left.",
            like=(("if self.places[front]", "if True"), (NOW, NOW[:-1] + ", 0)")),
            when=lambda case, outcome, wanted: all(
                mine == right or (right is None and mine[1] == 0) for mine, right in zip(outcome.value, wanted)
            ),
        ),
        Mistake(
            "the-first-place-for-ever",
            "The first place of a pair may be gone. Which is its first place now?",
            like=((".pop(place)", "[place]"), ("if self.places", "if self.totals")),
        ),
        Mistake(
            "smallest-pair",
            "In a tie the ids do not matter here: the pair with the smallest remaining place wins.",
            like=((BORN, "pair"), (NOW, "front")),
        ),
        Mistake(
            "order-of-birth",
            "The order in which pairs are born does not matter: the one with the smallest remaining place wins.",
            like=((BORN, "len(self.places)"), (NOW, "list(self.places).index(front) + 1")),
        ),
        Mistake(
            "counts-places",
            "Each place has a count, that of its word. A place in a word that occurs five times counts five times.",
            like=(
                ("sum(self.places[pair].values())", "len(self.places[pair])"),
                ("self.places[pair].pop(place)", "bool(self.places[pair].pop(place))"),
            ),
        ),
    ),
)
