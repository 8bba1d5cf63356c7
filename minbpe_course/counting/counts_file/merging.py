"""Merging and pruning: sorted runs become one, in bounded memory, however many they are."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from itertools import accumulate
from os import PathLike
from pathlib import Path
from typing import BinaryIO

import numpy as np

from minbpe_course.counting.counts_file.blocks import BlockReader, BlockWriter, Rows
from minbpe_course.counting.counts_file.layout import LARGEST, Dropped, Header
from minbpe_course.counting.counts_file.reading import CountsFile, open_counts
from minbpe_course.errors import CountsTooLarge, DifferentCounts, InvalidOption, InvalidSource
from minbpe_course.files import workshop, written_beside
from minbpe_course.kernels.common.memory import Block

# What merging takes unless somebody says.
MEMORY = 1 << 26
# Most systems let a program open some hundred files.
_MOST_FILES = 128
# What an input takes: its buffers, the block that is being looked at, and the next; and what the output takes.
_PER_INPUT, _FOR_OUTPUT = 1 << 18, 1 << 20


def merge_runs(
    inputs: Sequence[Path | bytes],
    output: str | PathLike[str],
    *,
    shifts: Sequence[int] | None = None,
    min_frequency: int = 1,
    memory: int = MEMORY,
    header: Header | None = None,
) -> CountsFile:
    """Merge runs, or counts files, into one: counts are added, the first of a word's places stays.

    shifts : what is added to the first places of each input; without them each input follows the one before, as if
    their texts stood behind one another. min_frequency : rarer words are dropped, and the file says how many.
    memory : bytes; where more inputs are given than fit, they are merged in several passes through files beside the
    output. The result is the same. header : that of the result, if it is not that of the inputs.

    Raises DifferentCounts, CountsTooLarge, UnreadableCounts, UnusablePath.
    """
    if not inputs:
        raise InvalidSource("there is nothing to merge: name at least one counts file.")
    if min_frequency < 1:
        raise InvalidOption(f"min_frequency must be 1 or more, got {min_frequency}.")
    headers, totals = [], []
    for each in inputs:
        with BlockReader(each) as reader:
            headers.append(reader.header)
            totals.append(reader.totals)
    length = sum(each.bytes for each in totals)
    if length > LARGEST:
        raise CountsTooLarge(f"these are counts of {length:,} bytes of text, and 63 bits number no more.")
    common = _common(inputs, headers)
    if shifts is None:
        shifts = [0, *accumulate(each.bytes for each in totals[:-1])]
    if len(shifts) != len(inputs):
        raise InvalidOption(f"{len(inputs)} inputs want as many shifts, got {len(shifts)}.")
    fan_in = max(2, min(_MOST_FILES, (memory - _FOR_OUTPUT) // _PER_INPUT))
    # Which comes first is said by the shifts, so the smallest may be merged first: that moves the fewest bytes.
    order = sorted(range(len(inputs)), key=lambda number: totals[number].index)
    waiting = [(inputs[number], shifts[number]) for number in order]
    with workshop(output) if len(inputs) > fan_in else contextlib.nullcontext(Path()) as room:
        made = 0
        while len(waiting) > fan_in:
            # Just as many as it takes for the rest to be merged at once.
            together = waiting[: min(fan_in, len(waiting) - fan_in + 1)]
            run = room / f"{made}.counts"
            with run.open("xb") as file:
                _merge(together, file, 1, common)
            for each, _ in together:
                if isinstance(each, Path) and each.parent == room:
                    each.unlink()
            waiting = [*waiting[len(together) :], (run, 0)]
            made += 1
        with written_beside(output) as file:
            _merge(waiting, file, min_frequency, header or common)
    return open_counts(output)


def merge_counts(
    paths: Iterable[str | PathLike[str]], output: str | PathLike[str], *, min_frequency: int = 1
) -> CountsFile:
    """Add counts files, as if their texts had been counted one behind the other.

    min_frequency : words that are rarer in the sum are dropped. Where an input was pruned before, words that are rare
    in it are missing from the sum; ``CountsFile.min_frequency`` says so.

    Raises DifferentCounts, CountsTooLarge, UnreadableCounts, UnusablePath.

    >>> import tempfile
    >>> from minbpe_course.counting.counts_file import write_counts
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name, counts in {"a": {"low": 5, "new": 1}, "b": {"low": 1, "wide": 3}}.items():
    ...     _ = write_counts(counts, folder / name)
    >>> dict(merge_counts([folder / "a", folder / "b"], folder / "sum"))
    {b'low': 6, b'new': 1, b'wide': 3}
    """
    return merge_runs([Path(path) for path in paths], output, min_frequency=min_frequency)


def prune_counts(path: str | PathLike[str], output: str | PathLike[str], min_frequency: int) -> CountsFile:
    """Write the counts without the words that occur less than ``min_frequency`` times; ``dropped`` says what is gone.

    Raises InvalidOption, UnreadableCounts, UnusablePath.

    >>> import tempfile
    >>> from minbpe_course.counting.counts_file import write_counts
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = write_counts({"low": 5, "new": 1}, folder / "all")
    >>> prune_counts(folder / "all", folder / "most", 2).dropped
    Dropped(words=1, occurrences=1, bytes=3)
    """
    return merge_runs([Path(path)], output, min_frequency=min_frequency)


def _common(inputs: Sequence[Path | bytes], headers: Sequence[Header]) -> Header:
    common = headers[0]
    for each, header in zip(inputs, headers):
        together = common.together(header)
        if together is None:
            differing = [
                f"{name}: {getattr(headers[0], name)!r} and {getattr(header, name)!r}"
                for name in ("pattern", "special_tokens", "cleaning")
                if getattr(headers[0], name) != getattr(header, name)
            ]
            first, this = ("a run" if isinstance(one, bytes) else one for one in (inputs[0], each))
            raise DifferentCounts(
                f"{first} and {this} were cut into words in different ways, so their counts cannot be added.\n"
                + "\n".join(differing)
            )
        common = together
    return common


def _merge(inputs: Sequence[tuple[Path | bytes, int]], file: BinaryIO, min_frequency: int, header: Header) -> None:
    """Merge inputs, each with its shift, at once."""
    with contextlib.ExitStack() as opened:
        readers = [opened.enter_context(BlockReader(each)) for each, _ in inputs]
        writer = BlockWriter(file, header)
        dropped = _Merge(readers, [shift for _, shift in inputs], min_frequency).run(writer)
        writer.finish(
            length=sum(reader.totals.bytes for reader in readers),
            min_frequency=max(min_frequency, *(reader.totals.min_frequency for reader in readers)),
            dropped=dropped,
        )


class _Merge:
    """The block of numbers of ``kernels.merging_runs``, and what it points to."""

    def __init__(self, readers: Sequence[BlockReader], shifts: Sequence[int], min_frequency: int) -> None:
        from minbpe_course.kernels.counting import merging_runs

        self._kernel = merging_runs
        self._before = [reader.totals.dropped for reader in readers]
        self._blocks = [reader.blocks(shift) for reader, shift in zip(readers, shifts)]
        self._rows: list[Rows | None] = [None] * len(readers)
        self._inputs = np.zeros(len(readers), dtype=merging_runs.INPUT)
        self._tree = np.zeros(len(readers), dtype=merging_runs.NODE)
        self._block = Block(merging_runs.BLOCK)
        self._set(
            INPUTS=self._inputs.ctypes.data,
            NUMBER=len(readers),
            TREE=self._tree.ctypes.data,
            MIN_FREQUENCY=min_frequency,
        )
        for number in range(len(readers)):
            self._next_block(number)

    def run(self, writer: BlockWriter) -> Dropped:
        """Merge everything into ``writer``; return what was dropped now and before."""
        kernel = self._kernel
        self._lay_open(writer)
        while reason := kernel.merge_words(self._block.address):
            if reason == kernel.NEEDS_BLOCK:
                self._next_block(self._get("PLAYING"))
            elif reason == kernel.NEEDS_ROOM:
                self._take_back(writer)
                writer.flush()
                writer.make_room(self._get("WANTED"))
                self._lay_open(writer)
            else:
                raise CountsTooLarge("a word occurs more often than 63 bits can count.")
        self._take_back(writer)
        now = [self._get(name) for name in ("DROPPED", "DROPPED_OCCURRENCES", "DROPPED_BYTES")]
        return Dropped(*(sum(column) for column in zip(now, *self._before)))

    def _next_block(self, number: int) -> None:
        rows = self._rows[number] = next(self._blocks[number], None)
        if rows is None:
            self._inputs["length"][number] = -1
            return
        addresses = [array.ctypes.data for array in rows]
        self._inputs[number] = (*addresses, rows.ends.size, 0, 0, 0, 0)

    def _lay_open(self, writer: BlockWriter) -> None:
        text, ends, counts, firsts = writer.waiting
        self._set(
            OUT=text.ctypes.data,
            OUT_ENDS=ends.ctypes.data,
            OUT_COUNTS=counts.ctypes.data,
            OUT_FIRSTS=firsts.ctypes.data,
            ROOM=ends.size,
            ROOM_TEXT=text.size,
            DONE_WORDS=writer.words,
            USED=writer.used,
        )

    def _take_back(self, writer: BlockWriter) -> None:
        writer.words, writer.used = self._get("DONE_WORDS"), self._get("USED")

    def _get(self, place: str) -> int:
        return int(getattr(self._block, place.lower()))

    def _set(self, **values: int) -> None:
        for place, value in values.items():
            setattr(self._block, place.lower(), value)
