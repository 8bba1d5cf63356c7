"""Writing counts files: words in any order are sorted and written block by block."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import BinaryIO

import numpy as np

from minbpe_course.counting.counts_file.blocks import BlockWriter
from minbpe_course.counting.counts_file.layout import BLOCK_WORDS, EXACT, ORDER, Header
from minbpe_course.counting.counts_file.reading import CountsFile, open_counts
from minbpe_course.counting.word_counts import NOTHING_DROPPED, Dropped, Rows, WordCounts
from minbpe_course.errors import InvalidSource
from minbpe_course.files import atomic_file

# Words copied into sorted order at a time.
_TOGETHER = 2 * BLOCK_WORDS


def run_bytes(rows: Rows, *, header: Header) -> bytes:
    """Return the bytes of a counts file with these words, given in any order.

    Raises InvalidSource when the arrays contradict each other or are too large.
    """
    file = io.BytesIO()
    _write(file, rows, header)
    return file.getvalue()


def write_run(path: str | PathLike[str], rows: Rows, *, header: Header) -> CountsFile:
    """Write a counts file with these words; it appears at ``path`` only when complete. Raises UnusablePath as well."""
    with atomic_file(path) as file:
        _write(file, rows, header)
    return open_counts(path)


def write_counts(
    counts: Mapping[bytes, int] | Mapping[str, int],
    path: str | PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: Iterable[str] = (),
    cleaning: Iterable[str] = (),
) -> CountsFile:
    """Write word counts to a file, for ``open_counts``, ``merge_counts`` and ``train``.

    counts : the result of ``count_words``, or any mapping from words to counts. pattern, special_tokens, cleaning : how
    the text was split; only counts of text that was split in the same way can be added.

    Words that ``min_frequency`` dropped are recorded. A plain mapping knows the order of its words, but not their
    places in the text: the file then holds made-up places that keep the order, and its header says so.

    Raises InvalidSource, UnusablePath.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "small.counts")
    >>> dict(write_counts({"low": 5, "lower": 2}, path))
    {b'low': 5, b'lower': 2}
    """
    known = counts if isinstance(counts, WordCounts) else WordCounts.from_mapping(counts)
    lengths = np.diff(known.ends, prepend=0)
    firsts, places = known.firsts, EXACT
    if firsts is None:
        # Places in a text that repeats each word as often as it is counted.
        covered = lengths * known.counts
        firsts, places = np.cumsum(covered) - covered, ORDER
    header = Header(pattern, tuple(special_tokens), tuple(cleaning), places)
    rows = Rows(known.text, known.ends, known.counts, firsts)
    with atomic_file(path) as file:
        _write(file, rows, header, known.dropped, known.min_frequency)
    return open_counts(path)


def _write(
    file: BinaryIO, rows: Rows, header: Header, dropped: Dropped = NOTHING_DROPPED, min_frequency: int = 1
) -> None:
    from minbpe_course.kernels.counting import sorting

    words = rows.ends.size
    if not (words == rows.counts.size == rows.firsts.size and (words == 0 or rows.ends[-1] <= rows.text.size)):
        raise InvalidSource("ends, counts and firsts must have one length, and the text must hold all words.")
    ends, counts, firsts = (np.ascontiguousarray(column, dtype=np.int64) for column in rows[1:])
    if words and (ends[0] <= 0 or not (ends[1:] > ends[:-1]).all()):
        raise InvalidSource("ends must ascend: words cannot be empty.")
    text = _with_slack(rows.text, sorting.SLACK)
    keys, order = np.empty(words, dtype=np.uint64), np.empty(words, dtype=np.int64)
    waiting = np.empty(3 * sorting.WAITING, dtype=np.int64)
    places = [array.ctypes.data for array in (keys, order, waiting)]
    sorting.sort_words(text.ctypes.data, ends.ctypes.data, words, *places)
    del keys
    writer = BlockWriter(file, header)
    for start in range(0, words, _TOGETHER):
        taken = order[start : start + _TOGETHER]
        writer.make_room(int((ends[taken] - np.where(taken > 0, ends[taken - 1], 0)).sum()))
        at, stop = writer.words, writer.words + taken.size
        _, out_ends, out_counts, out_firsts = writer.waiting
        writer.used = sorting.gather_words(
            text.ctypes.data,
            ends.ctypes.data,
            taken.ctypes.data,
            taken.size,
            writer.waiting.text.ctypes.data,
            writer.used,
            out_ends[at:].ctypes.data,
        )
        out_counts[at:stop] = counts[taken]
        out_firsts[at:stop] = firsts[taken]
        writer.words = stop
        writer.flush()
    writer.finish(min_frequency=min_frequency, dropped=dropped)


def _with_slack(text: np.ndarray, slack: int) -> np.ndarray:
    """Return the text with ``slack`` readable bytes after it: itself if it begins a longer array, or else a copy."""
    longer = text
    while isinstance(longer.base, np.ndarray):
        longer = longer.base
    if text.flags.c_contiguous and text.dtype == np.uint8:
        after = longer.ctypes.data + longer.nbytes - text.ctypes.data - text.nbytes
        if longer.flags.c_contiguous and after >= slack:
            return text
    copied = np.empty(text.size + slack, dtype=np.uint8)
    copied[: text.size] = text
    return copied
