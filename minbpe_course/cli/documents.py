r"""Read the documents of a command line: files, patterns and standard input, in blocks, cut into batches.

    FILE... --sources--> names --portions--> documents, the last perhaps unfinished --batches--> work for a thread

A line ends at ``\n`` only, and line ends stay as they are. Bytes that are not UTF-8 are reported with file, byte and
line. Only the current batches and one unfinished word are in memory. Compressed files are unpacked on the way; the rows
of a Parquet file are documents.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from minbpe_course.cli.sources import opened, shown, unpacked_blocks

if TYPE_CHECKING:
    from minbpe_course.corpus.documents import Segment, Whole
    from minbpe_course.splitting.long_texts import LongText

# Characters in a batch.
BATCH = 1 << 20


class Portion(NamedTuple):
    """Documents that were read together.

    texts : one per document; the first may continue the document that the previous portion left unfinished ·
    whole : whether the last one is finished · source, line : where the first begins · by_line : each document is one
    line.
    """

    texts: list[str]
    whole: bool
    source: str
    line: int
    by_line: bool = True


class Reading:
    """Read sources as documents; ``bytes_read`` counts the bytes so far.

    lines, field, errors : as ``add_document_args`` declares them.
    """

    def __init__(self, *, lines: bool = False, field: str | None = None, errors: str = "strict") -> None:
        self._lines = lines
        self.bytes_read = 0
        self._field = field
        self._errors = errors

    def portions(self, names: Iterable[str]) -> Iterator[Portion]:
        """Yield the documents of all sources. Raises UnreadableInput, UnusablePath, InvalidSource, MissingPackage."""
        from minbpe_course.corpus.documents import Manner, lines, whole_text
        from minbpe_course.corpus.parts import JSON_LINES, PARQUET, TEXT
        from minbpe_course.corpus.reading import kind_of

        for name in names:
            kind = kind_of(name, self._field, lines=self._lines)
            if kind == PARQUET:
                yield from self._rows(name)
                continue
            with opened(name) as file:
                blocks, manner = self._blocks(name, file), Manner(Path(shown(name)), self._errors, self._line_at)
                read = whole_text(blocks, 0, manner, ends=True) if kind == TEXT else lines(blocks, 0, manner)
                portions = _portions(name, read, by_line=kind != TEXT)
                if kind == JSON_LINES:
                    assert self._field is not None
                    portions = _fields(portions, self._field, self._errors)
                yield from portions

    def _rows(self, name: str) -> Iterator[Portion]:
        """Yield each row of a table as a document."""
        from minbpe_course.corpus import columns

        for row, text in enumerate(columns.texts(Path(name), self._field, self._errors), start=1):
            self.bytes_read += len(text.encode("utf-8"))
            yield Portion([text], True, name, row)

    def batches(self, names: Iterable[str], long: LongText) -> Iterator[Batch]:
        """Yield the documents in batches of about a million characters; ``long`` cuts long documents into pieces.

        Raises UnreadableInput, UnusablePath.
        """
        batcher = Batcher(long)
        for portion in self.portions(names):
            yield from batcher.add(portion)
        yield from batcher.finish()

    def _blocks(self, name: str, file: Any) -> Iterator[bytes]:
        """Yield the bytes of one source in blocks."""
        self._begin, self._line = 0, 1
        for self._block in unpacked_blocks(name, file):
            self.bytes_read += len(self._block)
            yield self._block
            self._begin += len(self._block)
            self._line += self._block.count(b"\n")

    def _line_at(self, at: int) -> int:
        """Return the line of a byte of this block, or of the line that it continues."""
        return self._line + self._block.count(b"\n", 0, max(at - self._begin, 0))


class Batcher:
    """Collect documents into batches; ``long`` cuts long documents into pieces."""

    def __init__(self, long: LongText) -> None:
        self._long = long
        self._made = Batch()
        # Whether a document is unfinished, and whether a batch already has a piece of it.
        self._unfinished = self._begun = False
        self._line = 0

    def add(self, portion: Portion) -> Iterator[Batch]:
        """Take documents, and yield a batch if there are enough characters for one."""
        texts, whole, source, line, by_line = portion
        stop = len(texts) if whole else len(texts) - 1
        at = 0
        if self._unfinished and texts:
            self._part(texts[0], whole or len(texts) > 1, source, by_line)
            at = 1
        if max(map(len, texts), default=0) > BATCH:
            self._must_have_short_words(texts[at:stop], source, line + at)
        if at < stop:
            self._made.add(texts[at:stop] if at else texts[:stop], True, source, line + at, by_line)
            at = stop
        if at < len(texts):
            self._unfinished, self._line = True, line + at
            self._part(texts[at], False, source, by_line)
        if self._made.size >= BATCH:
            yield from self.finish()

    def finish(self) -> Iterator[Batch]:
        """Yield the current batch unless it is empty."""
        if self._made.texts:
            yield self._made
            self._made = Batch(continues=self._unfinished and self._begun)

    def _must_have_short_words(self, texts: list[str], source: str, line: int) -> None:
        """Check whole documents that were read at once, from lines of JSON or rows of a table."""
        from minbpe_course.splitting.long_texts import must_have_short_words

        for number, text in enumerate(texts, start=line):
            must_have_short_words(text, self._long, partial("{}, line {:,}".format, shown(source), number))

    def _part(self, text: str, last: bool, source: str, by_line: bool) -> None:
        """Take a part of a long document."""
        made = self._made
        if piece := self._long.add(text, lambda: f"{shown(source)}, line {self._line:,}"):
            made.add([piece], False, source, self._line, by_line)
            self._begun = True
            self._line += 0 if by_line else piece.count("\n")
        if last:
            made.add([self._long.finish()], True, source, self._line, by_line)
            self._unfinished = self._begun = False


class Batch:
    """Pieces of documents to be processed together.

    texts : the pieces · ends : whether a document ends with each of them · continues : whether the first belongs to
    the document that was unfinished at the end of the previous batch · size : number of characters.
    """

    def __init__(self, *, continues: bool = False) -> None:
        self.texts: list[str] = []
        self.ends: list[bool] = []
        self.continues = continues
        self.size = 0
        self._origins: list[tuple[int, str, int, bool]] = []

    def add(self, texts: list[str], end: bool, source: str, line: int, by_line: bool) -> None:
        """Add pieces; end : whether a document ends with each · source, line, by_line : see ``Portion``."""
        self._origins.append((len(self.texts), source, line, by_line))
        self.texts += texts
        self.ends += [end] * len(texts)
        self.size += sum(map(len, texts)) + len(texts)

    def place(self, number: int, position: int) -> str:
        """Return the source and line of a character of piece ``number``."""
        at = bisect_right(self._origins, number, key=lambda origin: origin[0]) - 1
        first, source, line, by_line = self._origins[at]
        line += number - first if by_line else self.texts[number].count("\n", 0, position)
        return f"{shown(source)}, line {line:,}"


def _portions(name: str, read: Iterable[Segment | Whole], *, by_line: bool) -> Iterator[Portion]:
    from minbpe_course.corpus.documents import Whole

    line = 1
    for each in read:
        texts, whole = (each.texts, True) if isinstance(each, Whole) else ([each.text], each.ends_document)
        yield Portion(texts, whole, name, line, by_line)
        line += len(texts) if whole else 0


def _fields(portions: Iterator[Portion], field: str, errors: str) -> Iterator[Portion]:
    """Yield the field of each line of JSON as a document, and skip empty lines."""
    from minbpe_course.corpus.documents import LONGEST_LINE, field_of, too_long_line

    held: list[str] = []
    for texts, whole, name, line, _ in portions:
        held.append(texts[0])
        if not whole:
            if sum(map(len, held)) > LONGEST_LINE:
                raise too_long_line(f"{shown(name)}, line {line:,}")
            continue
        texts[0] = "".join(held)
        held.clear()
        for number, text in enumerate(texts, start=line):
            if text.strip():
                found = field_of(text, field, lambda: f"{shown(name)}, line {number:,}", errors)  # noqa: B023
                yield Portion([found], True, name, number)
