"""The kernel modules, imported when they are first used: Numba takes half a second, and loading a tokenizer needs none.

    from minbpe_course.kernels.lazy import machine, merging         imports nothing
    machine.run(merging.merge_piece.address, block.address)         imports both, once

Packages that call kernels take them from here, so their functions need no import statements.
"""

from __future__ import annotations

import importlib
from functools import cached_property
from types import ModuleType
from typing import Any


class LazyModule:
    """A module of ``minbpe_course.kernels`` that is imported when one of its attributes is first read.

    >>> LazyModule("common.layout").SHORT_BYTES
    8192
    """

    def __init__(self, name: str) -> None:
        self._name = name

    @cached_property
    def _module(self) -> ModuleType:
        return importlib.import_module(f"minbpe_course.kernels.{self._name}")

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self._module, attribute)


compiled = LazyModule("common.compiled")
layout = LazyModule("common.layout")
lists = LazyModule("common.lists")
machine = LazyModule("common.machine")
utf8 = LazyModule("common.utf8")

sorting = LazyModule("counting.sorting")

decoding = LazyModule("decoding.decoding")
decoding_objects = LazyModule("decoding.decoding_objects")

backtracking = LazyModule("encoding.backtracking")
calls = LazyModule("encoding.calls")
cuts = LazyModule("encoding.cuts")
encoding = LazyModule("encoding.encoding")
merging = LazyModule("encoding.merging")
stretches = LazyModule("encoding.stretches")
tables = LazyModule("encoding.tables")
word_cache = LazyModule("encoding.word_cache")

documents = LazyModule("sentencepiece.documents")
lattice = LazyModule("sentencepiece.lattice")
normalize = LazyModule("sentencepiece.normalize")
piece_fields = LazyModule("sentencepiece.piece_fields")
piece_symbols = LazyModule("sentencepiece.piece_symbols")
pieces = LazyModule("sentencepiece.pieces")
segments = LazyModule("sentencepiece.segments")
unigram = LazyModule("sentencepiece.unigram")
piece_trie = LazyModule("sentencepiece.piece_trie")
word_unigram = LazyModule("sentencepiece.word_unigram")

raw_bytes = LazyModule("splitting.raw_bytes")
split = LazyModule("splitting.split")
table = LazyModule("splitting.table")
