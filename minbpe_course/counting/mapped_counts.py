"""A counts file as ``WordCounts``, in the order first seen, in memory or in a file that is mapped into it.

Words lie in a counts file in order of their bytes. To bring many of them into the order first seen with little memory,
they are dealt out to files, each for a range of first places that holds about as many words as the others, and each of
these is sorted by itself:

    a  abacus  abbey ...   -->   [0, 9210)  [9210, 81002)  ...   -->   the  cat  sat ...
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory, mkstemp
from typing import BinaryIO

import numpy as np

from minbpe_course.counting.counts_file import CountsFile
from minbpe_course.counting.counts_file.layout import ORDER
from minbpe_course.counting.word_counts import WordCounts

# What sorting takes for each byte of what is sorted: its order, and everything once more.
_SORTING = 6
# More files than this are no help.
_MOST_SHARES = 1 << 10
# Bytes of a word beside itself: length, count, first place.
_NUMBERS = 24


def loaded(counts: CountsFile, memory: int) -> WordCounts:
    """Return all counts of a file; where their arrays take more than ``memory`` bytes they are mapped from a file.

    The file has no name any more, or it goes when the process ends. Raises UnreadableCounts, UnusablePath.
    """
    size = sum(block.text.size + _NUMBERS * block.ends.size for block in counts.blocks())
    if size <= memory // _SORTING:
        return counts.load()
    return mapped(counts, memory)


def mapped(counts: CountsFile, memory: int) -> WordCounts:
    """Return all counts of a file, mapped from another one, with ``memory`` bytes of work. Raises as ``loaded``."""
    size = text = words = 0
    sample = []
    for block in counts.blocks():
        text += block.text.size
        words += block.ends.size
        sample.append(block.firsts[:: max(1, len(counts) >> 16)].copy())
    size = text + _NUMBERS * words
    shares = min(max(1, _SORTING * size // max(memory, 1)), _MOST_SHARES)
    borders = np.quantile(np.concatenate(sample), np.arange(1, shares) / shares, method="lower").astype(np.int64)
    made, name = mkstemp(prefix="minbpe-course-", suffix=".words")
    os.close(made)
    begins = np.cumsum([0, 8 * words, 8 * words, 8 * words])
    with TemporaryDirectory(prefix="minbpe-course-") as room, Path(name).open("r+b") as file:
        _deal(counts, borders, Path(room))
        done = place = 0
        for share in range(shares):
            rows = _sorted(Path(room), share)
            ends = place + np.cumsum(rows[0], dtype=np.int64)
            for begin, column in zip(begins, (ends, *rows[1:3])):
                _write(file, int(begin) + 8 * done, column)
            _write(file, int(begins[3]) + place, rows[3])
            done += ends.size
            place = int(ends[-1]) if ends.size else place
    ends, numbers, firsts = (np.memmap(name, np.int64, "c", int(begin), (words,)) for begin in begins[:3])
    letters = np.memmap(name, np.uint8, "c", int(begins[3]), (text,))
    # Where a file in use may be removed, it is gone with the arrays.
    with contextlib.suppress(OSError):
        Path(name).unlink()
    known = None if counts.header.places == ORDER else firsts
    return WordCounts(letters, ends, numbers, known, counts.dropped, counts.min_frequency)


def _deal(counts: CountsFile, borders: np.ndarray, room: Path) -> None:
    """Write each word to the file of its share."""
    for lengths, numbers, firsts, text in _columns(counts):
        shares = np.searchsorted(borders, firsts, side="right")
        for share in np.unique(shares).tolist():
            chosen = shares == share
            letters = text[np.repeat(chosen, lengths)]
            with (room / str(share)).open("ab") as file:
                file.write(np.array([np.count_nonzero(chosen), letters.size]).astype(np.int64).tobytes())
                for column in (lengths[chosen], numbers[chosen], firsts[chosen], letters):
                    file.write(column.tobytes())


def _columns(counts: CountsFile) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Lengths, counts, first places and text of some hundred thousand words at a time."""
    held: list[tuple[np.ndarray, ...]] = []
    for block in counts.blocks():
        held.append((np.diff(block.ends, prepend=0), block.counts, block.firsts, block.text))
        if sum(each[0].size for each in held) >= 1 << 16:
            yield tuple(np.concatenate(column) for column in zip(*held))  # type: ignore[misc]
            held = []
    if held:
        yield tuple(np.concatenate(column) for column in zip(*held))  # type: ignore[misc]


def _sorted(room: Path, share: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The words of a share in the order first seen; its files are gone afterwards."""
    dealt = []
    path = room / str(share)
    if path.exists():
        with path.open("rb") as file:
            while (head := np.fromfile(file, np.int64, 2)).size:
                kinds = ((np.int64, head[0]), (np.int64, head[0]), (np.int64, head[0]), (np.uint8, head[1]))
                dealt.append([np.fromfile(file, kind, int(size)) for kind, size in kinds])
        path.unlink()
    kinds_of_none = (np.int64, np.int64, np.int64, np.uint8)
    columns = zip(*dealt) if dealt else ([np.empty(0, dtype=kind)] for kind in kinds_of_none)
    lengths, numbers, firsts, text = (np.concatenate(column) for column in columns)
    del dealt
    order = np.argsort(firsts, kind="stable")
    starts = (np.cumsum(lengths) - lengths)[order]
    lengths = lengths[order]
    letters = np.empty_like(text)
    ends = np.cumsum(lengths)
    for begin in range(0, lengths.size, 1 << 14):
        part = slice(begin, begin + (1 << 14))
        low, high = int(ends[begin] - lengths[begin]), int(ends[part][-1])
        places = np.repeat(starts[part] - (ends[part] - lengths[part]), lengths[part]) + np.arange(low, high)
        letters[low:high] = text[places]
    return lengths, numbers[order], firsts[order], letters


def _write(file: BinaryIO, place: int, column: np.ndarray) -> None:
    file.seek(place)
    file.write(column.tobytes())
