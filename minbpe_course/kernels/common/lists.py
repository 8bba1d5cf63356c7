"""Lists of ids from arrays.

NumPy wraps every number into a new object, which takes 21 ms for a million ids. Where compiled code may use Python
objects, it fills a list with pointers to ready ones and counts the references: see ``objects``.

The ready objects are a table of all ids of any tokenizer of this process, up to TABLE_LIMIT; larger ids get a new
object each time. The table takes 40 bytes an id: 4 MB for the 100,000 ids of cl100k_base.
"""

from __future__ import annotations

import ctypes
import functools
from itertools import pairwise

import numpy as np

from minbpe_course.kernels.common import objects
from minbpe_course.kernels.common.compiled import PLAIN, compiled
from minbpe_course.kernels.common.layout import OBJECTS
from minbpe_course.kernels.common.memory import Block

TABLE_LIMIT = 1 << 18
FEW = 24

# The table never moves, so kernels may keep its address. The system gives out memory for the part that is filled.
_table = np.empty(TABLE_LIMIT, dtype=object)
_known = 0
_block = Block(OBJECTS)
_block.table = _table
_block.list_type, _block.tuple_type, _block.int_type = id(list), id(tuple), id(int)


@functools.cache
def objects_work() -> bool:
    """Return whether compiled code may use Python objects here: it is compiled, and CPython lays them out as expected.

    >>> objects_work() in (True, False)
    True
    """
    return not PLAIN and _layout_is_known()


def block(size: int) -> int:
    """Return the address of the block that ``objects`` wants, with ready objects for the ids below ``size``.

    The address never changes. A table that is too small costs only time.
    """
    global _known
    known, wanted = _known, min(size, TABLE_LIMIT)
    if wanted > known:
        _table[known:wanted] = np.arange(known, wanted)
        # Another thread may have filled more meanwhile.
        _block.table_size = _known = max(wanted, _known)
    return _block.address


def list_from(ids: np.ndarray, size: int = 0) -> list[int]:
    """Return ``ids`` (integers of any type, from 0 up) as a list; the same as ``ids.tolist()``.

    size : one more than the largest id of the vocabulary, so that all have their objects ready.

    >>> list_from(np.array([300, 7, 300], dtype=np.uint32))
    [300, 7, 300]
    """
    # A new object for each of a few ids is as fast as a call.
    if ids.size <= FEW or ids.dtype != np.uint32 or not ids.flags.c_contiguous or not objects_work():
        return ids.tolist()
    return _list_from(ids, block(size))


def lists_from(ids: np.ndarray, offsets: np.ndarray, size: int = 0) -> list[list[int]]:
    """Return one list for each stretch of ``ids`` (uint32): ids[offsets[k]:offsets[k + 1]].

    offsets : int64, ascending, one more than there are lists. size : as for ``list_from``.

    >>> lists_from(np.array([1, 2, 3], dtype=np.uint32), np.array([0, 2, 2, 3]))
    [[1, 2], [], [3]]
    """
    if objects_work() and ids.dtype == np.uint32 and offsets.dtype == np.int64:
        return _lists_from(np.ascontiguousarray(ids), np.ascontiguousarray(offsets), block(size))
    flat = list_from(ids, size)
    bounds = offsets.tolist()
    return [flat[begin:end] for begin, end in pairwise(bounds)]


@compiled(gil=True)
def _list_from(ids, block_at):
    return objects.owned(objects.list_of(ids.ctypes.data, ids.size, block_at))


@compiled(gil=True)
def _lists_from(ids, offsets, block_at):
    return objects.owned(objects.lists_of(ids.ctypes.data, offsets.ctypes.data, offsets.size - 1, block_at))


def _layout_is_known() -> bool:
    """Return whether ``objects`` reads lists and tuples at the right places; False for any build without a GIL."""
    items, number = [300, "x"], 300
    pair, pointers = tuple(items), [id(item) for item in items]
    return (
        _words(id(number), 2)[1] == id(int)
        and _words(id(pair), 5)[1:] == [id(tuple), 2, *pointers]
        and _words(id(items), 3)[1:] == [id(list), 2]
        # Follow the pointer only after checking that this is a list.
        and _words(_words(id(items), 4)[3], 2) == pointers
    )


def _words(address: int, number: int) -> list[int]:
    return list((ctypes.c_ssize_t * number).from_address(address))
