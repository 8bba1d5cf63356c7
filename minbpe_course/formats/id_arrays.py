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
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from minbpe_course.errors import InvalidOption, UnreadableModel
from minbpe_course.files import read_whole


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


def read_arrays(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the ids of a file and the ends of documents as memory maps. Raises UnusablePath, UnreadableModel."""
    try:
        with path.open("rb") as file:
            ids = _mapped(path, file)
            return ids, _mapped(path, file)
    except FileNotFoundError:
        read_whole(path)
        raise
    except ValueError as problem:
        raise UnreadableModel(f"{path} is not the file that was written: {problem}.") from problem


def _mapped(path: Path, file: BinaryIO) -> np.ndarray:
    """Return the array that begins here, as a memory map, and move past it in the file."""
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("it is no .npy file of version 1.0")
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    offset = file.tell()
    file.seek(offset + dtype.itemsize * shape[0])
    if file.tell() > os.fstat(file.fileno()).st_size:
        raise ValueError("its end is missing")
    # An empty array cannot be mapped.
    return np.memmap(path, dtype, "r", offset, shape) if shape[0] else np.empty(0, dtype)


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
