"""Wrong answers to the exercises of lesson 02, and what the check says about each."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

WRONG = [
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
        "demands that overlaps are merged",
        """
        def test_merge(merge):
            assert merge([1, 2, 3, 1, 2], (1, 2), 4) == [4, 3, 4]
            assert merge([1, 1, 1], (1, 1), 4) == [4, 4]
        """,
        hint="rejects-right",
    ),
    Wrong(
        "02.test_merge",
        "compares without assert",
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
        hint="fails-when-pairs-run-out",
    ),
    Wrong(
        "02.fair_merges",
        "plain training",
        """
        def fair_merges(texts, number):
            return train_merges({text: 1 for text in texts.values()}, number)
        """,
        hint="below the level",
    ),
    Wrong(
        "02.fair_merges",
        "nothing for English",
        """
        def fair_merges(texts, number):
            return train_merges({text: 1 for name, text in texts.items() if name != "English"}, number)
        """,
        hint="below the level",
    ),
    Wrong(
        "02.fair_merges",
        "more than allowed",
        """
        def fair_merges(texts, number):
            return [pair for text in texts.values() for pair in train_merges({text: 1}, number)]
        """,
        hint="not allowed",
    ),
    Wrong(
        "02.fair_merges",
        "ids that do not exist yet",
        """
        def fair_merges(texts, number):
            share = number // len(texts)
            return [pair for text in reversed(texts.values()) for pair in train_merges({text: 1}, share)][::-1]
        """,
        hint="not allowed",
    ),
    Wrong(
        "02.fair_merges",
        "a dict, as the lesson has it",
        """
        def fair_merges(texts, number):
            merges = train_merges({text: 1 for text in texts.values()}, number)
            return {pair: new_id for new_id, pair in enumerate(merges, 256)}
        """,
        hint="not allowed",
    ),
]
