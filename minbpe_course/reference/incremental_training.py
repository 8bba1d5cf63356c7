"""Training that remembers: three ways to the merges of ``reference.training``, from counting again to a lazy heap.

    recounting_steps   forgets everything after each merge and counts anew
    updating_steps     keeps one table of counts; a merge corrects it only where something has changed
    heap_steps         asks an index which words to visit, and a heap which pair is the best

    words        ne we st x 6     lo we r x 2     lo w x 5
    merge w e    visited          visited         left alone
    counts       (w, e) -8   (e, w) -6   (e, s) -6   (e, r) -2   (o, w) -2   and, born now, those with the new id

Each step reports how much it examined, so that growth shows in numbers that are the same on every machine. Words with
counts are used as they are; words without counts are kept once for each occurrence.

Why the heap may be lazy. All occurrences of a pair appear in one step, when the newer of its two ids is made; later
they can only disappear. So its count can only fall and its first place can only move back: the entry of a pair in the
heap is never worse than the truth. If the entry at the top is still true, no other pair can be better. If it is
outdated, the true entry is pushed in its place. Forgetting to push it is the famous mistake.

``kernels.training`` does the same with arrays, and remembers single places where this file remembers words.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from minbpe_course.reference.pairs import Pair, get_stats, merge
from minbpe_course.reference.training import chooser, huggingface_number

Words = Mapping[bytes, int] | Iterable[bytes]


@dataclass(frozen=True)
class CountedStep:
    """One step of training and its price: ``pair`` occurred ``count`` times and became ``new_id``, which is ``token``.

    words_visited : how many words were examined. pairs_read : how many pairs in them were examined. candidates_read :
    how many entries of the table or of the heap were examined to find the best pair.
    """

    pair: Pair
    new_id: int
    count: int
    token: bytes
    words_visited: int
    pairs_read: int
    candidates_read: int

    @property
    def looked_at(self) -> int:
        """Everything together."""
        return self.pairs_read + self.candidates_read


class _Row:
    """The state of a training run: words, counts, the bytes of each id, and how much was examined."""

    def __init__(self, words: Words, tie_break: str, min_frequency: int) -> None:
        counted = words.items() if isinstance(words, Mapping) else ((word, 1) for word in words)
        self.words = [(list(word), count) for word, count in counted]
        self.tie_break, self.choose = tie_break, chooser(tie_break)
        self.fewest = max(min_frequency, 1)
        self.counts: dict[Pair, int] = {}
        self.tokens = [bytes([byte]) for byte in range(256)]
        self.visited = self.pairs_read = self.candidates_read = 0

    def pairs_of(self, number: int) -> list[Pair]:
        """Walk over one word and return its neighbours."""
        found = list(pairwise(self.words[number][0]))
        self.visited += 1
        self.pairs_read += len(found)
        return found

    def count(self, number: int) -> None:
        """Add the pairs of one word to the table."""
        ids, weight = self.words[number]
        self.pairs_of(number)
        get_stats(ids, self.counts, weight)

    def merge(self, number: int, pair: Pair, new_id: int) -> list[Pair]:
        """Merge in one word and update the table: subtract its old pairs, add its new ones.

        Return the pairs that the word holds now.
        """
        ids, weight = self.words[number]
        get_stats(ids, self.counts, -weight)
        merged = merge(ids, pair, new_id)
        get_stats(merged, self.counts, weight)
        self.words[number] = merged, weight
        self.pairs_read += max(len(ids) - 1, 0) + max(len(merged) - 1, 0)
        for old in pairwise(ids):
            if not self.counts.get(old, 1):
                del self.counts[old]
        return list(pairwise(merged))

    def best_of_the_table(self, *, fresh: bool) -> Pair | None:
        """Look at every pair of the table; None when none reaches the minimum frequency.

        fresh : whether the table was made just now, so that its pairs are in the order in which they stand.
        """
        self.candidates_read += len(self.counts)
        highest = max(self.counts.values(), default=0)
        if highest < self.fewest:
            return None
        tied = [pair for pair, count in self.counts.items() if count == highest]
        if self.tie_break == "first-seen" and not fresh:
            # A table that has been corrected no longer knows which pair stands first; the words do.
            tied = [self._first_standing(set(tied))]
        return self.choose(tied, self.tokens)

    def _first_standing(self, wanted: set[Pair]) -> Pair:
        for number in range(len(self.words)):
            for pair in self.pairs_of(number):
                if pair in wanted:
                    return pair
        raise AssertionError("a pair that is counted stands somewhere")

    def step(self, pair: Pair, count: int) -> CountedStep:
        """Give the new id its bytes, and return the step with what has been looked at since the last."""
        new_id = len(self.tokens)
        self.tokens.append(self.tokens[pair[0]] + self.tokens[pair[1]])
        step = CountedStep(
            pair, new_id, count, self.tokens[new_id], self.visited, self.pairs_read, self.candidates_read
        )
        self.visited = self.pairs_read = self.candidates_read = 0
        return step


def recounting_steps(
    words: Words, vocab_size: int, *, tie_break: str = "first-seen", min_frequency: int = 1
) -> Iterator[CountedStep]:
    """Yield the merges, counting every pair again before each of them. Raises InvalidOption.

    >>> steps = list(recounting_steps({b"low": 5, b"lower": 2, b"newest": 6}, 258))
    >>> [(step.token, step.count, step.pairs_read) for step in steps]
    [(b'we', 8, 22), (b'lo', 7, 18)]
    """
    row = _Row(words, tie_break, min_frequency)
    for new_id in range(256, vocab_size):
        row.counts = {}
        for number in range(len(row.words)):
            row.count(number)
        pair = row.best_of_the_table(fresh=True)
        if pair is None:
            return
        count = row.counts[pair]
        for number, (ids, weight) in enumerate(row.words):
            row.words[number] = merge(ids, pair, new_id), weight
            row.pairs_read += max(len(ids) - 1, 0)
        yield row.step(pair, count)


def updating_steps(
    words: Words, vocab_size: int, *, tie_break: str = "first-seen", min_frequency: int = 1
) -> Iterator[CountedStep]:
    """Yield the merges, correcting one table of counts; every word is still searched for the pair. Raises
    InvalidOption.

    >>> steps = list(updating_steps({b"low": 5, b"lower": 2, b"newest": 6}, 258, tie_break="smallest-pair"))
    >>> [(step.token, step.count) for step in steps]
    [(b'we', 8), (b'lo', 7)]
    """
    row = _Row(words, tie_break, min_frequency)
    for number in range(len(row.words)):
        row.count(number)
    for new_id in range(256, vocab_size):
        pair = row.best_of_the_table(fresh=False)
        if pair is None:
            return
        count = row.counts[pair]
        for number in range(len(row.words)):
            if pair in row.pairs_of(number):
                row.merge(number, pair, new_id)
        yield row.step(pair, count)


def heap_steps(
    words: Words, vocab_size: int, *, tie_break: str = "first-seen", min_frequency: int = 1
) -> Iterator[CountedStep]:
    """Yield the merges, with an index of the words that hold each pair and a lazy heap. Raises InvalidOption.

    >>> text = [b"aaabdaaabac"]
    >>> [step.token for step in heap_steps(text, 259)]
    [b'aa', b'aaa', b'aaab']
    >>> [step.token for step in heap_steps(text, 259, tie_break="smallest-pair")]
    [b'aa', b'ab', b'aaab']
    """
    row = _Row(words, tie_break, min_frequency)
    index: dict[Pair, deque[int]] = {}
    for number in range(len(row.words)):
        row.count(number)
        _note(index, number, pairwise(row.words[number][0]))

    rank = _TIE_RANKS[tie_break]

    def entry(pair: Pair) -> Entry:
        return -row.counts[pair], rank(row, index, pair), pair

    heap = [entry(pair) for pair in row.counts]
    heapq.heapify(heap)
    for new_id in range(256, vocab_size):
        pair = _best_of_the_heap(heap, row, entry)
        if pair is None:
            return
        count = row.counts[pair]
        born: dict[Pair, None] = {}
        for number in index.pop(pair):
            if pair in row.pairs_of(number):
                fresh = [found for found in row.merge(number, pair, new_id) if new_id in found]
                _note(index, number, fresh)
                born |= dict.fromkeys(fresh)
        step = row.step(pair, count)
        for found in born:  # not before: only now are their counts complete
            heapq.heappush(heap, entry(found))
        yield step


Entry = tuple[int, Any, Pair]


def _best_of_the_heap(heap: list[Entry], row: _Row, entry: Callable[[Pair], Entry]) -> Pair | None:
    """Return the pair at the top once its entry is up to date; None when no pair is left."""
    while heap:
        row.candidates_read += 1
        pair = heap[0][2]
        if row.counts.get(pair, 0) < row.fewest:
            heapq.heappop(heap)
            continue
        true = entry(pair)
        if heap[0] == true:
            return pair
        heapq.heapreplace(heap, true)  # outdated: push the current entry
    return None


def _note(index: dict[Pair, deque[int]], number: int, pairs: Iterable[Pair]) -> None:
    """Write down that a word holds these pairs, once each. Words come in ascending order."""
    for pair in pairs:
        places = index.setdefault(pair, deque())
        if not places or places[-1] != number:
            places.append(number)


# ----------------------------------------------------------------------------------------------------
# Tie-breaks between pairs with the same count: smaller is better, as in every heap


def _greatest_first(token: bytes) -> tuple[int, ...]:
    """Order byte strings backwards: greater bytes come first, and of two with the same beginning the longer one."""
    return (*(-byte for byte in token), 1)


def _first_place(row: _Row, index: dict[Pair, deque[int]], pair: Pair) -> tuple[int, int]:
    """Return the number of the first word that still holds the pair, and the byte in it at which the pair begins.

    Counted in bytes, since the place of an id in its list changes whenever something is merged before it.
    """
    places = index[pair]
    while True:
        number = places[0]
        for at, found in enumerate(row.pairs_of(number)):
            if found == pair:
                return number, sum(len(row.tokens[token_id]) for token_id in row.words[number][0][:at])
        places.popleft()  # the word held it once


_TIE_RANKS: dict[str, Callable[[_Row, dict[Pair, deque[int]], Pair], Any]] = {
    "first-seen": _first_place,
    "greatest-bytes": lambda row, index, pair: [_greatest_first(row.tokens[half]) for half in pair],
    "smallest-pair": lambda row, index, pair: pair,
    "huggingface": lambda row, index, pair: [huggingface_number(half) for half in pair],
}
