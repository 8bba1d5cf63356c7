"""A counts file as ``WordCounts`` in the order first seen, in memory or mapped from a temporary file.

The words of a counts file are sorted by their bytes. To reorder many of them with little memory, they are dealt out to
files, each for a range of first places with about equally many words, and each of these files is sorted by itself:

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

from minbpe_course.counting.counts_file.layout import ORDER
from minbpe_course.counting.counts_file.reading import CountsFile, in_order
from minbpe_course.counting.word_counts import WordCounts

# Memory that sorting takes per byte sorted: the data, its order, and a copy.
_SORTING = 6
# More files than this do not help.
_MOST_SHARES = 1 << 10
# Bytes per word besides its text: length, count, first place.
_NUMBERS = 24


def loaded(counts: CountsFile, memory: int) -> WordCounts:
    """Return all counts of a file; arrays that take more than ``memory`` bytes are mapped from a temporary file.

    That file is deleted when the arrays are, or when the process ends. Raises UnreadableCounts, UnusablePath.
    """
    text = words = 0
    sample = []
    for block in counts.blocks():
        text += block.text.size
        words += block.ends.size
        sample.append(block.firsts[:: max(1, len(counts) >> 16)].copy())
    size = text + _NUMBERS * words
    if size <= memory // _SORTING:
        return counts.load()
    shares = min(max(1, _SORTING * size // max(memory, 1)), _MOST_SHARES)
    borders = np.quantile(np.concatenate(sample), np.arange(1, shares) / shares, method="lower").astype(np.int64)
    handle, name = mkstemp(prefix="minbpe-course-", suffix=".words")
    os.close(handle)
    begins = np.cumsum([0, 8 * words, 8 * words, 8 * words])
    with TemporaryDirectory(prefix="minbpe-course-") as folder, Path(name).open("r+b") as file:
        _deal(counts, borders, Path(folder))
        done = place = 0
        for share in range(shares):
            ends, numbers, firsts, letters = _sorted(Path(folder, str(share)))
            ends += place
            for begin, column in zip(begins, (ends, numbers, firsts)):
                _write(file, int(begin) + 8 * done, column)
            _write(file, int(begins[3]) + place, letters)
            done += ends.size
            place = int(ends[-1]) if ends.size else place
    ends, numbers, firsts = (np.memmap(name, np.int64, "c", int(begin), (words,)) for begin in begins[:3])
    letters = np.memmap(name, np.uint8, "c", int(begins[3]), (text,))
    # Where the system allows it, the name goes now and the data goes with the arrays.
    with contextlib.suppress(OSError):
        Path(name).unlink()
    known = None if counts.header.places == ORDER else firsts
    return WordCounts(letters, ends, numbers, known, counts.dropped, counts.min_frequency)


def _deal(counts: CountsFile, borders: np.ndarray, folder: Path) -> None:
    """Append each word to the file of its share."""
    for lengths, numbers, firsts, text in _columns(counts):
        shares = np.searchsorted(borders, firsts, side="right")
        for share in np.unique(shares).tolist():
            chosen = shares == share
            letters = text[np.repeat(chosen, lengths)]
            with (folder / str(share)).open("ab") as file:
                file.write(np.array([np.count_nonzero(chosen), letters.size]).astype(np.int64).tobytes())
                for column in (lengths[chosen], numbers[chosen], firsts[chosen], letters):
                    file.write(column.tobytes())


def _columns(counts: CountsFile) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield lengths, counts, first places and text of about 65,000 words at a time."""
    held: list[tuple[np.ndarray, ...]] = []
    for block in counts.blocks():
        held.append((np.diff(block.ends, prepend=0), block.counts, block.firsts, block.text))
        if sum(each[0].size for each in held) >= 1 << 16:
            yield tuple(np.concatenate(column) for column in zip(*held))
            held = []
    if held:
        yield tuple(np.concatenate(column) for column in zip(*held))


def _sorted(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return ends, counts, first places and text of a share in the order first seen, and delete its file."""
    from minbpe_course.kernels.counting.sorting import SLACK

    dealt = [[np.empty(0, dtype=kind) for kind in (np.int64, np.int64, np.int64, np.uint8)]]
    if path.exists():
        with path.open("rb") as file:
            while (head := np.fromfile(file, np.int64, 2)).size:
                kinds = ((np.int64, head[0]), (np.int64, head[0]), (np.int64, head[0]), (np.uint8, head[1]))
                dealt.append([np.fromfile(file, kind, int(size)) for kind, size in kinds])
        path.unlink()
    dealt.append([*dealt[0][:3], np.zeros(SLACK, dtype=np.uint8)])
    lengths, numbers, firsts, text = (np.concatenate(column) for column in zip(*dealt))
    del dealt
    order = np.argsort(firsts, kind="stable")
    letters, ends = in_order(text, np.cumsum(lengths), order)
    return ends, numbers[order], firsts[order], letters


def _write(file: BinaryIO, place: int, column: np.ndarray) -> None:
    file.seek(place)
    file.write(column.tobytes())
