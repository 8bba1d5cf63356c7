"""Wrong answers to the exercises of lesson 07 about keys, changes and growth, and what each is told."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

_KEYS = """
def heap_keys(entries):
    return [{key} for count, left, right in entries]
"""

_CHANGES = """
def count_changes(ids, pair, new_id):
    changes = {{}}
    for found in zip(ids, ids[1:]):
        changes[found] = changes.get(found, 0) - 1
    after = merge(ids, pair, new_id)
    for found in zip(after, after[1:]):
        changes[found] = changes.get(found, 0) + 1
    return {{found: change for found, change in changes.items() if {kept}}}
"""

_SLOWLY = """
def slowly(words, number):
    now, merges = [(list(word), count) for word, count in words.items()], []
    for new_id in range(256, 256 + number):
        counts = {}
        for ids, count in now:
            for pair in zip(ids, ids[1:]):
                counts[pair] = counts.get(pair, 0) + count
        if not counts:
            break
        merges.append(min(counts, key=lambda pair: (-counts[pair], pair)))
        now = [(merge(ids, merges[-1], new_id), count) for ids, count in now]
    return merges
"""

_MAKE = """
import random

def make(size, letters=b"abcdefghij"):
    random.seed(size)
    return {bytes(random.choices(letters, k=random.randint(1, 9))): random.randint(1, 9) for _ in range(size)}
"""

COUNTS = [
    # Keys.
    Wrong("07.heap_keys", "no minus sign", _KEYS.format(key="count << 64 | left << 32 | right"), hint="worst-first"),
    Wrong(
        "07.heap_keys", "right id first", _KEYS.format(key="-count << 64 | right << 32 | left"), hint="right-half-first"
    ),
    Wrong("07.heap_keys", "only the count", _KEYS.format(key="-count"), hint="two-entries-one-number"),
    Wrong("07.heap_keys", "the sum", _KEYS.format(key="(-count << 64) + left + right"), hint="two-entries-one-number"),
    Wrong("07.heap_keys", "a byte each", _KEYS.format(key="-count << 16 | left << 8 | right"), hint=""),
    Wrong("07.heap_keys", "room for small counts", _KEYS.format(key="(left << 32 | right) - count * 10**12"), hint=""),
    Wrong("07.heap_keys", "tuples", _KEYS.format(key="(-count, left, right)"), hint=""),
    Wrong("07.heap_keys", "fractions", _KEYS.format(key="-count + left / 2**31 + right / 2**62"), hint=""),
    # Changes.
    Wrong("07.count_changes", "zeros, too", _CHANGES.format(kept="True"), hint="keeps-what-does-not-change"),
    Wrong("07.count_changes", "losses", _CHANGES.format(kept="change < 0"), hint="only-what-falls"),
    Wrong("07.count_changes", "gains", _CHANGES.format(kept="change > 0"), hint="only-what-is-born"),
    Wrong("07.count_changes", "only the pair", _CHANGES.format(kept="found == pair"), hint="forgets-the-neighbours"),
    Wrong(
        "07.count_changes",
        "place by place",
        """
        def count_changes(ids, pair, new_id):
            changes = {}
            def add(found, change):
                changes[found] = changes.get(found, 0) + change
            at = 0
            while at + 1 < len(ids):
                if (ids[at], ids[at + 1]) == pair:
                    add(pair, -1)
                    if at:
                        add((ids[at - 1], ids[at]), -1)
                        add((ids[at - 1], new_id), 1)
                    if at + 2 < len(ids):
                        add((ids[at + 1], ids[at + 2]), -1)
                        add((new_id, ids[at + 2]), 1)
                    at += 2
                else:
                    at += 1
            return {found: change for found, change in changes.items() if change}
        """,
        hint="neighbours-as-they-were",
    ),
    # Tests of growth.
    Wrong(
        "07.test_growth",
        "the example of the text",
        """
        def test_growth(train):
            merges, steps = train({b"low": 5, b"lower": 2, b"newest": 6}, 2)
            assert merges == [(119, 101), (108, 111)]
        """,
        hint="misses:counts-again",
    ),
    Wrong(
        "07.test_growth",
        "more words, but not more merges",
        f"{_SLOWLY}{_MAKE}"
        """
def test_growth(train):
    for size in range(3, 30):
        assert train(make(size, b"abcd"), size)[0] == slowly(make(size, b"abcd"), size)
    assert train({b"abc": 2, b"abcd": 3, b"xy": 4}, 2)[0] == [(97, 98), (256, 99)]
    assert train(make(200), 10)[1] < 3 * train(make(100), 10)[1]
        """,
        hint="misses:counts-again",
        points=1,
    ),
    Wrong(
        "07.test_growth",
        "only growth",
        f"{_MAKE}"
        """
def test_growth(train):
    assert train(make(320), 320)[1] < 8 * train(make(80), 80)[1]
        """,
        hint="misses:throws-outdated-entries-away",
    ),
    Wrong(
        "07.test_growth",
        "a number of steps",
        """
        def test_growth(train):
            words = {bytes([97 + at % 7, 97 + at % 5, 97 + at % 3]): 1 for at in range(100)}
            assert train(words, 50)[1] < 1000
        """,
        hint="rejects-right",
    ),
    Wrong(
        "07.test_growth",
        "no growth at all",
        f"{_MAKE}"
        """
def test_growth(train):
    assert train(make(200), 200)[1] < 1.2 * train(make(100), 100)[1]
        """,
        hint="rejects-right",
    ),
]
