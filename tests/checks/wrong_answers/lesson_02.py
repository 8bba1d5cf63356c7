"""Wrong answers to the exercises of lesson 02 that train and encode, and what each is told; the rest is beside it."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong
from tests.checks.wrong_answers.lesson_02_choices import WRONG as CHOICES
from tests.checks.wrong_answers.lesson_02_pairs import WRONG as PAIRS

WRONG = [
    *PAIRS,
    Wrong(
        "02.train_merges",
        "max of nothing",
        """
        def train_merges(words, number):
            now = [(list(word), count) for word, count in words.items()]
            merges = []
            for new_id in range(256, 256 + number):
                counts = count_pairs(now)
                pair = max(counts, key=counts.get)
                merges.append(pair)
                now = [(merge(ids, pair, new_id), count) for ids, count in now]
            return merges
        """,
        hint="dies-when-pairs-run-out",
    ),
    Wrong(
        "02.train_merges",
        "every word once",
        """
        def train_merges(words, number):
            now = [(list(word), 1) for word in words]
            merges = []
            for new_id in range(256, 256 + number):
                counts = count_pairs(now)
                if not counts:
                    break
                pair = max(counts, key=counts.get)
                merges.append(pair)
                now = [(merge(ids, pair, new_id), count) for ids, count in now]
            return merges
        """,
        hint="ignores-counts",
    ),
    Wrong(
        "02.train_merges",
        "one long text",
        """
        def train_merges(words, number):
            ids = list(b"".join(word * count for word, count in words.items()))
            merges = []
            for new_id in range(256, 256 + number):
                counts = count_pairs([(ids, 1)])
                if not counts:
                    break
                pair = max(counts, key=counts.get)
                merges.append(pair)
                ids = merge(ids, pair, new_id)
            return merges
        """,
        hint="crosses-words",
    ),
    Wrong(
        "02.train_merges",
        "greater or equal",
        """
        def train_merges(words, number):
            now = [(list(word), count) for word, count in words.items()]
            merges = []
            for new_id in range(256, 256 + number):
                best, most = None, 0
                for pair, count in count_pairs(now).items():
                    if count >= most:
                        best, most = pair, count
                if best is None:
                    break
                merges.append(best)
                now = [(merge(ids, best, new_id), count) for ids, count in now]
            return merges
        """,
        hint="takes-the-last-of-the-tied",
    ),
    Wrong(
        "02.train_merges",
        "the greatest of count and pair",
        """
        def train_merges(words, number):
            now = [(list(word), count) for word, count in words.items()]
            merges = []
            for new_id in range(256, 256 + number):
                counts = count_pairs(now)
                if not counts:
                    break
                count, pair = max((count, pair) for pair, count in counts.items())
                merges.append(pair)
                now = [(merge(ids, pair, new_id), count) for ids, count in now]
            return merges
        """,
        hint="takes-the-greatest-of-the-tied",
    ),
    Wrong(
        "02.train_merges",
        "sorts first",
        """
        def train_merges(words, number):
            now = [(list(word), count) for word, count in words.items()]
            merges = []
            for new_id in range(256, 256 + number):
                counts = count_pairs(now)
                if not counts:
                    break
                pair = sorted(counts, key=lambda pair: (-counts[pair], pair))[0]
                merges.append(pair)
                now = [(merge(ids, pair, new_id), count) for ids, count in now]
            return merges
        """,
        hint="takes-the-smallest-of-the-tied",
    ),
    Wrong(
        "02.train_merges",
        "at least two",
        """
        def train_merges(words, number):
            now = [(list(word), count) for word, count in words.items()]
            merges = []
            for new_id in range(256, 256 + number):
                counts = count_pairs(now)
                pair = max(counts, key=counts.get, default=None)
                if pair is None or counts[pair] < 2:
                    break
                merges.append(pair)
                now = [(merge(ids, pair, new_id), count) for ids, count in now]
            return merges
        """,
        hint="stops-at-pairs-that-occur-once",
    ),
    Wrong(
        "02.apply_merges",
        "the highest id",
        """
        def apply_merges(ids, merges):
            ids = list(ids)
            while True:
                possible = [(merges[pair], -at) for at, pair in enumerate(zip(ids, ids[1:])) if pair in merges]
                if not possible:
                    return ids
                new_id, at = max(possible)
                ids[-at : -at + 2] = [new_id]
        """,
        hint="last-learned-first",
    ),
    Wrong(
        "02.apply_merges",
        "as the dict has them",
        """
        def apply_merges(ids, merges):
            for pair, new_id in merges.items():
                ids = merge(ids, pair, new_id)
            return list(ids)
        """,
        hint="in-the-order-of-the-dict",
    ),
    Wrong(
        "02.apply_merges",
        "the longest token",
        """
        def apply_merges(ids, merges):
            parts = {token: (token,) for token in range(256)}
            for (left, right), new_id in sorted(merges.items(), key=lambda item: item[1]):
                parts[new_id] = parts[left] + parts[right]
            known = {tuple(token): new_id for new_id, token in parts.items()}
            ids, out = list(ids), []
            while ids:
                size = next(n for n in range(len(ids), 0, -1) if tuple(ids[:n]) in known)
                out.append(known[tuple(ids[:size])])
                ids = ids[size:]
            return out
        """,
        hint="longest-token-first",
    ),
    Wrong(
        "02.apply_merges",
        "the last place",
        """
        def apply_merges(ids, merges):
            ids = list(ids)
            while True:
                possible = [(merges[pair], -at) for at, pair in enumerate(zip(ids, ids[1:])) if pair in merges]
                if not possible:
                    return ids
                new_id, at = min(possible)
                ids[-at : -at + 2] = [new_id]
        """,
        hint="from-the-right",
    ),
    Wrong(
        "02.apply_merges",
        "as it was found",
        """
        def apply_merges(ids, merges):
            ids = list(ids)
            while True:
                for at, pair in enumerate(zip(ids, ids[1:])):
                    if pair in merges:
                        ids[at : at + 2] = [merges[pair]]
                        break
                else:
                    return ids
        """,
        hint="untouched",
        state="not started",
    ),
    Wrong(
        "02.apply_merges",
        "looks once",
        """
        def apply_merges(ids, merges):
            possible = [pair for pair in zip(ids, ids[1:]) if pair in merges]
            if possible:
                pair = min(possible, key=merges.get)
                return merge(ids, pair, merges[pair])
            return list(ids)
        """,
        hint="one-merge-only",
    ),
    *CHOICES,
]
