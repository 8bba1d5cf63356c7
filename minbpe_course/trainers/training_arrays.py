"""The arrays of one training run, which ``kernels.training`` draws and explains."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.errors import InvalidSource
from minbpe_course.kernels.common.memory import slots_for
from minbpe_course.resources.threads import cores

# Bytes of words for which a further thread is worth its while.
_SHARE = 1 << 20


class MergeRow:
    """The words in a row of cells, and what is known about their pairs.

    numbers : int64[256], the id that each byte has while merges are made.

    Most arrays are allocated for the worst case: what is never written takes no memory. What is written takes about 16
    bytes for each byte of distinct words. Raises InvalidSource.
    """

    def __init__(self, words: WordCounts, vocab_size: int, numbers: np.ndarray) -> None:
        from minbpe_course.kernels.training import training as kernel

        n, merges = words.text.size, vocab_size - 256
        size = n + 2 * len(words)
        if size >= 1 << 31:
            raise InvalidSource(
                f"{n:,} bytes of distinct words are more than 31 bits can number. Leave out the rarest words, which no "
                "merge is made for anyway: count_words(..., min_frequency=2), or prune_counts for a counts file."
            )
        self.text, self.ends, self.counts = _plain(words.text), _plain(words.ends), _plain(words.counts)
        self.numbers = numbers
        self._bytes = np.argsort(numbers)
        self.cells = [np.empty(size, dtype=np.uint32), np.empty(size, dtype=np.uint8)]
        self.slots = [np.empty(1 << 18, dtype=np.int64) for _ in range(2)]
        self.postings = np.empty(3 * n, dtype=np.uint32)
        self.heap = np.empty(3 << 17, dtype=np.int64)
        self.tokens = np.zeros(2 * vocab_size, dtype=np.int64)
        self.scratch = [np.full(vocab_size, -1, dtype=np.int32) for _ in range(2)]
        self.scratch.append(np.empty(4 * n, dtype=np.uint32))
        self.found = [np.empty(merges, dtype=np.int64) for _ in range(2)]
        self.state = np.zeros(kernel.STATE, dtype=np.int64)

    @property
    def made(self) -> int:
        """How many merges are made."""
        from minbpe_course.kernels.training import training as kernel

        return int(self.state[kernel.MERGES])

    def start(self) -> None:
        """Lay out the words as bytes."""
        from minbpe_course.kernels.training import training as kernel

        kernel.start_training(
            self.text,
            self.ends,
            self.counts,
            self.numbers,
            np.full(1 << 16, -1, dtype=np.int32),
            *self.cells,
            *self.slots,
            self.postings,
            self.tokens,
            self.state,
        )

    def start_after(self, pairs: np.ndarray, counts: np.ndarray, min_frequency: int) -> bool:
        """Lay out the words as these merges leave them; return False if they are no merges of these words.

        pairs : int32[k, 2], with bytes for the first 256 ids · counts : int64[k], how often each occurred.
        """
        from minbpe_course.kernels.training import training as kernel
        from minbpe_course.kernels.training import training_again as again

        made = len(pairs)
        # A token is made of older ones.
        if pairs.min(initial=0) < 0 or (pairs.max(axis=1, initial=0) >= np.arange(256, 256 + made)).any():
            return False
        numbered = np.where(pairs < 256, self.numbers[np.minimum(pairs, 255)], pairs).astype(np.int64)
        self.found[0][:made] = numbered[:, 0] << 32 | numbered[:, 1]
        self.found[1][:made] = counts
        tallies = self._spell(made)
        # In a run such as aaa a pair of equals occurs twice, and is merged once.
        run = (numbered[:, 0] == numbered[:, 1]) & (tallies > 0) & (tallies < counts)
        if not ((tallies == counts) | run).all():
            return False
        reached = np.zeros(2, dtype=np.int64)
        while True:
            reason = again.lay_out_pairs(
                min_frequency,
                made,
                self.ends,
                self.cells[0],
                *self.slots,
                self.postings,
                self.tokens,
                _table(self.slots[0].size // 2),
                reached,
                self.state,
            )
            if reason != kernel.NEEDS_SLOTS:
                return True
            self.grow_slots()

    def _spell(self, made: int) -> np.ndarray:
        """Write the words as the tokens that ``made`` merges leave; return how often each merge was made."""
        from minbpe_course.kernels.training import training_again as again

        table = self.found[0], _table(made), np.zeros(again.SEEN, dtype=np.uint8)
        again.enter_merges(table[0], made, *table[1:], self.tokens)
        # A word is spelled by itself, so this is work for all cores, as making merges is not.
        threads = max(1, min(cores(), self.text.size // _SHARE))
        borders = [at * len(self.ends) // threads for at in range(threads + 1)]
        tallies = np.zeros((threads, made), dtype=np.int64)

        def work(number: int) -> None:
            first, last = borders[number], borders[number + 1]
            size = int(self.ends[last - 1]) - (int(self.ends[first - 1]) if first else 0) if last > first else 0
            again.spell_words(
                first,
                last,
                self.text,
                self.ends,
                self.counts,
                self.numbers,
                *table,
                np.empty(again.SHORT + 2 * size, dtype=np.int64),
                *self.cells,
                self.tokens,
                tallies[number],
            )

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, range(threads)))
        return tallies.sum(axis=0)

    def merge(self, rule: int, min_frequency: int, stop_at: int) -> int:
        """Make merges until there are ``stop_at``; return why that ended, growing what had become too short."""
        from minbpe_course.kernels.training import training as kernel

        reason = kernel.train_merges(
            rule,
            min_frequency,
            stop_at,
            self.text,
            self.ends,
            *self.cells,
            *self.slots,
            self.postings,
            self.heap,
            self.tokens,
            *self.scratch,
            *self.found,
            self.state,
        )
        if reason == kernel.NEEDS_SLOTS:
            self.grow_slots()
        return int(reason)

    def grow_slots(self) -> None:
        """Double the room for pairs, or make it enough for the next merge, whichever is less."""
        used, waiting = int(self.state[0]), int(self.state[2])
        size = min(2 * (self.slots[0].size // 2), max(used + 2 * self.text.size, self.slots[0].size // 2 + 1))
        self.slots = [longer(old, 2 * size, 2 * used) for old in self.slots]
        self.heap = longer(self.heap, 3 * size, 3 * waiting)

    def pairs(self, start: int, stop: int) -> np.ndarray:
        """The merges from ``start`` to ``stop`` with bytes for the first 256 ids, int32[stop - start, 2]."""
        packed = self.found[0][start:stop]
        numbered = np.stack([packed >> 32, packed & 0xFFFFFFFF], axis=1)
        return np.where(numbered < 256, self._bytes[np.minimum(numbered, 255)], numbered).astype(np.int32)

    def token(self, token_id: int) -> bytes:
        """The bytes of a token that was made."""
        begin = int(self.tokens[2 * token_id]) - self.text.ctypes.data
        return self.text[begin : begin + int(self.tokens[2 * token_id + 1])].tobytes()


def _table(entries: int) -> np.ndarray:
    """A table of pairs with nothing in it."""
    return np.full(2 * slots_for(entries), -1, dtype=np.int64)


def _plain(array: np.ndarray) -> np.ndarray:
    """The same array as kernels take it: for a mapped or a read-only one they would be compiled once more."""
    array = np.ascontiguousarray(array)
    return array if array.flags.writeable else array.copy()


def longer(array: np.ndarray, size: int, used: int) -> np.ndarray:
    """Return an array of ``size`` entries that begins with the first ``used`` entries of ``array``.

    >>> longer(np.array([1, 2, 3]), 4, 2)[:2].tolist()
    [1, 2]
    """
    made = np.empty(size, dtype=array.dtype)
    made[:used] = array[:used]
    return made
