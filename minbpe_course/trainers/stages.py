"""Training in stages: first inside words, then across them, as ``reference.superwords`` does it.

    phrases        by the way 2      by the by 1           counted once
    stage 1        by 4   the 3   way 2                    words cut from the distinct phrases; their counts added
    stage 2        by| the| way      by| the| by           phrases encoded with the merges of stage 1; merged further

Text is counted once, by the pattern of the last stage, so all this works with counts files and clusters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.counting.word_table import WordTable
from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.errors import InvalidOption, UnsupportedPattern
from minbpe_course.kernels.common.memory import padded
from minbpe_course.model import BytePairModel
from minbpe_course.resources.threads import cores, in_order
from minbpe_course.splitting.splitter import Splitter, Words
from minbpe_course.text.patterns import named_pattern

# About so many bytes of phrases are cut at a time: the ends of their words then need little memory.
_BLOCK = 1 << 22


class Stage(NamedTuple):
    """A stage of training: the tokens that there are after it, and what cuts phrases into its words (None: nothing)."""

    size: int
    splitter: Splitter | None


def stages_of(stages: Iterable[tuple[int, str | None]], vocab_size: int) -> list[Stage]:
    """Return the stages before the last one, which reaches ``vocab_size``. Raises InvalidOption, InvalidPattern."""
    found: list[Stage] = []
    for stage in stages:
        try:
            size, pattern = stage
        except (TypeError, ValueError):
            raise InvalidOption(f"a stage is (tokens to reach, pattern), got {stage!r}.") from None
        least = found[-1].size if found else 256
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or not least <= size <= vocab_size:
            raise InvalidOption(
                f"the stage {stage!r} should reach from {least:,} to {vocab_size:,} tokens: a stage has at least the "
                "tokens of the one before it, and at most those of the vocabulary without special tokens."
            )
        splitter = Splitter(None if pattern is None else named_pattern(pattern))
        try:
            next(_parts(WordCounts.from_mapping({b"a": 1}), splitter))
        except UnsupportedPattern as error:
            raise InvalidOption(f"{error} Use another pattern for this stage, such as 'cl100k_base'.") from None
        found.append(Stage(int(size), splitter))
    return found


def words_of_phrases(phrases: WordCounts, splitter: Splitter) -> WordCounts:
    """Return the words of counted phrases, which are split once each, however often they occur.

    >>> dict(words_of_phrases(WordCounts.from_mapping({b"by the by": 2, b"the": 1}), Splitter(r" ?\\w+")))
    {b'by': 2, b' the': 2, b' by': 2, b'the': 1}
    """
    table = WordTable(splitter)
    for first, last, run, parts in _parts(phrases, splitter):
        before = np.searchsorted(parts.ends[: parts.number], run.ends, side="right")
        weights = np.repeat(phrases.counts[first:last], np.diff(before, prepend=0))
        table.add(parts, parts.start, weights=weights)
    return WordCounts(*table.arrays())


def encoded(phrases: WordCounts, splitter: Splitter, merges: np.ndarray) -> np.ndarray:
    """Return the ids of all phrases, uint32, after merges that were learned with a splitter.

    Ids of phrases are the ids of their words wherever no merge can cross the border between two words: the bytes at
    the border would have to meet in a merge. Words repeat, so they are in the encoder's cache; phrases are not.
    """
    engine = BytePairEngine.from_model(BytePairModel(merges))
    meets = _meeting_bytes(merges)

    def encode(part: tuple[int, int, Words, Words]) -> np.ndarray:
        _, _, run, parts = part
        ends = parts.ends[: parts.number]
        kept = ~meets[parts.text[ends - 1], parts.text[np.minimum(ends, parts.text.size - 1)]]
        # The borders of phrases stay.
        kept[np.searchsorted(ends, run.ends)] = True
        return engine.encode_run(parts._replace(ends=ends[kept], number=int(kept.sum())))

    found = list(in_order(encode, _parts(phrases, splitter), min(cores(), 2)))
    return np.concatenate(found) if found else np.empty(0, dtype=np.uint32)


def _meeting_bytes(merges: np.ndarray) -> np.ndarray:
    """Return which last bytes of left tokens meet which first bytes of right tokens in a merge, bool[256, 256]."""
    firsts, lasts = list(range(256)), list(range(256))
    meets = np.zeros((256, 256), dtype=bool)
    for left, right in merges.tolist():
        meets[lasts[left], firsts[right]] = True
        firsts.append(firsts[left])
        lasts.append(lasts[right])
    return meets


def _parts(phrases: WordCounts, splitter: Splitter) -> Iterator[tuple[int, int, Words, Words]]:
    """Yield runs of phrases: the first, one past the last, the phrases, and the words that they are cut into."""
    text, words = padded(phrases.text.tobytes())
    first = start = 0
    while first < len(phrases):
        last = max(int(np.searchsorted(phrases.ends, start + _BLOCK, side="right")), first + 1)
        run = Words(text, words, start, phrases.ends[first:last], last - first)
        yield first, last, run, splitter.parts(run)
        first, start = last, int(phrases.ends[last - 1])
