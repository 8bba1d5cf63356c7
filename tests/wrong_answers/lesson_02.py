"""Wrong answers to the exercises of lesson 02 that count, merge, train and encode, and what each is told."""

from __future__ import annotations

from wrong_answers import Wrong
from wrong_answers.lesson_02_choices import WRONG as CHOICES

WRONG = [
    Wrong(
        "02.count_pairs",
        "each word once",
        """
        def count_pairs(words):
            counts = {}
            for ids, count in words:
                for pair in zip(ids, ids[1:]):
                    counts[pair] = counts.get(pair, 0) + 1
            return counts
        """,
        hint="forgets-the-count",
    ),
    Wrong(
        "02.count_pairs",
        "overwrites",
        """
        def count_pairs(words):
            counts = {}
            for ids, count in words:
                for pair in zip(ids, ids[1:]):
                    counts[pair] = count
            return counts
        """,
        hint="keeps-only-the-last",
    ),
    Wrong(
        "02.count_pairs",
        "one too many",
        """
        def count_pairs(words):
            counts = {}
            for ids, count in words:
                for pair in zip(ids, ids[1:]):
                    counts[pair] = counts.get(pair, 1) + count
            return counts
        """,
        hint="starts-at-one",
    ),
    Wrong(
        "02.count_pairs",
        "a set of pairs",
        """
        from collections import Counter


        def count_pairs(words):
            counts = Counter()
            for ids, count in words:
                for pair in set(zip(ids, ids[1:])):
                    counts[pair] += count
            return counts
        """,
        hint="counts-once-a-word",
    ),
    Wrong(
        "02.count_pairs",
        "a key that is not there",
        """
        def count_pairs(words):
            counts = {}
            for ids, count in words:
                for pair in zip(ids, ids[1:]):
                    counts[pair] += count
            return counts
        """,
        hint="raised",
    ),
    Wrong(
        "02.merge",
        "a list is never equal to a tuple",
        """
        def merge(ids, pair, new_id):
            out, i = [], 0
            while i < len(ids):
                if ids[i : i + 2] == pair:
                    out.append(new_id)
                    i += 2
                else:
                    out.append(ids[i])
                    i += 1
            return out
        """,
        hint="nothing-merged",
    ),
    Wrong(
        "02.merge",
        "a for loop",
        """
        def merge(ids, pair, new_id):
            out = []
            for i in range(len(ids)):
                if i + 1 < len(ids) and (ids[i], ids[i + 1]) == pair:
                    out.append(new_id)
                elif i > 0 and (ids[i - 1], ids[i]) == pair:
                    continue
                else:
                    out.append(ids[i])
            return out
        """,
        hint="merges-overlaps",
    ),
    Wrong(
        "02.merge",
        "steps by one",
        """
        def merge(ids, pair, new_id):
            out = []
            for i, token in enumerate(ids):
                out.append(new_id if tuple(ids[i : i + 2]) == pair else token)
            return out
        """,
        hint="keeps-the-right-half",
    ),
    Wrong(
        "02.merge",
        "while the pair is there",
        """
        def merge(ids, pair, new_id):
            ids = list(ids)
            i = 0
            while i < len(ids) - 1:
                if (ids[i], ids[i + 1]) == pair:
                    ids[i : i + 2] = [new_id]
                else:
                    i += 1
            return ids
        """,
        hint="reads-its-own-writing",
    ),
    Wrong(
        "02.merge",
        "from the end",
        """
        def merge(ids, pair, new_id):
            ids = list(ids)
            i = len(ids) - 2
            while i >= 0:
                if (ids[i], ids[i + 1]) == pair:
                    ids[i : i + 2] = [new_id]
                    i -= 1
                i -= 1
            return ids
        """,
        hint="walks-from-the-right",
    ),
    Wrong(
        "02.merge",
        "stops one early",
        """
        def merge(ids, pair, new_id):
            out, i = [], 0
            while i < len(ids):
                if i < len(ids) - 2 and (ids[i], ids[i + 1]) == pair:
                    out.append(new_id)
                    i += 2
                else:
                    out.append(ids[i])
                    i += 1
            return out
        """,
        hint="misses-the-end",
    ),
    Wrong(
        "02.merge",
        "the first place only",
        """
        def merge(ids, pair, new_id):
            for i in range(len(ids) - 1):
                if (ids[i], ids[i + 1]) == pair:
                    return list(ids[:i]) + [new_id] + list(ids[i + 2 :])
            return list(ids)
        """,
        hint="merges-once",
    ),
    Wrong(
        "02.merge",
        "changes a list and returns nothing",
        """
        def merge(ids, pair, new_id):
            i = 0
            while i < len(ids) - 1:
                if (ids[i], ids[i + 1]) == pair:
                    ids[i : i + 2] = [new_id]
                i += 1
        """,
        hint="returned None",
    ),
    Wrong(
        "02.test_merge",
        "the example of the text",
        """
        def test_merge(merge):
            assert merge([1, 2, 3], (1, 2), 4) == [4, 3]
        """,
        hint="misses:first-only",
    ),
    Wrong(
        "02.test_merge",
        "everything but the ends",
        """
        def test_merge(merge):
            assert merge([1, 2, 3, 1, 2, 3], (1, 2), 4) == [4, 3, 4, 3]
            assert merge([2, 1, 3], (1, 2), 4) == [2, 1, 3]
            assert merge([1, 1, 1, 3], (1, 1), 4) == [4, 1, 3]
            assert merge([1, 3, 1, 2, 3], (1, 2), 4) == [1, 3, 4, 3]
        """,
        hint="misses:end",
        points=1,
    ),
    Wrong(
        "02.test_merge",
        "wants overlaps merged",
        """
        def test_merge(merge):
            assert merge([1, 2, 3, 1, 2], (1, 2), 4) == [4, 3, 4]
            assert merge([1, 1, 1], (1, 1), 4) == [4, 4]
        """,
        hint="rejects-right",
    ),
    Wrong(
        "02.test_merge",
        "says it but does not assert it",
        """
        def test_merge(merge):
            if merge([1, 1, 1], (1, 1), 2) != [2, 1]:
                print("wrong")
        """,
        hint="misses:first-only",
    ),
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
