"""Wrong answers to the exercises of lesson 11, and what each is told; fronts and cheats are beside it."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong
from tests.checks.wrong_answers.lesson_11_open import OPEN

WRONG = [
    *OPEN,
    Wrong(
        "11.bytes_per_token",
        "the mean of what each has",
        """
        def bytes_per_token(rows):
            return sum(len(text.encode()) / len(ids) for text, ids in rows) / len(rows)
        """,
        hint="mean-of-ratios",
    ),
    Wrong(
        "11.bytes_per_token",
        "tokens per byte",
        """
        def bytes_per_token(rows):
            return sum(len(ids) for _, ids in rows) / sum(len(text.encode()) for text, _ in rows)
        """,
        hint="upside-down",
    ),
    Wrong(
        "11.bytes_per_token",
        "rows are counted",
        """
        def bytes_per_token(rows):
            sizes = [len(text.encode("utf-8")) for text, _ in rows]
            return sum(sizes) / len(rows)
        """,
        hint="for-each-text",
    ),
    Wrong(
        "11.bytes_per_token",
        "whole numbers",
        """
        def bytes_per_token(rows):
            sizes = [len(text.encode("utf-8")) for text, _ in rows]
            return sum(sizes) // sum(len(ids) for _, ids in rows)
        """,
        hint="",
    ),
    Wrong(
        "11.bits_per_byte",
        "divided by tokens",
        """
        def bits_per_byte(losses, text):
            return sum(losses) / math.log(2) / len(losses)
        """,
        hint="per-token",
    ),
    Wrong(
        "11.bits_per_byte",
        "natural logarithms",
        """
        def bits_per_byte(losses, text):
            return sum(losses) / len(text.encode("utf-8"))
        """,
        hint="nats",
    ),
    Wrong(
        "11.bits_per_byte",
        "a logarithm of logarithms",
        """
        def bits_per_byte(losses, text):
            return math.log2(sum(losses)) / len(text.encode("utf-8"))
        """,
        hint="log-of-the-sum",
    ),
    Wrong(
        "11.bits_per_byte",
        "the mean loss",
        """
        def bits_per_byte(losses, text):
            return sum(losses) / len(losses) / math.log(2) / len(text.encode("utf-8"))
        """,
        hint="mean-loss",
    ),
    Wrong(
        "11.bits_per_byte",
        "two bytes for each character",
        """
        def bits_per_byte(losses, text):
            return sum(losses) / math.log(2) / (len(text.encode("utf-16")) - 2)
        """,
        hint="",
    ),
    Wrong(
        "11.gini",
        "not sorted",
        """
        def gini(costs):
            n, total = len(costs), sum(costs)
            return sum((2 * at + 1 - n) * cost for at, cost in enumerate(costs)) / (n * total)
        """,
        hint="unsorted",
    ),
    Wrong(
        "11.gini",
        "the area once",
        """
        def gini(costs):
            apart = sum(abs(a - b) for a in costs for b in costs)
            return apart / (4 * len(costs) * sum(costs))
        """,
        hint="half",
    ),
    Wrong(
        "11.gini",
        "twice the area below",
        """
        def gini(costs):
            apart = sum(abs(a - b) for a in costs for b in costs)
            return 1 - apart / (2 * len(costs) * sum(costs))
        """,
        hint="other-side",
    ),
    Wrong(
        "11.gini",
        "as for a sample",
        """
        def gini(costs):
            n = len(costs)
            apart = sum(abs(a - b) for a in costs for b in costs) / (n * (n - 1))
            return apart / 2 / (sum(costs) / n)
        """,
        hint="of-a-sample",
    ),
    Wrong(
        "11.gini",
        "a staircase",
        """
        def gini(costs):
            carried = area = 0
            for cost in sorted(costs):
                carried += cost
                area += carried / sum(costs) / len(costs)
            return 1 - 2 * area
        """,
        hint="steps",
    ),
    Wrong(
        "11.gini",
        "the dearest against the cheapest",
        """
        def gini(costs):
            return (max(costs) - min(costs)) / (max(costs) + min(costs))
        """,
        hint="",
    ),
    Wrong(
        "11.gain_interval",
        "two intervals",
        """
        def gain_interval(rows, draws):
            def middle(which):
                found = sorted(sum(rows[at][0] for at in draw) / sum(rows[at][which] for at in draw) for draw in draws)
                return found[len(found) // 40], found[-1 - len(found) // 40]

            first, second = middle(1), middle(2)
            return second[0] - first[0], second[1] - first[1]
        """,
        hint="two-intervals",
    ),
    Wrong(
        "11.gain_interval",
        "the ends that are farthest apart",
        """
        def gain_interval(rows, draws):
            def middle(which):
                found = sorted(sum(rows[at][0] for at in draw) / sum(rows[at][which] for at in draw) for draw in draws)
                return found[len(found) // 40], found[-1 - len(found) // 40]

            first, second = middle(1), middle(2)
            return second[0] - first[1], second[1] - first[0]
        """,
        hint="farthest-apart",
    ),
    Wrong(
        "11.gain_interval",
        "means of ratios",
        """
        def gain_interval(rows, draws):
            gains = sorted(sum(rows[at][0] / rows[at][2] - rows[at][0] / rows[at][1] for at in draw) / len(draw)
                           for draw in draws)
            return gains[len(gains) // 40], gains[-1 - len(gains) // 40]
        """,
        hint="mean-of-ratios",
    ),
    Wrong(
        "11.gain_interval",
        "smallest and largest",
        """
        def gain_interval(rows, draws):
            gains = []
            for draw in draws:
                some = [rows[at] for at in draw]
                size = sum(row[0] for row in some)
                gains.append(size / sum(row[2] for row in some) - size / sum(row[1] for row in some))
            return min(gains), max(gains)
        """,
        hint="nothing-cut",
    ),
    Wrong(
        "11.gain_interval",
        "the first less the second",
        """
        def gain_interval(rows, draws):
            gains = []
            for draw in draws:
                some = [rows[at] for at in draw]
                size = sum(row[0] for row in some)
                gains.append(size / sum(row[1] for row in some) - size / sum(row[2] for row in some))
            gains.sort()
            return gains[len(gains) // 40], gains[-1 - len(gains) // 40]
        """,
        hint="other-way-round",
    ),
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
        "all that are listed",
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
                top = max(used)
                inside = math.log2(sum((p / top) ** alpha for p in used))
                entropy = (inside + alpha * math.log2(top)) / (1 - alpha)
            return entropy / math.log2(len(counts))
        """,
        hint="unused-ones",
    ),
    Wrong(
        "11.efficiency",
        "the entropy",
        """
        def efficiency(counts, alpha):
            used = [count / sum(counts) for count in counts if count]
            if len(used) < 2:
                raise ValueError
            if alpha == 1:
                return -sum(p * math.log2(p) for p in used)
            if alpha == math.inf:
                return -math.log2(max(used))
            top = max(used)
            return (math.log2(sum((p / top) ** alpha for p in used)) + alpha * math.log2(top)) / (1 - alpha)
        """,
        hint="entropy",
    ),
    Wrong(
        "11.efficiency",
        "Shannon whatever alpha is",
        """
        def efficiency(counts, alpha):
            used = [count / sum(counts) for count in counts if count]
            if len(used) < 2:
                raise ValueError
            return -sum(p * math.log2(p) for p in used) / math.log2(len(used))
        """,
        hint="always-shannon",
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
]
