"""Ids of documents as arrays in a file, for memory maps: all ids, and after them the end of each document.

128 bytes   header of an .npy file        numpy.load finds this one, also as a memory map
ids         uint16 or uint32
128 bytes   header of an .npy file        a second numpy.load on the same open file finds it
ends        int64, one past the last id of each document
"""

from __future__ import annotations

import shutil
import tempfile
from typing import Any, NamedTuple

import numpy as np

from minbpe_course.errors import InvalidOption


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
        self._ends = tempfile.TemporaryFile()  # noqa: SIM115
        self._number = self._documents = 0
        self._file.write(_header(self._dtype, 0))

    def prepared(self, documents: Documents) -> tuple[Documents, bytes]:
        """Return the documents with the bytes of their ids."""
        return documents, documents.ids.astype(self._dtype).tobytes()

    def write(self, prepared: tuple[Documents, bytes]) -> None:
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


def dtype_for(largest: int, wanted: str | None) -> str:
    """Return the dtype for ids up to ``largest``: as wanted, or the smaller one that holds them. Raises InvalidOption.

    >>> dtype_for(50256, None), dtype_for(100276, None)
    ('uint16', 'uint32')
    """
    fits = "uint16" if largest < 1 << 16 else "uint32"
    if wanted == "uint16" != fits:
        raise InvalidOption(f"--dtype uint16 holds ids up to 65,535, and this vocabulary has ids up to {largest:,}.")
    return wanted or fits


def _header(dtype: np.dtype, number: int) -> bytes:
    """Return the header of an ``.npy`` file, version 1.0, in 128 bytes for any number."""
    said = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': ({number},), }}"
    return b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + said.ljust(117).encode() + b"\n"
