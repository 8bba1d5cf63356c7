"""Exercise 16.suspects: rank tokens by the angle between their rows and those of tokens that are certainly unused."""

import numpy as np

from minbpe_course.learning import Exercise, Mistake


def suspects(rows, unused):
    """Return the other ids, those first whose rows point most like the unused ones.

    Add up the rows of the unused ids: their sum points in the direction that they share. For every other row, compute
    the **cosine** of the angle between it and this direction: the sum of the products of their numbers, divided by
    the length of the row and by the length of the direction. The length of a row is the square root of the sum of its
    squares.

    * **In:** `rows`, a list of lists of float or a NumPy array, a row for each id. No row has the length 0, nor has
      the direction. And `unused`, a list of ids, at least one.
    * **Out:** a list of all other ids, each an int, the largest cosine first.

    `suspects([[1.0, 0.0], [0.1, 5.0], [3.0, 1.0], [-1.0, 0.0]], [0])` is `[2, 1, 3]`.
    """
    table = np.array(rows, dtype=float)
    direction = table[unused].sum(axis=0)
    cosine = table @ direction / np.linalg.norm(table, axis=1)
    return [int(token) for token in np.argsort(-cosine) if token not in unused]


def one_by_one(rows, unused):
    direction = [sum(column) for column in zip(*(rows[token] for token in unused))]

    def cosine(token):
        product = sum(one * other for one, other in zip(rows[token], direction))
        return product / sum(one * one for one in rows[token]) ** 0.5

    return sorted(set(range(len(rows))) - set(unused), key=cosine, reverse=True)


ONE, SEVERAL, LENGTHS, OPPOSITE = (
    "one unused row",
    "several unused rows",
    "rows of different lengths",
    "rows that point the other way",
)


def cases(random):
    def row(width, longest=3):
        return [round(random.choice([-1, 1]) * random.uniform(0.2, longest), 3) for _ in range(width)]

    for size in range(3, 11):
        rows = [row(2 + size // 3) for _ in range(size)]
        yield ONE, rows, [random.randrange(size)]
        yield SEVERAL, rows, sorted(random.sample(range(size), 2))
        yield LENGTHS, [[number * random.choice([1, 8, 40]) for number in each] for each in rows], [size - 1, 0]
        yield OPPOSITE, [*rows, [-number for number in rows[0]]], [0]


EXERCISE = Exercise(
    "16.suspects",
    "Untrained tokens, by the angle",
    "write",
    answer=suspects,
    wanted=one_by_one,
    difficulty=3,
    minutes=12,
    points=3,
    hints=(
        "A token that was never trained looks like those that cannot be trained. Which direction do their rows share?",
        "Lesson 16, on SolidGoldMagikarp, and the cosine in the task. NumPy has `@` and `np.linalg.norm`.",
        "table = np.array(rows); direction = the sum of table[unused]; cosine = table @ direction / the length of each "
        "row; sort the other ids by it, the largest first",
    ),
    shown=(
        (ONE, [[1.0, 0.0], [0.1, 5.0], [3.0, 1.0], [-1.0, 0.0]], [0]),
        (SEVERAL, [[1.0, 0.0], [0.0, 1.0], [1.0, -0.5], [2.0, 1.9]], [0, 1]),
        (LENGTHS, [[2.0, 1.0], [9.0, -9.0], [0.3, 0.1]], [0]),
        (OPPOSITE, [[1.0, 1.0], [-1.0, -1.0], [1.0, -0.9]], [0]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "no-lengths",
            "A long row has a large product in any direction. Divide by the length of the row.",
            like=(" / np.linalg.norm(table, axis=1)", ""),
        ),
        Mistake(
            "least-like-first",
            "The most suspicious comes first: the row with the *largest* cosine.",
            like=("-cosine", "cosine"),
        ),
        Mistake(
            "distance",
            "You sort by the distance. The angle does not depend on how long a row is.",
            like=("cosine = table @ direction / np.linalg.norm(table, axis=1)",
                  "cosine = -np.linalg.norm(table - direction / len(unused), axis=1)"),
        ),
        Mistake(
            "either-way",
            "A row that points the other way has a negative cosine. It is the least suspicious of all.",
            like=("table @ direction /", "abs(table @ direction) /"),
        ),
        Mistake(
            "first-unused-only",
            "All unused rows together give the direction, not only the first.",
            like=("table[unused]", "table[unused[:1]]"),
        ),
        Mistake(
            "names-the-unused",
            "The ids that are known to be unused are not suspects. Leave them out.",
            like=(" if token not in unused", ""),
        ),
    ),
)  # fmt: skip
