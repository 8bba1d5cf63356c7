"""Wrong answers to the exercises of lesson 07, and what the check says about each."""

# ruff: noqa: F811, F821
from __future__ import annotations

from tests.checks.wrong_answers import Shelf

WRONG = Shelf()

WRONG.edit("07.heap_keys", "no minus sign", "worst-first", ("-count", "count"))
WRONG.edit("07.heap_keys", "right id first", "right-half-first", ("left << 32 | right", "right << 32 | left"))
WRONG.edit("07.heap_keys", "only the count", "two-entries-one-number", (" << 64 | left << 32 | right", ""))
WRONG.edit("07.heap_keys", "fractions", "", ("<< 64 | left << 32 | right", "+ left / 2**31 + right / 2**62"))
WRONG.edit("07.find_borders", "an overlap of one", "", ("(len(token) - 1)", "1"))
WRONG.edit(
    "07.safe_cuts", "at every other kind", "not allowed", ('if left == "space":', "if False:"), ("before == ", "1 == ")
)
WRONG.edit("07.merge_runs", "places added", "", ("place = joined.pop()[2]", "place += joined.pop()[2]"))
WRONG.edit("07.distinct_at", "decimal back", "", ("[math.log(", "[math.log10("))
WRONG.edit("07.candidates", "min of nothing", "fails-when-no-pair-is-left", ("while self.heap:", "while True:"))


@WRONG.add("07.test_growth", "the example of the text", "misses:counts-again")
def test_growth(train):
    merges, _ = train({b"low": 5, b"lower": 2, b"newest": 6}, 2)
    assert merges == [(119, 101), (108, 111)]


@WRONG.add("07.test_growth", "more words, but not more merges", "misses:counts-again", points=1)
def test_growth(train):
    import random

    def made(size, letters):
        random.seed(size)
        return {bytes(random.choices(letters, k=random.randint(1, 9))): random.randint(1, 9) for _ in range(size)}

    for size in range(3, 30):
        words = made(size, b"abcd")
        assert train(dict(words), size)[0] == heap_merges(words, size)
    assert train({b"abc": 2, b"abcd": 3, b"xy": 4}, 2)[0] == [(97, 98), (256, 99)]
    assert train(made(200, b"abcdefghij"), 10)[1] < 3 * train(made(100, b"abcdefghij"), 10)[1]


@WRONG.add("07.test_growth", "only growth", "misses:throws-outdated-entries-away")
def test_growth(train):
    import random

    def made(size):
        random.seed(size)
        return {bytes(random.choices(b"abcdefghij", k=random.randint(1, 9))): 1 for _ in range(size)}

    assert train(made(320), 320)[1] < 8 * train(made(80), 80)[1]


@WRONG.add("07.test_growth", "a number of steps", "rejects-right")
def test_growth(train):
    words = {bytes([97 + at % 7, 97 + at % 5, 97 + at % 3]): 1 for at in range(100)}
    assert train(words, 50)[1] < 1000


@WRONG.add("07.safe_cuts", "in the middle", "not allowed")
def safe_cuts(windows):
    return [len(window) // 2 or None for window in windows]


@WRONG.add("07.safe_cuts", "after a space", "not allowed")
def safe_cuts(windows):
    cuts = []
    for window in windows:
        places = [at for at in range(1, len(window)) if window[at - 1] == 32]
        cuts.append(min(places, key=lambda at: abs(2 * at - len(window)), default=None))
    return cuts


@WRONG.add("07.safe_cuts", "one cut for all windows", "not allowed")
def safe_cuts(windows):
    return 7


@WRONG.add("07.safe_cuts", "only before spaces", "below the level", points=2)
def safe_cuts(windows):
    cuts = []
    for window in windows:
        places = [at for at in range(1, len(window)) if window[at] == 32 and window[at - 1] > 32]
        cuts.append(min(places, key=lambda at: abs(2 * at - len(window)), default=None))
    return cuts


@WRONG.add("07.merge_pruned", "each part, words too", "")
def merge_pruned(parts, least):
    kept, rare, size = {}, {}, 0
    for part in parts:
        for word, count in part.items():
            if count >= least:
                kept[word] = kept.get(word, 0) + count
            else:
                rare[word] = rare.get(word, 0) + count
                size += count * len(word)
    return kept, (len(rare), sum(rare.values()), size)
