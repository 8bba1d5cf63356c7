"""The exercises of lesson 14 that measure: how wide ids are, and who is beaten by nobody.

id_bits     all ids written down, each as wide as the highest one needs
unbeaten    the names of those whom nobody beats in all three numbers at once: the Pareto front
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from minbpe_course.checks.exercise import Case

SOME, POWERS, NOTHING = "some ids", "ids round a power of two", "ids that need little"
FEW, TIES, SPREAD = "two or three tokenizers", "tokenizers with equal numbers", "many tokenizers"

Row = tuple[str, float, float, float]


def id_bits(ids: Sequence[int]) -> int:
    """Return how many bits the ids take, all of one width.

    >>> id_bits([5, 0, 3]), id_bits([0]), id_bits([])
    (9, 1, 0)
    """
    return len(ids) * max(1, max(ids, default=0).bit_length())


def distinct_bits(ids: Sequence[int]) -> int:
    """As if only the ids that occur had to be told apart."""
    return len(ids) * max(1, (len(set(ids)) - 1).bit_length())


def own_widths(ids: Sequence[int]) -> int:
    """As if each id could be as narrow as itself, and a reader would still know where it ends."""
    return sum(max(1, number.bit_length()) for number in ids)


def one_too_few(ids: Sequence[int]) -> int:
    """As if the highest id were the number of ids: 256 in 8 bits."""
    return len(ids) * max(1, (max(ids, default=1) - 1).bit_length())


def no_width(ids: Sequence[int]) -> int:
    """As if id 0 took no room."""
    return len(ids) * max(ids, default=0).bit_length()


def bit_cases(dice: Random) -> Iterator[Case]:
    """Yield short rows of ids, round powers of two and elsewhere, zeros and nothing."""
    yield Case(NOTHING, ([],))
    yield Case(NOTHING, ([0] * dice.randint(2, 5),))
    for width in range(1, 9):
        high = (1 << width) - dice.choice((0, 0, 1))
        row = [dice.randrange(high) for _ in range(dice.randint(1, 4))]
        yield Case(POWERS, ([*row, high, high],))
    for size in range(3, 12):
        most = dice.choice((300, 5_000, 60_000, 250_000))
        yield Case(SOME, ([dice.randrange(most) for _ in range(size)] + [0],))


# ----------------------------------------------------------------------------------------------------
# Who is beaten by nobody


def _beats(other: Row, row: Row) -> bool:
    """At least as good everywhere, and better somewhere."""
    pairs = list(zip(other[1:], row[1:]))
    return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)


def unbeaten(rows: Sequence[Row]) -> list[str]:
    """Return the names of those whom nobody beats, in the order in which they stand.

    >>> unbeaten([("a", 1, 3, 0), ("b", 2, 2, 0), ("c", 1, 2, 0)])
    ['a', 'b']
    """
    return [row[0] for row in rows if not any(_beats(other, row) for other in rows)]


def two_numbers(rows: Sequence[Row]) -> list[str]:
    """Looks at compression and fairness only."""
    return unbeaten([(name, a, b, 0.0) for name, a, b, _ in rows])


def better_everywhere(rows: Sequence[Row]) -> list[str]:
    """Takes only those for beaten who are worse in all three."""
    return [row[0] for row in rows if not any(all(a > b for a, b in zip(o[1:], row[1:])) for o in rows)]


def equals_beat(rows: Sequence[Row]) -> list[str]:
    """Lets two equal ones beat each other."""
    kept = []
    for at, row in enumerate(rows):
        others = [*rows[:at], *rows[at + 1 :]]
        if not any(all(a >= b for a, b in zip(o[1:], row[1:])) for o in others):
            kept.append(row[0])
    return kept


def best_in_one(rows: Sequence[Row]) -> list[str]:
    """Takes only those who are first in something."""
    firsts = [max(numbers, default=0) for numbers in zip(*(row[1:] for row in rows))]
    return [row[0] for row in rows if any(a == first for a, first in zip(row[1:], firsts))]


def highest_product(rows: Sequence[Row]) -> list[str]:
    """Takes the one with the highest score."""
    best = max((row[1] * row[2] * row[3] for row in rows), default=0)
    return [row[0] for row in rows if row[1] * row[2] * row[3] == best]


def row_cases(dice: Random) -> Iterator[Case]:
    """Yield leaderboards, short ones first."""

    def row(name: str, levels: int) -> Row:
        a, b, c = (dice.randint(1, levels) / 10 for _ in range(3))
        return name, a, b, c

    for size in (2, 3, 3):
        yield Case(FEW, ([row(f"t{at}", 9) for at in range(size)],))
    for size in (4, 5, 6, 7):
        rows = [row(f"t{at}", 3) for at in range(size)]
        name, *numbers = rows[0]
        twin: Any = (f"{name} again", *numbers)
        yield Case(TIES, ([*rows, twin, ("strong", 0.4, 0.3, 0.3), ("strong too", 0.4, 0.3, 0.3)],))
    for size in (8, 12, 20, 30):
        rows = [row(f"t{at}", 9) for at in range(size)]
        rows += [("fast", 0.1, 0.1, 1.0), ("worse", 0.1, 0.05, 0.9), ("middle", 0.85, 0.85, 0.85)]
        dice.shuffle(rows)
        yield Case(SPREAD, (rows,))
