r"""Ids of documents, written as they come: as text, as JSON, or as an array for memory maps.

    text    1 2 3\n4\n              ids separated by blanks, a document on each line
    jsonl   [1, 2, 3]\n[4]\n        a list on each line
    json    [[1, 2, 3],\n[4]]\n     one list of lists
    npy     1 2 3 4 and 3 4         two arrays, one behind the other: all ids, and where each document's end

An ``.npy`` file says how long it is in its first bytes, which are written last. ``numpy.load`` finds the ids in it, as
a memory map too; the second array is what the same open file gives when it is asked again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minbpe_course.engines.decoding import Decoder
from minbpe_course.kernels.common.memory import TOKEN_SLACK
from minbpe_course.token_files.id_arrays import ArrayWriter, Documents, dtype_for

__all__ = ["ArrayWriter", "Documents", "NumberWriter", "dtype_for", "format_of_name"]

ENDINGS = {".txt": "text", ".ids": "text", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".npy": "npy"}


def format_of_name(name: str | None) -> str | None:
    """Return the format that the ending of a name stands for, if it stands for one.

    >>> format_of_name("corpus.npy"), format_of_name("corpus.bin"), format_of_name("-")
    ('npy', None, None)
    """
    return ENDINGS.get("." + (name or "").lower().rpartition(".")[2])


class _Shape(NamedTuple):
    """What is written around ids: before the first document, before a document, between ids, behind a document, between
    documents, behind the last."""

    first: str
    begin: str
    comma: str
    end: str
    between: str
    last: str


_SHAPES = {
    "text": _Shape("", "", " ", "\n", "", ""),
    "jsonl": _Shape("", "[", ", ", "]\n", "", ""),
    "json": _Shape("[", "[", ", ", "]", ",\n", "]\n"),
}


class NumberWriter:
    """Writes ids as numbers. ``prepared`` may be called from any thread, ``write`` in the order of the documents.

    How each id looks is laid down once, as the bytes of a token would be: writing is decoding.

    >>> import io
    >>> file = io.BytesIO()
    >>> writer = NumberWriter(file, "json", np.array([5, 17]))
    >>> writer.write(writer.prepared(Documents(np.array([17, 5, 5]), np.array([2, 2]), False, False)))
    >>> writer.write(writer.prepared(Documents(np.array([17]), np.array([1]), True, True)))
    >>> writer.finish()
    >>> file.getvalue()
    b'[[17, 5],\\n[],\\n[5, 17]]\\n'
    """

    def __init__(self, file: Any, form: str, known: np.ndarray) -> None:
        self._file = file
        self._shape = shape = _SHAPES[form]
        self._known = known
        # Three cards: for an id in the middle of a document 2k, for one at its beginning 2k + 1, and one for a border.
        numbers = [str(number) for number in known.tolist()]
        border = (shape.end + shape.between + shape.begin).encode()
        comma = shape.comma
        text = "".join([f"{comma}{number}{number}" for number in numbers]).encode() + border
        lengths = np.empty(2 * len(numbers) + 1, dtype=np.int64)
        lengths[1::2] = [len(number) for number in numbers]
        lengths[0:-1:2] = lengths[1::2] + len(comma)
        lengths[-1] = len(border)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
        tokens = np.frombuffer(text + bytes(TOKEN_SLACK), dtype=np.uint8)
        self._decoder = Decoder(tokens, starts, np.arange(lengths.size), {})
        self._border = 2 * len(numbers)
        self._dense = bool(known.size) and int(known[-1]) == known.size - 1
        self._any = self._open = self._has_ids = False

    def prepared(self, documents: Documents) -> tuple[Documents, bytes]:
        """Return the documents with what is written for them, but for what stands around it."""
        ids, ends, _, finished = documents
        cards = ids.astype(np.int64) if self._dense else np.searchsorted(self._known, ids)
        cards *= 2
        firsts = np.concatenate([np.zeros(1, dtype=np.int64), ends])
        cards[firsts[firsts < cards.size]] += 1
        borders = ends[:-1] if finished else ends
        if borders.size:
            cards = np.insert(cards, borders, self._border)
        return documents, self._decoder.bytes_of(cards)

    def write(self, prepared: tuple[Documents, bytes]) -> None:
        """Write what was prepared."""
        (ids, ends, continues, finished), data = prepared
        shape = self._shape
        # How many ids the first of these documents has here, and the last.
        first = int(ends[0]) if ends.size else ids.size
        last = ids.size - (int(ends[-1]) if ends.size else 0)
        if not continues:
            self._file.write(((shape.between if self._any else shape.first) + shape.begin).encode())
            self._has_ids = False
        elif self._has_ids and first:
            self._file.write(shape.comma.encode())
        self._file.write(data)
        if finished:
            self._file.write(shape.end.encode())
        self._any = True
        self._has_ids = last > 0 or (self._has_ids and not ends.size)

    def finish(self) -> None:
        """Write what stands behind the last document."""
        shape = self._shape
        self._file.write((("" if self._any else shape.first) + shape.last).encode())
