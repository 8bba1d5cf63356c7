"""Learning merges from word counts, with a named tie-break rule.

The rules and whose they are (``reference.training`` is the readable version):

    first-seen       minbpe               the pair that occurs first in the text
    greatest-bytes   Stanford's CS336     the pair whose bytes are lexicographically greatest
    smallest-pair    rustbpe              the pair with the smallest ids
    huggingface      tokenizers           the same, with the 256 bytes numbered in Hugging Face's order
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from minbpe_course.counting.count_words import Source
from minbpe_course.counting.word_counter import special_texts
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.errors import InvalidVocabularySize, UnknownTieBreak
from minbpe_course.model import BytePairModel
from minbpe_course.reference.training import HUGGINGFACE_ORDER
from minbpe_course.resources.threads import threads_of
from minbpe_course.trainers.merging_checkpoint import NOTHING, MergingCheckpoint
from minbpe_course.trainers.training_arrays import MergeRow as _Row
from minbpe_course.trainers.training_words import DEFAULT_PATTERN, words_of

if TYPE_CHECKING:
    from minbpe_course.counting.bounded import CountProgress

TIE_BREAKS = ("first-seen", "greatest-bytes", "smallest-pair", "huggingface")

# How many merges one kernel call makes, at most, before progress is reported and before Python can be interrupted; and
# how many seconds it should take, so that neither has to wait.
_STRIDE, _A_WHILE = 1000, 0.1


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


def check_tie_break(tie_break: str) -> None:
    """Raise UnknownTieBreak unless there is such a rule."""
    if tie_break not in TIE_BREAKS:
        raise UnknownTieBreak(f"no tie-break rule {tie_break!r}. The rules are: {', '.join(map(repr, TIE_BREAKS))}.")


def learn_merges(
    words: WordCounts,
    vocab_size: int,
    *,
    tie_break: str = "first-seen",
    min_frequency: int = 1,
    progress: Progress | None = None,
    checkpoint: str | PathLike[str] | None = None,
) -> np.ndarray:
    """Return the merges, int32[n, 2], in the order learned; n is less than ``vocab_size - 256`` when the pairs run out.

    checkpoint : a folder in which the merges are kept while they are made; the same call goes on behind them, whenever
    and however the program was ended, and so does one with another vocabulary size or frequency. What was made before
    is not reported again.

    Raises InvalidVocabularySize, UnknownTieBreak, DifferentCheckpoint, FolderInUse, UnusablePath.

    >>> learn_merges(WordCounts.from_mapping({b"aaab": 2}), 258).tolist()
    [[97, 97], [256, 97]]
    """
    check_vocab_size(vocab_size)
    check_tie_break(tie_break)

    frequency = max(int(min_frequency), 1)
    if checkpoint is None:
        return _learned(words, int(vocab_size) - 256, tie_break, frequency, progress, None)
    with MergingCheckpoint(checkpoint, words, tie_break) as kept:
        return _learned(words, int(vocab_size) - 256, tie_break, frequency, progress, kept)


def _learned(
    words: WordCounts,
    total: int,
    tie_break: str,
    min_frequency: int,
    progress: Progress | None,
    kept: MergingCheckpoint | None,
) -> np.ndarray:
    from minbpe_course.kernels.training import training as kernel
    from minbpe_course.kernels.training import training_heap

    # Each merge takes at least one position away from the row of words, so there can be no more merges than positions.
    limit = min(total, words.text.size)
    made = kept.read() if kept else NOTHING
    known, complete = made.wanted(limit, min_frequency)
    if kept and complete:
        return made.pairs[:known]
    if kept and not known:
        # What cannot be written is told before the work and not after it.
        kept.write(*NOTHING)

    rules = {"first-seen": training_heap.FIRST_SEEN, "greatest-bytes": training_heap.GREATEST_BYTES}
    rule = rules.get(tie_break, training_heap.SMALLEST_PAIR)
    # Hugging Face's order is the order of ids once the 256 bytes have its numbers.
    numbers = np.array(HUGGINGFACE_ORDER if tie_break == "huggingface" else range(256), dtype=np.int64)
    row = _Row(words, 256 + limit, numbers)
    if kept and known and not row.start_after(made.pairs[:known], made.counts[:known], min_frequency):
        kept.damaged("these are no merges of these words")
        known = 0
        row = _Row(words, 256 + limit, numbers)
    if not known:
        row.start()

    stride, reason = 1, kernel.DONE
    while row.made < limit and reason != kernel.EXHAUSTED:
        before, begun = row.made, time.monotonic()
        reason = row.merge(rule, min_frequency, min(before + stride, limit))
        # The first merges of a large text take seconds, the last ones microseconds.
        took = time.monotonic() - begun
        stride = min(2 * stride, _STRIDE) if took < _A_WHILE else max(stride // 2, 1)
        if progress:
            _report(progress, row, before, total)
        if kept and kept.is_due():
            kept.write_if_possible(row.pairs(0, row.made), row.found[1][: row.made], 0)
    pairs = row.pairs(0, row.made)
    if kept:
        kept.write_if_possible(pairs, row.found[1][: row.made], min_frequency * (reason == kernel.EXHAUSTED))
    return pairs


def _report(progress: Progress, row: _Row, start: int, total: int) -> None:
    """Tell of the merges from ``start`` on."""
    for at, pair in enumerate(row.pairs(start, row.made).tolist(), start):
        count = int(row.found[1][at])
        progress(MergeProgress(at + 1, total, (pair[0], pair[1]), 256 + at, row.token(256 + at), count))


def train(
    source: Source,
    vocab_size: int,
    *,
    pattern: str | None = DEFAULT_PATTERN,
    special_tokens: Iterable[str] = (),
    tie_break: str = "first-seen",
    min_frequency: int = 1,
    engine: Any = None,
    checkpoint: str | PathLike[str] | None = None,
    memory: int | str | None = None,
    progress: Progress | Callable[[CountProgress | MergeProgress], object] | None = None,
    num_threads: int | None = None,
) -> BytePairModel:
    """Train byte-level BPE and return the record.

    source : a str is text, a Path is a file of UTF-8, compressed or not, or a counts file; an iterable may yield texts
    and paths; a Corpus says more about files; a mapping, or a CountsFile, holds word counts. vocab_size : 256 bytes +
    merges + special tokens. pattern : a regular expression, a known name such as "cl100k_base", or None.
    special_tokens : hard borders in the text; they take the last ids. A counts file knows both: what is not said is
    taken from it, and something else is refused. tie_break : one of the four rules above. min_frequency : no merge of a
    pair that occurs less often. num_threads : how many cores count words, all unless said (merges are made on one, each
    depends on the last); the model is the same.

    For texts larger than the memory: memory : bytes, or a str such as "2GB", within which words are counted; merging
    then takes about 16 bytes for each byte of distinct words. checkpoint : a folder for the state of the work; however
    it was ended, the same call goes on from there, and one with another vocab_size, tie_break aside, counts nothing
    again. engine : a Dask client or cluster whose workers count.

    progress : called with a MergeProgress for every merge that this call makes, and, when one of the last three options
    is given, with a CountProgress about once a second before; ``print`` will do.

    The model is smaller than asked when the text runs out of pairs. Warns with TextNamesFiles when a str names an
    existing file. Raises InvalidVocabularySize, InvalidPattern,
    UnknownTieBreak, InvalidSource, UnusablePath, DifferentCounts, UnreadableCounts; with a checkpoint also
    DifferentCheckpoint, which says what differs, FolderInUse and CountingStopped.

    Source: Sennrich, Haddow and Birch (2016); the update of counts follows rustbpe's and minbpe's results exactly.

    >>> model = train("the cat in the hat", 259, pattern=r"\\S+|\\s+", tie_break="greatest-bytes")
    >>> model.token_bytes[256], model.merges[0]
    (b'th', (116, 104))
    """
    asked = special_texts(special_tokens)
    check_vocab_size(vocab_size)
    check_vocab_size(vocab_size - len(asked))
    check_tie_break(tie_break)
    threads_of(num_threads)
    words, expression, specials = words_of(
        source,
        pattern,
        asked,
        engine=engine,
        checkpoint=checkpoint,
        memory=memory,
        progress=progress,  # type: ignore[arg-type]
        num_threads=num_threads,
    )
    check_vocab_size(vocab_size - len(specials))
    pairs = learn_merges(
        words,
        vocab_size - len(specials),
        tie_break=tie_break,
        min_frequency=min_frequency,
        progress=progress,
        checkpoint=None if checkpoint is None else Path(checkpoint, "merges"),
    )
    return model_of(pairs, expression, specials)


def model_of(
    pairs: np.ndarray | Sequence[tuple[int, int]], pattern: str | None, special_tokens: Sequence[str]
) -> BytePairModel:
    """Return the record of what was learned; special tokens get the ids behind the merges.

    >>> model_of([(97, 97)], None, ["<|end|>"]).special_tokens["<|end|>"]
    257
    """
    first = 256 + len(pairs)
    return BytePairModel(
        pairs, pattern=pattern, special_tokens={text: first + at for at, text in enumerate(special_tokens)}
    )
