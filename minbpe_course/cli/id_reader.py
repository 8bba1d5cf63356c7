r"""Read the ids of documents in the formats that ``id_writer`` writes, a part at a time.

Lists of ids are checked without a loop over them: each number and each sign becomes one byte, and a table says which
byte may follow which.

    [[15496, 995], []]      ([1,1];[])      parentheses: the outer list · ; a comma between lists
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from minbpe_course.cli.id_writer import format_of_name
from minbpe_course.cli.sources import blocks_of, opened, shown
from minbpe_course.errors import UnreadableInput
from minbpe_course.formats.id_arrays import ArrayHeader, check_ends, read_header

# Digits of the largest id, 2**32 - 1.
_MOST_DIGITS = 10
# Numbers of an array read at a time.
_STEP = 1 << 18
_DIGITS, _SPACES, _SIGNS = b"0123456789", b" \t\r\n", b",[]"
_SIGNS_TO_SPACES = bytes.maketrans(_SIGNS, b" " * len(_SIGNS))
_MAY_FOLLOW = np.zeros((256, 256), dtype=bool)
for _before, _after in (b")(", b"(1", b"([", b"()", b"[1", b"[]", b"1,", b"1]", b"1)", b",1", b"];", b"])", b";["):
    _MAY_FOLLOW[_before, _after] = True
_NUMBER, _COMMA, _BETWEEN, _OPEN, _CLOSE, _FIRST, _LAST = b"1,;[]()"


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
            form = None if block else "text"
            first += block
        form = form or _guessed(first)
        blocks = chain((first,), blocks_of(name, file))
        if form == "npy":
            yield from _arrays(name, file, blocks)
        elif form == "text":
            yield from _lines(name, blocks)
        else:
            yield from _lists(name, blocks, form)


def _guessed(data: bytes) -> str:
    if data.startswith(b"\x93NUMPY"):
        return "npy"
    begin = b"".join(data.lstrip()[:64].split())
    if begin.startswith(b"[["):
        return "json"
    return "jsonl" if begin.startswith(b"[") else "text"


# ---- Numbers in text


class _Part:
    """A part of a text: its ids, int64, and the places where they begin. Raises UnreadableInput.

    begin, line : where the part begins in the source.
    """

    def __init__(self, name: str, data: bytes, begin: int, line: int, signs: bytes) -> None:
        self._name, self._begin, self._line, self.data = name, begin, line, data
        if wrong := data.translate(None, _DIGITS + _SPACES + signs):
            self.refuse(data.index(wrong[:1]), "an id, or a separator of ids")
        digits = np.frombuffer(b" " + data + b" ", dtype=np.uint8) - ord("0") < 10
        edges = np.flatnonzero(digits[1:] != digits[:-1])
        self.starts = edges[0::2]
        long = np.flatnonzero(edges[1::2] - self.starts > _MOST_DIGITS)
        if long.size:
            self.refuse(int(self.starts[long[0]]), "an id, which has at most ten digits")
        # NumPy finds a zero in a text without numbers.
        self.ids = np.fromstring(data.translate(_SIGNS_TO_SPACES), np.int64, sep=" ")[: self.starts.size]

    def place(self, number: int) -> str:
        """Return the place of a number, or of the end of the part for an index after the last."""
        return self._place(int(self.starts[number]) if number < self.starts.size else len(self.data))

    def refuse(self, at: int, wanted: str) -> None:
        """Raise UnreadableInput for the byte at a place."""
        seen = self.data[at : at + 20].split(b"\n")[0].decode("utf-8", "backslashreplace")
        raise UnreadableInput(f"{self._place(at)}: expected {wanted}, found {seen!r}.")

    def _place(self, at: int) -> str:
        line = self._line + self.data.count(b"\n", 0, at)
        return f"{shown(self._name)}, line {line:,} (byte {self._begin + at:,})"


def _parts(name: str, blocks: Iterable[bytes], signs: bytes = b"") -> Iterator[_Part]:
    """Yield the source in parts that cut no number; signs : the characters that it may hold besides spaces."""
    held, begin, line = b"", 0, 1
    for block in chain(blocks, (b"",)):
        data = held + block
        # The number at the end may continue in the next block, unless it has too many digits already.
        tail = data[-2 * _MOST_DIGITS :] if block else b""
        end = len(data) - len(tail) + len(tail.rstrip(_DIGITS))
        if end:
            yield _Part(name, data[:end], begin, line, signs)
        line += data.count(b"\n", 0, end)
        begin, held = begin + end, data[end:]


def _lines(name: str, blocks: Iterable[bytes]) -> Iterator[IdPortion]:
    """Yield each line as a document."""
    part = None
    for part in _parts(name, blocks):
        newlines = np.flatnonzero(np.frombuffer(part.data, dtype=np.uint8) == ord("\n"))
        yield IdPortion(part.ids, np.searchsorted(part.starts, newlines), part.place)
    if part is not None and not part.data.endswith(b"\n"):
        yield IdPortion(part.ids[:0], np.zeros(1, dtype=np.int64), part.place)


def _lists(name: str, blocks: Iterable[bytes], form: str) -> Iterator[IdPortion]:
    """Yield the lists of ids; in JSON an empty list is not a document when it is the whole file."""
    depth, before = 0, _LAST
    for part in _parts(name, blocks, _SIGNS):
        signs = np.frombuffer(part.data, dtype=np.uint8).copy()
        here = (signs == _COMMA) | (signs == _OPEN) | (signs == _CLOSE)
        here[part.starts], signs[part.starts] = True, _NUMBER
        places = np.flatnonzero(here)
        # The last sign of the part before comes first.
        signs = np.insert(signs[places], 0, before)
        opens, closes = signs[1:] == _OPEN, signs[1:] == _CLOSE
        depths = depth + np.cumsum(opens.astype(np.int64) - closes)
        signs[1:][(signs[1:] == _COMMA) & (signs[:-1] == _CLOSE)] = _BETWEEN
        signs[1:][opens & (depths == 1)] = _FIRST
        signs[1:][closes & (depths == 0)] = _LAST
        befores, afters = signs[:-1], signs[1:]
        wrong = np.flatnonzero(~_MAY_FOLLOW[befores, afters])
        if wrong.size:
            part.refuse(int(places[wrong[0]]), "lists of ids, such as [1, 2, 3]")
        flat = (befores == _NUMBER) | ((befores == _FIRST) & (form == "jsonl"))
        ends = (afters == _CLOSE) | ((afters == _LAST) & flat)
        yield IdPortion(part.ids, np.searchsorted(part.starts, places[ends]), part.place)
        depth, before = depth + int(opens.sum() - closes.sum()), signs[-1]
    if depth:
        raise UnreadableInput(f"{shown(name)} ends in the middle of a list: a ] is missing.")


# ---- Arrays


def _arrays(name: str, file: Any, blocks: Iterable[bytes]) -> Iterator[IdPortion]:
    """Yield the ids of an ``.npy`` file, with the ends of documents if a second array has them."""
    with contextlib.ExitStack() as stack:
        if name == "-" or not file.seekable():
            file = stack.enter_context(tempfile.TemporaryFile())
            file.writelines(blocks)
        file.seek(0)
        header = _header(name, file)
        ends = np.array([header.number])
        file.seek(header.end)
        if file.read(1):
            file.seek(header.end)
            second = _header(name, file)
            given = _numbers(name, file, second, second.number)
            try:
                check_ends(given, header.number, unfinished=True)
            except ValueError as problem:
                raise UnreadableInput(
                    f"{shown(name)}: its second array does not say where documents end: {problem}."
                ) from None
            # The end of the file also ends the ids after the last end.
            ends = np.append(given, ends[ends > given.max(initial=0)])
        file.seek(header.begin)
        first = 0
        for done in range(0, max(header.number, 1), _STEP):
            stop = min(done + _STEP, header.number)
            after = int(np.searchsorted(ends, stop, side="right"))
            ids = _numbers(name, file, header, stop - done)
            yield IdPortion(ids, ends[first:after] - done, partial(_of_array, name, done))
            first = after


def _of_array(name: str, done: int, number: int) -> str:
    return f"{shown(name)}, id number {done + number:,}"


def _header(name: str, file: Any) -> ArrayHeader:
    """Read the header that begins here. Raises UnreadableInput, also if the file is too short for its numbers."""
    try:
        header = read_header(file)
    except ValueError as problem:
        raise UnreadableInput(f"{shown(name)}: {problem}.") from None
    held = (file.seek(0, 2) - header.begin) // header.dtype.itemsize
    file.seek(header.begin)
    if held < header.number:
        raise UnreadableInput(f"{shown(name)} is cut off: it has {held:,} of {header.number:,} numbers.")
    return header


def _numbers(name: str, file: Any, header: ArrayHeader, number: int) -> np.ndarray:
    """Read the next numbers of an array, int64."""
    size = number * header.dtype.itemsize
    data = file.read(size)
    if len(data) < size:
        raise UnreadableInput(f"{shown(name)} became shorter while it was being read.")
    return np.frombuffer(data, dtype=header.dtype).astype(np.int64)
