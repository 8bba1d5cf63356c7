"""Lists of ids from arrays, in the fastest way that works on this Python.

    level       a list of a million ids        how
    ---------   ----------------------------   ---------------------------------------------------------------------
    direct       1 ms                          pointers to ready objects stored into the list (see ``objects``)
    take        14 ms                          NumPy takes the objects out of an object array and makes the list
    plain       21 ms                          NumPy wraps every number into a new object: ``array.tolist()``

The first use finds the level. It checks everything that the faster ways rely on, reading only: whether this is CPython
with a GIL, whether its functions exist, whether a list keeps its items at the expected place. Then it makes a short
list and looks at the counts of references. MINBPE_COURSE_OBJECTS names the highest level to use.

The ready objects are a table of all ids of any tokenizer of this process, up to TABLE_LIMIT; larger ids get a new
object each time. The table takes 40 bytes an id: 4 MB for the 100,000 ids of cl100k_base. It is never freed: a count of
references that no list can use up, or from Python 3.12 on the count of immortal objects (PEP 683), saves counting them.
"""

from __future__ import annotations

import ctypes
import os
import sys
import sysconfig
import threading
from itertools import pairwise

import llvmlite.binding
import numpy as np

from minbpe_course.kernels.common.compiled import PLAIN, compiled
from minbpe_course.kernels.common.interface import note
from minbpe_course.kernels.common.layout import OBJECTS
from minbpe_course.kernels.common.memory import Block

try:
    from minbpe_course.kernels.common import objects
    from minbpe_course.kernels.common.objects import ITEMS_AT, SIZE_AT, TYPE_AT
except Exception as error:
    # How compiled code calls functions of CPython is not part of Numba's documented surface.
    note("calling functions of CPython from compiled code", error)
    objects = None

LEVELS = ("plain", "take", "direct")
TABLE_LIMIT = 1 << 18
FEW = 24
# References that no program uses up, and the fewest that are left of them.
PLENTY, ENOUGH = 1 << 60, 1 << 30

_block = Block(OBJECTS)
_BLOCK_AT = _block.address
_table = np.empty(0, dtype=object)
_lock = threading.Lock()
_level: str | None = None


def level() -> str:
    """Return the fastest way that works here, one of LEVELS.

    >>> level() in LEVELS
    True
    """
    global _level
    if _level is None:
        found = _find_level(os.environ.get("MINBPE_COURSE_OBJECTS", "direct"))
        # Set this last: another thread may read it at any time.
        _level = found
    return _level


def objects_work() -> bool:
    """Whether compiled code may use Python objects here: whether the functions of ``objects`` may be called at all."""
    return level() == "direct"


def block(size: int) -> int:
    """Return the address of the block that ``objects`` wants, with ready objects for the ids below ``size``.

    The address never changes. A table that is too small costs only time.
    """
    if size > _table.size and _table.size < TABLE_LIMIT:
        _grow(size)
    return _BLOCK_AT


def list_from(ids: np.ndarray, size: int = 0) -> list[int]:
    """Return ``ids`` (integers of any type, from 0 up) as a list; the same as ``ids.tolist()``.

    size : one more than the largest id of the vocabulary, so that all have their objects ready.

    >>> list_from(np.array([300, 7, 300], dtype=np.uint32))
    [300, 7, 300]
    """
    # A new object for each of a few ids is as fast as a call.
    if ids.size <= FEW:
        return ids.tolist()
    way = level()
    if way == "plain" or ids.dtype != np.uint32 or not ids.flags.c_contiguous:
        return ids.tolist()
    if way == "take":
        block(size)
        small = ids.size == 0 or int(ids.max()) < _table.size
        return _table.take(ids).tolist() if small else ids.tolist()
    return _list_from(ids, block(size))


def lists_from(ids: np.ndarray, offsets: np.ndarray, size: int = 0) -> list[list[int]]:
    """Return one list for each stretch of ``ids`` (uint32): ids[offsets[k]:offsets[k + 1]].

    offsets : int64, ascending, one more than there are lists. size : as for ``list_from``.

    >>> lists_from(np.array([1, 2, 3], dtype=np.uint32), np.array([0, 2, 2, 3]))
    [[1, 2], [], [3]]
    """
    if level() == "direct" and ids.dtype == np.uint32 and offsets.dtype == np.int64:
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


def _grow(size: int) -> None:
    global _table
    with _lock:
        known = _table.size
        # In steps, since tokenizers that are trained come in all sizes.
        wanted = min(TABLE_LIMIT, -(-max(size, 1024) // 4096) * 4096)
        if wanted <= known:
            return
        table = np.empty(wanted, dtype=object)
        table[:known] = _table
        table[known:] = np.arange(known, wanted)
        # Kernels do not count references, so they get no object that could be freed.
        if _level in (None, "direct"):
            _keep_forever(table, _block.table_size)
            # The address first: between the two lines another thread sees a table that is longer than its size.
            # Kernels hold the GIL while they use the old table, so it can be freed when nothing here refers to it.
            _block.table = table
            _block.table_size = wanted
        _table = table


def _keep_forever(table: np.ndarray, begin: int) -> None:
    """Give each object from ``begin`` on so many references that none has to be counted; Python never frees it.

    Its first 64 bits are the count. From Python 3.12 on the lower half says that an object is immortal, as 1 is.
    """
    addresses = np.ctypeslib.as_array((ctypes.c_int64 * len(table)).from_address(table.ctypes.data))[begin:]
    lowest = int(addresses.min())
    span = (int(addresses.max()) - lowest) // 8 + 1
    words = np.ctypeslib.as_array((ctypes.c_int64 * span).from_address(lowest))
    places = (addresses - lowest) >> 3
    if sys.version_info < (3, 12):
        words[places] += PLENTY
    else:
        half = ctypes.c_uint32.from_address(id(1)).value
        words[places] = (words[places] >> 32 << 32) | half


def _find_level(highest: str) -> str:
    if highest == "plain" or sys.implementation.name != "cpython":
        return "plain"
    without_gil = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    if highest != "direct" or PLAIN or without_gil or ctypes.sizeof(ctypes.c_void_p) != 8 or objects is None:
        return "take"
    try:
        missing = [name for name in objects.SYMBOLS if not llvmlite.binding.address_of_symbol(name)]
        if missing:
            note("functions of CPython", f"not found: {', '.join(missing)}")
            return "take"
        _block.list_type, _block.tuple_type, _block.int_type = id(list), id(tuple), id(int)
        if _layout_is_known() and _trial():
            _block.text_at = _text_at()
            if not _block.text_at and sys.byteorder == "little":
                note("texts of CPython", "a str is not laid out as expected")
            return "direct"
        note("objects of CPython", "a list is not laid out or counted as expected")
    except Exception as error:
        note("objects of CPython", error)
    return "take"


def _layout_is_known() -> bool:
    """Whether lists and tuples have their type, size and items where ``objects`` reads and writes them."""
    items = [object(), object(), 300]
    for sequence in (items, tuple(items), [], items * 50):
        if sys.getsizeof(sequence) < ITEMS_AT + 8 * (1 if isinstance(sequence, list) else len(sequence)):
            return False
        words = (ctypes.c_ssize_t * (ITEMS_AT // 8 + 1)).from_address(id(sequence))
        if words[TYPE_AT // 8] != id(type(sequence)) or words[SIZE_AT // 8] != len(sequence):
            return False
        at = words[ITEMS_AT // 8] if isinstance(sequence, list) else id(sequence) + ITEMS_AT
        # Do not follow a number that cannot be an address, such as a size; an empty list points nowhere.
        if (at < 1 << 16 or at % 8) if sequence else at != 0:
            return False
        if sequence and list((ctypes.c_ssize_t * len(sequence)).from_address(at)) != [id(item) for item in sequence]:
            return False
    return (ctypes.c_ssize_t * 2).from_address(id(300))[TYPE_AT // 8] == id(int)


def _text_at() -> int:
    """Return where in a str that is not ASCII its characters begin, in bytes; 0 if that is not where expected."""
    at = sys.getsizeof("Ā") - 4
    for text, width in (("é" * 9, 1), ("Āb" * 9, 2), ("🙂c" * 9, 4)):
        data = text.encode({1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}[width])
        if sys.getsizeof(text) != at + len(data) + width or ctypes.string_at(id(text) + at, len(data)) != data:
            return 0
    return at if sys.byteorder == "little" else 0


def _trial() -> bool:
    """Make a list, and look at the references of its items before, meanwhile and afterwards.

    Reading lists is not tested: the places are known by now, and each further kernel would take a third of a second to
    compile before the first text is encoded.
    """
    number = 1000
    ids = np.array([number, 0, 256, 257, number, 4_000_000_000], dtype=np.uint32)
    at = block(number + 1)
    made, usual = _list_from(ids, at), ids.tolist()
    if type(made) is not list or made != usual or sys.getrefcount(made) != sys.getrefcount(usual):
        return False
    del made
    return all(sys.getrefcount(_table[token]) > ENOUGH for token in (0, 256, 257, number))
