"""Lesson 07, shares of a file that is read in pieces: a border that lies between two pieces must not be missed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from minbpe_course.checks.exercise import Case, Exercise, Mistake

Borders = Callable[[bytes, int, bytes, int], list[int]]


def _searching(step: Callable[[bytes, int], int] | None, behind: bool = False, once: bool = False) -> Borders:
    """Return a search for borders in which one thing may be otherwise.

    step : (token, size) -> how far the next piece begins behind the last; None: the data are searched in one.
    behind : the share begins behind the token. once : only one piece is looked at.
    """

    def find_borders(data: bytes, number: int, token: bytes, size: int) -> list[int]:
        borders = {0, len(data)}
        for share in range(1, number):
            at = len(data) * share // number
            if step is None:
                found = data.find(token, at)
                borders |= {found} if found >= 0 else set()
                continue
            while at < len(data):
                found = data[at : at + size].find(token)
                if found >= 0:
                    borders.add(at + found + (len(token) if behind else 0))
                    break
                at = len(data) if once else at + step(token, size)
        return sorted(borders)

    return find_borders


def _at_the_guess(data: bytes, number: int, token: bytes, size: int) -> list[int]:
    return sorted({0, len(data), *(len(data) * share // number for share in range(1, number))})


def _behind(data: bytes, number: int, token: bytes, size: int) -> list[int]:
    borders = _searching(None)(data, number, token, size)
    return sorted({0, len(data), *(border + len(token) for border in borders[1:-1])})


def _documents(random: Random, number: int, token: bytes, longest: int) -> bytes:
    return token.join(bytes(random.choices(b"ab <|>e", k=random.randint(0, longest))) for _ in range(number))


END = b"<|end|>"


def _border_cases(random: Random) -> Iterator[Case]:
    yield Case("no data", (b"", 3, END, 10))
    yield Case("no token at all", (b"one long document and nothing else", 4, END, 10))
    for number in range(2, 8):
        size = len(END) + random.randint(2, 6)
        yield Case("many documents", (_documents(random, 6 * number, END, 12), number, END, 200))
        yield Case("small pieces", (_documents(random, 4 * number, END, 14), number, END, size))
        # The token begins in the first piece behind the guess and ends in the second one.
        half = size - random.randint(1, len(END) - 1)
        text = b"a" * (half + 40) + END + b"b" * 9
        text += b"c" * max(0, 2 * (40) - len(text))
        yield Case("a token between two pieces", (text.ljust(80 + number, b"d"), 2, END, size))
        yield Case("a token between two pieces", (_documents(random, 2, END, 60), 2, END, size))
        yield Case("more shares than documents", (_documents(random, 3, END, 9), 5 + number, END, size))
        yield Case("a token of equal letters", (_documents(random, 9, b"aa", 5), number, b"aa", 3))


FIND_BORDERS = Exercise(
    key="07.find_borders",
    title="The border that nobody sees",
    kind="repair",
    entry="find_borders",
    difficulty=3,
    minutes=15,
    points=3,
    hints=(
        "Each piece is searched by itself. Write down two neighbouring pieces and a token that is in neither of them, "
        "although it is in the file.",
        "the next piece has to begin so early that a token whose last byte was missing fits into it whole",
        'Lesson 07, "What a border destroys": there the counts show what a torn special token does.',
    ),
    wanted=_searching(None),
    planted=_searching(lambda token, size: size),
    shown=(
        Case("many documents", (b"one<|end|>two<|end|>three<|end|>four", 2, END, 40)),
        Case("a token between two pieces", (b"one<|end|>two, and a little more<|end|>three", 2, END, 12)),
        Case("more shares than documents", (b"a<|end|>b", 4, END, 10)),
    ),
    drawn=_border_cases,
    mistakes=(
        Mistake(
            "one-byte-too-far",
            "Nearly: the token that lacks only its last byte in one piece lacks its first in the next.",
            like=_searching(lambda token, size: size - len(token) + 2),
        ),
        Mistake(
            "gives-up",
            "There may be no token in the first piece and one in the next.",
            like=_searching(lambda token, size: size, once=True),
        ),
        Mistake(
            "wherever-it-falls",
            "A share begins with a token, not just anywhere.",
            like=_at_the_guess,
        ),
        Mistake(
            "behind-the-token",
            "The border is in front of the token: the share that begins there begins with it.",
            like=_behind,
        ),
    ),
)
