"""A corpus: files that may be larger than memory, read as documents, in pieces, part by part, from any place on.

    Corpus("data/**/*.jsonl.zst", "more.txt.gz", field="text")
        --parts-->      Part, Part, ...       what one worker reads; each can be written down and sent away
        --read_part-->  Piece, Piece, ...     texts made of whole words, each with the mark from which to go on

What is done with each piece by itself, in whatever part, is what would be done with the documents whole.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from minbpe_course.corpus.cleaning import Filter, filters_of, name_of
from minbpe_course.corpus.columns import PARQUET_SUFFIX, groups, rows
from minbpe_course.corpus.documents import Segment, Whole, json_lines, lines, whole_text
from minbpe_course.corpus.opening import ByteFile, compression_of, stem_and_compression, unreadable
from minbpe_course.corpus.part_starts import Border, borders, cleaned_from
from minbpe_course.corpus.parts import JSON_LINES, LINES, PARQUET, TEXT, Part, check_unchanged, manner_of
from minbpe_course.errors import ChangedFile, InvalidOption, InvalidSource, MissingFile
from minbpe_course.splitting.boundaries import Cutter, Piece

__all__ = ["Corpus", "Cutter", "Part", "Piece", "as_corpus", "read_part"]

# Characters by which a position can be behind the beginning of a segment.
_CHARACTERS = 32

_PLAIN = (".txt", ".text", ".md")


class Corpus:
    """Documents in files, which may be larger than memory.

    paths : files, and patterns such as ``"data/**/*.txt"``, in the order in which they are read; what a pattern matches
    comes sorted. Their names say what is in them: ``.gz``, ``.bz2``, ``.xz`` and ``.zst`` are unpacked, ``.parquet`` is
    a table. field : where the text is in each line of JSON, or which column of a table · lines : each line of a text is
    a document · clean : filters of ``corpus.cleaning``, applied one after the other to each line · errors : "strict",
    or "replace" to read what is no UTF-8 as U+FFFD.

    With ``field`` every text file is taken for lines of JSON, unless its name says it is plain (.txt, .text, .md).

    Raises MissingFile, FolderGiven, NotPermitted, UnusablePath, InvalidSource, InvalidOption.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in "the cat", "sat":
    ...     _ = (folder / f"{name}.txt").write_text(name, encoding="utf-8")
    >>> list(Corpus(folder / "*.txt"))
    ['sat', 'the cat']
    """

    def __init__(
        self,
        *paths: str | os.PathLike[str],
        field: str | None = None,
        lines: bool = False,
        clean: str | Filter | Iterable[str | Filter] = (),
        errors: str = "strict",
    ) -> None:
        if errors not in ("strict", "replace"):
            raise InvalidOption(f"errors={errors!r} is not understood: say 'strict' or 'replace'.")
        if field is not None and lines:
            raise InvalidOption("lines=True is for lines of plain text, field= for lines of JSON: say one of them.")
        if not paths:
            raise InvalidSource("a corpus needs files: Corpus('data/*.txt')")
        self.field, self.lines, self.errors = field, lines, errors
        self.clean = filters_of(clean)
        self.files = tuple(found for path in paths for found in files_of(path))

    def __repr__(self) -> str:
        return f"Corpus({len(self.files):,} files, {self.size:,} bytes)"

    @property
    def size(self) -> int:
        """How many bytes the files have together, as they are."""
        return sum(_state(path).st_size for path in self.files)

    def fingerprint(self) -> dict[str, Any]:
        """Return what tells whether this is the same corpus another time: names, sizes, times and options, for JSON."""
        states = [_state(path) for path in self.files]
        return {
            "files": [[str(path), found.st_size, found.st_mtime_ns] for path, found in zip(self.files, states)],
            "field": self.field,
            "lines": self.lines,
            "errors": self.errors,
            "clean": [name_of(each) for each in self.clean],
        }

    def parts(self, cutter: Cutter, size: int) -> list[Part]:
        """Return parts of about ``size`` bytes, one after the other; their texts together are the corpus.

        Compressed files are one part each, and so are texts that ``cutter`` cannot cut. Nothing is read but the tables
        of Parquet files and the first bytes of files whose names say nothing.
        """
        found: list[Part] = []
        for path in self.files:
            state = _state(path)
            kind = self._kind(path)
            compression = None if kind == PARQUET else compression_of(path)
            ranges: Iterable[tuple[int, int | None]]
            if kind == PARQUET:
                ranges = groups(path, self.field, size)
            else:
                ranges = self._ranges(kind, compression, state, cutter, max(size, 1))
            for start, stop in ranges:
                found.append(
                    Part(
                        number=len(found),
                        path=str(path),
                        kind=kind,
                        compression=compression,
                        start=start,
                        stop=stop,
                        size=state.st_size,
                        modified=state.st_mtime_ns,
                        field=self.field,
                        errors=self.errors,
                        clean=self.clean,
                    )
                )
        return found

    def __iter__(self) -> Iterator[str]:
        """Yield the documents, each whole."""
        cutter = Cutter(None)
        for part in self.parts(cutter, 1 << 62):
            held: list[str] = []
            for piece in read_part(part, cutter):
                held.append(piece.text)
                if piece.ends_document:
                    yield "".join(held)
                    held = []

    def _kind(self, path: Path) -> str:
        stem, _ = stem_and_compression(path.name)
        name = stem.lower()
        if name.endswith(PARQUET_SUFFIX):
            return PARQUET
        if self.field is not None and not name.endswith(_PLAIN):
            return JSON_LINES
        return LINES if self.lines else TEXT

    def _ranges(
        self, kind: str, compression: str | None, state: os.stat_result, cutter: Cutter, size: int
    ) -> Iterator[tuple[int, int | None]]:
        length = state.st_size
        if compression or not length:
            yield 0, None
        elif kind == TEXT and not cutter.cuts:
            yield 0, length
        else:
            for start in range(0, length, size):
                yield start, min(start + size, length)


def files_of(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files that a path or a pattern stands for. Raises MissingFile.

    What exists is taken as it is, whatever characters are in its name; a folder that a pattern matches is not meant.
    """
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else path
    if isinstance(name, Iterable) and not isinstance(name, (str, bytes)):
        raise InvalidSource(
            f"give the paths one by one, Corpus(*paths): got a {type(name).__name__} of them, {name!r:.80}."
        )
    if not isinstance(name, str):
        raise InvalidSource(f"the path of a file is a str or a Path, got {path!r}.")
    if not glob.has_magic(name) or os.path.lexists(name):
        return [Path(name)]
    found = [Path(each) for each in sorted(glob.glob(name, recursive=True)) if not Path(each).is_dir()]  # noqa: PTH207
    if not found:
        raise MissingFile(f"no file matches {name}. You are in {Path.cwd()}: name it as seen from there.")
    return found


def as_corpus(source: Any) -> Corpus | None:
    """Return the corpus that a source is: a Corpus, a Path or a pattern as Path, a list of only Paths; else None.

    >>> as_corpus("some text") is None
    True
    """
    if isinstance(source, Corpus):
        return source
    if isinstance(source, os.PathLike):
        return Corpus(source)
    if isinstance(source, (list, tuple)) and source and all(isinstance(each, os.PathLike) for each in source):
        return Corpus(*source)
    return None


def read_part(part: Part, cutter: Cutter, *, after: int = 0) -> Iterator[Piece]:
    """Yield the pieces of a part, from behind the one whose position is ``after``.

    Memory stays bounded by some megabytes, and by the longest word, line of JSON and row. Raises NotUTF8,
    UnreadableInput, DamagedFile, ChangedFile, InvalidSource, UnusablePath, MissingPackage.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_text("the cat sat", encoding="utf-8")
    >>> cutter = Cutter("gpt2")
    >>> [[piece.text for piece in read_part(part, cutter)] for part in Corpus(path).parts(cutter, 5)]
    [['the cat'], [' sat'], []]
    """
    with ByteFile(part.path, part.compression) as file:
        check_unchanged(part, file.state())
        if after == _position(0, 0):
            # Behind the one document of an empty file.
            return
        begin, stop = borders(part, file, cutter)
        if after:
            begin = Border((after - 1) >> _CHARACTERS, (after - 1) & ((1 << _CHARACTERS) - 1))
        if stop is None or begin < stop:
            segments = _segments(part, file, begin.offset, stop)
            yield from _pieces(segments, cutter, begin.characters)
        check_unchanged(part, file.state())


def _segments(part: Part, file: ByteFile, begin: int, stop: Border | None) -> Iterator[Segment | Whole]:
    """The text of a part from byte or row ``begin`` on."""
    manner = manner_of(part)
    if part.kind == PARQUET:
        assert part.stop is not None
        for segment in rows(manner.where, part.field, part.start, part.stop, part.errors, begin):
            yield segment._replace(text=manner.cleaned(segment.text)) if part.clean else segment
        return
    blocks = file.blocks(begin, None if stop is None else stop.offset)
    if stop is not None:
        blocks = _all_of(blocks, stop.offset - begin, part)
    if part.kind == LINES:
        yield from lines(blocks, begin, manner)
    elif part.kind == JSON_LINES:
        assert part.field is not None
        yield from json_lines(blocks, begin, manner, part.field)
    else:
        if stop is None or begin < stop.offset:
            ends = stop is None or stop.offset == part.size
            # Only a file that is empty is an empty document.
            yield from whole_text(blocks, begin, manner, ends=ends, empty=begin == 0)
        if stop is not None and stop.characters:
            yield Segment(cleaned_from(part, file, stop), False, stop.offset, stop.offset)


def _all_of(blocks: Iterator[bytes], size: int, part: Part) -> Iterator[bytes]:
    """The blocks, if they are as many bytes as they should be."""
    for block in blocks:
        size -= len(block)
        yield block
    if size:
        raise ChangedFile(
            f"{part.path} became shorter while it was being read: {size:,} bytes are missing.\n"
            "Wait until nobody writes to it, and begin again."
        )


def _pieces(segments: Iterable[Segment | Whole], cutter: Cutter, skip: int) -> Iterator[Piece]:
    """Cut segments into pieces; of the first, ``skip`` characters were read before."""
    long = cutter.long_text()
    # Where the segments begin whose text waits: characters of the waiting text before it, and the place in the file.
    marks: list[tuple[int, int]] = []
    taken = given = stop = 0
    for segment in segments:
        if isinstance(segment, Whole):
            texts, stops = segment
            if texts and (skip or taken != given):
                # The first is the rest of one that was begun.
                yield Piece(long.add(texts[0][skip:]) + long.finish(), True, _position(stops[0], 0))
                del texts[0], stops[0]
                marks.clear()
                skip = taken = given = 0
            for text, stop in zip(texts, stops):
                # As _position does, and millions of times.
                yield Piece(text, True, (stop << _CHARACTERS) + 1)
            continue
        text, ends, begin, stop = segment
        skipped = min(skip, len(text))
        skip -= skipped
        text = text[skipped:] if skipped else text
        if ends and taken == given:
            marks.clear()
            taken = given = 0
            yield Piece(text, True, _position(stop, 0))
            continue
        marks.append((taken - skipped, begin))
        taken += len(text)
        if piece := long.add(text):
            given += len(piece)
            while len(marks) > 1 and marks[1][0] <= given:
                del marks[0]
            yield Piece(piece, False, _position(marks[0][1], given - marks[0][0]))
        if ends:
            yield Piece(long.finish(), True, _position(stop, 0))
            marks.clear()
            taken = given = 0
    if rest := long.finish():
        # The last may be the beginning of a line that the next part goes on with.
        begin, first = (stop, taken) if marks[-1][1] != stop else (stop, marks[-1][0])
        yield Piece(rest, False, _position(begin, taken - first))


def _position(begin: int, characters: int) -> int:
    return ((begin << _CHARACTERS) | characters) + 1


def _state(path: Path) -> os.stat_result:
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if path.is_dir():
        raise unreadable(path, IsADirectoryError())
    return found
