"""Files of a corpus: compressed in every way, read in tiny blocks, and split by the reference implementation."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

import pytest
import regex

from minbpe_course.corpus import documents, opening
from minbpe_course.corpus import parts as borders
from minbpe_course.corpus.reading import Corpus, Cutter, Part, Piece, read_part
from minbpe_course.reference.split import split_text
from minbpe_course.splitting import long_texts
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text.patterns import PATTERNS, engine_of, named_pattern, scanner_for
from minbpe_course.text.unicode_tables import character_classes


def zst(data: bytes) -> bytes:
    """Compress a text as Zstandard, with the library that will decompress it."""
    if sys.version_info >= (3, 14):
        return bytes(import_module("compression.zstd").compress(data))
    return bytes(import_module("zstandard").ZstdCompressor().compress(data))


PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zst}


def read_tiny(monkeypatch: pytest.MonkeyPatch, block: int, window: int, gather: int) -> None:
    """Set the sizes of blocks and search windows in bytes, and of pieces in characters."""
    monkeypatch.setattr(opening, "BLOCK", block)
    monkeypatch.setattr(documents, "BLOCK", block)
    monkeypatch.setattr(borders, "_WINDOW", window)
    monkeypatch.setattr(borders, "_LARGEST_WINDOW", 2 * window)
    monkeypatch.setattr(long_texts, "GATHER", gather)


def stretches(text: str, special_tokens: Iterable[str]) -> list[str]:
    """Return the text between special tokens, of which the leftmost and longest wins."""
    names = sorted(special_tokens, key=len, reverse=True)
    found, begun, at = [], 0, 0
    while at < len(text):
        name = next((name for name in names if text.startswith(name, at)), "")
        if name:
            found.append(text[begun:at])
            begun = at + len(name)
        at += len(name) or 1
    return [*found, text[begun:]]


def words_of(text: str, pattern: str | None, special_tokens: Iterable[str]) -> list[str]:
    """Return the words of a document, by the reference implementation or by ``regex``."""
    parts = stretches(text, special_tokens)
    if pattern is None:
        return [part for part in parts if part]
    full = named_pattern(pattern)
    if scanner_for(full) is None:
        return [word for part in parts for word in regex.findall(full, part)]
    classes = character_classes(engine_of(full))
    return [word for part in parts for word in split_text(part, full, classes)]


def words_in(pieces: Iterable[Piece], cutter: Cutter, splitter: Splitter) -> list[list[str]]:
    """Return the words of each document, splitting each piece separately."""
    documents: list[list[str]] = []
    words: list[str] = []
    for piece in pieces:
        for part in stretches(piece.text, cutter.special_tokens):
            words += [word.decode("utf-8") for word in splitter.words(part)]
        if piece.ends_document:
            documents.append(words)
            words = []
    assert not words, "a document without an end"
    return documents


def documents_in(pieces: Iterable[Piece]) -> list[str]:
    """Return the documents that the pieces make up."""
    found, held = [], ""
    for piece in pieces:
        held += piece.text
        if piece.ends_document:
            found.append(held)
            held = ""
    assert not held, "a document without an end"
    return found


def all_pieces(corpus: Corpus, cutter: Cutter, size: int) -> list[Piece]:
    """Return the pieces of all parts."""
    return [piece for part in corpus.parts(cutter, size) for piece in read_part(part, cutter)]


def assert_resumes(part: Part, cutter: Cutter, every: int = 1) -> None:
    """Check that reading can continue exactly after each piece."""
    pieces = list(read_part(part, cutter))
    positions = [piece.position for piece in pieces]
    assert positions == sorted(set(positions)), "each piece has a position of its own, and they grow"
    for number in range(0, len(pieces), every):
        rest, wanted = list(read_part(part, cutter, after=positions[number])), pieces[number + 1 :]
        assert "".join(piece.text for piece in rest) == "".join(piece.text for piece in wanted)
        assert sum(piece.ends_document for piece in rest) == sum(piece.ends_document for piece in wanted)
        if rest:
            again = list(read_part(part, cutter, after=rest[0].position))
            assert "".join(piece.text for piece in again) == "".join(piece.text for piece in rest[1:])


def written(path: Path, data: bytes | str) -> Path:
    """Write a file, and return its path."""
    path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
    return path


KNOWN = [name for name in PATTERNS if name not in ("p50k_base", "p50k_edit", "r50k_base", "o200k_harmony")]
