"""PickyBPE: BPE that removes a token once nearly all of its occurrences are inside a longer one.

    merge   (h, e) -> he         9 times
    merge   (he, n) -> hen       8 times; he is left once. Its share that went into hen: 8 / (8 + 1) = 0.89
    remove  he -> h, e           0.89 is above the threshold 0.8: the last "he" falls apart, and its place is free

Right after a merge its two halves are examined, the left one first; bytes always stay. The paper calls the share
"intersection over self". With threshold 1 nothing is removed, and this is plain BPE.

A word is encoded by replaying all events in order, removals too: "he" may be made again later, from other words, and
then it stays. A token that comes back, or that a second pair makes, keeps its id. Training ends, since each step makes
tokens longer than all those that it takes apart.

Source: Chizhov, Arnett, Korotkova and Yamshchikov, "BPE Gets Picky" (2024), https://arxiv.org/abs/2409.04599. Their
program, https://github.com/pchizhov/picky_bpe, makes the same events, but counts a token that a second pair makes once
more, so that it may stop a token early; and it returns a word that is a token whole, without a replay.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from minbpe_course.reference.pairs import Pair, merge


@dataclass(frozen=True)
class Event:
    """A pair, ``parts``, became a token; or, if ``removed``, the token fell apart into ``parts``, for its ``share``."""

    parts: tuple[int, ...]
    token_id: int
    token: bytes
    count: int
    removed: bool = False
    share: float = 0.0

    def replay(self, ids: list[int]) -> list[int]:
        """Return the ids of a word after this event."""
        if self.removed:
            return [part for one in ids for part in (self.parts if one == self.token_id else (one,))]
        return merge(ids, (self.parts[0], self.parts[1]), self.token_id) if self.parts[1] in ids else ids


class _Corpus:
    """Counted words as ids, how often each id and each pair occurs, and the numbers of the words with it."""

    def __init__(self, words: Mapping[bytes, int]) -> None:
        self.words = [(list(word), count) for word, count in words.items()]
        self.counts, self.where = Counter[Any](), defaultdict[Any, set[int]](set)
        for number in range(len(self.words)):
            self._note(number, +1)

    def _note(self, number: int, sign: int) -> None:
        ids, weight = self.words[number]
        for one in (*ids, *pairwise(ids)):
            self.counts[one] += sign * weight
            (self.where[one].add if sign > 0 else self.where[one].discard)(number)

    def commonest_pair(self) -> Pair | None:
        """Return the commonest pair, of equal ones the first in the text; None when no pair is left."""
        pairs = {one: count for one, count in self.counts.items() if isinstance(one, tuple)}
        highest = max(pairs.values(), default=0)
        first = min((min(self.where[one]) for one, count in pairs.items() if count == highest > 0), default=None)
        ids = [] if first is None else self.words[first][0]
        return next((pair for pair in pairwise(ids) if pairs[pair] == highest), None)

    def change(self, event: Event) -> Event:
        for number in list(self.where[event.token_id if event.removed else event.parts]):
            self._note(number, -1)
            self.words[number] = event.replay(self.words[number][0]), self.words[number][1]
            self._note(number, +1)
        return event


def train_picky(words: Mapping[bytes, int], vocab_size: int, threshold: float) -> list[Event]:
    """Return the events that lead from 256 bytes to ``vocab_size`` tokens; fewer when no pair is left.

    words : how often each byte string occurs. threshold : the paper tries 0.6 to 0.9. Ties : first seen first.

    >>> [(event.token, event.removed) for event in train_picky({b"hen": 8, b"he": 1, b"ox": 5}, 258, 0.8)]
    [(b'he', False), (b'hen', False), (b'he', True), (b'ox', False)]
    """
    corpus, events, halves = _Corpus(words), list[Event](), dict[int, Pair]()
    tokens = {byte: bytes([byte]) for byte in range(256)}  # all that ever were; ``present`` are those that still are
    known, present = {token: token_id for token_id, token in tokens.items()}, set(tokens)

    def parts_of(one: int) -> tuple[int, ...]:
        return (one,) if one in present else tuple(part for half in halves[one] for part in parts_of(half))

    while len(present) < vocab_size and (pair := corpus.commonest_pair()):
        token = tokens[pair[0]] + tokens[pair[1]]
        new_id = known.setdefault(token, len(tokens))
        halves.setdefault(new_id, pair)
        tokens[new_id] = token
        present.add(new_id)
        before = corpus.counts[new_id]
        events.append(corpus.change(Event(pair, new_id, token, corpus.counts[pair])))
        made = corpus.counts[new_id] - before
        for half in dict.fromkeys(pair):
            left = corpus.counts[half]
            if half >= 256 and (share := made / (made + left)) > threshold:
                present.remove(half)
                events.append(corpus.change(Event(parts_of(half), half, tokens[half], left, True, share)))
    return events


def encode_picky(word: bytes, events: Iterable[Event]) -> list[int]:
    """Return the ids of one word: every event in order, wherever it applies.

    >>> events = train_picky({b"hen": 8, b"he": 1, b"ox": 5}, 258, 0.8)
    >>> encode_picky(b"hen", events), encode_picky(b"hex", events)
    ([257], [104, 101, 120])
    """
    ids = list(word)
    for event in events:
        ids = event.replay(ids)
    return ids


def vocabulary_after(events: Iterable[Event]) -> dict[int, bytes]:
    """Return id -> bytes of the tokens that are left, with gaps where others were removed."""
    last = {event.token_id: event for event in events}
    made = {token_id: event.token for token_id, event in last.items() if not event.removed}
    return {byte: bytes([byte]) for byte in range(256)} | made
