"""Wrong answers to the exercises of lesson 07, and what the check says about each."""

from __future__ import annotations

from minbpe_course.checks.exercise import changed
from tests.checks.wrong_answers import Wrong

_CANDIDATES = """
class Candidates:
    def __init__(self):
        self.places = {}

    def born(self, pair, places):
        self.places[tuple(pair)] = dict(places)

    def gone(self, pair, place):
        del self.places[tuple(pair)][place]

    def best(self):
        living = {pair: (-sum(places.values()), min(places)) for pair, places in self.places.items() if places}
        if not living:
            return None
        pair = min(living, key=living.get)
        return pair, -living[pair][0]
"""

WRONG = [
    Wrong(
        "07.heap_keys",
        "no minus sign",
        """
        def heap_keys(entries):
            return [count << 64 | left << 32 | right for count, left, right in entries]
        """,
        hint="worst-first",
    ),
    Wrong(
        "07.heap_keys",
        "right id first",
        """
        def heap_keys(entries):
            return [-count << 64 | right << 32 | left for count, left, right in entries]
        """,
        hint="right-half-first",
    ),
    Wrong(
        "07.heap_keys",
        "only the count",
        """
        def heap_keys(entries):
            return [-count for count, left, right in entries]
        """,
        hint="two-entries-one-number",
    ),
    Wrong(
        "07.heap_keys",
        "the sum",
        """
        def heap_keys(entries):
            return [(-count << 64) + left + right for count, left, right in entries]
        """,
        hint="two-entries-one-number",
    ),
    Wrong(
        "07.heap_keys",
        "a byte each",
        """
        def heap_keys(entries):
            return [-count << 16 | left << 8 | right for count, left, right in entries]
        """,
        hint="",
    ),
    Wrong(
        "07.heap_keys",
        "only small counts",
        """
        def heap_keys(entries):
            return [(left << 32 | right) - count * 10**12 for count, left, right in entries]
        """,
        hint="",
    ),
    Wrong(
        "07.heap_keys",
        "tuples",
        """
        def heap_keys(entries):
            return [(-count, left, right) for count, left, right in entries]
        """,
        hint="",
    ),
    Wrong(
        "07.heap_keys",
        "fractions",
        """
        def heap_keys(entries):
            return [-count + left / 2**31 + right / 2**62 for count, left, right in entries]
        """,
        hint="",
    ),
    Wrong(
        "07.candidates",
        "min of nothing",
        changed(_CANDIDATES, ("        if not living:\n            return None\n", "")),
        hint="fails-when-no-pair-is-left",
    ),
    Wrong(
        "07.candidates",
        "fails when the best pair has died",
        changed(_CANDIDATES, ("        return", "        self.places[pair] = {}\n        return")),
        hint="raised",
    ),
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
        """
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

        import random

        def make(size, letters=b"abcdefghij"):
            random.seed(size)
            return {bytes(random.choices(letters, k=random.randint(1, 9))): random.randint(1, 9) for _ in range(size)}

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
        """
        import random

        def make(size, letters=b"abcdefghij"):
            random.seed(size)
            return {bytes(random.choices(letters, k=random.randint(1, 9))): random.randint(1, 9) for _ in range(size)}

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
        """
        import random

        def make(size, letters=b"abcdefghij"):
            random.seed(size)
            return {bytes(random.choices(letters, k=random.randint(1, 9))): random.randint(1, 9) for _ in range(size)}

        def test_growth(train):
            assert train(make(200), 200)[1] < 1.2 * train(make(100), 100)[1]
        """,
        hint="rejects-right",
    ),
    Wrong(
        "07.safe_cuts",
        "in the middle",
        """
        def safe_cuts(windows):
            return [len(window) // 2 or None for window in windows]
        """,
        hint="not allowed",
    ),
    Wrong(
        "07.safe_cuts",
        "after a space",
        """
        def safe_cuts(windows):
            cuts = []
            for window in windows:
                places = [at for at in range(1, len(window)) if window[at - 1] == 32]
                cuts.append(min(places, key=lambda at: abs(2 * at - len(window)), default=None))
            return cuts
        """,
        hint="not allowed",
    ),
    Wrong(
        "07.safe_cuts",
        "after a line break",
        """
        def safe_cuts(windows):
            cuts = []
            for window in windows:
                places = [at for at in range(1, len(window)) if window[at - 1] == 10]
                cuts.append(min(places, key=lambda at: abs(2 * at - len(window)), default=None))
            return cuts
        """,
        hint="not allowed",
    ),
    Wrong(
        "07.safe_cuts",
        "before any space",
        """
        def safe_cuts(windows):
            cuts = []
            for window in windows:
                places = [at for at in range(1, len(window)) if window[at] == 32]
                cuts.append(min(places, key=lambda at: abs(2 * at - len(window)), default=None))
            return cuts
        """,
        hint="not allowed",
    ),
    Wrong(
        "07.safe_cuts",
        "at every other kind",
        """
        import unicodedata

        def kind_of(character):
            return "S" if character.isspace() else unicodedata.category(character)[0]

        def safe_cuts(windows):
            cuts = []
            for window in windows:
                text = window.decode("utf-8", errors="ignore")
                torn = len(window) - len(window.lstrip(bytes(range(128, 192))))
                places = []
                for at in range(1, len(text)):
                    if kind_of(text[at - 1]) != kind_of(text[at]):
                        places.append(torn + len(text[:at].encode()))
                cuts.append(min(places, key=lambda at: abs(2 * at - len(window)), default=None))
            return cuts
        """,
        hint="not allowed",
    ),
    Wrong(
        "07.safe_cuts",
        "one cut for all windows",
        """
        def safe_cuts(windows):
            return 7
        """,
        hint="not allowed",
    ),
    Wrong(
        "07.safe_cuts",
        "never",
        """
        def safe_cuts(windows):
            return [None] * len(windows)
        """,
        hint="below the level",
    ),
    Wrong(
        "07.safe_cuts",
        "only before spaces after English letters",
        """
        def safe_cuts(windows):
            cuts = []
            for window in windows:
                places = [at for at in range(1, len(window)) if window[at] == 32 and window[at - 1 : at].isalpha()]
                cuts.append(min(places, key=lambda at: abs(2 * at - len(window)), default=None))
            return cuts
        """,
        hint="below the level",
    ),
    Wrong(
        "07.safe_cuts",
        "only before spaces",
        """
        def safe_cuts(windows):
            cuts = []
            for window in windows:
                places = [at for at in range(1, len(window)) if window[at] == 32 and window[at - 1] > 32]
                cuts.append(min(places, key=lambda at: abs(2 * at - len(window)), default=None))
            return cuts
        """,
        hint="below the level",
        points=2,
    ),
    Wrong(
        "07.find_borders",
        "an overlap of one",
        """
        def find_borders(data, number, token, size):
            borders = {0, len(data)}
            for share in range(1, number):
                at = len(data) * share // number
                while at < len(data):
                    found = read(data, at, size).find(token)
                    if found >= 0:
                        borders.add(at + found)
                        break
                    at += size - 1
            return sorted(borders)
        """,
        hint="",
    ),
    Wrong(
        "07.merge_runs",
        "places added",
        """
        def merge_runs(runs):
            shift, words = 0, {}
            for length, entries in runs:
                for word, count, first in entries:
                    if word in words:
                        words[word] = words[word][0] + count, words[word][1] + first
                    else:
                        words[word] = count, first + shift
                shift += length
            entries = sorted((word, count, first) for word, (count, first) in words.items())
            return sum(length for length, _ in runs), entries
        """,
        hint="",
    ),
    Wrong(
        "07.merge_runs",
        "length of the last",
        """
        def merge_runs(runs):
            shift, words = 0, {}
            for length, entries in runs:
                for word, count, first in entries:
                    if word in words:
                        words[word] = words[word][0] + count, min(words[word][1], first + shift)
                    else:
                        words[word] = count, first + shift
                shift += length
            return runs[-1][0] if runs else 0, sorted((word, count, first) for word, (count, first) in words.items())
        """,
        hint="",
    ),
    Wrong(
        "07.merge_pruned",
        "each part, words too",
        """
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
        """,
        hint="",
    ),
    Wrong(
        "07.distinct_at",
        "decimal back",
        """
        import math

        def distinct_at(seen, size):
            seen = sorted(seen)
            x, y = [math.log10(read) for read, words in seen], [math.log10(words) for read, words in seen]
            mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
            slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)
            return math.exp(mean_y + slope * (math.log(size) - mean_x))
        """,
        hint="",
    ),
]
