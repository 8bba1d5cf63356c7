"""Wrong answers to the two questions of lesson 11 that have many right ones: a test, and a cheat."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

OPEN = [
    Wrong(
        "11.test_front",
        "three points in a row",
        """
        def test_front(front):
            assert list(front([(1, 1), (2, 2), (3, 3)])) == [(1, 1), (2, 2), (3, 3)]
        """,
        hint="misses:both-strict",
    ),
    Wrong(
        "11.test_front",
        "different costs and gains",
        """
        def test_front(front):
            import random

            rng = random.Random(1)
            for _ in range(200):
                costs, gains = rng.sample(range(1, 50), 6), rng.sample(range(1, 50), 6)
                points = list(zip(costs, gains))
                kept = [p for p in points if not any(q[0] < p[0] and q[1] > p[1] for q in points)]
                assert list(front(points)) == sorted(kept)
        """,
        hint="misses:both-strict",
    ),
    Wrong(
        "11.test_front",
        "all ties, but only above zero",
        """
        def test_front(front):
            from itertools import product

            for points in product([(1, 3), (2, 1), (2, 3), (1, 1), (3, 2)], repeat=3):
                beaten = {p for p in points for q in points if q != p and q[0] <= p[0] and q[1] >= p[1]}
                assert list(front(list(points))) == sorted(set(points) - beaten)
        """,
        hint="misses:above-zero",
        points=1,
    ),
    Wrong(
        "11.test_front",
        "a test that asks for the hull",
        """
        def test_front(front):
            assert list(front([(0, 0), (5, 1), (6, 9)])) == [(0, 0), (6, 9)]
        """,
        hint="rejects-right",
    ),
    Wrong(
        "11.cheat",
        "the commonest",
        """
        def cheat(counts, halves, most):
            return sorted((token for token in halves if token in counts), key=counts.get, reverse=True)[:most]
        """,
        hint="below the level",
    ),
    Wrong(
        "11.cheat",
        "as in the lesson: the first that helps",
        """
        def cheat(counts, halves, most):
            def number(gone):
                left, waiting = {}, list(counts.items())
                while waiting:
                    token, times = waiting.pop()
                    if token in gone:
                        waiting += [(half, times) for half in halves[token]]
                    else:
                        left[token] = left.get(token, 0) + times
                return efficiency(list(left.values()), 2.5)

            gone, reached = [], number([])
            for token in sorted((token for token in halves if token in counts), key=counts.get, reverse=True):
                if len(gone) < most and number([*gone, token]) > reached:
                    gone.append(token)
                    reached = number(gone)
            return gone
        """,
        hint="below the level",
        points=2,
    ),
    Wrong(
        "11.cheat",
        "the best of the first round, all at once",
        """
        def cheat(counts, halves, most):
            def number(gone):
                left, waiting = {}, list(counts.items())
                while waiting:
                    token, times = waiting.pop()
                    if token in gone:
                        waiting += [(half, times) for half in halves[token]]
                    else:
                        left[token] = left.get(token, 0) + times
                return efficiency(list(left.values()), 2.5)

            values = {token: number([token]) for token in halves if token in counts}
            good = sorted((token for token in values if values[token] > number([])), key=values.get, reverse=True)
            return good[:most]
        """,
        hint="below the level",
        points=3,
    ),
    Wrong(
        "11.cheat",
        "everything that has halves",
        """
        def cheat(counts, halves, most):
            return list(halves)
        """,
        hint="too-many",
    ),
    Wrong(
        "11.cheat",
        "whatever is common",
        """
        def cheat(counts, halves, most):
            return sorted(counts, key=counts.get, reverse=True)[:most]
        """,
        hint="bytes",
    ),
]
