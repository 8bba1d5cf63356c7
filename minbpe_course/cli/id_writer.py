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

from minbpe_course.formats.id_arrays import Documents

FORMAT_OF_SUFFIX = {
    ".txt": "text", ".ids": "text", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".npy": "npy",
}  # fmt: skip


def format_of_name(name: str | None) -> str | None:
    """Return the format that the suffix of a name means, or None.

    >>> format_of_name("corpus.npy"), format_of_name("corpus.bin"), format_of_name("-")
    ('npy', None, None)
    """
    return FORMAT_OF_SUFFIX.get("." + (name or "").lower().rpartition(".")[2])


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

    known : every id of the tokenizer, in ascending order.
    """

    def __init__(self, file: Any, form: str, known: np.ndarray) -> None:
        self._file = file
        self._layout = layout = _LAYOUTS[form]
        self._known = known
        # The text of each id after a comma, then of each without one, and what is between two documents.
        numbers = known.astype(bytes)
        border = layout.end + layout.between + layout.begin
        self._texts = np.concatenate([np.char.add(layout.comma.encode(), numbers), numbers, [border.encode()]])
        self._gaps = bool(known.size) and int(known[-1]) >= known.size
        self._any = self._has_ids = False

    def prepared(self, documents: Documents) -> tuple[Documents, bytes]:
        """Return the documents with the bytes to write for them, without the text around the batch."""
        ids, ends, _, finished = documents
        texts = np.searchsorted(self._known, ids) if self._gaps else ids.astype(np.int64)
        firsts = np.insert(ends, 0, 0)
        texts[firsts[firsts < texts.size]] += self._known.size
        texts = np.insert(texts, ends[:-1] if finished else ends, self._texts.size - 1)
        # NumPy fills short texts up with zeros.
        return documents, self._texts[texts].tobytes().translate(None, b"\0")

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
