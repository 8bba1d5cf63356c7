"""The exercises of lesson 13 about losses and rows: bits per byte, and a table with rows for new tokens."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from random import Random

from minbpe_course.checks.exercise import Case

ASCII, LONGER_CHARACTERS, CERTAIN = "a text in ASCII", "characters of several bytes", "tokens that were certain"
SHARES = (1.0, 0.5, 0.25, 0.125, 0.9, 0.3, 0.01)
TEXTS = ("low", "lower and lower", "the same text", "naïve", "Ωmega", "中文", "♞ takes", "ab")


def bits_per_byte(shares: Sequence[float], text: str) -> float:
    """Return the surprise at all tokens together, in bits, for each byte of the text.

    >>> bits_per_byte([0.5, 0.125], "low!")
    1.0
    """
    return sum(-math.log2(share) for share in shares) / len(text.encode("utf-8"))


def loss_cases(random: Random) -> Iterator[Case]:
    """Yield shares of tokens, and the text that they spell."""
    for number in range(1, 9):
        text = random.choice(TEXTS[:3]) * number
        yield Case(ASCII, ([*random.choices(SHARES, k=number), 0.2], text))
        yield Case(LONGER_CHARACTERS, (random.choices(SHARES[1:], k=number), random.choice(TEXTS[3:7]) * number))
    yield Case(CERTAIN, ([1.0, 1.0, 1.0], "certain"))


MEANS, COPIES, UNKNOWN = "the mean of some rows", "a copy of a row", "a token that nobody knows"


def with_new_rows(table: Sequence[Sequence[float]], sources: Sequence[Sequence[int]]) -> list[list[float]]:
    """Return the table with one more row for each source: the mean of the rows that it names, or of all old rows.

    >>> with_new_rows([[0.0, 2.0], [4.0, 4.0]], [[0, 1], []])
    [[0.0, 2.0], [4.0, 4.0], [2.0, 3.0], [2.0, 3.0]]
    """
    new = [_mean([table[place] for place in source] if source else table) for source in sources]
    return [*map(list, table), *new]


def _mean(rows: Sequence[Sequence[float]]) -> list[float]:
    return [sum(column) / len(rows) for column in zip(*rows)]


def row_cases(random: Random) -> Iterator[Case]:
    """Yield small tables, and sources of new rows."""
    for size in range(2, 10):
        table = [[random.randint(-40, 40) / 8 for _ in range(1 + size // 3)] for _ in range(size)]
        some = [random.choices(range(size), k=random.randint(2, 4)) for _ in range(2)]
        yield Case(MEANS, (table, [*some, [0, 0, size - 1]]))
        yield Case(COPIES, (table, [[random.randrange(size)] for _ in range(2)]))
        yield Case(UNKNOWN, (table, [some[0], [], []]))
    yield Case("no new token", ([[1.0], [2.0]], []))


def only_the_new(table: Sequence[Sequence[float]], sources: Sequence[Sequence[int]]) -> list[list[float]]:
    """The old rows are left out."""
    return with_new_rows(table, sources)[len(table) :]


def summed(table: Sequence[Sequence[float]], sources: Sequence[Sequence[int]]) -> list[list[float]]:
    """The rows are added up, and not divided."""
    picked = ([table[place] for place in source] if source else table for source in sources)
    return [*map(list, table), *([float(sum(column)) for column in zip(*rows)] for rows in picked)]


def named_once(table: Sequence[Sequence[float]], sources: Sequence[Sequence[int]]) -> list[list[float]]:
    """A row that is named twice counts once."""
    return with_new_rows(table, [sorted(set(source)) for source in sources])


def zeros_for_nobody(table: Sequence[Sequence[float]], sources: Sequence[Sequence[int]]) -> list[list[float]]:
    """A token that nobody knows gets zeros."""
    right = with_new_rows(table, sources)
    width = len(table[0])
    return [row if place < len(table) or sources[place - len(table)] else [0.0] * width
            for place, row in enumerate(right)]  # fmt: skip


def means_of_means(table: Sequence[Sequence[float]], sources: Sequence[Sequence[int]]) -> list[list[float]]:
    """The mean of all takes in the rows that were just added."""
    longer = [*map(list, table)]
    for source in sources:
        longer.append(_mean([longer[place] for place in source] if source else longer))
    return longer
