"""Wrong answers to the exercises of lesson 07, and what each is told: heaps, ties and cuts; the rest is beside it."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong
from tests.checks.wrong_answers.lesson_07_corpora import CORPORA
from tests.checks.wrong_answers.lesson_07_counts import COUNTS

_HEAP_MERGES = """
def heap_merges(words, number):
    now = [(list(word), {weight}) for word, count in words.items()]
    counts, index, merges = {{}}, {{}}, []
    for at, (ids, count) in enumerate(now):
        add_pairs(counts, ids, count)
        for pair in zip(ids, ids[1:]):
            index.setdefault(pair, set()).add(at)
    heap = [(-count, pair) for pair, count in counts.items()]
    heapq.heapify(heap)
    while heap and len(merges) < number:
        stored, pair = heapq.heappop(heap)
        if {outdated}:
            if {alive}:
                heapq.heappush(heap, (-counts[pair], pair))
            continue
        new_id, born = 256 + len(merges), set()
        merges.append(pair)
        for at in sorted(index.pop(pair, ())):
            ids, count = now[at]
            now[at] = merge(ids, pair, new_id), count
            add_pairs(counts, ids, -count)
            add_pairs(counts, now[at][0], count)
            for new_pair in zip(now[at][0], now[at][0][1:]):
                index.setdefault(new_pair, set()).add(at)
                if new_id in new_pair:
                    born.add(new_pair)
        for new_pair in {pushed}:
            heapq.heappush(heap, (-counts[new_pair], new_pair))
    return merges
"""


def _heap_merges(**other: str) -> str:
    usual = {"weight": "count", "outdated": "-stored != counts[pair]", "alive": "counts[pair]", "pushed": "born"}
    return _HEAP_MERGES.format(**usual | other)


_CANDIDATES = """
import heapq


class Candidates:
    def __init__(self):
        self.places, self.first, self.heap = {{}}, {{}}, []

    def born(self, pair, places):
        pair = tuple(pair)
        self.places[pair] = dict(places)
        self.first[pair] = places[0][0]
        heapq.heappush(self.heap, (-self.count(pair), places[0][0], pair))

    def gone(self, pair, place):
        del self.places[tuple(pair)][place]

    def count(self, pair):
        return {count}

    def best(self):
        {best}
"""
_ALL = "living = [pair for pair in self.places if self.places[pair]]\n        "
_NONE = "if not living:\n            return None\n        "
_FROM_LIVING = "pair = min(living, key=lambda pair: (-self.count(pair), {tie}))\n        return pair, self.count(pair)"


def _candidates(tie: str = "min(self.places[pair])", none: str = _NONE, **other: str) -> str:
    usual = {"count": "sum(self.places[pair].values())", "best": _ALL + none + _FROM_LIVING.format(tie=tie)}
    return _CANDIDATES.format(**usual | other)


_THROWS_AWAY = """while self.heap:
            count, first, pair = self.heap[0]
            if self.places[pair] and (-count, first) == (self.count(pair), min(self.places[pair])):
                return pair, -count
            heapq.heappop(self.heap)
        return None"""


_SAFE_CUTS = """
def safe_cuts(windows):
    cuts = []
    for window in windows:
        places = [at for at in range(1, len(window)) if {allowed}]
        cuts.append(min(places, key=lambda at: abs(2 * at - len(window)), default=None))
    return cuts
"""

WRONG = [
    *COUNTS,
    *CORPORA,
    # The order of pushing.
    Wrong("07.heap_merges", "only old pairs", _heap_merges(pushed="()"), hint="no-new-pairs"),
    Wrong("07.heap_merges", "the famous bug instead", _heap_merges(alive="False"), hint="throws-outdated-entries-away"),
    Wrong(
        "07.heap_merges",
        "no look at the table",
        _heap_merges(outdated="False"),
        hint="trusts-the-heap",
    ),
    Wrong("07.heap_merges", "every word once", _heap_merges(weight="1"), hint="ignores-counts"),
    Wrong(
        "07.heap_merges",
        "only the first of the new pairs",
        _heap_merges(pushed="sorted(born)[:1]"),
        hint="",
    ),
    # Candidates.
    Wrong("07.candidates", "min of nothing", _candidates(none=""), hint="dies-when-nobody-is-left"),
    Wrong("07.candidates", "the famous bug", _candidates(best=_THROWS_AWAY), hint="throws-outdated-entries-away"),
    Wrong("07.candidates", "place of birth", _candidates(tie="self.first[pair]"), hint="the-first-place-for-ever"),
    Wrong("07.candidates", "ids in a tie", _candidates(tie="pair"), hint="smallest-pair"),
    Wrong("07.candidates", "no rule for ties", _candidates(tie="0"), hint="order-of-birth"),
    Wrong("07.candidates", "how many places", _candidates(count="len(self.places[pair])"), hint="counts-places"),
    Wrong(
        "07.candidates",
        "the best dies when it is named",
        _candidates(
            best=_ALL + _NONE + "pair = min(living, key=lambda pair: (-self.count(pair), min(self.places[pair])))\n"
            "        count = self.count(pair)\n        self.places[pair] = {}\n        return pair, count"
        ),
        hint="raised",
    ),
    # Cuts.
    Wrong(
        "07.safe_cuts",
        "in the middle",
        "def safe_cuts(windows):\n    return [len(window) // 2 or None for window in windows]",
        hint="not allowed",
    ),
    Wrong("07.safe_cuts", "behind a blank", _SAFE_CUTS.format(allowed="window[at - 1] == 32"), hint="not allowed"),
    Wrong("07.safe_cuts", "behind a line break", _SAFE_CUTS.format(allowed="window[at - 1] == 10"), hint="not allowed"),
    Wrong("07.safe_cuts", "before any blank", _SAFE_CUTS.format(allowed="window[at] == 32"), hint="not allowed"),
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
        "def safe_cuts(windows):\n    return 7",
        hint="not allowed",
    ),
    Wrong(
        "07.safe_cuts",
        "never",
        "def safe_cuts(windows):\n    return [None] * len(windows)",
        hint="below the level",
    ),
    Wrong(
        "07.safe_cuts",
        "only before blanks behind letters of English",
        _SAFE_CUTS.format(allowed="window[at] == 32 and window[at - 1 : at].isalpha()"),
        hint="below the level",
    ),
    Wrong(
        "07.safe_cuts",
        "only before blanks",
        _SAFE_CUTS.format(allowed="window[at] == 32 and window[at - 1] > 32"),
        hint="below the level",
        points=2,
    ),
]
