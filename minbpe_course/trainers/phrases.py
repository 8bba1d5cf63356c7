"""Phrases as rows of numbered words, and the parts of them that a later stage of training can change.

    phrases        by the way, by the way, by the by       from a text, or counted
    words          by 4   the 3   way 2                    counted, and numbered in the order first seen
    rows           0 1 2   0 1 2   0 1 3                   the numbers of a phrase's words
    parts          by| the| way 2      by| the 1           cut where two tokens rarely meet, and counted

Phrases of a text are not counted: they rarely repeat. Their rows take about a byte for each byte of text.
``kernels.training.phrases`` has the kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.counting.word_table import WordTable
from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.errors import InvalidSource
from minbpe_course.kernels.common.memory import TEXT_SLACK, TOKEN_SLACK, lay_in_order, padded, zeros
from minbpe_course.model import BytePairModel
from minbpe_course.resources.threads import in_order
from minbpe_course.splitting.blocks import TextBlock
from minbpe_course.splitting.splitter import Splitter, Words
from minbpe_course.trainers.training_arrays import WordTokens, spread_over

# About so many bytes of counted phrases are cut at a time.
_BLOCK = 1 << 22

# The words of a row: so many that threads seldom wait for each other.
_ROW = 1 << 20

# The sums of ``bound_pairs`` for each pair that is wanted: with fewer, many rare pairs together look like a frequent
# one; with more, the sums do not fit the cache.
_SUMS = 32

# How many tested pairs of tokens ``join_words`` remembers. Many more than fit the processor's fastest cache: to test a
# pair again takes longer.
_PAIRS = 1 << 18

_ONCE = np.empty(0, dtype=np.int64)


class CountedRun(NamedTuple):
    """A run of counted phrases; counts : int64, how often each occurs."""

    phrases: Words
    counts: np.ndarray


class Row(NamedTuple):
    """A run of phrases.

    ids : uint32, the numbers of their words; the last of each phrase has the bit LAST · counts : int64, how often each
    phrase occurs, or empty if each occurs once.
    """

    ids: np.ndarray
    counts: np.ndarray


class CutPhrases(NamedTuple):
    """Phrases cut into words: the distinct words with their counts, and all phrases as rows of their numbers."""

    words: WordCounts
    rows: list[Row]


class EncodedPhrases(NamedTuple):
    """Phrases encoded with the merges of a model: rows of the numbers of words, and the words.

    words : as in ``kernels.training.phrases`` · uses : int64, how often each occurs at most · tokens : those of all.
    """

    model: BytePairModel
    rows: list[Row]
    words: np.ndarray
    uses: np.ndarray
    tokens: WordTokens


class Parts(NamedTuple):
    """Distinct parts of phrases with their counts, and their tokens, uint32.

    No pair that occurs ``least`` times or more is missing.
    """

    counts: WordCounts
    tokens: np.ndarray
    least: int


def counted_runs(phrases: WordCounts, size: int = _BLOCK) -> Iterator[CountedRun]:
    """Yield counted phrases in runs of about ``size`` bytes. Raises InvalidSource unless each phrase is UTF-8."""
    data = phrases.text.tobytes()
    if not is_text(data, phrases):
        raise InvalidSource(
            "stages= cuts counted words again, and not all of these words are text in UTF-8. Count text, or leave "
            "stages= out."
        )
    text, words = padded(data)
    first = start = 0
    while first < len(phrases):
        last = max(int(np.searchsorted(phrases.ends, start + size, side="right")), first + 1)
        run = Words(text, words, start, phrases.ends[first:last], last - first)
        yield CountedRun(run, phrases.counts[first:last])
        first, start = last, int(phrases.ends[last - 1])


def cut_phrases(
    phrases: Iterable[TextBlock | CountedRun], outer: Splitter, splitter: Splitter, threads: int
) -> CutPhrases:
    """Cut phrases into words; ``outer`` cuts the phrases from blocks of text.

    >>> phrases = counted_runs(WordCounts.from_mapping({b"by the by": 2, b"the": 1}))
    >>> cut = cut_phrases(phrases, Splitter(None), Splitter(r" ?\\w+"), 1)
    >>> dict(cut.words)
    {b'by': 2, b' the': 2, b' by': 2, b'the': 1}
    >>> [(row.ids & 255).tolist() for row in cut.rows]
    [[0, 1, 2, 3]]
    """
    from minbpe_course.kernels.training.phrases import mark_last

    table = WordTable(splitter)

    def cut(unit: TextBlock | CountedRun) -> tuple[Words, np.ndarray, np.ndarray]:
        run, counts = (unit.words(outer), _ONCE) if isinstance(unit, TextBlock) else unit
        return *splitter.parts(run), counts

    rows: list[Row] = []
    run, weights, used = _memory_of_ids(_ROW), [_ONCE], 0
    for words, stops, counts in in_order(cut, phrases, threads):
        if used + words.number > run.size:
            rows.append(Row(run[:used], np.concatenate(weights)))
            run, weights, used = _memory_of_ids(max(_ROW, words.number)), [_ONCE], 0
        numbers = run[used : used + words.number]
        repeated = np.repeat(counts, np.diff(stops, prepend=0)) if counts.size else None
        table.add(words, words.start, weights=repeated, numbers=numbers)
        mark_last(numbers, stops)
        weights.append(counts)
        used += words.number
    rows.append(Row(run[:used], np.concatenate(weights)))
    return CutPhrases(WordCounts(*table.arrays()), rows)


def encode_phrases(cut: CutPhrases, merges: np.ndarray, known: WordTokens | None, threads: int) -> EncodedPhrases:
    """Encode phrases with merges that were learned inside their words. The rows of ``cut`` are used up.

    known : the tokens of the words, as ``TrainingArrays.words`` returns them; None if they are not known.

    The tokens of a phrase are those of its words if, at every border, the last token of one word and the first token of
    the next fit together (``reference.backtracking``). Words that do not fit are encoded as one, until all of them fit.
    """
    from minbpe_course.kernels.training.phrases import join_words

    model, meets = BytePairModel(merges), _meeting_bytes(merges)
    engine = BytePairEngine.from_model(model, proven=True)
    text, ends, uses = cut.words.text, cut.words.ends, cut.words.counts
    tokens = _encode_words(engine, text, ends, threads, known)
    words = _known_words(text, ends, tokens)
    pairs = engine.tables.block.copy()
    pairs.last_merges = np.concatenate([np.arange(256).repeat(2).reshape(256, 2), merges]).astype(np.uint32)
    # All threads share what they tested: an entry is one number, so it is never half written.
    tested = np.full(_PAIRS, -1, dtype=np.int64)
    rows, new = cut.rows, 0

    def join(row: Row) -> tuple[Row, Words, np.ndarray, np.ndarray]:
        room = row.ids.size
        groups, (ends, places, weights) = _memory_of_ids(room), np.empty((3, room // 2 + 1), dtype=np.int64)
        given = words, meets, pairs.address, spread_over(_PAIRS), tested, new
        size, count = join_words(*row, *given, groups, ends, places, weights)
        return Row(row.ids[:size], row.counts), _words_of_ids(groups, ends, count), places[:count], weights

    while new < len(ends):
        table, joined = WordTable(Splitter(None)), []
        for row, groups, places, weights in in_order(join, rows, threads):
            which = np.empty(groups.number, dtype=np.uint32)
            table.add(groups, weights=weights, numbers=which)
            row.ids[places] |= which + np.uint32(len(ends))
            joined.append(row)
        rows, new = joined, len(ends)
        members, stops, counts, _ = table.arrays()
        more, places = _gathered(text, ends, members.view(np.uint32))
        more_ends = places[stops // 4 - 1]
        more_tokens = _encode_words(engine, more, more_ends, threads)
        words = np.concatenate([words, _known_words(more, more_ends, more_tokens)])
        tokens = tokens.followed_by(more_tokens)
        text, ends = np.concatenate([text, more]), np.concatenate([ends, text.size + more_ends])
        uses = np.concatenate([uses, counts])
    return EncodedPhrases(model, rows, words, uses, tokens)


def _encode_words(
    engine: BytePairEngine, text: np.ndarray, ends: np.ndarray, threads: int, known: WordTokens | None = None
) -> WordTokens:
    """Encode words that are end to end in ``text``; the numbers of the engine's tokens are their ids.

    known : the tokens of words of several tokens; then only the others are encoded.
    """
    if known is not None:
        alone = np.flatnonzero(np.diff(known.starts) == 1)
        known.tokens[known.starts[alone]] = _encode_words(engine, *_gathered(text, ends, alone), threads).tokens
        return known
    pieces = counted_runs(WordCounts(text, ends, ends), text.size // (4 * threads) + 1)
    encoded = in_order(lambda piece: engine.encode_run(piece.phrases), pieces, threads)
    tokens = np.concatenate([np.empty(0, dtype=np.uint32), *encoded])
    is_end = np.zeros(text.size + 1, dtype=bool)
    is_end[ends] = True
    sizes = np.diff(engine.tables.token_start)
    starts = np.concatenate([[0], np.flatnonzero(is_end[np.cumsum(sizes[tokens])]) + 1]).astype(np.uint32)
    return WordTokens(tokens, starts)


def _known_words(text: np.ndarray, ends: np.ndarray, words: WordTokens) -> np.ndarray:
    """Return the rows of ``kernels.training.phrases`` for these words, without their kinds."""
    tokens, starts = words
    edges = text[ends - np.diff(ends, prepend=0)] | text[ends - 1].astype(np.uint16) << 8
    known = tokens[starts[:-1]], tokens[starts[1:] - 1], np.diff(starts), edges
    return np.stack([column.astype(np.uint32) for column in known], axis=1)


def frequent_parts(phrases: EncodedPhrases, wanted: int, least: int, threads: int) -> Parts:
    """Return the parts of phrases in which pairs may occur often: ``least`` times, or so often that ``wanted`` do.

    A merge that is made ``n`` times joins tokens that meet ``n`` times or more, wherever it is made. So a place where
    two tokens meet less often can be cut without changing any merge of pairs that occur as often as the result says.
    Phrases fall apart into single tokens, which are left out, and into parts, most of which repeat.
    """
    from minbpe_course.kernels.training import phrases as kernel

    places = 1 << max(16, (_SUMS * wanted).bit_length())
    spread = spread_over(places)
    rows, words, tokens = phrases.rows, phrases.words, phrases.tokens
    rooms = [0] * len(rows)

    def bound(share: int) -> np.ndarray:
        bounds = zeros(8 * places).view(np.int64)
        for at in range(share, len(rows), threads):
            rooms[at] = kernel.bound_pairs(*rows[at], words, spread, bounds) + 1
        return bounds

    bounds = sum(in_order(bound, range(threads), threads))
    kernel.bound_inner_pairs(phrases.uses, *tokens, spread, bounds)
    if wanted < places:
        least = max(least, int(np.partition(bounds, -wanted)[-wanted]))
    frequent = np.packbits(bounds >= least, bitorder="little")
    kernel.note_kinds(*tokens, spread, frequent, words)

    def keep(at: int) -> tuple[Words, np.ndarray | None]:
        row, room = rows[at], rooms[at]
        parts, ends, weights = _memory_of_ids(room), *np.empty((2, room // 2 + 1), dtype=np.int64)
        count = kernel.keep_frequent(*row, words, *tokens, spread, frequent, parts, ends, weights)
        return _words_of_ids(parts, ends, count), weights if row.counts.size else None

    table = WordTable(Splitter(None))
    for parts, weights in in_order(keep, range(len(rows)), threads):
        table.add(parts, weights=weights)
    ids, ends, counts, _ = table.arrays()
    ids = ids.view(np.uint32)
    text, starts = lay_in_order(list(phrases.model.token_bytes.values()))
    text, stops = _gathered(text, starts[1:], ids)
    return Parts(WordCounts(text, stops[ends // 4 - 1], counts), ids, least)


def _memory_of_ids(size: int) -> np.ndarray:
    """Return memory for words made of ids, with what kernels may read after the last one."""
    return zeros(4 * (size + TOKEN_SLACK)).view(np.uint32)


def _words_of_ids(ids: np.ndarray, ends: np.ndarray, number: int) -> Words:
    """Return rows of ids as words, to count them: four bytes for each id."""
    return Words(ids.view(np.uint8), ids, 0, ends, number)


def _gathered(text: np.ndarray, ends: np.ndarray, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return some of the words in ``text``, end to end, and where each ends."""
    from minbpe_course.kernels.counting.sorting import gather_words

    stops, which = np.empty(which.size, dtype=np.int64), which.astype(np.int64)
    found = np.empty(int(np.diff(ends, prepend=0)[which].sum()) + TEXT_SLACK, dtype=np.uint8)
    places = [each.ctypes.data for each in (text, ends, which)]
    size = gather_words(*places, which.size, found.ctypes.data, 0, stops.ctypes.data)
    return found[:size], stops


def is_text(data: bytes, words: WordCounts) -> bool:
    """Return whether each word is UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return not (words.text[words.ends[:-1]] & 0xC0 == 0x80).any()


def _meeting_bytes(merges: np.ndarray) -> np.ndarray:
    """Return which last bytes of left tokens meet which first bytes of right tokens in a merge, bool[256 * 256]."""
    firsts, lasts = list(range(256)), list(range(256))
    meets = np.zeros((256, 256), dtype=bool)
    for left, right in merges.tolist():
        meets[lasts[left], firsts[right]] = True
        firsts.append(firsts[left])
        lasts.append(lasts[right])
    return meets.ravel()
