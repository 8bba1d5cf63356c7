"""Exercise 15.test_front: Pareto fronts as source text, right and wrong, for the test that the learner writes.

Each source defines ``front(points)``: ``points`` is a list of (cost, gain) pairs, and the answer is the sorted list of
those that no other point beats, each of them once.
"""

from minbpe_course.learning import Exercise, mutant


def test_front(front):
    """Raise AssertionError if front keeps a point that is beaten, or loses one that is not.

    It is easy to write a Pareto front, and just as easy to get it wrong. Write the test that notices.

    A correct `front(points)` takes a list of pairs (cost, gain) and returns the points that **no other point beats**,
    sorted, each of them once. A point beats another one if it costs no more, gains no less, and is not the same point.
    The function must not change the list it is given.

    * **In:** `front`, a function. Costs and gains are int, and may be 0 or negative.
    * **Out:** nothing if `front` is correct; `AssertionError` if it is not (a plain `assert` will do).

    Your test is run on three correct functions, written quite differently, and on ten wrong ones. Some of those trip
    over ties, some draw another curve, and some change the list. Your test runs several times on each, and its verdict
    must not change. Catching all ten earns 3 points, five to nine earn 1.
    """
    from itertools import product

    grid = [(-1, -1), (-1, 0), (0, 0), (0, 1), (1, 0)]
    tried = [list(some) for size in range(4) for some in product(grid, repeat=size)]
    tried += [[(0, 0), (5, 1), (6, 9)], [(0, 5), (1, 3), (2, 4)], [(3, 3), (3, 3), (1, 1), (2, 2)]]
    for points in tried:
        expected = sorted(
            point
            for point in set(points)
            if not any(other != point and other[0] <= point[0] and other[1] >= point[1] for other in points)
        )
        handed = list(points)
        assert [tuple(point) for point in front(handed)] == expected, points
        assert handed == points, points


_PAIRS = """
def front(points):
    kept = set()
    for cost, gain in points:
        beaten = any(
            other <= cost and more >= gain and (other, more) != (cost, gain)
            for other, more in points
        )
        if not beaten:
            kept.add((cost, gain))
    return sorted(kept)
"""

_SWEEP = """
def front(points):
    kept = []
    for cost, gain in sorted(points, key=lambda point: (point[0], -point[1])):
        if not kept or gain > kept[-1][1]:
            kept.append((cost, gain))
    return kept
"""

_BACK = """
def front(points):
    best = {}
    for cost, gain in points:
        best[gain] = min(cost, best.get(gain, cost))
    kept, least = [], float("inf")
    for gain in sorted(best, reverse=True):
        if best[gain] < least:
            least = best[gain]
            kept.insert(0, (least, gain))
    return kept
"""

RIGHT = (_PAIRS, _SWEEP, _BACK)

EXERCISE = Exercise(
    "15.test_front",
    "Points that no other point beats",
    "test",
    answer=test_front,
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "Ties are where fronts go wrong: the same cost, the same gain, the same point. And what about a gain of -1?",
        "Lesson 15, on how large a vocabulary should be: what a point on the front is.",
        "write the definition literally, with two loops; compare on every list of up to three points with costs and "
        "gains from -1 to 1, and on some longer ones; check that the list did not change",
    ),
    subject="front",
    right=RIGHT,
    mutants=(
        mutant(
            _PAIRS,
            "both-strict",
            "keeps points that cost more for the same gain, or gain less for the same cost",
            ("other <= cost and more >= gain and (other, more) != (cost, gain)", "other < cost and more > gain"),
        ),
        mutant(
            _SWEEP,
            "same-gain",
            "keeps a point that costs more and gains no more",
            ("gain > kept[-1][1]", "gain >= kept[-1][1]"),
        ),
        mutant(
            _SWEEP,
            "same-cost",
            "keeps a point that costs as much and gains less",
            ("(point[0], -point[1])", "(point[0], point[1])"),
        ),
        mutant(
            _PAIRS,
            "given-order",
            "leaves the points in the order in which they were given",
            ("return sorted(kept)", "return [point for point in dict.fromkeys(points) if point in kept]"),
        ),
        mutant(
            _PAIRS,
            "twice",
            "returns a point twice that was given twice",
            ("kept = set()", "kept = []"),
            ("kept.add", "kept.append"),
        ),
        mutant(
            _SWEEP,
            "last-seen",
            "compares with the previous point, which may be beaten itself",
            ("kept = []", "kept, before = [], None"),
            ("not kept or gain > kept[-1][1]", "before is None or gain > before"),
            ("    return", "        before = gain\n    return"),
        ),
        mutant(_PAIRS, "less-is-more", "looks for small gains", ("more >= gain", "more <= gain")),
        mutant(
            _SWEEP,
            "above-zero",
            "leaves out points without a gain above zero",
            ("not kept or gain > kept[-1][1]", "gain > (kept[-1][1] if kept else 0)"),
        ),
        mutant(
            _SWEEP,
            "hull",
            "leaves out points below the line between two others",
            (
                "            kept.append",
                """
            while len(kept) > 1 and (kept[-1][1] - kept[-2][1]) * (cost - kept[-1][0]) <= (gain - kept[-1][1]) * (
                kept[-1][0] - kept[-2][0]
            ):
                kept.pop()
            kept.append""",
            ),
        ),
        mutant(
            _SWEEP,
            "in-place",
            "changes the list that it was given",
            ("    kept = []\n", "    kept = []\n    points.sort()\n"),
        ),
    ),
)
