"""Scored pieces, the ways to cut a word into them, and words to cut: shared by exercises of lesson 13."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from minbpe_course.learning.judge.callers import example_of
from minbpe_course.learning.judge.exercise import Case, Exercise

Scores = Mapping[str, float]


def _pieces(random: Random, text: str, number: int) -> list[str]:
    """Return the characters of a text and some longer parts of it, without repetition, in random order."""
    cuts = {text[at : at + size] for at in range(len(text)) for size in (2, 3, 4) if at + size <= len(text)}
    pieces = [*set(text), *random.sample(sorted(cuts), min(number, len(cuts)))]
    return random.sample(sorted(pieces), len(pieces))


Edges = list[tuple[int, int]]
NEVER = -math.inf


def edges_of(text: str, scores: Scores) -> Edges:
    """Return where pieces begin and end, sorted by their end, shorter pieces first.

    >>> edges_of("ab", {"a": -1.0, "b": -1.0, "ab": -1.0})
    [(0, 1), (1, 2), (0, 2)]
    """
    longest = max(map(len, scores), default=0)
    return [
        (begin, end)
        for end in range(1, len(text) + 1)
        for begin in range(end - 1, max(-1, end - longest - 1), -1)
        if text[begin:end] in scores
    ]


def likeliest(text: str, scores: Scores, *, later: bool = False) -> list[str]:
    """Return the best cut; of equal sums the one that is found first, or the last one.

    >>> likeliest("ab", {"a": -1.0, "b": -1.0, "ab": -1.5})
    ['ab']
    """
    best = [0.0] + [NEVER] * len(text)
    came = [0] * (len(text) + 1)
    for begin, end in edges_of(text, scores):
        total = best[begin] + scores[text[begin:end]]
        if total > best[end] or (later and total == best[end]):
            best[end], came[end] = total, begin
    path, place = [], len(text)
    while place:
        path.append(text[came[place] : place])
        place = came[place]
    return path[::-1]


def drawn_word(random: Random, length: int) -> tuple[str, dict[str, float]]:
    """Return a word, and scores of pieces that can spell it: its characters and some parts of it."""
    word = "▁" + "".join(random.choices(random.choice(("ab", "abc", "é中", "e\u0301🙂", "a")), k=length - 1))
    return word, {
        piece: -random.randint(1 << 10, 12 << 10) / (1 << 11) for piece in _pieces(random, word, 3 + length // 2)
    }


def cases_against(
    exercise: Exercise, names: Mapping[str, Sequence[str]], draw: Callable[[str], tuple[Any, ...]]
) -> Iterator[Case]:
    """Draw arguments in each category until each of these mistakes has failed on four of them; yield these cases."""
    likes = {mistake.name: example_of(mistake, exercise.entry) for mistake in exercise.mistakes}
    for category, mistakes in names.items():
        for name in mistakes:
            wrong, right, missing = likes[name], exercise.wanted, 4
            assert wrong is not None
            assert right is not None
            while missing:
                args = draw(category)
                if wrong(*args) != right(*args):
                    missing -= 1
                    yield Case(category, args)
