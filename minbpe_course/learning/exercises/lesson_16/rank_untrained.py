"""Exercise 16.rank_untrained: find the tokens that a model has never seen, from its output rows alone.

The models are small and trained here, so the truth is known: a text of random words with favourites, a bigram model
with a row of numbers for each token at either end, and gradient descent on the whole text. They begin with rows of
different lengths, so an indicator that suits one of them may fail for the next.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import numpy as np

from minbpe_course.learning.judge.equality import shown
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, breaks


def rank_untrained(rows, unused):
    """Return all ids that are not known to be unused, the most suspicious first.

    You have the output rows of a model, one for each token, and some ids that it cannot have seen, such as the bytes
    that never occur in UTF-8. Which other tokens has it never seen?

    * **In:** `rows`, a list of lists of float, all of the same length; `unused`, a list of ids, at least one.
    * **Out:** a list of all other ids, each once, the most suspicious first.

    We measure the **average precision** over six models that were really trained: for each token that the model never
    saw, take the share of never-seen tokens among all up to and including it in your list; average these shares, in
    percent. A list that begins with exactly those tokens scores 100. 96 earns 4 points, 50 earns 2. Three of the models
    began with very short rows, three with long ones.

    A good answer to `rank_untrained([[0.1, 0.2], [1.5, -1.0], [0.2, 0.1], [-1.0, 2.0]], [0])` probably begins with 2.
    """
    table = np.array(rows)
    typical = table[unused].mean(axis=0)
    far = np.square(table - typical).sum(axis=1)
    return [int(one) for one in np.argsort(far, kind="stable") if one not in unused]


_ROWS = [[0.1, 0.2], [1.5, -1.0], [0.2, 0.1], [-1.0, 2.0]]
A_MODEL, BY_HAND = "a trained model", "rows that were made up"
SIZE, WIDTH, WORDS, STEPS, RATE = 90, 6, 1_200, 50, 20.0
SCALES = (0.05, 0.05, 3.0, 3.0, 0.05, 3.0)  # how far the rows lie from the origin before training


def trained_model(random: Random, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Return how often each token was seen, int64 of (SIZE,), and the trained output rows, float64 of (SIZE, WIDTH)."""
    spoken = random.sample(range(SIZE), SIZE * 3 // 4)
    weights = [1 / rank for rank in range(1, len(spoken) + 1)]
    followers = {token: random.sample(spoken, 4) for token in spoken}
    ids = [spoken[0]]
    while len(ids) < WORDS:
        ids.append(random.choice(followers[ids[-1]]) if random.random() < 0.5 else random.choices(spoken, weights)[0])
    counts = np.zeros((SIZE, SIZE))
    np.add.at(counts, (ids[:-1], ids[1:]), 1)

    before, after = (
        np.array([random.gauss(0, scale) for _ in range(SIZE * WIDTH)]).reshape(SIZE, WIDTH) for _ in range(2)
    )
    for _ in range(STEPS):
        scores = before @ after.T
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        error = (chances * counts.sum(axis=1, keepdims=True) - counts) / len(ids)
        before, after = before - RATE * error @ after, after - RATE * error.T @ before
    return np.bincount(ids, minlength=SIZE), after


def model_case(random: Random, scale: float) -> Case:
    """Return the case of one trained model: its output rows, and some ids that were never seen; the others are held."""
    seen, rows = trained_model(random, scale)
    never = [token for token in range(SIZE) if not seen[token]]
    unused = sorted(random.sample(never, len(never) // 4))
    plain_rows = [[round(float(number), 4) for number in row] for row in rows]
    return Case(A_MODEL, (plain_rows, unused), held=frozenset(never) - frozenset(unused))


def model_cases(random: Random) -> Iterator[Case]:
    """Yield a few invented rows, and the models that are measured."""
    yield Case(BY_HAND, ([[1.0, 0.0], [0.9, 0.1], [-1.0, 0.5]], [0]))
    yield Case(BY_HAND, ([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 1.0]], [1, 2]))
    for scale in SCALES:
        yield model_case(random, scale)


def complaint(case: Case, answer: Any) -> str | None:
    """Return None if every id that is not known to be unused is named once, else what is wrong.

    >>> case = Case("", ([[1.0], [2.0], [3.0]], [1]))
    >>> complaint(case, [2, 0]) is None, complaint(case, [2])
    (True, 'id 0 is missing')
    """
    rows, unused = case.args
    wanted = set(range(len(rows))) - set(unused)
    if not isinstance(answer, (list, tuple)) or not all(type(one) is int for one in answer):
        return "a list of ids, each an int"
    for one in answer:
        if one not in wanted:
            named = "is known to be unused" if one in unused else "is no row"
            return f"id {shown(one, 40)} {named}; leave it out"
    missing = wanted - set(answer)
    if missing:
        return f"id {min(missing)} is missing"
    return None if len(answer) == len(wanted) else "an id is named twice"


def average_precision(order: Sequence[int], wanted: frozenset[int]) -> float:
    """Return the mean, over the wanted ids, of the share of wanted ids up to each: 1 if all of them come first.

    >>> average_precision([4, 2, 7], frozenset([4, 7]))
    0.8333333333333333
    """
    shares, right = [], 0
    for place, one in enumerate(order, start=1):
        if one in wanted:
            right += 1
            shares.append(right / place)
    return math.fsum(shares) / max(1, len(wanted))


def measured(cases: tuple[Case, ...], answers: list[Any]) -> tuple[float, str | None]:
    """Return the average precision over all models, in percent, without a complaint."""
    found = [average_precision(answer, case.held) for case, answer in zip(cases, answers) if case.held]
    return 100 * math.fsum(found) / max(1, len(found)), None


EXERCISE = Exercise(
    key="16.rank_untrained",
    answer=rank_untrained,
    title="Fishing",
    kind="design",
    difficulty=5,
    minutes=40,
    points=4,
    hints=(
        "Tokens that were never the right answer have all been pushed in the same direction. You know "
        "some of them for sure: what do their rows look like, and which rows are near them?",
        "take the mean of the rows that are known to be unused; the nearer another row is to it, the more"
        " suspicious it is; compare length, angle and distance on models that began with short and with "
        "long rows",
        "Lesson 16, on SolidGoldMagikarp: three indicators, and the table of when each of them fails.",
    ),
    accept=complaint,
    shown=(Case(BY_HAND, (_ROWS, [0])),),
    drawn=model_cases,
    mistakes=(
        Mistake(
            "names-the-unused",
            "The ids that are known to be unused are not a discovery. Rank the others.",
            when=breaks(complaint, "known to be unused"),
        ),
        Mistake(
            "leaves-some-out",
            "Rank *all* other ids, including those that you think are well trained: they come last.",
            when=breaks(complaint, "is missing"),
        ),
    ),
    measure=measured,
    levels=((96.0, 4), (50.0, 2)),
    smaller_is_better=False,
    unit="percent average precision",
    packages=("numpy",),
)
