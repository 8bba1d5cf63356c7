"""The arrays of one training run, which ``kernels.training.cells`` draws and explains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.errors import InvalidSource

BYTE_SIZES = np.ones(256, dtype=np.int64)


class WordTokens(NamedTuple):
    """The tokens of words, uint32, end to end, and where those of each word begin, and the end, uint32."""

    tokens: np.ndarray
    starts: np.ndarray

    def followed_by(self, others: WordTokens) -> WordTokens:
        """Return the tokens of these words and then of others."""
        starts = np.concatenate([self.starts, self.starts[-1] + others.starts[1:]])
        return WordTokens(np.concatenate([self.tokens, others.tokens]), starts)


class TrainingArrays:
    """The words as a row of cells, and their pairs.

    bytes_by_id : uint8[256], the byte that each of the first 256 ids stands for while merges are made. sizes : int64,
    how many bytes each token has that there is already, the 256 bytes first · ids : uint32[t], the words in these
    tokens, or None without any but the bytes. Their first 256 ids, too, are bytes.

    Most arrays are allocated for the worst case, since memory that is never written is never taken. About 16 bytes are
    written for each byte of distinct words. Raises InvalidSource.
    """

    def __init__(
        self,
        words: WordCounts,
        vocab_size: int,
        bytes_by_id: np.ndarray,
        sizes: np.ndarray = BYTE_SIZES,
        ids: np.ndarray | None = None,
    ) -> None:
        from minbpe_course.kernels.training import cells, training

        n, merges = words.text.size, vocab_size - len(sizes)
        size = n + 2 * len(words)
        if size >= 1 << 31:
            raise InvalidSource(
                f"{n:,} bytes of distinct words are more than 31 bits can number. Leave out the rarest words, which no "
                "merge is made for anyway: count_words(..., min_frequency=2), or prune_counts for a counts file."
            )
        self._kernel = training
        self._bytes = bytes_by_id
        self._text, self._ends = _writable(words.text), _writable(words.ends)
        self._cells = [np.empty(size, dtype=np.uint32), np.empty(size, dtype=np.uint8)]
        self.slots = [np.empty(1 << 18, dtype=np.int64) for _ in range(2)]
        numbers = np.argsort(bytes_by_id).astype(np.uint32)
        symbols = numbers[self._text] if ids is None else ids
        # Each pair of bytes has its place; other pairs are spread over the places by the golden ratio.
        places, spread = 1 << 16, 256
        if ids is not None:
            symbols = np.where(ids < 256, numbers[np.minimum(ids, 255)], ids)
            places = 1 << max(16, symbols.size.bit_length())
            spread = spread_over(places)
            room = 2 * max(symbols.size, 1 << 17)
            self.slots = [np.empty(room, dtype=np.int64) for _ in range(2)]
        self._symbols = symbols.size
        self._postings = np.empty(3 * symbols.size, dtype=np.uint32)
        self.heap = np.empty(3 * (self.slots[0].size // 2), dtype=np.int64)
        self._tokens = np.zeros(2 * vocab_size, dtype=np.int64)
        self._scratch = [np.full(vocab_size, -1, dtype=np.int32) for _ in range(2)]
        self._scratch.append(np.empty(4 * symbols.size, dtype=np.uint32))
        self._merges, self._counts = (np.empty(merges, dtype=np.int64) for _ in range(2))
        self._state = np.zeros(cells.STATE, dtype=np.int64)
        training.start_training(
            self._text,
            self._ends,
            _writable(words.counts),
            symbols,
            sizes,
            spread,
            np.full(places, -1, dtype=np.int32),
            *self._cells,
            *self.slots,
            self._postings,
            self._tokens,
            self._state,
        )

    @property
    def first_id(self) -> int:
        """The id that the first merge makes."""
        return int(self._state[self._kernel.FIRST_ID])

    @property
    def used_slots(self) -> int:
        """How many slots there are."""
        return int(self._state[0])

    @property
    def made(self) -> int:
        """How many merges there are."""
        return int(self._state[self._kernel.MERGES])

    def merge(self, rule: int, min_frequency: int, stop_at: int, slot: int = -1) -> int:
        """Make merges until there are ``stop_at``, or fewer when arrays had to grow; return the kernel's reason.

        slot : that of the next pair; -1 for the best pair each time.
        """
        reason = self._kernel.train_merges(
            rule,
            min_frequency,
            stop_at,
            slot,
            self._text,
            self._ends,
            *self._cells,
            *self.slots,
            self._postings,
            self.heap,
            self._tokens,
            *self._scratch,
            self._merges,
            self._counts,
            self._state,
        )
        if reason == self._kernel.NEEDS_SLOTS:
            self.grow_slots()
        return int(reason)

    def best_slot(self, rule: int, min_frequency: int) -> int:
        """Return the slot of the best pair; -1 if none occurs ``min_frequency`` times."""
        given = *self._cells[:1], *self.slots, self._postings, self.heap, self._tokens, self._state
        return int(self._kernel.find_best(rule, min_frequency, *given))

    def skip(self, pair: int) -> None:
        """Count a merge of a pair that does not occur."""
        self._merges[self.made] = pair
        self._state[self._kernel.MERGES] += 1

    def grow_slots(self) -> None:
        """Double the room for pairs, or make it enough for the next merge, whichever is less."""
        used, waiting = self.used_slots, int(self._state[2])
        size = min(2 * (self.slots[0].size // 2), max(used + 2 * self._symbols, self.slots[0].size // 2 + 1))
        self.slots = [longer(old, 2 * size, 2 * used) for old in self.slots]
        self.heap = longer(self.heap, 3 * size, 3 * waiting)

    def pairs(self, start: int, stop: int) -> np.ndarray:
        """Return the merges from ``start`` to ``stop`` with bytes for the first 256 ids, int32[stop - start, 2]."""
        packed = self._merges[start:stop]
        ids = np.stack([packed >> 32, packed & 0xFFFFFFFF], axis=1)
        return np.where(ids < 256, self._bytes[np.minimum(ids, 255)], ids).astype(np.int32)

    def merges(self) -> np.ndarray:
        """Return the merges made here, int32[n, 2]."""
        return self.pairs(0, self.made)

    def words(self) -> WordTokens:
        """Return the tokens of the words; in place of a word of one token is ALONE."""
        ids, starts = np.empty(self._symbols, dtype=np.uint32), np.empty(self._ends.size + 1, dtype=np.uint32)
        given = self._ends, self._cells[0], self.slots[0], self._tokens, self._bytes
        return WordTokens(ids[: self._kernel.read_words(*given, ids, starts)], starts)

    def count(self, merge: int) -> int:
        """Return how often the pair of a merge occurred."""
        return int(self._counts[merge])

    def token(self, token_id: int) -> bytes:
        """Return the bytes of a token that was made."""
        begin = int(self._tokens[2 * token_id]) - self._text.ctypes.data
        return self._text[begin : begin + int(self._tokens[2 * token_id + 1])].tobytes()


def _writable(array: np.ndarray) -> np.ndarray:
    """Return the array as kernels take it: they would be compiled once more for a mapped or read-only one."""
    array = np.ascontiguousarray(array)
    return array if array.flags.writeable else array.copy()


def spread_over(places: int) -> int:
    """Return the distance between the places of pairs with neighbouring left ids, which spreads all pairs evenly."""
    return int(places * 0.6180339887) | 1


def token_sizes(merges: np.ndarray) -> np.ndarray:
    """Return how many bytes each id has, int64[256 + merges].

    >>> token_sizes(np.array([[97, 98], [256, 256]]))[-3:].tolist()
    [1, 2, 4]
    """
    sizes = [1] * 256
    for left, right in merges.tolist():
        sizes.append(sizes[left] + sizes[right])
    return np.array(sizes, dtype=np.int64)


def longer(array: np.ndarray, size: int, used: int) -> np.ndarray:
    """Return an array of ``size`` entries that begins with the first ``used`` entries of ``array``."""
    made = np.empty(size, dtype=array.dtype)
    made[:used] = array[:used]
    return made
