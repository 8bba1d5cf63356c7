"""Files to ids: cut at safe places, encoded by all threads, and collected in order, with some megabytes in memory.

    parts  --work_of-->  FileRanges | Texts  --DocumentEncoder, any thread-->  Documents

A plain text file is cut into ranges of its bytes. The thread that encodes a range also reads it and checks that it is
UTF-8, and the kernels take the bytes as they are: nothing becomes a str, and no thread waits for the GIL. Small files
are encoded together. Compressed files, tables and lines of JSON are read as texts first. So is the rest of a file after
16 MB without a place to cut, and ``splitting.long_texts`` cuts it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from minbpe_course.corpus.opening import ByteFile
from minbpe_course.corpus.parts import (
    LINES,
    TEXT,
    Part,
    borders,
    check_unchanged,
    first_line,
    first_place,
    manner_of,
    place_in,
)
from minbpe_course.corpus.reading import Corpus, became_shorter, read_part, segment_of
from minbpe_course.errors import DisallowedSpecialToken, InvalidSource, UnusablePath
from minbpe_course.files import atomic_file
from minbpe_course.formats.id_arrays import ArrayWriter, Documents, dtype_for, read_arrays
from minbpe_course.kernels.lazy import raw_bytes
from minbpe_course.resources.threads import cores, in_order, threads_of
from minbpe_course.splitting.boundaries import Cutter, Piece
from minbpe_course.tokenizers.adapters import AnyTokenizer, ForbiddenSpecial
from minbpe_course.tokenizers.framing import framed_batch

# About how many bytes a thread encodes at a time, and how far to search for a place to cut. Reading and
# cutting a range costs as much as encoding about 100 kB.
RANGE, LONGEST_RANGE = 1 << 21, 1 << 24
# Characters of a batch of texts; files that are encoded together.
_BATCH, _TOGETHER = 1 << 19, 1 << 10
# The size of a part that is a whole file.
_WHOLE = 1 << 62


class FileRange(NamedTuple):
    """Bytes of a plain text file or of its lines: whole words, or whole lines."""

    part: Part
    begin: int
    stop: int


class FileRanges(NamedTuple):
    """Ranges that are encoded together; size : how many bytes they have."""

    ranges: list[FileRange]
    size: int


class Texts(Protocol):
    """Texts that are encoded together.

    ends : whether a document ends with each · continues : whether the first is the rest of an earlier document · size :
    about how many characters they have.
    """

    texts: list[str]
    ends: list[bool]
    continues: bool
    size: int

    def place(self, number: int, position: int) -> str:
        """Return where a character of a text is, for an error message."""


class TextBatch(Texts):
    """The ``Texts`` of one part of a corpus; line : how many line ends of the part precede them."""

    def __init__(self, part: Part, continues: bool, line: int = 0) -> None:
        self.texts, self.ends, self.continues, self.size = [], [], continues, 0
        self.part, self._line, self._stops = part, line, list[int]()

    def add(self, piece: Piece, between: int) -> None:
        """Add a piece without its first ``between`` characters."""
        self.texts.append(piece.text[between:])
        self.ends.append(piece.ends_document)
        self._stops.append(segment_of(piece.position))
        self.size += len(piece.text) + 1

    def line_after(self) -> int:
        """Return how many line ends of the part precede the next batch."""
        return self._line + sum(text.count("\n") for text in self.texts)

    def place(self, number: int, position: int) -> str:
        """See ``Texts``."""
        part = self.part
        if part.kind != TEXT:
            # A document is a line or a row, and this is where it ends.
            return place_in(part, self._stops[number] - 1)
        before = sum(text.count("\n") for text in self.texts[:number]) + self.texts[number].count("\n", 0, position)
        return place_in(part, part.start, lines=self._line + before)


Source: TypeAlias = "Corpus | str | os.PathLike[str] | Iterable[str | os.PathLike[str]]"
Work: TypeAlias = "FileRanges | Texts"


# ---- From files to work


def work_of_files(corpus: Corpus, cutter: Cutter) -> Iterator[Work]:
    """Yield the text of all files as work for threads, in order. Raises the errors of ``read_part``."""
    return work_of(corpus.parts(cutter, _WHOLE), cutter)


def work_of(parts: Iterable[Part], cutter: Cutter) -> Iterator[Work]:
    """Yield the text of parts as work for threads, in order. Raises the errors of ``read_part``."""
    ranges: list[FileRange] = []
    size = 0
    for part in parts:
        plain = part.kind in (TEXT, LINES) and part.stop is not None
        for each in _ranges_of(part, cutter) if plain else _batches_of(part, cutter):
            if isinstance(each, FileRange):
                ranges.append(each)
                size += each.stop - each.begin
            together = isinstance(each, FileRange) and size < RANGE // 2 and len(ranges) < _TOGETHER
            if ranges and not together:
                yield FileRanges(ranges, size)
                ranges, size = [], 0
            if not isinstance(each, FileRange):
                yield each
    if ranges:
        yield FileRanges(ranges, size)


def _ranges_of(part: Part, cutter: Cutter) -> Iterator[FileRange | TextBatch]:
    """Yield the ranges of a part, and batches of texts from the first stretch on that has no place to cut."""
    if part.start == 0 and part.stop == part.size <= RANGE:
        # A small file is opened once, by the thread that encodes it.
        yield FileRange(part, 0, part.size)
        return
    with ByteFile(part.path) as file:
        check_unchanged(part, file.state())
        begin, stop = borders(part, file, cutter)
        assert stop is not None
        between = getattr(cutter, "between", 0) if part.kind == TEXT else 0
        while begin < stop:
            end: int | None = stop
            if stop - begin > RANGE + RANGE // 2:
                target, last = begin + RANGE, min(begin + LONGEST_RANGE, stop)
                if part.kind == LINES:
                    end = first_line(file, target, last)
                else:
                    end = first_place(file, target, last, part.size, cutter, replaced=part.errors == "replace")
                if end is None and last == stop:
                    end = stop
            if end is None:
                yield from _batches_of(replace(part, start=begin), cutter)
                return
            # A model of SentencePiece adds the space itself with which a later range begins.
            yield FileRange(part, begin + between if begin else 0, end)
            begin = end


def _batches_of(part: Part, cutter: Cutter) -> Iterator[TextBatch]:
    """Yield the pieces of a part, many at a time, without a leading space that the SentencePiece model adds itself."""
    # Only a part of one long text begins in the middle of a document.
    between = getattr(cutter, "between", 0) if part.kind == TEXT and part.start else 0
    batch = TextBatch(part, part.kind == TEXT and part.start > 0)
    for piece in read_part(part, cutter):
        batch.add(piece, between)
        between = 0
        if batch.size >= _BATCH:
            yield batch
            batch = TextBatch(part, not piece.ends_document, batch.line_after() if part.kind == TEXT else 0)
    if batch.texts:
        yield batch


# ---- From work to ids


class DocumentEncoder:
    """Encodes work, in any thread, with ids before and after each document.

    tally : counts the documents of each path that end in the work, for work of one thread.
    """

    def __init__(
        self,
        tokenizer: AnyTokenizer,
        before: Sequence[int] = (),
        after: Sequence[int] = (),
        *,
        tally: Counter[str] | None = None,
    ) -> None:
        self._tokenizer = tokenizer
        self._frame = tuple(before), tuple(after)
        self._tally = tally

    def __call__(self, work: Work) -> Documents:
        """Return the ids of some work. Raises DisallowedSpecialToken, and what reading a range raises."""
        if isinstance(work, FileRanges):
            ids, offsets, finishes, continues = self._of_ranges(work.ranges)
        else:
            continues = work.continues
            finishes = np.array(work.ends, dtype=bool)
            try:
                ids, offsets = self._tokenizer.encode(work.texts)
            except ForbiddenSpecial as problem:
                text, at = work.texts[problem.number], problem.position
                around = text[max(0, at - 20) : at + len(problem.token) + 20]
                raise forbidden(work.place(problem.number, at), problem, around) from None
            if self._tally is not None and isinstance(work, TextBatch):
                self._tally[work.part.path] += sum(work.ends)
        ends = offsets[1:][finishes]
        if any(self._frame):
            begins = np.concatenate([[not continues], finishes[:-1]])
            ids, offsets = framed_batch(ids, offsets, self._frame, begins, finishes)
            ends = offsets[1:][finishes]
        return Documents(ids, ends, continues, bool(finishes[-1]))

    def _of_ranges(self, ranges: list[FileRange]) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
        """Return the ids, the offsets of the texts, whether a document ends with each, and ``continues``."""
        data, parts = _read_all(ranges)
        bounds: list[np.ndarray] = []
        finishes: list[np.ndarray] = []
        begin = 0
        for (part, _, stop), read in zip(ranges, parts):
            if part.kind == TEXT:
                bounds.append(np.array([(begin, begin + len(read))], dtype=np.int64))
                finishes.append(np.array([stop == part.size]))
            else:
                stops = begin + np.flatnonzero(np.frombuffer(read, dtype=np.uint8) == 0x0A)
                if not read.endswith(b"\n"):
                    stops = np.append(stops, begin + len(read))
                bounds.append(np.stack([np.concatenate([[begin], stops[:-1] + 1]), stops], axis=1))
                finishes.append(np.ones(stops.size, dtype=bool))
            begin += len(read)
            if self._tally is not None:
                self._tally[part.path] += int(np.count_nonzero(finishes[-1]))
        places = np.concatenate(bounds)
        first = ranges[0]
        try:
            ids, offsets = self._tokenizer.encode_utf8(data, places)
        except ForbiddenSpecial as problem:
            begin, stop = places[problem.number].tolist()
            at = begin + len(data[begin:stop].decode("utf-8")[: problem.position].encode("utf-8"))
            for each, read in zip(ranges, parts):
                if at < len(read):
                    raise forbidden(manner_of(each.part).place(_byte_of(each, read, at)), problem) from None
                at -= len(read)
            raise
        return ids, offsets, np.concatenate(finishes), first.part.kind == TEXT and first.begin > 0


def _read_all(ranges: list[FileRange]) -> tuple[bytes, list[bytes]]:
    """Return the UTF-8 of ranges, together and one by one. Raises UnreadableInput, UnusablePath."""
    parts = [_read(each) for each in ranges]
    data = b"".join(parts)
    array = np.frombuffer(data, dtype=np.uint8)
    # A character may not reach from one range into the next.
    if any(b"\x80" <= read[:1] < b"\xc0" for read in parts) or not raw_bytes.is_utf8(array.ctypes.data, array.size):
        decoded = (manner_of(each.part).decoded(read, each.begin)[0] for each, read in zip(ranges, parts))
        parts = [text.encode("utf-8") for text in decoded]
        data = b"".join(parts)
    return data, parts


def _read(each: FileRange) -> bytes:
    """Return the bytes of a range. Raises UnusablePath."""
    part, begin, stop = each
    with ByteFile(part.path) as file:
        data = file.at(begin, stop - begin)
        if len(data) < stop - begin:
            raise became_shorter(part, stop - begin - len(data))
        check_unchanged(part, file.state())
    return data


def _byte_of(each: FileRange, read: bytes, at: int) -> int:
    """Return which byte of the file ``read[at]`` is; where bytes were replaced, the first one of its line."""
    if each.part.errors != "replace":
        return each.begin + at
    with ByteFile(each.part.path) as file:
        data = file.at(each.begin, each.stop - each.begin)
    begin = 0
    for _ in range(read.count(b"\n", 0, at)):
        begin = data.find(b"\n", begin) + 1
    return each.begin + begin


def forbidden(place: str, problem: ForbiddenSpecial, around: str | None = None) -> DisallowedSpecialToken:
    """Return the error for a special token in a text, with its place and the options that allow it.

    around : the token and the text around it, where the place is not exact.
    """
    found = f"the special token {problem.token!r}" + ("" if around is None else f", in {around!r}")
    return DisallowedSpecialToken(
        f"{place.rstrip(',')}: the text contains {found}.\nIf such are meant as special tokens, say "
        "specials='all' (--specials all). If they are ordinary text, which is right for text from strangers, say "
        "specials='none' (--specials none)."
    )


# ---- The public call


def encode_files(
    tokenizer: AnyTokenizer,
    source: Source,
    output: str | os.PathLike[str],
    *,
    append: str | int | None = None,
    dtype: str | None = None,
    num_threads: int | None = None,
    frame: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Encode files into one file of ids; see ``Encoding.encode_files``."""
    corpus = source
    if not isinstance(corpus, Corpus):
        paths = [source] if isinstance(source, (str, os.PathLike)) else source
        if isinstance(paths, bytes) or not isinstance(paths, Iterable):
            raise InvalidSource(f"give files as paths or as a Corpus, got {type(source).__name__}.")
        corpus = Corpus(*paths)
    threads = min(threads_of(num_threads), cores())
    path = Path(output)
    if path.exists() and not path.is_file():
        raise UnusablePath(f"{path} is not a file: the ids are read back from it. Name a file.")
    if path.exists() and any(each.exists() and path.samefile(each) for each in corpus.files):
        raise UnusablePath(f"{path} is one of the files to encode, and would be replaced. Name another file.")
    encoder = DocumentEncoder(tokenizer, *tokenizer.around(frame, append))
    dtype = dtype_for(tokenizer.largest, dtype)
    with atomic_file(output, large=True) as file:
        writer = ArrayWriter(file, dtype, in_place=file.seekable())
        for documents in in_order(encoder, work_of_files(corpus, tokenizer.cutter), threads):
            writer.write(writer.prepared(documents))
        writer.finish()
    return read_arrays(path)
