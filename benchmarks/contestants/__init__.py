"""The contestants for each kind of work, by their names in the tables.

A maker takes a job and returns a contestant that is ready to run, or raises NotAvailable or ImportError. The other
libraries are imported inside the makers, so a missing library affects only its own rows.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from benchmarks.contestants import (
    decoding,
    encoding,
    loading,
    piece_training,
    pieces,
    text_files,
    training,
    word_pieces,
)
from benchmarks.contestants.job import Job
from benchmarks.speed import Contestant

Maker = Callable[[Job], Contestant]

WORKS: MappingProxyType[str, dict[str, Maker]] = MappingProxyType(
    {
        "encode": encoding.WHOLE,
        "encode documents": encoding.DOCUMENTS,
        "decode": decoding.MAKERS,
        "train": training.MAKERS,
        "text files": text_files.MAKERS,
        "load": loading.MAKERS,
        "pieces": pieces.DOCUMENTS,
        "pieces, whole": pieces.WHOLE,
        "pieces, train": piece_training.MAKERS,
        "word pieces": word_pieces.DOCUMENTS,
    }
)

__all__ = ["WORKS", "Job", "Maker"]
