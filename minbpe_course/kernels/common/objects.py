"""Python objects in compiled code: a str's bytes, lists of ids in and out, text from bytes.

NumPy needs 20 ns to make one element of a ``list[int]``: a number is wrapped into a new object each time. A vocabulary
has few ids and a text has many, so here every id has one object, made once, and a list is filled with pointers to them:

    table     object array   [0] [1] [2] ... [v - 1]     one int object an id, kept alive by the array
                                   ^       ^
    list      ob_item         .  .  .   .  .  .          1 ns an element: one pointer stored

A list owns a reference to each, which ``Py_IncRef`` counts.

An object is an address, an int64; Python passes ``id(object)``, which is valid as long as the caller holds the object.
Other kernels call the functions here, with the GIL held (``@compiled(gil=True)``) and without
arrays. A kernel that hands an object to Python wraps its address with ``owned``, once, in its return statement:

    >>> from minbpe_course.kernels.common import lists, objects
    >>> from minbpe_course.kernels.common.compiled import compiled
    >>> from minbpe_course.kernels.common.machine import store32
    >>> @compiled(gil=True)
    ... def three_times(token_id, scratch, block):
    ...     for k in range(3):
    ...         store32(scratch + 4 * k, token_id)
    ...     return objects.owned(objects.list_of(scratch, 3, block))
    >>> room = np.empty(3, dtype=np.uint32)
    >>> three_times(300, room.ctypes.data, lists.block(301)) if lists.objects_work() else [300, 300, 300]
    [300, 300, 300]

All of this uses documented functions of CPython, with one exception: the pointers of a list or tuple are read, and
those of a new list written, in memory, as the macros ``PyList_GET_ITEM`` and ``PyList_SET_ITEM`` do.
``lists.objects_work`` checks their place before the first use. If it differs, on a build without a GIL and with
NUMBA_DISABLE_JIT=1, nothing here may be called, and NumPy makes the lists.

Up to Python 3.11 making a list may start the garbage collector, and with it any Python code, such as a ``__del__`` that
calls the very tokenizer that is at work. So a kernel that makes a list reads nothing afterwards that such code can
change: its caller has taken the worker, and places in the caller's own lists are read again.

``lists`` fills the block, ``layout.OBJECTS``, with what compiled code must know of this process.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import box, intrinsic, models, register_model

from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.common.layout import OBJECTS
from minbpe_course.kernels.common.machine import load32, loadi64, record_at, storei64

# Where CPython keeps things, in bytes from the start of an object, as ``lists`` checks. A tuple has its items
# there, a list a pointer to them.
TYPE_AT, SIZE_AT, ITEMS_AT = 8, 16, 24

python_at = record_at(OBJECTS)

# Those that make an object return its address, or 0 with an exception set.
_int64, _void = types.int64, types.void
new_list = types.ExternalFunction("PyList_New", _int64(_int64))
set_item = types.ExternalFunction("PyList_SetItem", types.int32(_int64, _int64, _int64))
keep = types.ExternalFunction("Py_IncRef", _void(_int64))
drop = types.ExternalFunction("Py_DecRef", _void(_int64))
_track = types.ExternalFunction("PyObject_GC_Track", _void(_int64))
_untrack = types.ExternalFunction("PyObject_GC_UnTrack", _void(_int64))
number_of = types.ExternalFunction("PyLong_FromLongLong", _int64(_int64))
_value_of = types.ExternalFunction("PyLong_AsLongLong", _int64(_int64))
_error = types.ExternalFunction("PyErr_Occurred", _int64())
_forget_error = types.ExternalFunction("PyErr_Clear", _void())
_decode_utf8 = types.ExternalFunction("PyUnicode_DecodeUTF8", _int64(_int64, _int64, _int64))
out_of_memory = types.ExternalFunction("PyErr_NoMemory", _int64())
bytes_of = types.ExternalFunction("PyBytes_FromStringAndSize", _int64(_int64, _int64))
allocate = types.ExternalFunction("PyMem_RawMalloc", _int64(_int64))
enlarge = types.ExternalFunction("PyMem_RawRealloc", _int64(_int64, _int64))
release = types.ExternalFunction("PyMem_RawFree", _void(_int64))


class OwnedObject(types.Opaque):
    """A reference that a kernel owns and gives away by returning it."""


owned_object = OwnedObject("owned_object")
register_model(OwnedObject)(models.OpaqueModel)


@box(OwnedObject)
def _hand_over(kind, value, context):
    # NULL means that an exception is set, as everywhere in CPython; Python then raises it.
    return value


@intrinsic
def owned(typing_context, address):
    """Return the object at ``address`` for Python. The reference that the kernel owned goes with it."""

    def build(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return owned_object(types.int64), build


@intrinsic
def _utf8_and_size(typing_context, text):
    def build(context, builder, signature, arguments):
        word = ir.IntType(64)
        # In the entry block, so that a loop does not allocate stack memory each time.
        with builder.goto_entry_block():
            place = builder.alloca(word)
        module = builder.function.module
        name = "PyUnicode_AsUTF8AndSize"
        function = module.globals.get(name) or ir.Function(module, ir.FunctionType(word, [word, word]), name)
        data = builder.call(function, [arguments[0], builder.ptrtoint(place, word)])
        return context.make_tuple(builder, signature.return_type, [data, builder.load(place)])

    return types.UniTuple(types.int64, 2)(types.int64), build


@helper
def utf8_of(text):
    """Return (address, size) of the UTF-8 bytes of a str, or (0, 0) if a lone surrogate makes that impossible.

    text : ``id`` of the str. The bytes belong to it and live as long as it does.
    """
    address, size = _utf8_and_size(text)
    if address == 0:
        _forget_error()
        return np.int64(0), np.int64(0)
    return address, size


@helper
def list_of(ids, number, block):
    """Return the address of a new list of ints, or 0 with an exception set.

    ids : address of uint32[number] · block : as ``lists.block()`` gives it.
    """
    made = new_list(number)
    if made == 0:
        return made
    python = python_at(block)
    table, size = python.table, python.table_size
    items = loadi64(made + ITEMS_AT)
    for k in range(number):
        token = load32(ids + 4 * k)
        if token < size:
            item = loadi64(table + 8 * token)
            keep(item)
        else:
            item = number_of(token)
            if item == 0:
                drop(made)
                return np.int64(0)
        storei64(items + 8 * k, item)
    return made


@helper
def lists_of(ids, offsets, number, block):
    """Return the address of a new list of ``number`` lists of ints, or 0 with an exception set.

    ids : address of uint32 · offsets : address of int64[number + 1]; list k holds ids[offsets[k]:offsets[k + 1]]. The
    collector learns of them at the end: otherwise it would look at the young lists again and again.
    """
    made = new_list(number)
    if made == 0:
        return made
    begin = loadi64(offsets)
    for k in range(number):
        end = loadi64(offsets + 8 * k + 8)
        inner = list_of(ids + 4 * begin, end - begin, block)
        if inner == 0:
            drop(made)
            return np.int64(0)
        _untrack(inner)
        set_item(made, k, inner)
        begin = end
    items = loadi64(made + ITEMS_AT)
    for k in range(number):
        _track(loadi64(items + 8 * k))
    return made


@helper
def items_of(ids, block):
    """Return (address of the pointers, how many) of a list or tuple; (0, -1) for any other object, subclasses too.

    ids : ``id`` of the object.
    """
    kind = loadi64(ids + TYPE_AT)
    if kind == python_at(block).list_type:
        return loadi64(ids + ITEMS_AT), loadi64(ids + SIZE_AT)
    if kind == python_at(block).tuple_type:
        return ids + ITEMS_AT, loadi64(ids + SIZE_AT)
    return np.int64(0), np.int64(-1)


@helper
def value_of(item, block):
    """Return the value of the int at address ``item``; -1 for a negative one and for any other object."""
    if loadi64(item + TYPE_AT) != python_at(block).int_type:
        return np.int64(-1)
    value = _value_of(item)
    if value < 0:
        # Either it is below 0, or it does not fit, and then an exception waits.
        if value == -1 and _error() != 0:
            _forget_error()
        return np.int64(-1)
    return value


@helper
def text_of(data, size, errors):
    """Return the address of a new str, or 0 with an exception set: UnicodeDecodeError, or what the handler raised.

    data : address of ``size`` bytes of UTF-8 · errors : ``id`` of a str such as "replace", 0 for "strict".
    """
    handler = np.int64(0)
    if errors != 0:
        handler, _ = utf8_of(errors)
    return _decode_utf8(data, size, handler)
