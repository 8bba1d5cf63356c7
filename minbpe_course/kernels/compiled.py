"""How functions of this room are compiled and kept: three decorators, and no other use of Numba's.

    @compiled                a kernel that Python calls: other Python threads run while it works
    @compiled(gil=True)      the same for one that touches Python objects and so must keep the GIL (see ``objects``)
    @helper                  a function that only kernels call: it becomes a part of them and is not kept by itself
    callback(function)       a kernel of one int64 that others reach by its address (see ``machine.addressed``)

In all of them a division by zero is what it is in the processor, and not an exception.

Compiled code is kept on disk (see store), so a function is compiled once on each machine, when it is first called
with arguments of certain types. Calls from one kernel file into another are allowed: a change anywhere in this room
compiles everything again. ``NUMBA_CACHE_DIR`` chooses the folder, as for all of Numba. With ``NUMBA_DISABLE_JIT=1``
the decorator returns the function as it is: plain Python.

Whatever goes wrong with files (a folder that may not be written, a damaged file, a full disk) costs time and never a
call: the kernel is compiled instead. What Numba keeps and gives back is not part of its documented surface; a release
that does it in another way gets Numba's own cache in a folder of its own for each state of the sources.
"""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba import config, njit
from numba.core import sigutils
from numba.core.ccallback import CFunc
from numba.core.registry import CPUDispatcher
from numba.misc.appdirs import AppDirs

from minbpe_course.kernels.store import KernelStore

try:
    from numba.core.caching import FunctionCache
    from numba.core.compiler import CompileResult
    from numba.core.runtime import rtsys
    from numba.core.serialize import dumps

    _KNOWN = all(hasattr(CompileResult, name) for name in ("_reduce", "_rebuild")) and hasattr(
        FunctionCache, "_index_key"
    )
except ImportError:
    FunctionCache, _KNOWN = object, False

_log = logging.getLogger("minbpe_course.kernels")

_HERE = str(Path(__file__).parent)

STORE = KernelStore(
    Path(_HERE),
    versions=(numba.__version__, llvmlite.__version__),
    chosen=config.CACHE_DIR or None,
    shared=AppDirs(appname="numba", appauthor=False).user_cache_dir,
)

# Read when the room is imported, and compiled into the code: see machine.
_SETTINGS = os.environ.get("MINBPE_COURSE_VECTORS", "on")

on_compile: list[Callable[[str], None]] = []
"""Called with ``file.function`` before a kernel is compiled: how ``warm_up`` tells what takes so long."""


def compiled(function: Callable | None = None, *, gil: bool = False, **options: Any) -> Any:
    """Compile ``function`` when it is first called, or take it from disk.

    gil : keep the GIL while it runs; needed as soon as Python objects are touched, and by nothing else. options : as
    for ``numba.njit``, for example ``inline="always"``.

    >>> @compiled
    ... def twice(number):
    ...     return 2 * number
    >>> twice(21)
    42
    """
    if function is None:
        return lambda function: compiled(function, gil=gil, **options)
    if config.DISABLE_JIT:
        return function
    dispatcher = njit(nogil=not gil, error_model="numpy", **options)(function)
    _keep(dispatcher, function)
    return dispatcher


def helper(function: Callable | None = None, **options: Any) -> Any:
    """Compile ``function`` into the kernels that call it. options : as for ``numba.njit``, say ``inline="always"``.

    Nothing is made by which Python could call it, which saves a fifth of the time that compiling takes. Called from
    Python all the same, it is compiled once more for that.

    >>> @helper
    ... def half(number):
    ...     return number >> 1
    >>> half(42)
    21
    """
    if function is None:
        return lambda function: helper(function, **options)
    if config.DISABLE_JIT:
        return function
    made = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy", **options)(function)
    made.__class__ = _Helper
    return made


class _Helper(CPUDispatcher):
    def __call__(self, *arguments: Any) -> Any:
        alone = vars(self).get("_alone")
        if alone is None:
            self._alone = alone = njit(error_model="numpy")(self.py_func)
        return alone(*arguments)


def callback(function: Callable, signature: str = "int64(int64)") -> Any:
    """Compile ``function`` now, or take it from disk; ``.address`` of the answer is where it begins.

    >>> callback(lambda number: 2 * number).address > 0 if not config.DISABLE_JIT else True
    True
    """
    made = CFunc(function, sigutils.normalize_signature(signature), locals={}, options={"error_model": "numpy"})
    _keep(made, function)
    made.compile()
    return made


class _KernelCache(FunctionCache):
    """What a dispatcher of Numba asks before it compiles, and tells when it has: our files in place of its own."""

    def __init__(self, function: Callable) -> None:
        # Not calling the parent on purpose: it tries out folders, and that once for each function.
        self._py_func = function
        self._kernel = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}"
        self._enabled = True

    def __repr__(self) -> str:
        return f"<compiled kernels of {self._kernel} in {STORE.folder or STORE.beside}>"

    @property
    def cache_path(self) -> str:
        return str(STORE.folder or STORE.beside)

    def flush(self) -> None:
        """Nothing to do: what is compiled again is written again."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # Numba would first make everything known that it could need to compile something, and so wait a third of a
        # second. Code that was compiled needs the runtime alone; the compiler, if it comes to that, does the rest.
        rtsys.initialize(target_context)
        kept = STORE.read(self._kernel, self._key(sig, target_context.codegen())) if self._enabled else None
        if kept is not None:
            try:
                return CompileResult._rebuild(target_context, *pickle.loads(kept))
            except Exception as error:
                _log.debug("%s is compiled again: %r", self._kernel, error)
        for tell in on_compile:
            tell(self._kernel)
        return None

    def save_overload(self, sig: Any, result: Any) -> None:
        if not self._enabled or result.lifted or result.library.has_dynamic_globals:
            return
        try:
            content = dumps(result._reduce())
        except Exception as error:
            _log.debug("%s is not kept: %r", self._kernel, error)
            return
        STORE.write(self._kernel, self._key(sig, result.codegen), content)

    def _key(self, sig: Any, codegen: Any) -> str:
        # The types by their full names, the processor, and the byte code with what a closure holds.
        return f"{_SETTINGS} {self._index_key(sig, codegen)!r}"


def _keep(dispatcher: Any, function: Callable) -> None:
    if not function.__code__.co_filename.startswith(_HERE):
        return
    if _KNOWN and hasattr(dispatcher, "_cache"):
        dispatcher._cache = _KernelCache(function)
        return
    before = config.CACHE_DIR
    try:
        # Numba looks at one source file; a folder for each state of all of them does what our own files do.
        config.CACHE_DIR = str(Path(before or STORE.beside, f"{STORE.stamp[:12]}-{_SETTINGS}"))
        dispatcher.enable_caching()
    except Exception as error:
        _log.debug("%s is not kept: %r", function.__qualname__, error)
    finally:
        config.CACHE_DIR = before
