"""Wrong answers to the exercises of lesson 02 about counting and merging a pair, and what each is told."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

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
        "sorted",
        """
        def count_pairs(words):
            counts = {}
            for ids, count in words:
                for pair in zip(ids, ids[1:]):
                    counts[pair] = counts.get(pair, 0) + count
            return dict(sorted(counts.items()))
        """,
        hint="another-order",
    ),
    Wrong(
        "02.merge",
        "in place",
        """
        def merge(ids, pair, new_id):
            if isinstance(ids, bytes):
                ids = list(ids)
            at = 0
            while at < len(ids) - 1:
                if (ids[at], ids[at + 1]) == tuple(pair):
                    ids[at : at + 2] = [new_id]
                at += 1
            return ids
        """,
        hint="changes its input",
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
]
