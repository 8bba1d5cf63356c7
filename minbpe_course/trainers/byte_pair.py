"""Learning merges from word counts, with a named tie-break rule.

The rules and whose they are (``reference.training`` is the readable version):

    first-seen       minbpe               the pair that occurs first in the text
    greatest-bytes   Stanford's CS336     the pair whose bytes are lexicographically greatest
    smallest-pair    rustbpe              the pair with the smallest ids
    huggingface      tokenizers           the same, with the 256 bytes numbered in Hugging Face's order
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from minbpe_course.corpus.counting import Source, WordCounts, count_words, longer, special_texts
from minbpe_course.errors import InvalidSource, InvalidVocabularySize, UnknownTieBreak
from minbpe_course.model import BytePairModel
from minbpe_course.reference.training import HUGGINGFACE_ORDER
from minbpe_course.text.patterns import named_pattern

TIE_BREAKS = ("first-seen", "greatest-bytes", "smallest-pair", "huggingface")

# How many merges one kernel call makes before progress is reported, and before Python can be interrupted.
_STRIDE = 1000


@dataclass(frozen=True)
class MergeProgress:
    """One merge that training made: merge ``done`` of ``total``, ``pair`` -> ``new_id``, which had ``count``
    occurrences.

    Printing it gives the line that minbpe prints with ``verbose=True``.
    """

    done: int
    total: int
    pair: tuple[int, int]
    new_id: int
    token: bytes
    count: int

    def __str__(self) -> str:
        merge = f"{self.pair} -> {self.new_id} ({self.token!r})"
        return f"merge {self.done}/{self.total}: {merge} had {self.count} occurrences"


Progress = Callable[[MergeProgress], object]


def check_vocab_size(vocab_size: int) -> None:
    """Raise InvalidVocabularySize unless the size is a whole number that holds the 256 bytes."""
    if isinstance(vocab_size, bool) or not isinstance(vocab_size, (int, np.integer)):
        raise InvalidVocabularySize(f"vocab_size must be a whole number, got {vocab_size!r}.")
    if vocab_size < 256:
        raise InvalidVocabularySize(
            f"vocab_size={vocab_size} cannot hold the 256 bytes that every text is made of; give 256 or more."
        )
    if vocab_size >= 1 << 31:
        raise InvalidVocabularySize(f"vocab_size={vocab_size} is more than ids of 32 bits can name.")


def learn_merges(
    words: WordCounts,
    vocab_size: int,
    *,
    tie_break: str = "first-seen",
    min_frequency: int = 1,
    progress: Progress | None = None,
) -> np.ndarray:
    """Return the merges, int32[n, 2], in the order learned; n is less than ``vocab_size - 256`` when the pairs run out.

    Raises InvalidVocabularySize, UnknownTieBreak.

    >>> learn_merges(WordCounts.from_mapping({b"aaab": 2}), 258).tolist()
    [[97, 97], [256, 97]]
    """
    check_vocab_size(vocab_size)
    if tie_break not in TIE_BREAKS:
        raise UnknownTieBreak(f"no tie-break rule {tie_break!r}. The rules are: {', '.join(map(repr, TIE_BREAKS))}.")

    from minbpe_course.kernels import training as kernel
    from minbpe_course.kernels import training_heap

    # Each merge takes at least one position away from the row of words, so there can be no more merges than positions.
    total = int(vocab_size) - 256
    limit = min(total, words.text.size)
    rules = {"first-seen": training_heap.FIRST_SEEN, "greatest-bytes": training_heap.GREATEST_BYTES}
    rule = rules.get(tie_break, training_heap.SMALLEST_PAIR)
    # Hugging Face's order is the order of ids once the 256 bytes have its numbers.
    numbers = np.array(HUGGINGFACE_ORDER if tie_break == "huggingface" else range(256), dtype=np.int64)
    bytes_of = np.argsort(numbers)
    row = _Row(words, 256 + limit)
    kernel.start_training(
        words.text,
        words.ends,
        words.counts,
        numbers,
        np.full(1 << 16, -1, dtype=np.int32),
        *row.cells,
        *row.slots,
        row.postings,
        row.tokens,
        row.state,
    )

    made = 0
    while made < limit:
        stop_at = min(made + _STRIDE, limit)
        reason = kernel.train_merges(
            rule,
            max(int(min_frequency), 1),
            stop_at,
            words.text,
            words.ends,
            *row.cells,
            *row.slots,
            row.postings,
            row.heap,
            row.tokens,
            *row.scratch,
            *row.found,
            row.state,
        )
        before, made = made, int(row.state[kernel.MERGES])
        if progress:
            row.report(progress, bytes_of, before, made, total)
        if reason == kernel.EXHAUSTED:
            break
        if reason == kernel.NEEDS_SLOTS:
            row.grow_slots()
    return row.pairs(bytes_of, 0, made)


class _Row:
    """The arrays of one training run; ``kernels.training`` draws them.

    Most are allocated for the worst case: what is never written takes no memory.
    """

    def __init__(self, words: WordCounts, vocab_size: int) -> None:
        from minbpe_course.kernels import training as kernel

        n, merges = words.text.size, vocab_size - 256
        size = n + 2 * len(words)
        if size >= 1 << 31:
            raise InvalidSource(f"{n:,} bytes of distinct words are more than 31 bits can number.")
        self.text = words.text
        self.cells = [np.empty(size, dtype=np.uint32), np.empty(size, dtype=np.uint8)]
        self.slots = [np.empty(1 << 18, dtype=np.int64) for _ in range(2)]
        self.postings = np.empty(3 * n, dtype=np.uint32)
        self.heap = np.empty(3 << 17, dtype=np.int64)
        self.tokens = np.zeros(2 * vocab_size, dtype=np.int64)
        self.scratch = [np.full(vocab_size, -1, dtype=np.int32) for _ in range(2)]
        self.scratch.append(np.empty(4 * n, dtype=np.uint32))
        self.found = [np.empty(merges, dtype=np.int64) for _ in range(2)]
        self.state = np.zeros(kernel.STATE, dtype=np.int64)

    def grow_slots(self) -> None:
        """Double the room for pairs, or make it enough for the next merge, whichever is less."""
        used, waiting = int(self.state[0]), int(self.state[2])
        size = min(2 * (self.slots[0].size // 2), max(used + 2 * self.text.size, self.slots[0].size // 2 + 1))
        self.slots = [longer(old, 2 * size, 2 * used) for old in self.slots]
        self.heap = longer(self.heap, 3 * size, 3 * waiting)

    def pairs(self, bytes_of: np.ndarray, start: int, stop: int) -> np.ndarray:
        """The merges from ``start`` to ``stop`` with bytes for the first 256 ids, int32[stop - start, 2]."""
        packed = self.found[0][start:stop]
        numbered = np.stack([packed >> 32, packed & 0xFFFFFFFF], axis=1)
        return np.where(numbered < 256, bytes_of[np.minimum(numbered, 255)], numbered).astype(np.int32)

    def report(self, progress: Progress, bytes_of: np.ndarray, start: int, stop: int, total: int) -> None:
        begins = self.tokens[0::2] - self.text.ctypes.data
        for at, pair in zip(range(start, stop), self.pairs(bytes_of, start, stop).tolist()):
            begin = int(begins[256 + at])
            token = self.text[begin : begin + int(self.tokens[2 * (256 + at) + 1])].tobytes()
            progress(MergeProgress(at + 1, total, (pair[0], pair[1]), 256 + at, token, int(self.found[1][at])))


def train(
    source: Source,
    vocab_size: int,
    *,
    pattern: str | None = "cl100k_base",
    special_tokens: Iterable[str] = (),
    tie_break: str = "first-seen",
    min_frequency: int = 1,
    progress: Progress | None = None,
    num_threads: int | None = None,
) -> BytePairModel:
    """Train byte-level BPE and return the record.

    source : a str is text, a Path is a UTF-8 file, an iterable may yield both, a mapping holds word counts.
    vocab_size : 256 bytes + merges + special tokens. pattern : a regular expression, a known name such as
    "cl100k_base", or None. special_tokens : hard borders in the text; they take the last ids. tie_break : one of the
    four rules above. min_frequency : no merge of a pair that occurs less often. progress : called with a
    MergeProgress for every merge; ``print`` will do. num_threads : how many cores count words, all unless said (merges
    are made on one, each depends on the last); the model is the same.

    The model is smaller than asked when the text runs out of pairs. Raises InvalidVocabularySize, InvalidPattern,
    UnknownTieBreak, InvalidSource, UnusablePath.

    Source: Sennrich, Haddow and Birch (2016); the update of counts follows rustbpe's and minbpe's results exactly.

    >>> model = train("the cat in the hat", 259, pattern=r"\\S+|\\s+", tie_break="greatest-bytes")
    >>> model.token_bytes[256], model.merges[0]
    (b'th', (116, 104))
    """
    specials = special_texts(special_tokens)
    check_vocab_size(vocab_size)
    check_vocab_size(vocab_size - len(specials))
    words = count_words(source, pattern=pattern, special_tokens=specials, num_threads=num_threads)
    pairs = learn_merges(
        words, vocab_size - len(specials), tie_break=tie_break, min_frequency=min_frequency, progress=progress
    )
    first = 256 + len(pairs)
    return BytePairModel(
        pairs,
        pattern=None if pattern is None else named_pattern(pattern),
        special_tokens={text: first + at for at, text in enumerate(specials)},
    )
