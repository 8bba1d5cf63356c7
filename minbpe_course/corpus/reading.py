"""A corpus: files of any size, read as documents in pieces, part by part, beginning at any place.

    Corpus("data/**/*.jsonl.zst", "more.txt.gz", field="text")
        --parts-->      Part, Part, ...       work for one worker; each can be stored and sent
        --read_part-->  Piece, Piece, ...     texts of whole words, each with the mark where to continue

Counting or encoding each piece separately gives the same as doing it with the whole documents.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from minbpe_course.corpus.columns import PARQUET_SUFFIX, groups, rows
from minbpe_course.corpus.documents import Segment, Whole, json_lines, lines, whole_text
from minbpe_course.corpus.file_names import each_once, is_pattern, matches
from minbpe_course.corpus.opening import ByteFile, compression_of, stem_and_compression, unreadable
from minbpe_course.corpus.parts import (
    JSON_LINES,
    LINES,
    PARQUET,
    TEXT,
    Part,
    borders,
    check_unchanged,
    manner_of,
    place_in,
)
from minbpe_course.errors import InvalidOption, InvalidSource, MissingFile, UnusablePath
from minbpe_course.splitting.boundaries import Cutter, Piece
from minbpe_course.splitting.long_texts import LONGEST_WORD, LongText, must_have_short_words

__all__ = ["Corpus", "Cutter", "Part", "Piece", "as_corpus", "read_part"]

# Bits of a position for the number of characters after the beginning of a segment.
_CHARACTERS = 32

_PLAIN = (".txt", ".text", ".md")


class Corpus:
    """Documents in files of any size.

    paths : files, and patterns such as ``"data/**/*.txt"``, in reading order; the matches of a pattern are sorted. Each
    real file is read once, at the first of its names. The names of files show their content: ``.gz``, ``.bz2``, ``.xz``
    and ``.zst`` are decompressed, ``.parquet`` is a table. field : the key of the text in each line of JSON, or the
    column of a table · lines : each line of a text is a document · errors : "strict", or
    "replace" to read bytes that are not UTF-8 as U+FFFD.

    With ``field``, text files are read as lines of JSON, except .txt, .text and .md.

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
        errors: str = "strict",
    ) -> None:
        if errors not in ("strict", "replace"):
            raise InvalidOption(f"errors={errors!r} is unknown: give 'strict' or 'replace'.")
        if field is not None and lines:
            raise InvalidOption(
                "lines=True is for lines of plain text, field= for lines of JSON: give only one of them."
            )
        if not paths:
            raise InvalidSource("a corpus needs files: Corpus('data/*.txt')")
        self.field, self.lines, self.errors = field, lines, errors
        self.files = tuple(map(Path, each_once(found for path in paths for found in files_of(path))))

    def __repr__(self) -> str:
        return f"Corpus({len(self.files):,} files, {self.size:,} bytes)"

    @property
    def size(self) -> int:
        """The bytes of all files as stored."""
        return sum(_state(path).st_size for path in self.files)

    def fingerprint(self, parts: Iterable[Part] = ()) -> dict[str, Any]:
        """Return names, sizes, times and options for JSON, to recognise the corpus again.

        parts : of this corpus, if they are known: sizes and times are taken from them.
        """
        known = {part.path: [part.path, part.size, part.modified] for part in parts}
        return {
            "files": [known.get(str(path)) or _sized(path) for path in self.files],
            "field": self.field,
            "lines": self.lines,
            "errors": self.errors,
        }

    def parts(self, cutter: Cutter, size: int) -> list[Part]:
        """Return consecutive parts of about ``size`` bytes; their texts together are the corpus.

        Compressed files, and texts that ``cutter`` cannot cut, are one part each. This only reads the metadata of
        Parquet files, and the first bytes of files whose names do not show their content.
        """
        found: list[Part] = []
        part_size = max(size, 1)
        for path in self.files:
            name, state = str(path), _state(path)
            kind = kind_of(name, self.field, lines=self.lines)
            compression = None if kind == PARQUET else compression_of(path, state)
            size, modified = state.st_size, state.st_mtime_ns
            for start, stop in self._ranges(path, kind, compression, size, cutter, part_size):
                found.append(
                    Part(len(found), name, kind, compression, start, stop, size, modified, self.field, self.errors)
                )
        return found

    def __iter__(self) -> Iterator[str]:
        """Yield the documents, each whole."""
        cutter = _Uncut(None)
        for part in self.parts(cutter, 1 << 62):
            held: list[str] = []
            for piece in read_part(part, cutter):
                held.append(piece.text)
                if piece.ends_document:
                    yield "".join(held)
                    held = []

    def _ranges(
        self, path: Path, kind: str, compression: str | None, length: int, cutter: Cutter, size: int
    ) -> Iterator[tuple[int, int | None]]:
        if kind == PARQUET:
            yield from groups(path, self.field, size)
        elif compression or not length:
            yield 0, None
        elif kind == TEXT and not cutter.cuts:
            yield 0, length
        else:
            for start in range(0, length, size):
                yield start, min(start + size, length)


def kind_of(name: str, field: str | None, *, lines: bool = False) -> str:
    """Return the ``Part.kind`` of a file.

    >>> kind_of("pages.jsonl.gz", "text"), kind_of("notes.txt.gz", "text")
    ('json lines', 'text')
    """
    stem = stem_and_compression(name)[0].lower()
    if stem.endswith(PARQUET_SUFFIX):
        return PARQUET
    if field is not None and not stem.endswith(_PLAIN):
        return JSON_LINES
    return LINES if lines else TEXT


class _Uncut(Cutter):
    """Leaves documents whole, however long, for a caller who wants them in memory."""

    def long_text(self, *, gather: int | None = None) -> LongText:
        """See ``Cutter``."""
        return LongText(self._splitter, gather=gather, bounded=False)


def files_of(path: str | os.PathLike[str]) -> list[str]:
    """Return the files for a path or a pattern. Raises InvalidSource, MissingFile.

    An existing name is never a pattern, even with ``*`` in it; folders that match a pattern are skipped.
    """
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else path
    if isinstance(name, Iterable) and not isinstance(name, (str, bytes)):
        raise InvalidSource(
            f"give the paths as separate arguments, Corpus(*paths), not as a {type(name).__name__}: {name!r:.80}."
        )
    if not isinstance(name, str):
        raise InvalidSource(f"the path of a file must be a str or a Path, got {path!r}.")
    if not is_pattern(name):
        return [name]
    found = matches(name)
    if not found:
        raise MissingFile(f"no file matches {name}. You are in {Path.cwd()}: give a path from there.")
    return found


def as_corpus(source: Any) -> Corpus | None:
    """Return the corpus for a Corpus, a Path (or a pattern as Path), or a list of only Paths; otherwise None."""
    if isinstance(source, Corpus):
        return source
    if isinstance(source, os.PathLike):
        return Corpus(source)
    if isinstance(source, (list, tuple)) and source and all(isinstance(each, os.PathLike) for each in source):
        return Corpus(*source)
    return None


def read_part(part: Part, cutter: Cutter, *, after: int = 0) -> Iterator[Piece]:
    """Yield the pieces of a part, beginning after the one whose position is ``after``.

    Memory is bounded by a few megabytes and the longest word, line of JSON, or row. A word has at most
    ``long_texts.LONGEST_WORD`` characters, and a line of JSON ``documents.LONGEST_LINE`` bytes. Raises UnreadableInput,
    UnusablePath, InvalidSource, MissingPackage.

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
            # After the only document of an empty file.
            return
        (begin, stop), skip = borders(part, file, cutter), 0
        if after:
            begin, skip = divmod(after - 1, 1 << _CHARACTERS)
        if stop is None or begin < stop:
            yield from _pieces(_segments(part, file, begin, stop), cutter, skip, part)
        check_unchanged(part, file.state())


def _segments(part: Part, file: ByteFile, begin: int, stop: int | None) -> Iterator[Segment | Whole]:
    """Yield the text of a part from byte or row ``begin`` on."""
    manner = manner_of(part)
    if part.kind == PARQUET:
        assert part.stop is not None
        yield from rows(manner.where, part.field, part.start, part.stop, part.errors, begin)
        return
    blocks = file.blocks(begin, stop)
    if stop is not None:
        blocks = _all_of(blocks, stop - begin, part)
    if part.kind == LINES:
        yield from lines(blocks, begin, manner)
    elif part.kind == JSON_LINES:
        assert part.field is not None
        yield from json_lines(blocks, begin, manner, part.field)
    else:
        # Only an empty file is an empty document.
        yield from whole_text(blocks, begin, manner, ends=stop is None or stop == part.size, empty=begin == 0)


def _all_of(blocks: Iterable[bytes], size: int, part: Part) -> Iterator[bytes]:
    """Yield the blocks; raise UnusablePath if they have fewer than ``size`` bytes."""
    for block in blocks:
        size -= len(block)
        yield block
    if size:
        raise became_shorter(part, size)


def became_shorter(part: Part, missing: int) -> UnusablePath:
    """Return the error for a file that has fewer bytes than when the part was made."""
    return UnusablePath(
        f"{part.path} became shorter while it was being read: {missing:,} bytes are missing.\n"
        "Wait until no program writes to it, and start again."
    )


def _pieces(segments: Iterable[Segment | Whole], cutter: Cutter, skip: int, part: Part) -> Iterator[Piece]:
    """Cut segments into pieces, skipping the first ``skip`` characters, which were read before."""
    long = cutter.long_text()

    def where() -> str:
        # The segment with which the text begins that waits for a cut.
        return place_in(part, marks[0][1] if marks else stop)

    # For each segment with waiting text: the characters of that text before it, and its place in the file.
    marks: list[tuple[int, int]] = []
    taken = given = stop = 0
    for segment in segments:
        if isinstance(segment, Whole):
            texts, stops = segment
            if max(map(len, texts), default=0) > LONGEST_WORD:
                for text, begin in zip(texts, [stop, *stops]):
                    must_have_short_words(text, cutter.long_text(), partial(place_in, part, begin))
            if texts and (skip or taken != given):
                # The first is the rest of a document that was begun.
                yield Piece(long.add(texts[0][skip:]) + long.finish(), True, _position(stops[0], 0))
                del texts[0], stops[0]
                marks.clear()
                skip = taken = given = 0
            for text, stop in zip(texts, stops):
                # _position(stop, 0), without a call for each of millions of documents.
                yield Piece(text, True, (stop << _CHARACTERS) + 1)
            continue
        text, ends, begin, stop = segment
        skipped = min(skip, len(text))
        skip -= skipped
        text = text[skipped:] if skipped else text
        if ends and taken == given:
            if len(text) > LONGEST_WORD:
                must_have_short_words(text, cutter.long_text(), partial(place_in, part, begin))
            marks.clear()
            taken = given = 0
            yield Piece(text, True, _position(stop, 0))
            continue
        marks.append((taken - skipped, begin))
        taken += len(text)
        if piece := long.add(text, where):
            given += len(piece)
            while len(marks) > 1 and marks[1][0] <= given:
                del marks[0]
            yield Piece(piece, False, _position(marks[0][1], given - marks[0][0]))
        if ends:
            yield Piece(long.finish(), True, _position(stop, 0))
            marks.clear()
            taken = given = 0
    if rest := long.finish():
        # The text may be the beginning of a line that the next part continues.
        begin, first = (stop, taken) if marks[-1][1] != stop else (stop, marks[-1][0])
        yield Piece(rest, False, _position(begin, taken - first))


def segment_of(position: int) -> int:
    """Return the byte, or the row of Parquet, of the segment in which a position is."""
    return (position - 1) >> _CHARACTERS


def _position(begin: int, characters: int) -> int:
    return ((begin << _CHARACTERS) | characters) + 1


def _sized(path: Path) -> list[Any]:
    found = _state(path)
    return [str(path), found.st_size, found.st_mtime_ns]


def _state(path: Path) -> os.stat_result:
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if stat.S_ISDIR(found.st_mode):
        raise unreadable(path, IsADirectoryError())
    return found
