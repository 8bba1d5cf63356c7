r"""Read the ids of documents in the formats that ``id_writer`` writes, a part at a time.

NumPy parses a block of bytes at once: where the digits of each number begin and end, and their values. The characters
between numbers say where documents end. An error names the line and the byte.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from minbpe_course.cli.id_writer import format_of_name
from minbpe_course.cli.sources import blocks_of, opened, shown
from minbpe_course.errors import UnreadableInput
from minbpe_course.formats.id_arrays import read_header

# Digits of the largest id, 2**32 - 1.
_MOST_DIGITS = 10

# Numbers of an array read at a time.
_STEP = 1 << 18

_DIGIT, _SPACE, _NEWLINE, _COMMA, _OPEN, _CLOSE, _OTHER = range(7)
_KINDS = np.full(256, _OTHER, dtype=np.uint8)
_KINDS[48:58] = _DIGIT
_KINDS[[9, 13, 32]] = _SPACE
_KINDS[10] = _NEWLINE
_KINDS[44], _KINDS[91], _KINDS[93] = _COMMA, _OPEN, _CLOSE

# The characters that may follow each character inside a list of JSON.
_MAY_FOLLOW = {
    _DIGIT: {_COMMA, _CLOSE},
    _COMMA: {_DIGIT, _OPEN},
    _OPEN: {_DIGIT, _OPEN, _CLOSE},
    _CLOSE: {_COMMA, _CLOSE},
}
_ALLOWED = np.zeros((7, 7), dtype=bool)
for _before, _after in _MAY_FOLLOW.items():
    _ALLOWED[_before, list(_after)] = True


class IdPortion(NamedTuple):
    """A part of the ids in a source.

    ids : int64[n] · ends : int64[m], where documents end among them · place : returns the place of the id at an index.
    """

    ids: np.ndarray
    ends: np.ndarray
    place: Callable[[int], str]


def portions(name: str, form: str | None) -> Iterator[IdPortion]:
    """Yield the ids in a source; the last document ends with its last portion.

    form : one of ``options.ID_FORMATS``, or None to use the name and then the content. Raises UnreadableInput,
    UnusablePath.
    """
    with opened(name) as file:
        form = form or format_of_name(name)
        first = b""
        while form is None and not first.strip():
            block = next(blocks_of(name, file), b"")
            if not block:
                form = "text"
            first += block
        form = form or _guessed(first)
        if form == "npy":
            yield from _arrays(name, file, first)
            return
        blocks = blocks_of(name, file)
        read = _lists if form in ("json", "jsonl") else _lines
        yield from read(name, chain((first,), blocks), form)


def _guessed(data: bytes) -> str:
    if data.startswith(b"\x93NUMPY"):
        return "npy"
    begin = b"".join(data.lstrip()[:64].split())
    if begin.startswith(b"[["):
        return "json"
    return "jsonl" if begin.startswith(b"[") else "text"


# ---- Numbers in text


def _in_parts(name: str, blocks: Iterable[bytes]) -> Iterator[tuple[bytes, int, int]]:
    """Yield the data so that no number is cut, with the byte and the line where each part begins."""
    held, begin, line = b"", 0, 1
    for block in blocks:
        data = held + block
        # A number of at most ten digits may continue in the next block.
        end = len(data)
        while end and len(data) - end < 2 * _MOST_DIGITS and 48 <= data[end - 1] <= 57:
            end -= 1
        if end:
            yield data[:end], begin, line
            line += data.count(b"\n", 0, end)
            begin += end
        held = data[end:]
    if held:
        yield held, begin, line


class _Numbers:
    """The numbers in a part: the kinds of its bytes, the values and their starts, int64. Raises UnreadableInput."""

    def __init__(self, name: str, data: bytes, begin: int, line: int, *, brackets: bool) -> None:
        self._at = name, data, begin, line
        characters = np.frombuffer(data, dtype=np.uint8)
        self.kinds = kinds = _KINDS[characters]
        wrong = np.flatnonzero(kinds == _OTHER if brackets else kinds > _NEWLINE)
        if wrong.size:
            self.refuse(int(wrong[0]), "an id, or a separator of ids")
        inside = np.zeros(kinds.size + 2, dtype=np.int8)
        inside[1:-1] = kinds == _DIGIT
        edges = np.flatnonzero(np.diff(inside))
        self.starts, ends = edges[0::2], edges[1::2]
        lengths = ends - self.starts
        long = np.flatnonzero(lengths > _MOST_DIGITS)
        if long.size:
            self.refuse(int(self.starts[long[0]]), "an id, which has at most ten digits")
        self.values = np.zeros(self.starts.size, dtype=np.int64)
        for digit in range(int(lengths.max(initial=0))):
            present = lengths > digit
            worth = characters[self.starts[present] + digit].astype(np.int64) - 48
            self.values[present] = self.values[present] * 10 + worth

    def place(self, number: int) -> str:
        """Return the place of a number, or of the end of the part for an index after the last."""
        return self._place(int(self.starts[number]) if number < self.starts.size else len(self._at[1]))

    def refuse(self, at: int, wanted: str) -> None:
        """Raise UnreadableInput for the byte at a place."""
        data = self._at[1]
        seen = data[at : at + 20].split(b"\n")[0].decode("utf-8", "backslashreplace")
        raise UnreadableInput(f"{self._place(at)}: expected {wanted}, found {seen!r}.")

    def _place(self, at: int) -> str:
        name, data, begin, line = self._at
        return f"{shown(name)}, line {line + data.count(bytes([10]), 0, at):,} (byte {begin + at:,})"


def _lines(name: str, blocks: Iterable[bytes], form: str) -> Iterator[IdPortion]:
    """Yield each line as a document."""
    open_document = False
    place: Callable[[int], str] = str
    for data, begin, line in _in_parts(name, blocks):
        numbers = _Numbers(name, data, begin, line, brackets=False)
        ends = np.searchsorted(numbers.starts, np.flatnonzero(numbers.kinds == _NEWLINE))
        place = numbers.place
        yield IdPortion(numbers.values, ends, place)
        open_document = not data.endswith(b"\n")
    if open_document:
        yield IdPortion(np.empty(0, dtype=np.int64), np.zeros(1, dtype=np.int64), place)


def _lists(name: str, blocks: Iterable[bytes], form: str) -> Iterator[IdPortion]:
    """Yield the lists of ids; in JSON an empty list is not a document when it is the whole file."""
    # The state at the end of the previous part: depth, last character, and what the list contains so far.
    depth, before, nested, flat = 0, _CLOSE, False, False
    for data, begin, line in _in_parts(name, blocks):
        numbers = _Numbers(name, data, begin, line, brackets=True)
        kinds = numbers.kinds
        # One mark for each number and each sign between numbers.
        marked = kinds >= _COMMA
        marked[numbers.starts] = True
        places = np.flatnonzero(marked)
        marks = kinds[places]
        if not marks.size:
            continue
        steps = (marks == _OPEN).astype(np.int64) - (marks == _CLOSE)
        depths = depth + np.cumsum(steps)
        depth_before = depths - steps
        previous = np.concatenate([[before], marks[:-1]])
        # Outside all lists only the beginning of one is allowed.
        right = np.where(depth_before == 0, marks == _OPEN, _ALLOWED[previous, marks])
        right &= (depths <= 2) & (depths >= 0)
        wrong = np.flatnonzero(~right)
        if wrong.size:
            numbers.refuse(int(places[wrong[0]]), "lists of ids, such as [1, 2, 3]")
        # A list contains either numbers or lists.
        lists_in_lists = (marks == _OPEN) & (depths == 2)
        loose = (marks == _DIGIT) & (depths == 1)
        begins = (marks == _OPEN) & (depths == 1)
        run = np.cumsum(begins)
        holds = np.zeros(int(run[-1]) + 1, dtype=bool)
        holds[0] = nested
        holds[run[lists_in_lists]] = True
        mixed = np.flatnonzero((loose & holds[run]) | (lists_in_lists & (run == 0) & flat))
        if mixed.size:
            numbers.refuse(int(places[mixed[0]]), "a list of ids, as before")
        # A list of ids is a document, also an empty one unless it is a whole file of JSON.
        closes = marks == _CLOSE
        ends = closes & ((depths == 1) | ((depths == 0) & ~holds[run]))
        if form == "json":
            ends &= ~((previous == _OPEN) & (depths == 0))
        ends_at = np.searchsorted(numbers.starts, places[ends])
        depth, before = int(depths[-1]), int(marks[-1])
        nested = bool(holds[-1])
        flat = bool(loose[run == run[-1]].any()) or (flat and not run[-1])
        yield IdPortion(numbers.values, ends_at, numbers.place)
    if depth:
        raise UnreadableInput(f"{shown(name)} ends in the middle of a list: a ] is missing.")


# ---- Arrays


class _Array:
    """A one-dimensional integer array of an ``.npy`` file, read in parts. Raises UnreadableInput."""

    def __init__(self, name: str, file: Any) -> None:
        self._name = name
        self._file = file
        try:
            self.dtype, self.number, self._begin, self.end = read_header(file)
        except ValueError as problem:
            raise UnreadableInput(f"{shown(name)}: {problem}.") from None
        held = (file.seek(0, io.SEEK_END) - self._begin) // self.dtype.itemsize
        if held < self.number:
            raise UnreadableInput(f"{shown(name)} is cut off: it has {held:,} of {self.number:,} numbers.")

    def part(self, start: int, stop: int) -> np.ndarray:
        """Return the numbers from ``start`` to ``stop``, int64."""
        size = self.dtype.itemsize
        self._file.seek(self._begin + start * size)
        data = self._file.read((stop - start) * size)
        if len(data) < (stop - start) * size:
            raise UnreadableInput(f"{shown(self._name)} became shorter while it was being read.")
        return np.frombuffer(data, dtype=self.dtype).astype(np.int64)


def _arrays(name: str, file: Any, first: bytes) -> Iterator[IdPortion]:
    """Yield the ids of an ``.npy`` file, with the ends of documents if a second array has them."""
    with _seekable(name, file, first) as source:
        ids = _Array(name, source)
        source.seek(ids.end)
        ends = None
        if source.read(1):
            source.seek(ids.end)
            ends = _Array(name, source)
        held = np.empty(0, dtype=np.int64)
        done = given = ended = 0
        while True:
            stop = min(done + _STEP, ids.number)
            inside = [held[:0]]
            while ends is not None and (held.size or given < ends.number):
                if not held.size:
                    more = min(given + _STEP, ends.number)
                    held, given = ends.part(given, more), more
                    if held[0] < ended or held[-1] > ids.number or np.any(np.diff(held) < 0):
                        raise UnreadableInput(f"{shown(name)}: its second array does not say where documents end.")
                    ended = int(held[-1])
                here = int(np.searchsorted(held, stop, side="right"))
                inside.append(held[:here] - done)
                held = held[here:]
                if held.size:
                    break
            if stop == ids.number and (ends is None or ended < stop):
                inside.append(np.array([stop - done], dtype=np.int64))
            yield IdPortion(ids.part(done, stop), np.concatenate(inside), partial(_of_array, name, done))
            done = stop
            if done == ids.number:
                return


def _of_array(name: str, done: int, number: int) -> str:
    return f"{shown(name)}, id number {done + number:,}"


@contextlib.contextmanager
def _seekable(name: str, file: Any, first: bytes) -> Iterator[Any]:
    """Give a seekable file: the file itself, or a copy of the data from a pipe."""
    if name != "-" and file.seekable():
        file.seek(0)
        buffered = io.BufferedReader(file)
        try:
            yield buffered
        finally:
            # The caller opened the file and closes it.
            buffered.detach()
        return
    with tempfile.TemporaryFile() as copy:
        for block in chain((first,), blocks_of(name, file)):
            copy.write(block)
        copy.seek(0)
        yield copy
