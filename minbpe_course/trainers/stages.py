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
from minbpe_course.errors import InvalidOption, InvalidPattern, InvalidSource, UnsupportedPattern
from minbpe_course.kernels.common.memory import padded
from minbpe_course.model import BytePairModel
from minbpe_course.resources.threads import in_order
from minbpe_course.splitting.splitter import Splitter, Words
from minbpe_course.text.patterns import PATTERNS, close_names, named_pattern
from minbpe_course.trainers.training_arrays import spread_over, token_sizes

# About so many bytes of phrases are cut at a time: the ends of their words then need little memory.
_BLOCK = 1 << 22


class Stage(NamedTuple):
    """A stage of training: the tokens that there are after it, and what cuts phrases into its words (None: nothing)."""

    size: int
    splitter: Splitter | None


def stages_of(stages: Iterable[tuple[int, str | None]], vocab_size: int) -> list[Stage]:
    """Return the stages before the last one, which reaches ``vocab_size``. Raises InvalidOption, InvalidPattern."""
    if not isinstance(stages, Iterable):
        raise InvalidOption(f"stages is a list of (tokens to reach, pattern), got {stages!r}.")
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
        if pattern is not None and pattern not in PATTERNS and (meant := close_names(pattern)):
            raise InvalidPattern(f"the pattern of the stage {stage!r} looks like a name. Did you mean {meant[0]!r}?")
        splitter = Splitter(None if pattern is None else named_pattern(pattern))
        try:
            words_of_phrases(WordCounts.from_mapping({b"a": 1}), splitter, 1)
        except UnsupportedPattern as error:
            raise InvalidOption(f"{error} Use another pattern for this stage, such as 'cl100k_base'.") from None
        found.append(Stage(int(size), splitter))
    return found


def words_of_phrases(phrases: WordCounts, splitter: Splitter, threads: int) -> WordCounts:
    """Return the words of counted phrases, which are split once each, however often they occur.

    >>> dict(words_of_phrases(WordCounts.from_mapping({b"by the by": 2, b"the": 1}), Splitter(r" ?\\w+"), 1))
    {b'by': 2, b' the': 2, b' by': 2, b'the': 1}
    """
    _must_be_text(phrases)
    table = WordTable(splitter)

    def cut(run: Words) -> tuple[Words, np.ndarray]:
        parts = splitter.parts(run)
        before = np.searchsorted(parts.ends[: parts.number], run.ends, side="right")
        first = int(np.searchsorted(phrases.ends, run.ends[0]))
        return parts, np.repeat(phrases.counts[first : first + run.number], np.diff(before, prepend=0))

    for parts, weights in in_order(cut, _runs(phrases), threads):
        table.add(parts, parts.start, weights=weights)
    return WordCounts(*table.arrays())


def encoded(phrases: WordCounts, splitter: Splitter, merges: np.ndarray, threads: int) -> np.ndarray:
    """Return the ids of all phrases, uint32, after merges that were learned with a splitter.

    Ids of phrases are the ids of their words wherever no merge can cross the border between two words: the bytes at
    the border would have to meet in a merge. Words repeat, so they are in the encoder's cache; phrases are not.
    """
    engine = BytePairEngine.from_model(BytePairModel(merges))
    meets = _meeting_bytes(merges)

    def encode(run: Words) -> np.ndarray:
        parts = splitter.parts(run)
        ends = parts.ends[: parts.number]
        kept = ~meets[parts.text[ends - 1], parts.text[np.minimum(ends, parts.text.size - 1)]]
        # The borders of phrases stay.
        kept[np.searchsorted(ends, run.ends)] = True
        return engine.encode_run(parts._replace(ends=ends[kept], number=int(kept.sum())))

    found = list(in_order(encode, _runs(phrases), threads))
    return np.concatenate(found) if found else np.empty(0, dtype=np.uint32)


def frequent_parts(
    words: WordCounts, ids: np.ndarray, merges: np.ndarray, wanted: int, least: int
) -> tuple[WordCounts, np.ndarray, int]:
    """Return the parts of encoded words in which pairs may occur often, their ids, and how often that is.

    A merge that is made ``n`` times joins tokens that meet ``n`` times or more, wherever it is made. So a place where
    two tokens meet less often can be cut without changing any merge of pairs that occur as often as the last number
    says, at least ``least``; about ``wanted`` pairs do. Many words fall apart into single tokens, which are left out.
    """
    from minbpe_course.kernels.training import training

    sizes = token_sizes(merges)
    bounds = np.zeros(1 << max(16, ids.size.bit_length() - 2), dtype=np.int64)
    text, ends, counts = (np.require(each, requirements=["C", "W"]) for each in (words.text, words.ends, words.counts))
    given = (ends, counts, ids, sizes, spread_over(bounds.size), bounds)
    training.bound_pairs(*given)
    if wanted < bounds.size:
        least = max(least, int(np.partition(bounds, -wanted)[-wanted]))
    # A part has two tokens or more.
    new_text, new_ids = np.empty_like(text), np.empty_like(ids)
    new_ends, new_counts = (np.empty(ids.size // 2, dtype=np.int64) for _ in range(2))
    parts, tokens, size = training.keep_frequent(text, *given, least, new_text, new_ends, new_counts, new_ids)
    return WordCounts(new_text[:size], new_ends[:parts], new_counts[:parts]), new_ids[:tokens], least


def _must_be_text(phrases: WordCounts) -> None:
    """Raise InvalidSource unless each phrase is UTF-8, which patterns and the encoder read."""
    try:
        phrases.text.tobytes().decode()
        whole = not (phrases.text[phrases.ends[:-1]] & 0xC0 == 0x80).any()
    except UnicodeDecodeError:
        whole = False
    if not whole:
        raise InvalidSource(
            "stages= cuts counted words again, and not all of these words are text in UTF-8. Count text, or leave "
            "stages= out."
        )


def _meeting_bytes(merges: np.ndarray) -> np.ndarray:
    """Return which last bytes of left tokens meet which first bytes of right tokens in a merge, bool[256, 256]."""
    firsts, lasts = list(range(256)), list(range(256))
    meets = np.zeros((256, 256), dtype=bool)
    for left, right in merges.tolist():
        meets[lasts[left], firsts[right]] = True
        firsts.append(firsts[left])
        lasts.append(lasts[right])
    return meets


def _runs(phrases: WordCounts) -> Iterator[Words]:
    """Yield the phrases in runs of about _BLOCK bytes."""
    text, words = padded(phrases.text.tobytes())
    first = start = 0
    while first < len(phrases):
        last = max(int(np.searchsorted(phrases.ends, start + _BLOCK, side="right")), first + 1)
        yield Words(text, words, start, phrases.ends[first:last], last - first)
        first, start = last, int(phrases.ends[last - 1])
