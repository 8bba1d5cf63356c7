"""The work of ``decode``: ids to the bytes that they stand for, a part at a time."""

from __future__ import annotations

import argparse
import codecs
from collections.abc import Callable, Iterator

import numpy as np

from minbpe_course.cli.byte_inputs import must_be_files, sources
from minbpe_course.cli.chosen_tokenizer import AnyTokenizer, chosen
from minbpe_course.cli.id_inputs import IdPortion, portions
from minbpe_course.cli.outputs import output
from minbpe_course.cli.progress_line import ProgressLine, size
from minbpe_course.errors import InvalidTokenId, UnreadableInput

# Ids of one document that wait for its end, before it is looked for a place where they can be cut.
_MANY = 1 << 17


def decode(args: argparse.Namespace) -> None:
    """Decode what the options of ``decode`` name."""
    names = sources(args.files, "decode")
    must_be_files(names)
    tokenizer = chosen(args, args.tokenizer)
    written = 0
    with output(args.output) as file, ProgressLine() as line:
        for name in names:
            for data in _decoded(tokenizer, portions(name, args.format), args.lines, args.errors):
                file.write(data)
                written += len(data)
                line.show(f"{size(written)} of text written")


def _decoded(tokenizer: AnyTokenizer, read: Iterator[IdPortion], lines: bool, errors: str) -> Iterator[bytes]:
    """Yield the bytes of one source."""
    end = b"\n" if lines else b""
    if not tokenizer.exact:
        yield from _decoded_pieces(tokenizer, read, end)
        return
    if errors == "bytes" and not lines:
        for ids, _, place in read:
            yield _bytes(tokenizer, ids, place)
        return
    decoder = _Decoder(errors)
    for ids, ends, place in read:
        parts = []
        begin = 0
        for stop in ends.tolist():
            parts.append(decoder.part(_bytes(tokenizer, ids[begin:stop], place, begin), True, place, begin) + end)
            begin = stop
        parts.append(decoder.part(_bytes(tokenizer, ids[begin:], place, begin), False, place, begin))
        yield b"".join(parts)


class _Decoder:
    """What becomes of bytes that are no UTF-8, a document at a time, which may come in parts."""

    def __init__(self, errors: str) -> None:
        self._errors = errors
        self._decoder = None if errors == "bytes" else codecs.getincrementaldecoder("utf-8")(errors=errors)

    def part(self, data: bytes, last: bool, place: Callable[[int], str], number: int) -> bytes:
        """Return the bytes to write for a part of a document. Raises UnreadableInput."""
        if self._decoder is None:
            return data
        try:
            text = self._decoder.decode(data, last)
        except UnicodeDecodeError as problem:
            raise UnreadableInput(_no_utf8(problem, place, number)) from None
        if last:
            self._decoder.reset()
        return text.encode("utf-8")


def _no_utf8(problem: UnicodeDecodeError, place: Callable[[int], str], number: int) -> str:
    return (
        f"{place(number)}: the document that stands here is no UTF-8: {problem.reason}, "
        f"{problem.object[problem.start : problem.start + 8]!r}. To write the bytes as they are: --errors bytes"
    )


def _bytes(
    tokenizer: AnyTokenizer, ids: np.ndarray, place: Callable[[int], str], begin: int = 0, *, begins: bool = True
) -> bytes:
    """Return what ids stand for. Raises InvalidTokenId with the place of the first that is none."""
    try:
        return tokenizer.decode(ids, begins=begins)
    except (InvalidTokenId, IndexError):
        wrong = tokenizer.unknown(ids)
        if wrong is None:
            raise
        raise InvalidTokenId(
            f"{place(begin + wrong)}: no token of {tokenizer.name} has the id {ids[wrong]:,}; its ids go up to "
            f"{tokenizer.largest:,}. Were these made by another tokenizer? Say which: -t NAME_OR_PATH"
        ) from None


def _decoded_pieces(tokenizer: AnyTokenizer, read: Iterator[IdPortion], end: bytes) -> Iterator[bytes]:
    """Yield the bytes of documents whose first blank depends on where they begin; all of it is text."""
    parts: list[np.ndarray] = []
    places, begins = _Places(), True
    for ids, ends, place in read:
        begin = 0
        for stop in [*ends.tolist(), None]:
            parts.append(ids[begin:stop])
            places.add(len(parts[-1]), begin, place)
            if stop is not None:
                yield _bytes(tokenizer, np.concatenate(parts), places, begins=begins) + end
                parts, places, begins, begin = [], _Places(), True, stop
        if sum(map(len, parts)) >= _MANY:
            joined = np.concatenate(parts)
            cut = tokenizer.last_cut(joined)
            data = _bytes(tokenizer, joined[:cut], places, begins=begins)
            # As long as there is nothing, a blank that follows still stands at the beginning.
            if data:
                yield data
                parts, places, begins = [joined[cut:]], _Places(), False
                places.add(len(joined) - cut, max(len(ids) - len(parts[0]), 0), place)


class _Places:
    """Where the ids of a document stand that came in parts."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, int, Callable[[int], str]]] = []

    def add(self, number: int, begin: int, place: Callable[[int], str]) -> None:
        """Take a part of ``number`` ids, the first of which is number ``begin`` for ``place``."""
        self._parts.append((number, begin, place))

    def __call__(self, number: int) -> str:
        for here, begin, place in self._parts:
            if number < here:
                return place(begin + number)
            number -= here
        _, begin, place = self._parts[-1]
        return place(begin)
