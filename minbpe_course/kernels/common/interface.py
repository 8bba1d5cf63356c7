"""Notes on private interfaces of Numba and CPython that have changed, and a test of the compiler.

Kernels use some undocumented interfaces of Numba and CPython, and each use has a slower replacement. When the fast way
fails, the caller notes the failure here and takes the slower one; ``minbpe-course doctor`` shows the notes.

``compiles`` tests everything that kernels need of Numba's compiler in a few lines. If it fails, kernels run as plain
Python, as with NUMBA_DISABLE_JIT=1.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

TESTED_WITH = "0.68.1"
"""The newest release of Numba that this was tested with."""

changes: dict[str, str] = {}
"""What failed -> why, in the order found."""

_log = logging.getLogger("minbpe_course.kernels")


def note(what: str, why: object) -> None:
    """Remember that a private interface has changed."""
    if what not in changes:
        changes[what] = f"{type(why).__name__}: {why}" if isinstance(why, BaseException) else str(why)
        _log.debug("%s failed: %s", what, changes[what])


def compiles(what: str = "compiling with Numba", kernel: dict | None = None, helper: dict | None = None) -> bool:
    """Whether Numba compiles a small function that uses everything kernels use.

    what : the name of a failure in the notes · kernel, helper : options of ``njit``.
    """
    plain = {"error_model": "numpy"}
    try:
        return _probe(kernel or plain, helper or plain) == 42
    except Exception as error:
        note(what, error)
        return False


def loads() -> bool:
    """Whether compiled code can be loaded. This starts Numba's runtime, which the first kernel needs anyway."""
    try:
        from numba.core.registry import cpu_target

        start_runtime(cpu_target.target_context)
        return True
    except Exception as error:
        note("loading compiled code", error)
        return False


def start_runtime(target_context: Any) -> None:
    """Start the part of Numba that compiled code needs to run.

    Numba itself would also prepare the compiler, which takes a third of a second. The compiler does that later, if it
    is needed at all.
    """
    from numba.core.runtime import rtsys

    rtsys.initialize(target_context)


def _probe(kernel: dict, helper: dict) -> int:
    from llvmlite import ir
    from numba import njit, types
    from numba.core import cgutils
    from numba.extending import intrinsic

    word = ir.IntType(64)

    @intrinsic
    def read_and_count(typing_context, address):
        def build(context, builder, signature, arguments):
            with builder.goto_entry_block():
                place = builder.alloca(word)
            builder.store(builder.load(builder.inttoptr(arguments[0], word.as_pointer()), align=1), place)
            bits = builder.ctpop(builder.load(place))
            return context.make_tuple(builder, signature.return_type, [builder.load(place), bits])

        return types.UniTuple(types.int64, 2)(types.int64), build

    @intrinsic
    def write(typing_context, address, value):
        def build(context, builder, signature, arguments):
            builder.store(arguments[1], builder.inttoptr(arguments[0], word.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), build

    @intrinsic
    def characters_of(typing_context, text):
        def build(context, builder, signature, arguments):
            proxy = cgutils.create_struct_proxy(types.unicode_type)(context, builder, value=arguments[0])
            return builder.ptrtoint(proxy.data, word)

        return types.int64(types.unicode_type), build

    @njit(**helper)
    def half(value):
        return value >> 1

    @njit(nogil=True, **kernel)
    def everything(address, text):
        if characters_of(text) == 0:
            return 0
        value, bits = read_and_count(address)
        write(address, value + bits)
        return half(read_and_count(address)[0])

    # 81 has three bits, and half of 84 is 42.
    place = np.array([81], dtype=np.int64)
    return int(everything(place.ctypes.data, "text"))
