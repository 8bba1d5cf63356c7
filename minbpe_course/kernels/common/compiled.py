"""Compile functions and keep the result: three decorators, the only use of Numba's compiler.

    @compiled                a kernel that Python calls: other Python threads run while it works
    @compiled(gil=True)      a kernel that uses Python objects and so must keep the GIL (see ``objects``)
    @helper                  a function that only kernels call: it becomes part of them and is not kept by itself
    compiled_address(f)      a kernel of one int64 that others reach by its address (see ``machine.addressed``)

In all of them a division by zero gives what the processor gives, not an exception. With ``NUMBA_DISABLE_JIT=1`` the
decorators return the function unchanged: plain Python.

Compiled code is kept on disk (see ``cache``): a function is compiled once on each machine, when it is first called with
arguments of certain types. A problem with files costs time but never fails a call: the kernel is compiled instead.

All compiling and loading takes one lock, Numba's own, which is ``COMPILING``. A fork waits for it (see ``lazy``).
"""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import config, njit, types
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import register_jitable

_log = logging.getLogger("minbpe_course.kernels")

COMPILING = global_compiler_lock
PLAIN = bool(config.DISABLE_JIT)
"""Whether kernels run as plain Python."""
if PLAIN:
    # Hashing overflows on purpose. Compiled code does so silently, but NumPy scalars, which replace it, would warn.
    warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning, module=r"minbpe_course\.kernels")


def compiled(function: Callable | None = None, *, gil: bool = False) -> Any:
    """Compile ``function`` when it is first called, or load it from disk.

    gil : keep the GIL while it runs, which only kernels that use Python objects need.

    >>> @compiled
    ... def twice(number):
    ...     return 2 * number
    >>> twice(21)
    42
    """
    if function is None:
        return lambda function: compiled(function, gil=gil)
    if PLAIN:
        return function
    return _kept(njit(error_model="numpy", nogil=not gil)(function), function)


def helper(function: Callable) -> Any:
    """Compile ``function`` into the kernels that call it; for Python it stays as it is.

    >>> @helper
    ... def half(number):
    ...     return number >> 1
    >>> half(42)
    21
    """
    # A wrapper for C would take its time to compile, and nothing would call it.
    return register_jitable(error_model="numpy", no_cfunc_wrapper=True)(function)


def compiled_address(function: Callable) -> int:
    """Compile a function of one int64 now, or load it from disk; return the address at which compiled code calls it.

    >>> compiled_address(lambda number: 2 * number) > 0 if not PLAIN else True
    True
    """
    # The code at this address has no wrapper for Python, which would crash if it called the dispatcher.
    dispatcher = _kept(njit(error_model="numpy", no_cpython_wrapper=True)(function), function)
    address: int = types.CompileResultWAP(dispatcher.get_compile_result(types.int64(types.int64))).address
    return address


def _kept(dispatcher: Any, function: Callable) -> Any:
    """Return the dispatcher with a cache, if the function is of this package and Numba can make one."""
    if function.__module__.startswith("minbpe_course.kernels."):
        try:
            from minbpe_course.kernels.common.cache import KernelCache, in_turn

            dispatcher._cache = KernelCache(function)
            dispatcher.compile = in_turn(dispatcher.compile)
        except Exception as error:
            _log.debug("%s is compiled in each process: %s", function.__qualname__, error)
    return dispatcher


def kept_in() -> Path | None:
    """Return the folder in which compiled kernels are kept, None if each process compiles them again."""
    with contextlib.suppress(Exception):
        from minbpe_course.kernels.common import cache

        return cache.kept_in()
    return None
