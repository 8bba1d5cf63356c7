"""Parity-aware training: each merge is the best one of the language that needs the most tokens for the same text.

    one row of cells for each language's text, and one for its translation of the same text
    the language with the most tokens chooses a pair; the pair becomes a token in every row

``reference.parity_merges`` is the readable version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.trainers.training_arrays import TrainingArrays

# A pair that a language has only once is not merged for its sake.
_FEWEST = 2


class _Row(TrainingArrays):
    """The words of one text, in which any pair may be merged."""

    def __init__(self, words: WordCounts, vocab_size: int, bytes_by_id: np.ndarray) -> None:
        super().__init__(words, vocab_size, bytes_by_id)
        self._words = words
        self._slot_of: dict[int, int] = {}
        self._name_slots(0)

    def size(self) -> int:
        """Return how many tokens the text has."""
        return int(np.diff(self.words().starts.astype(np.int64)) @ self._words.counts)

    def best(self, rule: int, min_frequency: int) -> int:
        """Return the best pair, left << 32 | right; -1 if none occurs ``min_frequency`` times."""
        slot = self.best_slot(rule, min_frequency)
        return -1 if slot < 0 else int(self.slots[0][2 * slot + 1])

    def make(self, rule: int, pair: int) -> bool:
        """Make a token of a pair; return whether it occurs."""
        slot = self._slot_of.get(pair, -1)
        if slot < 0 or self.slots[0][2 * slot] < 1:
            self.skip(pair)
            return False
        made, slots = self.made, self.used_slots
        while self.made == made:
            self.merge(rule, 1, made + 1, slot)
        self._name_slots(slots)
        return True

    def _name_slots(self, first: int) -> None:
        last = self.used_slots
        self._slot_of.update(zip(self.slots[0][2 * first + 1 : 2 * last : 2].tolist(), range(first, last)))


def learn_for_parity(
    training: Mapping[str, WordCounts],
    parallel: Mapping[str, WordCounts],
    vocab_size: int,
    min_frequency: int,
    rule: int,
    bytes_by_id: np.ndarray,
    report: Callable[[TrainingArrays, int], object] | None = None,
) -> np.ndarray:
    """Return the merges, int32[n, 2].

    training, parallel : the words to learn from, and those of the same text, by language · rule, bytes_by_id : as of
    TrainingArrays · report : called with the text that chose a merge, and its number.
    """
    learn, judge = (
        {language: _Row(words, vocab_size, bytes_by_id) for language, words in texts.items()}
        for texts in (training, parallel)
    )
    sizes = {language: row.size() for language, row in judge.items()}
    for number in range(vocab_size - 256):
        for language in sorted(sizes, key=sizes.__getitem__, reverse=True):
            pair = learn[language].best(rule, max(min_frequency, _FEWEST))
            if pair >= 0:
                break
        else:
            break
        for row in learn.values():
            row.make(rule, pair)
        for name, row in judge.items():
            if row.make(rule, pair):
                sizes[name] = row.size()
        if report:
            report(learn[language], number)
    return next(iter(learn.values())).merges()
