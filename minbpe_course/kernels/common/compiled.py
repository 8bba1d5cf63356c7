"""Compile functions and keep the result: three decorators, the only use of Numba's compiler.

    @compiled                a kernel that Python calls: other Python threads run while it works
    @compiled(gil=True)      a kernel that uses Python objects and so must keep the GIL (see ``objects``)
    @helper                  a function that only kernels call: it becomes part of them and is not kept by itself
    callback(function)       a kernel of one int64 that others reach by its address (see ``machine.addressed``)

In all of them a division by zero gives what the processor gives, not an exception.

Compiled code is kept on disk (see ``store``): a function is compiled once on each machine, when it is first called with
arguments of certain types. Kernels may call functions of other files: any change in this package compiles everything
again. ``NUMBA_CACHE_DIR`` chooses the folder, as for all of Numba. With ``NUMBA_DISABLE_JIT=1`` the decorators return
the function unchanged: plain Python.

A problem with files (a folder that cannot be written, a damaged file, a full disk) costs time but never fails a call:
the kernel is compiled instead. How Numba keeps compiled code is not documented. If a release changes it, Numba's own
cache is used, in a folder for each state of the sources; if the compiler refuses what kernels need, they run as plain
Python. ``interface.changes`` lists what was found.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import logging
import os
import pickle
import tempfile
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

        found = str(AppDirs(appname="numba", appauthor=False).user_cache_dir)
    except Exception as error:
        note("numba.misc.appdirs", error)
        found = os.path.expanduser("~/.cache/numba")  # noqa: PTH111
    if os.path.isabs(found):  # noqa: PTH117
        return found
    # Without a home, "~" stays as it is, and what somebody put into a folder of that name here would be loaded.
    return os.path.join(tempfile.gettempdir(), f"numba-{os.getuid() if hasattr(os, 'getuid') else ''}")  # noqa: PTH118


STORE = KernelStore(
    Path(_HERE),
    versions=(numba.__version__, llvmlite.__version__),
    chosen=config.CACHE_DIR or None,
    shared=_caches_of_user(),
)

try:
    from minbpe_course.kernels.common import pipeline

    pipeline.check_options()
    _KERNEL, _HELPER, _works = pipeline.KERNEL, pipeline.HELPER, pipeline.works
except Exception as error:
    note("compiling kernels faster", error)
    _KERNEL = {"error_model": "numpy"}
    _HELPER = _KERNEL | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    _works = interface.compiles

# Kept kernels that load are proof enough; otherwise test the compiler.
PLAIN = bool(config.DISABLE_JIT) or not ((STORE.holds_any() and interface.loads()) or _works() or interface.compiles())
"""Whether kernels run as plain Python, because compiling is switched off or does not work."""
if PLAIN:
    # Hashing overflows on purpose. Compiled code does so silently, but NumPy scalars, which replace it, would warn.
    warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning, module=r"minbpe_course\.kernels")

on_compile: list[Callable[[str], None]] = []
"""Called with ``file.function`` before a kernel is compiled, so that ``warm_up`` can show its progress."""


def compiled(function: Callable | None = None, *, gil: bool = False, strings: bool = False) -> Any:
    """Compile ``function`` when it is first called, or load it from disk.

    gil : keep the GIL while it runs, which only kernels that use Python objects need · strings : whether it takes a
    str, a reference to which Numba counts.

    >>> @compiled
    ... def twice(number):
    ...     return 2 * number
    >>> twice(21)
    42
    """
    if function is None:
        return lambda function: compiled(function, gil=gil, strings=strings)
    if PLAIN:
        return function
    counted = {"_nrt": True} if strings and "_nrt" in _KERNEL else {}
    dispatcher = njit(nogil=not gil, **_KERNEL | counted)(function)
    _keep(dispatcher, function)
    return dispatcher


def helper(function: Callable) -> Any:
    """Compile ``function`` into the kernels that call it.

    It has no machine code of its own (see ``pipeline``). If Python calls it anyway, it is compiled once more.

    >>> @helper
    ... def half(number):
    ...     return number >> 1
    >>> half(42)
    21
    """
    if PLAIN:
        return function
    try:
        made = njit(**_HELPER)(function)
        made.__class__ = _callable_kind(type(made))
    except Exception as error:
        note("compiling without wrappers for Python", error)
        return njit(error_model="numpy")(function)
    return made


@functools.cache
def _callable_kind(dispatcher: type) -> type:
    """Return the class of functions without a wrapper for Python, which compile one when Python calls them."""

    class Helper(dispatcher):
        def __call__(self, *arguments: Any) -> Any:
            alone = vars(self).get("_alone")
            if alone is None:
                self._alone = alone = njit(error_model="numpy")(self.py_func)
            return alone(*arguments)

    return Helper


class _Trampoline:
    """A callback through Python: slow, but it needs only ``njit``."""

    def __init__(self, function: Callable) -> None:
        self._kept = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(njit(error_model="numpy")(function))
        self.address = ctypes.cast(self._kept, ctypes.c_void_p).value


def callback(function: Callable) -> Any:
    """Compile a function of one int64 now, or load it from disk; ``.address`` of the result is its address.

    >>> callback(lambda number: 2 * number).address > 0 if not PLAIN else True
    True
    """
    try:
        from numba.core import sigutils
        from numba.core.ccallback import CFunc

        options = dict(_KERNEL)
        compiler = {name: options.pop(name) for name in ("pipeline_class",) if name in options}
        made = CFunc(function, sigutils.normalize_signature("int64(int64)"), locals={}, options=options, **compiler)
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
    """The cache of a Numba dispatcher, which asks it before compiling and gives it the result.

    function : the function to compile · store : the files. After a failure, Numba's own cache takes over.
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
        """Do nothing: Numba overwrites compiled code by saving it again."""

    def load_overload(self, *arguments: Any, **named: Any) -> Any:
        """Return the compiled code for a signature and a target context, or None."""
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
        return f"{signature!r} {FunctionCache._index_key(self, signature, codegen)!r}"

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
    """Give Numba's own cache a folder for this state of the sources, since it checks only one source file."""
    before = config.CACHE_DIR
    try:
        config.CACHE_DIR = str(Path(before or STORE.place(), STORE.stamp[:12]))
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
