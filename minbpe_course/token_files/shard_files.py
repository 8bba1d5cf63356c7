"""The files that hold the ids of a part of a corpus, in two formats: NumPy's, for memory maps, and Parquet.

    npy       ids, and after them the ends of documents: see ``id_arrays``
    parquet   a row for each document: ids, and whether the document ends with the row; a long one has several rows

A document may continue in the next file: then the last document of a file does not end there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minbpe_course.errors import InvalidOption, UnreadableModel
from minbpe_course.extras import needed
from minbpe_course.files import atomic_file, open_to_read
from minbpe_course.formats.id_arrays import ArrayWriter, check_ends, read_arrays

FORMATS = ("npy", "parquet")

# The most ids of a row, and of the rows that are written together.
ROW = 1 << 20


class ParquetFile:
    """Writes ids as rows of a table, which depend only on the ids and the ends of documents."""

    def __init__(self, file: BinaryIO, dtype: str) -> None:
        arrow, parquet = _pyarrow()
        self._arrow = arrow
        self._type = arrow.from_numpy_dtype(np.dtype(dtype))
        self._dtype = dtype
        fields = [("ids", arrow.list_(self._type)), ("ends_document", arrow.bool_())]
        self._schema = arrow.schema([arrow.field(name, kind, nullable=False) for name, kind in fields])
        self._file = parquet.ParquetWriter(file, self._schema)
        self._ids: list[np.ndarray] = []
        self._ends: list[np.ndarray] = []
        self._size = 0

    def add(self, ids: np.ndarray, ends: np.ndarray) -> None:
        """Write ids; ``ends`` : one past the last of each document that ends among them."""
        self._ids.append(ids)
        self._ends.append(ends + self._size)
        self._size += ids.size
        while self._size >= ROW:
            self._write(ROW)

    def finish(self) -> None:
        """Write the remaining rows."""
        self._write(self._size)
        self._file.close()

    def _write(self, size: int) -> None:
        """Write rows for the first ``size`` ids; a document that continues is cut there."""
        ids = np.concatenate(self._ids) if self._ids else np.empty(0, dtype=self._dtype)
        ends = np.concatenate(self._ends) if self._ends else np.empty(0, dtype=np.int64)
        # An empty document at the cut belongs to the rows before it.
        here = int(np.searchsorted(ends, size, side="right"))
        stops = ends[:here]
        whole = np.ones(here, dtype=bool)
        if size and (not here or stops[-1] < size):
            stops, whole = np.append(stops, size), np.append(whole, False)
        self._ids, self._ends, self._size = [ids[size:]], [ends[here:] - size], ids.size - size
        if not stops.size:
            return
        starts = self._arrow.array(np.concatenate([[0], stops]), type=self._arrow.int32())
        values = self._arrow.array(ids[:size].astype(self._dtype), type=self._type)
        rows = self._arrow.ListArray.from_arrays(starts, values)
        self._file.write_table(
            self._arrow.Table.from_arrays([rows, self._arrow.array(whole)], schema=self._schema),
            row_group_size=max(stops.size, 1),
        )


@contextlib.contextmanager
def written(path: Path, form: str, dtype: str) -> Iterator[ArrayWriter | ParquetFile]:
    """Yield an object to add ids to; the file appears at the end of the block, but not after an exception."""
    with atomic_file(path) as file:
        made = ArrayWriter(file, dtype, in_place=True) if form == "npy" else ParquetFile(file, dtype)
        yield made
        made.finish()


def read(path: Path, form: str, dtype: str, *, unfinished: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return the ids of a file and the ends of documents; for ``npy`` as memory maps.

    dtype : of the ids · unfinished : whether the last document may continue in another file. Raises UnusablePath,
    UnreadableModel, MissingPackage.
    """
    if form != "parquet":
        return read_arrays(path, dtype, unfinished=unfinished)
    arrow, parquet = _pyarrow()
    # pyarrow reads all files of a folder, and waits for a pipe.
    open_to_read(path).close()
    try:
        return _rows_of(arrow, parquet.read_table(path), dtype, unfinished)
    except Exception as problem:
        # pyarrow raises many kinds of errors for a damaged file, not only its own.
        why = (str(problem).splitlines() or [type(problem).__name__])[0]
        raise UnreadableModel(f"{path} is not the file that was written: {why[:300]}.") from problem


def _rows_of(arrow: Any, table: Any, dtype: str, unfinished: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the ids of a table and the ends of documents. Raises ValueError, and what pyarrow raises."""
    kinds = {field.name: field.type for field in table.schema}
    wanted = {"ids": arrow.list_(arrow.from_numpy_dtype(np.dtype(dtype))), "ends_document": arrow.bool_()}
    if len(kinds) != len(table.schema) or kinds != wanted:
        raise ValueError(f"its columns are {kinds}, and have to be {wanted}")
    table.validate(full=True)
    for name in wanted:
        if table.column(name).null_count:
            row = table.column(name).is_null().to_pylist().index(True)
            raise ValueError(f"row {row:,} (from 0) has no {name!r}: it is null")
    chunks = [chunk for chunk in table.column("ids").chunks if len(chunk)]
    values = [chunk.flatten() for chunk in chunks]
    if any(each.null_count for each in values):
        raise ValueError("one of its ids is null")
    ids = np.concatenate([np.empty(0, dtype=dtype), *(each.to_numpy() for each in values)])
    lengths = [np.diff(chunk.offsets.to_numpy()) for chunk in chunks]
    stops = np.cumsum(np.concatenate([np.empty(0, dtype=np.int64), *lengths]), dtype=np.int64)
    ends = stops[table.column("ends_document").to_numpy()]
    check_ends(ends, ids.size, unfinished=unfinished)
    return ids, ends


def check_format(form: str) -> None:
    """Raise InvalidOption for an unknown format, MissingPackage if its library is missing."""
    if form not in FORMATS:
        raise InvalidOption(f"format={form!r} is not known: say 'npy' or 'parquet'.")
    if form == "parquet":
        _pyarrow()


def _pyarrow() -> tuple[Any, Any]:
    without = "Without it: format='npy' (--shard-format npy)"
    with needed("Parquet", "pyarrow", extra="parquet", otherwise=without):
        import pyarrow
        import pyarrow.parquet
    return pyarrow, pyarrow.parquet
