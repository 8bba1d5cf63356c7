"""The kernel modules, imported when they are first used: Numba takes half a second, and loading a tokenizer needs none.

    from minbpe_course.kernels.lazy import machine, merging         imports nothing
    machine.run(merging.merge_piece.address, block.address)         imports both, once

Packages that call kernels take them from here, so their functions need no import statements.
"""

from __future__ import annotations

# A fork takes the locks of these modules, which a thread that builds may need, too. Those of a later import come first,
# so that it must wait for such a thread before it takes them.
import concurrent.futures.thread  # noqa: F401
import importlib
import logging  # noqa: F401
import os
import sys
import threading
from contextlib import ExitStack, nullcontext
from functools import cached_property
from types import ModuleType
from typing import Any, TypeVar

T = TypeVar("T")
# Always taken in this order, the compiler's lock last. One thread builds at a time, so that several do not do the same
# work; one imports, so that none meets modules of Numba that another has half imported.
BUILDING, _IMPORTING = threading.RLock(), threading.RLock()
_held_by_fork = ExitStack()


class built_once(cached_property[T]):
    """A ``cached_property`` whose value may need kernels: one thread builds it, and a fork waits until it is built.

    Before Python 3.12, ``cached_property`` has its own lock, which a child would inherit locked. Since then it has
    none, so all threads would build.
    """

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        with BUILDING:
            return super().__get__(instance, owner)


def _before_fork() -> None:
    """Wait until no thread builds, imports or compiles: the child would not have that thread, only its locks."""
    _held_by_fork.enter_context(BUILDING)
    _held_by_fork.enter_context(_IMPORTING)
    compiling = getattr(sys.modules.get("minbpe_course.kernels.common.compiled"), "COMPILING", nullcontext())
    _held_by_fork.enter_context(compiling)


def _after_fork() -> None:
    _held_by_fork.pop_all().close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


class LazyModule:
    """A module of ``minbpe_course.kernels`` that is imported when one of its attributes is first read.

    >>> LazyModule("common.layout").SHORT_BYTES
    8192
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: ModuleType | None = None

    def __getattr__(self, attribute: str) -> Any:
        if self._module is None:
            with _IMPORTING:
                self._module = importlib.import_module(f"minbpe_course.kernels.{self._name}")
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
word_pieces = LazyModule("sentencepiece.word_pieces")
word_unigram = LazyModule("sentencepiece.word_unigram")

raw_bytes = LazyModule("splitting.raw_bytes")
split = LazyModule("splitting.split")
table = LazyModule("splitting.table")
