r"""Write the ids of documents as text, as JSON, or as an array for memory maps.

    text    1 2 3\n4\n              ids separated by spaces, a document on each line
    jsonl   [1, 2, 3]\n[4]\n        a list on each line
    json    [[1, 2, 3],\n[4]]\n     one list of lists
    npy     1 2 3 4 and 3 4         two arrays, one after the other: all ids, and where each document ends

The first bytes of an ``.npy`` file hold its length, so they are written last. ``numpy.load`` reads the ids, also as a
memory map; a second ``numpy.load`` of the same open file reads the ends.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minbpe_course.engines.decoding import Decoder
from minbpe_course.formats.id_arrays import Documents
from minbpe_course.kernels.common.memory import TOKEN_SLACK
from minbpe_course.tokenizers.adapters import AnyTokenizer
from minbpe_course.tokenizers.file_encoding import DocumentEncoder

FORMAT_OF_SUFFIX = {
    ".txt": "text", ".ids": "text", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".npy": "npy",
}  # fmt: skip


def format_of_name(name: str | None) -> str | None:
    """Return the format that the suffix of a name means, or None.

    >>> format_of_name("corpus.npy"), format_of_name("corpus.bin"), format_of_name("-")
    ('npy', None, None)
    """
    return FORMAT_OF_SUFFIX.get("." + (name or "").lower().rpartition(".")[2])


def encoder_of(
    tokenizer: AnyTokenizer, begin_with: str | None = None, end_with: str | None = None, *, frame: bool = False
) -> DocumentEncoder:
    """Return the encoder that puts special tokens before and after each document.

    begin_with, end_with : a special token or an id · frame : also the tokens that the tokenizer's own file names.
    """
    before, after = tokenizer.frame if frame else ((), ())
    if begin_with is not None:
        before = (tokenizer.id_of(begin_with), *before)
    if end_with is not None:
        after = (*after, tokenizer.id_of(end_with))
    return DocumentEncoder(tokenizer, before, after)


class _Layout(NamedTuple):
    """The text around ids: before each document, after it, and what else a file of JSON needs.

    comma : between two ids · first, between, last : at the start, between two documents, and at the end.
    """

    begin: str
    comma: str
    end: str
    first: str = ""
    between: str = ""
    last: str = ""


_LAYOUTS = {
    "text": _Layout("", " ", "\n"),
    "jsonl": _Layout("[", ", ", "]\n"),
    "json": _Layout("[", ", ", "]", first="[", between=",\n", last="]\n"),
}


class NumberWriter:
    """Write ids as numbers. ``prepared`` may run in any thread, ``write`` in the order of the documents.

    The digits of every id are stored as the bytes of a token, so writing is decoding.
    """

    def __init__(self, file: Any, form: str, known: np.ndarray) -> None:
        self._file = file
        self._layout = layout = _LAYOUTS[form]
        self._known = known
        # Three kinds of table entries: 2k for the k-th id inside a document, 2k + 1 at its beginning, and one for the
        # border between two documents.
        numbers = [str(number) for number in known.tolist()]
        border = (layout.end + layout.between + layout.begin).encode()
        comma = layout.comma
        text = "".join([f"{comma}{number}{number}" for number in numbers]).encode() + border
        lengths = np.empty(2 * len(numbers) + 1, dtype=np.int64)
        lengths[1::2] = [len(number) for number in numbers]
        lengths[0:-1:2] = lengths[1::2] + len(comma)
        lengths[-1] = len(border)
        starts = np.insert(np.cumsum(lengths), 0, 0)
        tokens = np.frombuffer(text + bytes(TOKEN_SLACK), dtype=np.uint8)
        self._decoder = Decoder(tokens, starts, np.arange(lengths.size), {})
        self._border = 2 * len(numbers)
        self._dense = bool(known.size) and int(known[-1]) == known.size - 1
        self._any = self._has_ids = False

    def prepared(self, documents: Documents) -> tuple[Documents, bytes]:
        """Return the documents with the bytes to write for them, without the text around the batch."""
        ids, ends, _, finished = documents
        entries = ids.astype(np.int64) if self._dense else np.searchsorted(self._known, ids)
        entries *= 2
        firsts = np.insert(ends, 0, 0)
        entries[firsts[firsts < entries.size]] += 1
        borders = ends[:-1] if finished else ends
        if borders.size:
            entries = np.insert(entries, borders, self._border)
        return documents, self._decoder.bytes_of(entries)

    def write(self, prepared: tuple[Documents, bytes | memoryview]) -> None:
        """Write what ``prepared`` returned."""
        (ids, ends, continues, finished), data = prepared
        layout = self._layout
        # Number of ids of the first document of this batch, and of the last.
        first, last = (int(ends[0]), ids.size - int(ends[-1])) if ends.size else (ids.size, ids.size)
        if not continues:
            self._file.write(((layout.between if self._any else layout.first) + layout.begin).encode())
            self._has_ids = False
        elif self._has_ids and first:
            self._file.write(layout.comma.encode())
        self._file.write(data)
        if finished:
            self._file.write(layout.end.encode())
        self._any = True
        self._has_ids = last > 0 or (self._has_ids and not ends.size)

    def finish(self) -> None:
        """Write the text after the last document."""
        self._file.write((("" if self._any else self._layout.first) + self._layout.last).encode())
