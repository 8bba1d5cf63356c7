"""Wrong answers to the exercises of lesson 10: expected_counts."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

COUNTS = [
    Wrong(
        "10.expected_counts",
        "each word once",
        """
        from math import exp, log

        def expected_counts(words, scores):
            def log_sum(logs):
                most = max(logs, default=-float("inf"))
                return most + log(sum(exp(one - most) for one in logs)) if logs and most > -1e300 else -float("inf")
            counts = dict.fromkeys(scores, 0.0)
            for word, number in words.items():
                size = len(word)
                edges = [(b, e) for b in range(size) for e in range(b + 1, size + 1) if word[b:e] in scores]
                before, behind = [0.0] + [None] * size, [None] * size + [0.0]
                for place in range(1, size + 1):
                    before[place] = log_sum([before[b] + scores[word[b:e]] for b, e in edges if e == place])
                for place in range(size - 1, -1, -1):
                    behind[place] = log_sum([behind[e] + scores[word[b:e]] for b, e in edges if b == place])
                for b, e in edges:
                    counts[word[b:e]] += exp(before[b] + scores[word[b:e]] + behind[e] - before[-1])
            return counts
        """,
        hint="without-counts",
    ),
    Wrong(
        "10.expected_counts",
        "not divided by the whole",
        """
        from math import exp, log

        def expected_counts(words, scores):
            def log_sum(logs):
                most = max(logs, default=-float("inf"))
                return most + log(sum(exp(one - most) for one in logs)) if logs and most > -1e300 else -float("inf")
            counts = dict.fromkeys(scores, 0.0)
            for word, number in words.items():
                size = len(word)
                edges = [(b, e) for b in range(size) for e in range(b + 1, size + 1) if word[b:e] in scores]
                before, behind = [0.0] + [None] * size, [None] * size + [0.0]
                for place in range(1, size + 1):
                    before[place] = log_sum([before[b] + scores[word[b:e]] for b, e in edges if e == place])
                for place in range(size - 1, -1, -1):
                    behind[place] = log_sum([behind[e] + scores[word[b:e]] for b, e in edges if b == place])
                for b, e in edges:
                    counts[word[b:e]] += number * exp(before[b] + scores[word[b:e]] + behind[e])
            return counts
        """,
        hint="not-divided",
    ),
    Wrong(
        "10.expected_counts",
        "every cut alike",
        """
        from math import exp, log

        def expected_counts(words, scores):
            wanted, scores = scores, dict.fromkeys(scores, 0.0)
            def log_sum(logs):
                most = max(logs, default=-float("inf"))
                return most + log(sum(exp(one - most) for one in logs)) if logs and most > -1e300 else -float("inf")
            counts = dict.fromkeys(scores, 0.0)
            for word, number in words.items():
                size = len(word)
                edges = [(b, e) for b in range(size) for e in range(b + 1, size + 1) if word[b:e] in scores]
                before, behind = [0.0] + [None] * size, [None] * size + [0.0]
                for place in range(1, size + 1):
                    before[place] = log_sum([before[b] + scores[word[b:e]] for b, e in edges if e == place])
                for place in range(size - 1, -1, -1):
                    behind[place] = log_sum([behind[e] + scores[word[b:e]] for b, e in edges if b == place])
                for b, e in edges:
                    counts[word[b:e]] += number * exp(before[b] + scores[word[b:e]] + behind[e] - before[-1])
            return counts
        """,
        hint="every-cut-alike",
    ),
    Wrong(
        "10.expected_counts",
        "forward only",
        """
        from math import exp, log

        def expected_counts(words, scores):
            def log_sum(logs):
                most = max(logs, default=-float("inf"))
                return most + log(sum(exp(one - most) for one in logs)) if logs and most > -1e300 else -float("inf")
            counts = dict.fromkeys(scores, 0.0)
            for word, number in words.items():
                size = len(word)
                edges = [(b, e) for b in range(size) for e in range(b + 1, size + 1) if word[b:e] in scores]
                before, behind = [0.0] + [None] * size, [None] * size + [0.0]
                for place in range(1, size + 1):
                    before[place] = log_sum([before[b] + scores[word[b:e]] for b, e in edges if e == place])
                for place in range(size - 1, -1, -1):
                    behind[place] = log_sum([behind[e] + scores[word[b:e]] for b, e in edges if b == place])
                for b, e in edges:
                    counts[word[b:e]] += number * exp(before[b] + scores[word[b:e]] - before[e])
            return counts
        """,
        hint="forward-only",
    ),
    Wrong(
        "10.expected_counts",
        "only the pieces that were met",
        """
        from math import exp, log

        def expected_counts(words, scores):
            def log_sum(logs):
                most = max(logs, default=-float("inf"))
                return most + log(sum(exp(one - most) for one in logs)) if logs and most > -1e300 else -float("inf")
            counts = {}
            for word, number in words.items():
                size = len(word)
                edges = [(b, e) for b in range(size) for e in range(b + 1, size + 1) if word[b:e] in scores]
                before, behind = [0.0] + [None] * size, [None] * size + [0.0]
                for place in range(1, size + 1):
                    before[place] = log_sum([before[b] + scores[word[b:e]] for b, e in edges if e == place])
                for place in range(size - 1, -1, -1):
                    behind[place] = log_sum([behind[e] + scores[word[b:e]] for b, e in edges if b == place])
                for b, e in edges:
                    counts.setdefault(word[b:e], 0.0)
                    counts[word[b:e]] += number * exp(before[b] + scores[word[b:e]] + behind[e] - before[-1])
            return counts
        """,
        hint="pieces-left-out",
    ),
    Wrong(
        "10.expected_counts",
        "counts of the best cut",
        """
        def expected_counts(words, scores):
            counts = dict.fromkeys(scores, 0.0)
            for word, number in words.items():
                best, came = [0.0] + [-1e300] * len(word), [0] * (len(word) + 1)
                for end in range(1, len(word) + 1):
                    for begin in range(end - 1, max(-1, end - 13), -1):
                        if word[begin:end] in scores and best[begin] + scores[word[begin:end]] > best[end]:
                            best[end], came[end] = best[begin] + scores[word[begin:end]], begin
                end = len(word)
                while end:
                    counts[word[came[end] : end]] += number
                    end = came[end]
            return counts
        """,
        hint="best-cut-only",
    ),
    Wrong(
        "10.expected_counts",
        "products instead of sums of logarithms",
        """
        from math import exp

        def expected_counts(words, scores):
            counts = dict.fromkeys(scores, 0.0)
            for word, number in words.items():
                size = len(word)
                edges = [(b, e) for b in range(size) for e in range(b + 1, size + 1) if word[b:e] in scores]
                before, behind = [1.0] + [0.0] * size, [0.0] * size + [1.0]
                for b, e in edges:
                    before[e] += before[b] * exp(scores[word[b:e]])
                for b, e in reversed(edges):
                    behind[b] += behind[e] * exp(scores[word[b:e]])
                for b, e in edges:
                    counts[word[b:e]] += number * before[b] * exp(scores[word[b:e]]) * behind[e] / before[-1]
            return counts
        """,
        hint="underflow",
    ),
    Wrong(
        "10.expected_counts",
        "products, and nothing where they vanish",
        """
        from math import exp

        def expected_counts(words, scores):
            counts = dict.fromkeys(scores, 0.0)
            for word, number in words.items():
                size = len(word)
                edges = [(b, e) for b in range(size) for e in range(b + 1, size + 1) if word[b:e] in scores]
                before, behind = [1.0] + [0.0] * size, [0.0] * size + [1.0]
                for b, e in edges:
                    before[e] += before[b] * exp(scores[word[b:e]])
                for b, e in reversed(edges):
                    behind[b] += behind[e] * exp(scores[word[b:e]])
                for b, e in edges if before[-1] else ():
                    counts[word[b:e]] += number * before[b] * exp(scores[word[b:e]]) * behind[e] / before[-1]
            return counts
        """,
        hint="underflow",
    ),
]
