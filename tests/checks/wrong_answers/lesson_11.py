"""Wrong answers to the exercises of lesson 11, and what the check says about each."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

WRONG = [
    Wrong(
        "11.gain_interval",
        "a draw is a set",
        """
        def gain_interval(rows, draws):
            gains = []
            for draw in draws:
                some = [rows[at] for at in set(draw)]
                size = sum(row[0] for row in some)
                gains.append(size / sum(row[2] for row in some) - size / sum(row[1] for row in some))
            gains.sort()
            return gains[len(gains) // 40], gains[-1 - len(gains) // 40]
        """,
        hint="",
    ),
    Wrong(
        "11.efficiency",
        "no thought of 1",
        """
        def efficiency(counts, alpha):
            used = [count / sum(counts) for count in counts if count]
            if len(used) < 2:
                raise ValueError
            top = max(used)
            if alpha == math.inf:
                return -math.log2(top) / math.log2(len(used))
            inside = math.log2(sum((p / top) ** alpha for p in used)) + alpha * math.log2(top)
            return inside / (1 - alpha) / math.log2(len(used))
        """,
        hint="alpha-one",
    ),
    Wrong(
        "11.efficiency",
        "no thought of infinity",
        """
        def efficiency(counts, alpha):
            used = [count / sum(counts) for count in counts if count]
            if len(used) < 2:
                raise ValueError
            if alpha == 1:
                return -sum(p * math.log2(p) for p in used) / math.log2(len(used))
            top = max(used)
            inside = math.log2(sum((p / top) ** alpha for p in used)) + alpha * math.log2(top)
            return inside / (1 - alpha) / math.log2(len(used))
        """,
        hint="alpha-infinity",
    ),
    Wrong(
        "11.efficiency",
        "the formula as it stands",
        """
        def efficiency(counts, alpha):
            used = [count / sum(counts) for count in counts if count]
            if len(used) < 2:
                raise ValueError
            if alpha == 1:
                entropy = -sum(p * math.log2(p) for p in used)
            elif alpha == math.inf:
                entropy = -math.log2(max(used))
            else:
                entropy = math.log2(sum(p**alpha for p in used)) / (1 - alpha)
            return entropy / math.log2(len(used))
        """,
        hint="underflow",
    ),
    Wrong(
        "11.efficiency",
        "nothing is even",
        """
        def efficiency(counts, alpha):
            used = [count / sum(counts) for count in counts if count]
            if len(used) < 2:
                return 0.0
            top = max(used)
            if alpha == 1:
                entropy = -sum(p * math.log2(p) for p in used)
            elif alpha == math.inf:
                entropy = -math.log2(top)
            else:
                inside = math.log2(sum((p / top) ** alpha for p in used))
                entropy = (inside + alpha * math.log2(top)) / (1 - alpha)
            return entropy / math.log2(len(used))
        """,
        hint="too-few",
    ),
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
