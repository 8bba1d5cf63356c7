"""Merging and pruning counts files in bounded memory, however many there are."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from itertools import accumulate
from os import PathLike
from pathlib import Path
from typing import BinaryIO

import numpy as np

from minbpe_course.counting.counts_file.blocks import BlockReader, BlockWriter
from minbpe_course.counting.counts_file.layout import Header
from minbpe_course.counting.counts_file.reading import CountsFile, open_counts
from minbpe_course.counting.word_counts import LARGEST, TOO_LARGE, Dropped, Rows
from minbpe_course.errors import InvalidOption, InvalidSource
from minbpe_course.files import atomic_file, temporary_folder
from minbpe_course.kernels.common.memory import Block

# Bytes of memory that merging takes by default.
MEMORY = 1 << 26
# Most systems let a program open a few hundred files.
_MOST_FILES = 128
# Bytes for an input (its buffers, the current block and the next one), and for the output.
_PER_INPUT, _FOR_OUTPUT = 1 << 18, 1 << 20


def merge_runs(
    inputs: Sequence[Path | bytes],
    output: str | PathLike[str],
    *,
    shifts: Sequence[int] | None = None,
    min_frequency: int = 1,
    memory: int = MEMORY,
) -> CountsFile:
    """Merge counts files, or runs in memory, into one file: add the counts and keep each word's smallest first place.

    shifts : added to the first places of each input; by default the texts of the inputs follow each other.
    min_frequency : rarer words are dropped, and the file says how many. memory : bytes; inputs that do not fit are
    merged in several passes through temporary files next to the output, with the same result.

    Raises InvalidSource, InvalidOption, UnreadableInput, UnusablePath.
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
        raise InvalidSource(f"{TOO_LARGE}: {length:,}.")
    common = _common(inputs, headers)
    if shifts is None:
        shifts = [0, *accumulate(each.bytes for each in totals[:-1])]
    if len(shifts) != len(inputs):
        raise InvalidOption(f"{len(inputs)} inputs need as many shifts, got {len(shifts)}.")
    fan_in = max(2, min(_MOST_FILES, (memory - _FOR_OUTPUT) // _PER_INPUT))
    # The shifts give the order, so the smallest may be merged first: that moves the fewest bytes.
    order = sorted(range(len(inputs)), key=lambda number: totals[number].index)
    waiting = [(inputs[number], shifts[number]) for number in order]
    with temporary_folder(output) if len(inputs) > fan_in else contextlib.nullcontext(Path()) as folder:
        made = 0
        while len(waiting) > fan_in:
            # Just enough that the rest can be merged at once.
            together = waiting[: min(fan_in, len(waiting) - fan_in + 1)]
            run = folder / f"{made}.counts"
            with run.open("xb") as file:
                _merge(together, file, 1, common)
            for each, _ in together:
                if isinstance(each, Path) and each.parent == folder:
                    each.unlink()
            waiting = [*waiting[len(together) :], (run, 0)]
            made += 1
        with atomic_file(output) as file:
            _merge(waiting, file, min_frequency, common)
    return open_counts(output)


def merge_counts(
    paths: Iterable[str | PathLike[str]], output: str | PathLike[str], *, min_frequency: int = 1
) -> CountsFile:
    """Add counts files, as if their texts had been counted one after the other.

    min_frequency : words that are rarer in the sum are dropped. Words that an input had dropped before are missing from
    the sum; ``CountsFile.min_frequency`` says so.

    Raises InvalidSource, UnreadableInput, UnusablePath.

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
    """Write the counts of the words that occur at least ``min_frequency`` times; ``dropped`` says what is missing.

    Raises InvalidOption, UnreadableInput, UnusablePath.

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
            raise InvalidSource(
                f"{first} and {this} were split into words in different ways, so their counts cannot be added.\n"
                + "\n".join(differing)
            )
        common = together
    return common


def _merge(inputs: Sequence[tuple[Path | bytes, int]], file: BinaryIO, min_frequency: int, header: Header) -> None:
    """Merge inputs, each with its shift, in one pass."""
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
    """The state block of ``kernels.counting.merging_runs``, and the arrays that it points to."""

    def __init__(self, readers: Sequence[BlockReader], shifts: Sequence[int], min_frequency: int) -> None:
        from minbpe_course.kernels.counting import merging_runs

        self._kernel = merging_runs
        self._before = [reader.totals.dropped for reader in readers]
        self._blocks = [reader.blocks(shift) for reader, shift in zip(readers, shifts)]
        self._rows: list[Rows | None] = [None] * len(readers)
        self._inputs = np.zeros(len(readers), dtype=merging_runs.INPUT)
        self._block = block = Block(merging_runs.BLOCK)
        block.inputs, block.number, block.min_frequency = self._inputs, len(readers), min_frequency
        block.tree = np.zeros(len(readers), dtype=merging_runs.NODE)
        for number in range(len(readers)):
            self._next_block(number)

    def run(self, writer: BlockWriter) -> Dropped:
        """Merge everything into ``writer``; return what was dropped, now and earlier."""
        kernel, block = self._kernel, self._block
        self._use_room_of(writer)
        while reason := kernel.merge_words(block.address):
            if reason == kernel.NEEDS_BLOCK:
                self._next_block(block.playing)
            elif reason == kernel.NEEDS_ROOM:
                writer.words, writer.used = block.done_words, block.used
                writer.flush()
                writer.make_room(block.wanted)
                self._use_room_of(writer)
            else:
                raise InvalidSource("a word occurs more often than 63 bits can count.")
        writer.words, writer.used = block.done_words, block.used
        now = block.dropped, block.dropped_occurrences, block.dropped_bytes
        return Dropped(*(sum(column) for column in zip(now, *self._before)))

    def _next_block(self, number: int) -> None:
        rows = self._rows[number] = next(self._blocks[number], None)
        if rows is None:
            self._inputs["length"][number] = -1
            return
        addresses = [array.ctypes.data for array in rows]
        self._inputs[number] = (*addresses, rows.ends.size, 0, 0, 0, 0)

    def _use_room_of(self, writer: BlockWriter) -> None:
        block = self._block
        block.out, block.out_ends, block.out_counts, block.out_firsts = writer.waiting
        block.room, block.room_text = writer.waiting.ends.size, writer.waiting.text.size
        block.done_words, block.used = writer.words, writer.used
