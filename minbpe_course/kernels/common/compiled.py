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
call: the kernel is compiled instead. How Numba keeps compiled code is not part of its documented surface. Where a
release does it in another way, its own cache is used, in a folder for each state of the sources; where the compiler
itself refuses what kernels are made of, they run as plain Python. ``interface.changes`` says what was met.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import logging
import os
import pickle
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba import config, njit

from minbpe_course.kernels.common import interface
from minbpe_course.kernels.common.interface import note
from minbpe_course.kernels.common.store import KernelStore

_log = logging.getLogger("minbpe_course.kernels")

_HERE = str(Path(__file__).parents[1])


def _caches_of_user() -> str:
    """Return the folder where Numba keeps the caches of a user."""
    try:
        from numba.misc.appdirs import AppDirs

        return str(AppDirs(appname="numba", appauthor=False).user_cache_dir)
    except Exception as error:
        note("numba.misc.appdirs", error)
        return str(Path("~/.cache/numba").expanduser())


STORE = KernelStore(
    Path(_HERE),
    versions=(numba.__version__, llvmlite.__version__),
    chosen=config.CACHE_DIR or None,
    shared=_caches_of_user(),
)

# Read when the room is imported, and compiled into the code: see machine.
_SETTINGS = os.environ.get("MINBPE_COURSE_VECTORS", "on")

# Kernels that were kept and can be loaded are proof enough; otherwise the compiler is tried out.
PLAIN = bool(config.DISABLE_JIT) or not ((STORE.holds_any() and interface.loads()) or interface.compiles())
if PLAIN:
    # Hashing wraps around on purpose. Compiled code does so silently; NumPy scalars, which run in its place, would
    # warn.
    warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning, module=r"minbpe_course\.kernels")
"""Whether kernels run as plain Python, since compiling is switched off or does not work here."""

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
    if PLAIN:
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
    if PLAIN:
        return function
    try:
        made = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy", **options)(function)
        made.__class__ = _callable_kind(type(made))
    except Exception as error:
        note("compiling without wrappers for Python", error)
        return njit(error_model="numpy", **options)(function)
    return made


@functools.cache
def _callable_kind(dispatcher: type) -> type:
    """Make the class of functions that have no wrapper for Python, and get one when Python calls them all the same."""

    class Helper(dispatcher):
        def __call__(self, *arguments: Any) -> Any:
            alone = vars(self).get("_alone")
            if alone is None:
                self._alone = alone = njit(error_model="numpy")(self.py_func)
            return alone(*arguments)

    return Helper


class _Trampoline:
    """A callback that goes through Python: slow, and with nothing of Numba's but ``njit``."""

    def __init__(self, function: Callable) -> None:
        self._kept = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(njit(error_model="numpy")(function))
        self.address = ctypes.cast(self._kept, ctypes.c_void_p).value


def callback(function: Callable) -> Any:
    """Compile a function of one int64 now, or take it from disk; ``.address`` of the answer is where it begins.

    >>> callback(lambda number: 2 * number).address > 0 if not PLAIN else True
    True
    """
    try:
        from numba.core import sigutils
        from numba.core.ccallback import CFunc

        made = CFunc(
            function, sigutils.normalize_signature("int64(int64)"), locals={}, options={"error_model": "numpy"}
        )
        _keep(made, function)
        made.compile()
        if not made.address > 0:
            raise ValueError(f"the address of a callback is {made.address!r}")
        return made
    except Exception as error:
        note("numba.core.ccallback.CFunc", error)
    try:
        with _folder_of_numba():
            return numba.cfunc("int64(int64)", cache=True, error_model="numpy")(function)
    except Exception as error:
        note("numba.cfunc", error)
    return _Trampoline(function)


class KernelCache:
    """Keeps compiled code for a dispatcher of Numba, which asks it before it compiles and hands it the result.

    function : the function that is compiled · store : the files. After a failure, Numba's own cache takes over.
    """

    def __init__(self, function: Callable, store: KernelStore = STORE) -> None:
        self._py_func = function
        self._kernel = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}"
        self._store = store
        self._failed = False
        self.found = False

    def __repr__(self) -> str:
        return f"<compiled kernels of {self._kernel} in {self.cache_path}>"

    def __getattr__(self, name: str) -> Any:
        # A release of Numba may ask a cache for more than is defined here.
        if name.startswith("__") or self._numba is None:
            raise AttributeError(name)
        return getattr(self._numba, name)

    @property
    def cache_path(self) -> str:
        """The folder of the files."""
        return str(self._store.folder or self._store.beside)

    def flush(self) -> None:
        """Nothing to do: what is compiled again is written again."""

    def load_overload(self, *arguments: Any, **named: Any) -> Any:
        """Return what was compiled for a signature and a target context, None when nothing is kept."""
        found = None
        try:
            if not self._failed:
                found = self._load(*arguments, **named)
        except Exception as error:
            note("loading compiled code", error)
            self._failed = True
        if self._failed:
            found = self._of_numba("load_overload", *arguments, **named)
        self.found = found is not None
        if not self.found:
            for tell in on_compile:
                tell(self._kernel)
        return found

    def save_overload(self, *arguments: Any, **named: Any) -> None:
        """Keep what was compiled for a signature."""
        try:
            if not self._failed:
                self._save(*arguments, **named)
        except Exception as error:
            note("keeping compiled code", error)
            self._failed = True
        if self._failed:
            self._of_numba("save_overload", *arguments, **named)

    def _load(self, signature: Any, target_context: Any) -> Any:
        from numba.core.compiler import CompileResult

        interface.start_runtime(target_context)
        kept = self._store.read(self._kernel, self._key(signature, target_context.codegen()))
        if kept is None:
            return None
        found = CompileResult._rebuild(target_context, *pickle.loads(kept))
        if not isinstance(found, CompileResult):
            raise TypeError(f"CompileResult._rebuild returned {type(found).__name__}")
        return found

    def _save(self, signature: Any, result: Any) -> None:
        from numba.core.serialize import dumps

        if result.lifted or result.library.has_dynamic_globals:
            return
        self._store.write(self._kernel, self._key(signature, result.codegen), dumps(result._reduce()))

    def _key(self, signature: Any, codegen: Any) -> str:
        from numba.core.caching import FunctionCache

        # The types by their full names, the processor, and the byte code with what a closure holds.
        return f"{_SETTINGS} {signature!r} {FunctionCache._index_key(self, signature, codegen)!r}"

    def _of_numba(self, method: str, *arguments: Any, **named: Any) -> Any:
        try:
            return None if self._numba is None else getattr(self._numba, method)(*arguments, **named)
        except Exception as error:
            note("Numba's own cache", error)
            return None

    @functools.cached_property
    def _numba(self) -> Any:
        """Numba's own cache for this function, None if Numba cannot make one."""
        try:
            with _folder_of_numba():
                return njit(cache=True)(self._py_func)._cache
        except Exception as error:
            note("Numba's own cache", error)
            return None


@contextlib.contextmanager
def _folder_of_numba() -> Iterator[None]:
    """Let Numba's own cache work in a folder for this state of the sources: by itself it looks at one file only."""
    before = config.CACHE_DIR
    try:
        config.CACHE_DIR = str(Path(before or STORE.beside, f"{STORE.stamp[:12]}-{_SETTINGS}"))
        yield
    finally:
        config.CACHE_DIR = before


def _keep(dispatcher: Any, function: Callable) -> None:
    if not function.__code__.co_filename.startswith(_HERE):
        return
    if hasattr(dispatcher, "_cache"):
        dispatcher._cache = KernelCache(function)
        return
    note("the cache of a dispatcher", "it has no attribute _cache")
    try:
        with _folder_of_numba():
            dispatcher.enable_caching()
    except Exception as error:
        note("Numba's own cache", error)
