"""Columns of text in Parquet files: each row is a document. The only file here that imports pyarrow, an extra.

    pages.parquet   url (string)   text (string)   date (timestamp)       field="text", or the only column of strings

A Parquet file consists of row groups, which can be read separately. A few megabytes of text are in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from minbpe_course.corpus.documents import Segment
from minbpe_course.corpus.opening import ByteFile, unchanged, unreadable
from minbpe_course.errors import InvalidSource, MinbpeCourseError, UnreadableInput
from minbpe_course.extras import needed

# Bytes of text read from a file at a time, about.
_BATCH = 1 << 22

PARQUET_SUFFIX = ".parquet"


def groups(path: Path, field: str | None, size: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of row groups with about ``size`` bytes each. Raises as ``rows`` does."""
    with _opened(path) as table:
        _column(path, table, field)
        start = gathered = 0
        for number in range(table.num_row_groups):
            gathered += _bytes(table, number)
            if gathered >= size:
                yield start, number + 1
                start, gathered = number + 1, 0
        # A file without rows is one empty part.
        if start < table.num_row_groups or start == 0:
            yield start, table.num_row_groups


def rows(path: Path, field: str | None, start: int, stop: int, errors: str, after: int = 0) -> Iterator[Segment]:
    """Yield the texts of a column in the row groups ``start`` to before ``stop``, from row ``after`` of the file on.

    The places of a segment are row numbers from 0. Raises InvalidSource when ``field`` is missing or wrong,
    UnreadableInput for a row without text and a damaged file, MissingPackage.
    """
    with _opened(path) as table:
        column = _column(path, table, field)
        row = sum(table.metadata.row_group(number).num_rows for number in range(start))
        for number in range(start, stop):
            held = table.metadata.row_group(number).num_rows
            if row + held <= after:
                row += held
                continue
            several = max(1, min(held, held * _BATCH // max(_bytes(table, number), 1)))
            for batch in table.iter_batches(several, row_groups=[number], columns=[column]):
                skipped = min(max(after - row, 0), batch.num_rows)
                row += skipped
                for text in _texts(batch.column(0).slice(skipped), path, column, row, errors):
                    yield Segment(text, True, row, row + 1)
                    row += 1


def texts(path: Path, field: str | None, errors: str = "strict") -> Iterator[str]:
    """Yield the texts of a column of a whole file. Raises UnusablePath, and as ``rows`` does."""
    with ByteFile(path) as file, unchanged(path, file):
        for start, stop in groups(path, field, 1 << 62):
            for segment in rows(path, field, start, stop, errors):
                yield segment.text


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    with needed(f"reading {path}, a Parquet file,", "pyarrow", extra="parquet"):
        parquet = import_module("pyarrow.parquet")
    try:
        with parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20) as table:
            yield table
    except MinbpeCourseError:
        raise
    except Exception as problem:
        # pyarrow raises many kinds of errors for a damaged file, not only its own.
        if isinstance(problem, (FileNotFoundError, PermissionError, IsADirectoryError)):
            raise unreadable(path, problem) from problem
        why = (str(problem).splitlines() or [type(problem).__name__])[0]
        raise UnreadableInput(
            f"{path} is not a complete Parquet file: {why}\n"
            "Get the file again: writing, copying or downloading it was probably cut short."
        ) from problem


def _column(path: Path, table: Any, field: str | None) -> str:
    """Return the name of the column with the text."""
    kinds = {column.name: column.type for column in table.schema_arrow}
    strings = [name for name, kind in kinds.items() if _is_string(kind)]
    there = ", ".join(f"{name} ({kind})" for name, kind in list(kinds.items())[:20]) or "none"
    if field is None:
        if len(strings) == 1:
            return strings[0]
        number = "no column" if not strings else f"{len(strings)} columns"
        raise InvalidSource(
            f"{path} has {number} of strings: choose one with field= (--field). Its columns are: {there}."
        )
    if field not in kinds:
        raise InvalidSource(f"{path} has no column {field!r}. Its columns are: {there}.")
    if field not in strings:
        raise InvalidSource(f"the column {field!r} of {path} holds {kinds[field]}, not text. Its columns are: {there}.")
    return field


def _is_string(kind: Any) -> bool:
    inside = getattr(kind, "value_type", None)
    if str(kind).startswith("dictionary") and inside is not None:
        return _is_string(inside)
    return str(kind) in ("string", "large_string", "string_view")


def _bytes(table: Any, number: int) -> int:
    """Return the uncompressed bytes of a row group, all columns together.

    pyarrow can tell the bytes of each column, too, but ends the process if a damaged file contradicts itself there.
    """
    return int(table.metadata.row_group(number).total_byte_size)


def _texts(column: Any, path: Path, name: str, row: int, errors: str) -> list[str]:
    """Return the values of a column as text."""
    if column.null_count:
        first = column.is_null().to_pylist().index(True)
        raise UnreadableInput(
            f"{path}, row {row + first:,} (from 0), has no {name!r}: it is null.\n"
            "Leave such rows out when writing the file, or use an empty string."
        )
    if str(column.type).startswith("dictionary"):
        column = column.dictionary_decode()
    try:
        values: list[str] = column.to_pylist()
        return values
    except UnicodeDecodeError:
        pass
    texts = []
    kind = import_module("pyarrow").large_binary()
    for at, value in enumerate(column.cast(kind).to_pylist()):
        try:
            texts.append(value.decode("utf-8", errors))
        except UnicodeDecodeError as problem:
            raise UnreadableInput(
                f"{path}, row {row + at:,} (from 0), is not UTF-8 in {name!r}: byte {problem.start:,} is "
                f"{value[problem.start]:#04x}.\nTo read U+FFFD instead: errors='replace' (--errors replace)."
            ) from None
    return texts
