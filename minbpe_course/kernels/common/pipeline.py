"""How kernels are compiled: Numba's compiler without the work that kernels do not need.

    what Numba does                                     what kernels need
    --------------------------------------------------  ------------------------------------------------------------
    optimises each helper, turns it into machine code,  its LLVM code, once. Only the kernel is optimised, together
    and optimises it again in all of its callers        with its helpers, and becomes machine code
    looks for array expressions, closures, parfors      no such passes: they only read, but many times
    finds the types of ``a + b`` each time              once for all ``+`` of two int64
    collects garbage, and keeps most of it              collects when the kernel is ready
    counts references to arrays                         nothing: the caller holds them (``_nrt``). A str is counted

A first encode and a first training compile in 60 % of the time. All of this is private to Numba: a small function is
compiled in this way first, and if that fails, Numba's own way is taken for everything.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from typing import Any

from numba import types
from numba.core import typed_passes as typed
from numba.core import untyped_passes as untyped
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager

from minbpe_course.kernels.common import interface

_works: bool | None = None
_signatures: dict[tuple, Any] = {}


def works() -> bool:
    """Return whether a small kernel and its helper can be compiled in this way, which the first call tries.

    >>> works() in (True, False)
    True
    """
    global _works
    if _works is None:
        _works = True  # for the trial itself
        _works = interface.compiles("compiling kernels faster", KERNEL, HELPER)
    return _works


class KernelCode(JITCodeLibrary):
    """The LLVM code of a kernel and of its helpers."""

    def _optimize_functions(self, module: Any) -> None:
        # All at once, in _optimize_final_module.
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            # Nothing else will call these helpers: LLVM may inline them, and drop them.
            if not function.is_declaration and function.linkage.name == "linkonce_odr":
                function.linkage = "internal"
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class HelperCode(KernelCode):
    """The LLVM code of a helper, which becomes a part of kernels and has no machine code of its own."""

    @property
    def codegen(self) -> Any:
        """Who sets the environment of a compiled function, which a helper lacks."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing."""

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no machine code."""
        self._ensure_finalized()
        return 0

    def finalize(self) -> None:
        """Link the helpers that this one calls."""
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True


class KernelCompiler(Compiler):
    """Numba's compiler with the passes that kernels need."""

    code: type[KernelCode] = KernelCode

    def compile_extra(self, function: Any) -> Any:
        """Compile ``function`` while no garbage is collected."""
        with _no_collection():
            return super().compile_extra(function)

    def define_pipelines(self) -> list[PassManager]:
        """Return the passes, in order."""
        state = self.state
        if not works():
            return super().define_pipelines()
        state.typingctx = _Typing(state.typingctx)
        state.library = self.code(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        passes = _Passes("kernels")
        for step in (
            untyped.TranslateByteCode,
            untyped.FixupArgs,
            untyped.IRProcessing,
            untyped.ReconstructSSA,
            typed.NopythonTypeInference,
            typed.PreLowerStripPhis,
            typed.IRLegalization,
            typed.AnnotateTypes,
            typed.NativeLowering,
            typed.NoPythonBackend,
        ):
            passes.add_pass(step, step.__name__)
        passes.finalize()
        return [passes]


class HelperCompiler(KernelCompiler):
    """The same for helpers."""

    code = HelperCode


# Options of njit.
KERNEL: dict[str, Any] = {"error_model": "numpy", "_nrt": False, "pipeline_class": KernelCompiler}
HELPER: dict[str, Any] = KERNEL | {
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": HelperCompiler,
}


def check_options() -> None:
    """Raise something if Numba does not know an option. It would say so only when the first kernel is compiled."""
    from numba.core.compiler import Flags
    from numba.core.registry import cpu_target

    for given in (KERNEL, HELPER):
        cpu_target.options.parse_as_flags(Flags(), {name: given[name] for name in given if name != "pipeline_class"})


class _Passes(PassManager):
    """Passes one after the other; Numba would analyse the function again after each, and describe and time it."""

    def _runPass(self, index: int, one: Any, state: Any) -> None:
        one.analysis = self._analysis
        one.run_initialization(state)
        one.run_pass(state)
        one.run_finalizer(state)


class _Typing:
    """Numba's typing context, which finds the types of each call of a built-in function once."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, arguments: Any, named: Any) -> Any:
        """Return the signature of a call."""
        if named or not isinstance(function, types.Function):
            return self._context.resolve_function_type(function, arguments, named)
        key = function, tuple(arguments)
        found = _signatures.get(key)
        if found is None:
            found = _signatures[key] = self._context.resolve_function_type(function, arguments, named)
        return found


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Collect no garbage inside: what a compiler makes is seldom garbage before it is done."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            if gc.get_freeze_count() == 0:
                # Everything is old now: a later collection looks at it, not one after each kernel.
                gc.freeze()
                gc.unfreeze()
            gc.enable()
