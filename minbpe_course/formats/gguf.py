"""GGUF, the files of llama.cpp: the header, of which the vocabulary is read. The tensors are never touched.

    bytes 0-3 GGUF     4-7 version     8-15 how many tensors     16-23 how many keys     then, for each key:
    length and text of the key    type    value           all little endian

The file is mapped, not read: it may have 40 GB. A file that is cut off or lies about a length is refused with the key
and the byte. No count in it is trusted: the limits below bound memory and time.

``gguf_records`` makes a record of what is read here.
"""

from __future__ import annotations

import mmap
import os
import struct
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from minbpe_course.errors import UnreadableModel, UnsupportedModel
from minbpe_course.files import open_to_read
from minbpe_course.formats.gguf_records import record_of
from minbpe_course.formats.json_text import Value
from minbpe_course.model import BytePairModel, PieceModel, VocabularyModel

MAGIC = b"GGUF"
MOST_KEYS, LONGEST_KEY = 100_000, 65_535
MOST_ENTRIES, MOST_TEXT, LONGEST_TEXT = 1 << 23, 1 << 28, 1 << 20
"""How many strings a header may have, or numbers an array that is read; how many bytes all strings that are read, and
one of them."""

_STRING, _ARRAY = 8, 9
_NUMBERS = {0: "u1", 1: "i1", 2: "u2", 3: "i2", 4: "u4", 5: "i4", 6: "f4", 7: "?", 10: "u8", 11: "i8", 12: "f8"}
_WANTED = ("tokenizer.ggml.", "general.name", "general.architecture")


def read(path: str | os.PathLike[str], *, pattern: str | None = "") -> BytePairModel | VocabularyModel | PieceModel:
    """Return the vocabulary of a GGUF file as a record.

    pattern : how text is split, for a file of the kind "gpt2"; "" for the name that the file has.

    With the ``frame``, the ids are those of ``llama_tokenize`` with ``add_special``. Special tokens in a text are found
    (``parse_special``) by ``SentencePieceTokenizer.encode`` and ``Encoding.encode(text, allowed_special="all")``, and
    are ordinary text for ``encode_ordinary``.

    Raises UnusablePath; UnreadableModel, with the key, if the file is damaged; UnsupportedModel for another version,
    kind or pattern.
    """
    return record_of(read_header(path), pattern)


def write(model: Any, path: str | os.PathLike[str]) -> NoReturn:
    """Raise UnsupportedModel."""
    raise UnsupportedModel(why_not(model))


def why_not(model: Any) -> str:
    """Return why no GGUF file is written."""
    return "GGUF is only read here. Write a tokenizer.json, and let llama.cpp's convert_hf_to_gguf.py make the GGUF."


def read_header(path: str | os.PathLike[str]) -> Value:
    """Return what the header says about the vocabulary: key -> str, bool, number, list of str, or array.

    Raises UnusablePath, UnreadableModel, UnsupportedModel.
    """
    with open_to_read(path) as file:
        size = os.fstat(file.fileno()).st_size
        if not size:
            raise UnreadableModel(f"{Path(path).name}: the file is empty.")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return Value(_Header(data, Path(path).name).values(), "$", Path(path).name)


class _Header:
    """Reads the values of a header in order. ``at`` is the next byte, ``key`` the one that is read."""

    def __init__(self, data: mmap.mmap, name: str) -> None:
        self._data, self._name, self._size = data, name, len(data)
        self._at, self._key = 0, ""
        self._strings = self._text = 0

    def values(self) -> dict[str, Any]:
        """Return the values of the wanted keys."""
        if self._bytes(4) != MAGIC:
            raise UnreadableModel(f"{self._name}: not a GGUF file; it does not begin with GGUF.")
        version = self._number("<I")
        if version & 0xFFFF == 0:
            raise UnsupportedModel(f"{self._name}: a big-endian GGUF file; only little-endian ones are read.")
        if version not in (2, 3):
            raise UnsupportedModel(f"{self._name}: GGUF version {version}; versions 2 and 3 are read.")
        self._number("<Q")
        count = self._number("<Q")
        if count > MOST_KEYS:
            self._broken(f"the header is said to have {count:,} keys; at most {MOST_KEYS:,} are read")
        found: dict[str, Any] = {}
        seen: set[str] = set()
        for place in range(count):
            self._key = f"key {place}"
            self._key = key = self._string(LONGEST_KEY)
            if key in seen:
                self._broken("the key is there twice")
            seen.add(key)
            wanted = key.startswith(_WANTED)
            value = self._value(self._number("<I"), wanted)
            if wanted:
                found[key] = value
        return found

    def _value(self, kind: int, wanted: bool) -> Any:
        if kind == _STRING:
            return self._string(LONGEST_TEXT) if wanted else self._bytes(self._number("<Q"), wanted)
        if kind in _NUMBERS:
            return self._array(kind, 1, True)[0].item()
        if kind != _ARRAY:
            self._broken(f"its value is of the type {kind}, which does not exist")
        kind, count = self._number("<I"), self._number("<Q")
        if kind == _STRING:
            return self._list(count, wanted)
        if kind not in _NUMBERS:
            self._broken(f"it is an array of the type {kind}; arrays are of strings or numbers")
        return self._array(kind, count, wanted)

    def _list(self, count: int, wanted: bool) -> list[str]:
        self._strings += count
        if self._strings > MOST_ENTRIES:
            self._broken(f"it is an array of {count:,} strings; a header has at most {MOST_ENTRIES:,}")
        if wanted:
            return [self._string(LONGEST_TEXT, place) for place in range(count)]
        for _ in range(count):
            self._bytes(self._number("<Q"), False)
        return []

    def _array(self, kind: int, count: int, wanted: bool) -> np.ndarray:
        dtype = np.dtype("<" + _NUMBERS[kind])
        if wanted and count > MOST_ENTRIES:
            self._broken(f"it is an array of {count:,} numbers; at most {MOST_ENTRIES:,} are read")
        return np.frombuffer(self._bytes(count * dtype.itemsize, wanted), dtype)

    def _string(self, longest: int, place: int | None = None) -> str:
        size = self._number("<Q")
        entry = "" if place is None else f"entry {place}, "
        self._text += size
        if size > longest or self._text > MOST_TEXT:
            self._broken(f"{entry}a string of {size:,} bytes is longer than any in a vocabulary")
        data = self._bytes(size)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            self._broken(f"{entry}{data!r:.60} is not UTF-8: {error.reason}")

    def _number(self, form: str) -> int:
        found: int = struct.unpack(form, self._bytes(struct.calcsize(form)))[0]
        return found

    def _bytes(self, size: int, wanted: bool = True) -> bytes:
        """Return the next bytes, or skip them."""
        begin, end = self._at, self._at + size
        if end > self._size:
            self._broken(f"the file ends at byte {self._size:,}, within a value that ends at byte {end:,}")
        self._at = end
        return self._data[begin:end] if wanted else b""

    def _broken(self, what: str) -> NoReturn:
        key = f"{self._key!r:.80}, " if self._key else ""
        raise UnreadableModel(f"{self._name}, {key}byte {self._at:,}: {what}.")
