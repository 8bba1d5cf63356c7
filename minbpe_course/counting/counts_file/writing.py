"""Writing counts: words in any order become a sorted run, which is a counts file."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import BinaryIO

import numpy as np

from minbpe_course.counting.counts_file.blocks import BlockWriter, Rows
from minbpe_course.counting.counts_file.layout import EXACT, NOTHING_DROPPED, ORDER, Dropped, Header
from minbpe_course.counting.counts_file.reading import CountsFile, open_counts
from minbpe_course.errors import CountsTooLarge, InvalidSource
from minbpe_course.files import written_beside
from minbpe_course.reference.runs import BLOCK_WORDS

# How many words are laid into their order at a time.
_TOGETHER = 2 * BLOCK_WORDS


def run_bytes(
    text: np.ndarray, ends: np.ndarray, counts: np.ndarray, firsts: np.ndarray, *, length: int, header: Header
) -> bytes:
    """Return the counts file of words in any order, as bytes.

    text : uint8[n], the words end to end · ends, counts, firsts : int64[w], one past each word, how often it occurs, at
    which byte of the counted text first. length : bytes of the counted text, the sum of length times count.

    Raises InvalidSource when that is another number.

    >>> one = np.array([3]), np.array([2]), np.array([0])
    >>> len(run_bytes(np.frombuffer(b"low", dtype=np.uint8), *one, length=6, header=Header()))
    311
    """
    file = io.BytesIO()
    _write(file, Rows(text, ends, counts, firsts), length, header)
    return file.getvalue()


def write_run(
    path: str | PathLike[str],
    text: np.ndarray,
    ends: np.ndarray,
    counts: np.ndarray,
    firsts: np.ndarray,
    *,
    length: int,
    header: Header,
) -> CountsFile:
    """Write the same to a file, which is there when it is whole and on the disk. Raises UnusablePath as well."""
    with written_beside(path) as file:
        _write(file, Rows(text, ends, counts, firsts), length, header)
    return open_counts(path)


def write_counts(
    counts: Mapping[bytes, int] | Mapping[str, int],
    path: str | PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: Iterable[str] = (),
    cleaning: Iterable[str] = (),
) -> CountsFile:
    """Keep word counts in a file, for ``open_counts``, ``merge_counts`` and ``train``.

    counts : what ``count_words`` returned, or any mapping from words to counts. pattern, special_tokens, cleaning : how
    the text was cut, for whoever trains from the file; counts that were cut in another way cannot be added to it.

    Words that ``min_frequency`` dropped while counting are noted in the file as those of a pruning are. A mapping does
    not know where in the text a word was first seen, only which came first. So places are made up that keep this
    order, those in a text that says each word as often as it is counted, and the header says so.

    Raises InvalidSource, UnusablePath.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "small.counts")
    >>> dict(write_counts({"low": 5, "lower": 2}, path))
    {b'low': 5, b'lower': 2}
    """
    from minbpe_course.counting.word_counts import WordCounts

    known = counts if isinstance(counts, WordCounts) else WordCounts.from_mapping(counts)
    lengths = np.diff(known.ends, prepend=0)
    if float(lengths @ known.counts.astype(np.float64)) > 9e18:
        raise CountsTooLarge("these are counts of more bytes of text than 63 bits can number.")
    covered = lengths * known.counts
    firsts, places = known.firsts, EXACT
    if firsts is None:
        firsts, places = np.cumsum(covered) - covered, ORDER
    header = Header(pattern, tuple(special_tokens), tuple(cleaning), places)
    rows = Rows(known.text, known.ends, known.counts, firsts)
    length = int(covered.sum()) + known.dropped.bytes
    with written_beside(path) as file:
        _write(file, rows, length, header, known.dropped, known.min_frequency)
    return open_counts(path)


def _write(
    file: BinaryIO,
    rows: Rows,
    length: int,
    header: Header,
    dropped: Dropped = NOTHING_DROPPED,
    min_frequency: int = 1,
) -> None:
    from minbpe_course.kernels.counting import sorting

    words = rows.ends.size
    if not (words == rows.counts.size == rows.firsts.size and (words == 0 or rows.ends[-1] <= rows.text.size)):
        raise InvalidSource("ends, counts and firsts must be of one length, and the text hold all words.")
    ends, counts, firsts = (np.ascontiguousarray(column, dtype=np.int64) for column in rows[1:])
    if words and (ends[0] <= 0 or not (ends[1:] > ends[:-1]).all()):
        raise InvalidSource("ends must ascend: no word is empty.")
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
    writer.finish(length=length, min_frequency=min_frequency, dropped=dropped)


def _with_slack(text: np.ndarray, slack: int) -> np.ndarray:
    """The text with so many bytes behind it that may be read: itself where it is the beginning of a longer array."""
    longer = text
    while isinstance(longer.base, np.ndarray):
        longer = longer.base
    if text.flags.c_contiguous and text.dtype == np.uint8:
        behind = longer.ctypes.data + longer.nbytes - text.ctypes.data - text.nbytes
        if longer.flags.c_contiguous and behind >= slack:
            return text
    copied = np.empty(text.size + slack, dtype=np.uint8)
    copied[: text.size] = text
    return copied
