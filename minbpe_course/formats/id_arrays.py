"""Ids of documents as arrays in a file, for memory maps: all ids, and after them the end of each document.

128 bytes   header of an .npy file        numpy.load finds this one, also as a memory map
ids         uint16 or uint32
128 bytes   header of an .npy file        a second numpy.load on the same open file finds it
ends        int64, one past the last id of each document
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from minbpe_course.errors import InvalidOption, UnreadableModel
from minbpe_course.files import open_to_read

# Versions of the header of an ``.npy`` file.
_VERSIONS = ((1, 0), (2, 0), (3, 0))
# Ends of documents that are checked at a time.
_CHECKED = 1 << 16


class Documents(NamedTuple):
    """A batch of documents.

    ids · ends : int64, one past the last id of each document · continues : whether the first document continues that of
    the batch before · finished : whether the last document ends here.
    """

    ids: np.ndarray
    ends: np.ndarray
    continues: bool
    finished: bool


class ArrayWriter:
    """Writes two ``.npy`` arrays, one after the other: ids, and the ends of documents, int64.

    file : the output · in_place : whether ``file`` can seek; otherwise a temporary file is used first · dtype : of the
    ids.
    """

    def __init__(self, file: Any, dtype: str, *, in_place: bool) -> None:
        self._target = file
        self._dtype = np.dtype(dtype).newbyteorder("<")
        self._file = file if in_place else tempfile.TemporaryFile()  # noqa: SIM115 (``finish`` closes it)
        # A million documents have eight megabytes of ends, so these go to disk too.
        self._ends = tempfile.SpooledTemporaryFile(1 << 20)  # noqa: SIM115
        self._number = self._documents = 0
        self._file.write(_header(self._dtype, 0))

    def prepared(self, documents: Documents) -> tuple[Documents, memoryview]:
        """Return the documents with the bytes of their ids."""
        return documents, np.ascontiguousarray(documents.ids, self._dtype).view(np.uint8).data

    def write(self, prepared: tuple[Documents, bytes | memoryview]) -> None:
        """Write a result of ``prepared``."""
        documents, data = prepared
        self._file.write(data)
        self._ends.write((documents.ends + self._number).astype("<i8").tobytes())
        self._number += documents.ids.size
        self._documents += documents.ends.size

    def add(self, ids: np.ndarray, ends: np.ndarray) -> None:
        """Write ids; ``ends`` : one past the last of each document that ends among them."""
        self.write(self.prepared(Documents(ids, ends, False, False)))

    def finish(self) -> None:
        """Write the ends, and the number of ids into the first header."""
        self._file.write(_header(np.dtype("<i8"), self._documents))
        self._ends.seek(0)
        shutil.copyfileobj(self._ends, self._file, 1 << 20)
        self._ends.close()
        end = self._file.tell()
        self._file.seek(0)
        self._file.write(_header(self._dtype, self._number))
        if self._file is self._target:
            self._file.seek(end)
        else:
            self._file.seek(0)
            shutil.copyfileobj(self._file, self._target, 1 << 20)
            self._file.close()


class ArrayHeader(NamedTuple):
    """The header of a one-dimensional array of integers in an ``.npy`` file.

    dtype : of its numbers · number : how many there are · begin, end : the bytes of the file that hold them.
    """

    dtype: np.dtype
    number: int
    begin: int
    end: int


def read_header(file: BinaryIO) -> ArrayHeader:
    """Read the header of an ``.npy`` file that begins here. Raises ValueError, which says what is wrong.

    The file may come from anyone, so its header is only believed if it describes one row of integers.
    """
    try:
        version = np.lib.format.read_magic(file)
        if version not in _VERSIONS:
            raise ValueError(f"of version {version}")
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(file)
    except Exception as problem:
        # NumPy evaluates the header as a Python literal, which may fail in a dozen ways.
        why = (str(problem).splitlines() or [type(problem).__name__])[0]
        raise ValueError(f"it is not a NumPy array ({why[:200]})") from None
    plain = len(shape) == 1 and type(shape[0]) is int and shape[0] >= 0 and not fortran
    if not plain or dtype.kind not in "iu":
        order = ", in Fortran's order" if fortran else ""
        raise ValueError(
            f"it contains {dtype!s:.60} of the shape {shape!s:.60}{order}; ids are integers in one dimension"
        )
    begin = file.tell()
    return ArrayHeader(dtype, shape[0], begin, begin + shape[0] * dtype.itemsize)


def read_arrays(path: Path, dtype: str | None = None, *, unfinished: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return the ids of a file and the ends of documents as memory maps. Raises UnusablePath, UnreadableModel.

    dtype : of the ids, if it is known · unfinished : whether the last document may continue in another file.
    """
    try:
        with open_to_read(path) as file:
            size = os.fstat(file.fileno()).st_size
            ids = _mapped(path, file, size, ("uint16", "uint32") if dtype is None else (dtype,))
            ends = _mapped(path, file, size, ("int64",))
            if file.tell() != size:
                raise ValueError("something follows its arrays")
            check_ends(ends, ids.size, unfinished=unfinished)
            return ids, ends
    except ValueError as problem:
        raise UnreadableModel(f"{path} is not the file that was written: {problem}.") from problem


def _mapped(path: Path, file: BinaryIO, size: int, dtypes: Sequence[str]) -> np.ndarray:
    """Return the array that begins here, as a memory map, and move past it in the file."""
    header = read_header(file)
    allowed = [np.dtype(each).newbyteorder("<") for each in dtypes]
    if header.dtype not in allowed:
        named = " or ".join(each.str for each in allowed)
        raise ValueError(f"it contains numbers of the type {header.dtype.str}, and here they have to be {named}")
    if header.end > size:
        raise ValueError("its end is missing")
    file.seek(header.end)
    # An empty array cannot be mapped.
    if not header.number:
        return np.empty(0, header.dtype)
    return np.memmap(path, header.dtype, "r", header.begin, (header.number,))


def check_ends(ends: np.ndarray, number: int, *, unfinished: bool = False) -> None:
    """Raise ValueError unless ``ends`` cut ``number`` ids into documents.

    unfinished : whether ids of a document that ends elsewhere may follow the last one.

    >>> check_ends(np.array([3, 3, 5]), 5)
    >>> check_ends(np.array([3, 1, 5]), 5)
    Traceback (most recent call last):
    ValueError: document 1 ends at id 1, but begins at id 3
    """
    last = 0
    for start in range(0, ends.size, _CHECKED):
        part = ends[start : start + _CHECKED]
        begins = np.concatenate([[last], part[:-1]])
        if (wrong := np.flatnonzero((part < begins) | (part > number))).size:
            at = int(wrong[0])
            there = f"begins at id {begins[at]:,}" if part[at] < begins[at] else f"there are {number:,} ids"
            raise ValueError(f"document {start + at:,} ends at id {part[at]:,}, but {there}")
        last = int(part[-1])
    if last != number and not unfinished:
        raise ValueError(f"its last document ends at id {last:,}, but there are {number:,} ids")


def dtype_for(largest: int, wanted: Any) -> str:
    """Return the dtype for ids up to ``largest``: as wanted, or the smaller one that holds them. Raises InvalidOption.

    wanted : "uint16", "uint32", the same as a NumPy dtype, or None.

    >>> dtype_for(50256, None), dtype_for(100276, None), dtype_for(50256, np.uint32)
    ('uint16', 'uint32', 'uint32')
    """
    fits = "uint16" if largest < 1 << 16 else "uint32"
    if wanted is None:
        return fits
    try:
        name = np.dtype(wanted).name
    except TypeError:
        name = ""
    if name not in ("uint16", "uint32"):
        raise InvalidOption(f"ids are uint16 or uint32, not {wanted!r}: say dtype='uint16' or dtype='uint32'.")
    if name == "uint16" != fits:
        raise InvalidOption(f"uint16 holds ids up to 65,535, and this vocabulary has ids up to {largest:,}.")
    return name


def _header(dtype: np.dtype, number: int) -> bytes:
    """Return the header of an ``.npy`` file, version 1.0, in 128 bytes for any number."""
    said = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': ({number},), }}"
    return b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + said.ljust(117).encode() + b"\n"
