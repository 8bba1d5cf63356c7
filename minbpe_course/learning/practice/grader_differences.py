"""Find what an answer uses of its notebook, and which of that the grader lacks.

``check`` runs an answer in the learner's kernel, with all its packages and names. The grader defines the answer again
from the cells of the notebook, with the standard library and a few packages. This module names the differences, so that
after "done" the answer either passes in the grader too, or there was a warning.

Limits: a name that is looked up by its text (``importlib``, ``eval``) is not seen in compiled code. Values from outside
the notebook (``%run``, ``%store``) are noticed only in IPython, which keeps the cells that have run.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from minbpe_course.learning.grading import definitions
from minbpe_course.learning.grading.worker import Pretended
from minbpe_course.learning.judge.exercise import ALLOWED_PACKAGES, Exercise
from minbpe_course.learning.judge.right_helpers import named_in, right_cells
from minbpe_course.learning.submissions.notebook_cells import foreign_imports

MOST_FUNCTIONS = 500
MOST_CELLS = 500  # of the history, the newest
# Modules of the standard library that need other processes, a network or a screen, which an answer does not have.
OUT_OF_REACH = {"ctypes", "curses", "multiprocessing", "socket", "ssl", "subprocess", "tkinter", "urllib", "webbrowser"}
_FROM_OUTSIDE = {"open": "the files of this machine are not there", "input": "there is no one to answer"}


def functions_of(answer: Any) -> list[types.FunctionType]:
    """Return the functions that make up an answer: its methods, wrapped functions, and the helpers that it calls.

    Helpers are functions and classes of the same module.
    """
    found: dict[int, types.FunctionType] = {}
    seen: set[int] = set()
    waiting = [answer]
    while waiting and len(found) < MOST_FUNCTIONS:
        one = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, types.FunctionType):
            found[id(one)] = one
            waiting += _inside(one)
        elif isinstance(one, functools.partial):
            waiting.append(one.func)
        elif isinstance(one, (types.MethodType, staticmethod, classmethod)):
            waiting.append(one.__func__)
        elif isinstance(one, property):
            waiting.append(one.fget)
        elif isinstance(one, type):
            waiting += [value for base in one.__mro__[:-1] for value in vars(base).values() if _can_hold_code(value)]
        elif isinstance(getattr(one, "__wrapped__", None), types.FunctionType):
            waiting.append(one.__wrapped__)
        elif one is not None and not isinstance(one, types.ModuleType):
            waiting.append(
                next((vars(base)["__call__"] for base in type(one).__mro__ if "__call__" in vars(base)), None)
            )
    return list(found.values())


def _can_hold_code(value: Any) -> bool:
    kinds = (types.FunctionType, staticmethod, classmethod, property, functools.partial)
    return isinstance(value, kinds) or hasattr(type(value), "__wrapped__")


def _inside(function: types.FunctionType) -> list[Any]:
    """Return the callables that a function wraps, closes over, or looks up in its own module."""
    inside = [getattr(function, "__wrapped__", None)]
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # a cell that is still empty
            inside.append(cell.cell_contents)
    module = function.__globals__.get("__name__")
    for name in _names_of(function.__code__):
        value = function.__globals__.get(name)
        if callable(value) and getattr(value, "__module__", None) == module:
            inside.append(value)
    return [one for one in inside if callable(one)]


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _names_of(code: types.CodeType) -> set[str]:
    return {name for each in _codes(code) for name in each.co_names}


def names_used(answer: Any) -> set[str]:
    """Return the names that an answer and its helpers may look up, also those that their module lacks."""
    return {name for one in functions_of(answer) for name in _names_of(one.__code__)}


@contextlib.contextmanager
def right_helpers(answer: Any, exercise: Exercise, helpers: Sequence[Exercise]) -> Iterator[None]:
    """Put right answers to ``helpers`` in the place of the learner's, where an answer to ``exercise`` looks them up."""
    spaces = {id(one.__globals__): one.__globals__ for one in functions_of(answer)}.values()
    defined: dict[str, Any] = {"__name__": "__main__"}
    for cell in right_cells(exercise, helpers):
        with contextlib.suppress(Exception):  # then the answer is judged with the learner's own
            exec(compile(cell, "<right answer>", "exec"), defined)
    right = {helper.entry: defined[helper.entry] for helper in helpers if helper.entry in defined}
    kept = [(space, {name: space[name] for name in right if name in space}) for space in spaces]
    for space, _ in kept:
        space.update(right)
    try:
        yield
    finally:
        for space, own in kept:
            for name in right:
                del space[name]
            space.update(own)


def not_in_the_grader(answer: Any, exercise: Exercise) -> list[str]:
    """Return a sentence for each thing that an answer uses but the grader does not have.

    >>> from minbpe_course.learning.judge import catalogue
    >>> def merge(ids, pair, new_id):
    ...     import tiktoken
    >>> not_in_the_grader(merge, catalogue.find("02.merge"))
    ['Your answer uses `tiktoken`, which the grader does not have.']
    """
    functions = functions_of(answer)
    packages: dict[str, None] = {}
    odd: dict[str, str] = {}
    for one in functions:
        packages.update(dict.fromkeys(_packages_of(one, exercise)))
        for name, why in _FROM_OUTSIDE.items():
            own = getattr(one.__globals__.get(name), "__module__", None) == one.__globals__.get("__name__")
            if name in _names_of(one.__code__) and not own:
                odd[name] = why
    unknown: list[str] = []
    if functions and (cells := _cells_run()):
        more, unknown = _of_cells(cells, exercise.entry, functions[0].__globals__)
        if not any("minbpe_course" in foreign_imports(cell) for cell in cells):
            more.pop("minbpe_course", None)  # only tools, which the grader has, too
        packages.update(more)
    said = [
        f"Your answer uses `{name}`, which the grader does not have."
        for name in packages
        if _is_missing(name, exercise)
    ]
    said += [f"Your answer calls `{name}`: where answers are graded, {why}." for name, why in odd.items()]
    said += [f"Your answer uses `{name}`, which no cell of this notebook defines." for name in unknown]
    return said


def _is_missing(package: str, exercise: Exercise) -> bool:
    if package in OUT_OF_REACH or package == "minbpe_course":
        return True
    there = (*exercise.packages, *ALLOWED_PACKAGES, *Pretended.ROOTS, "__main__", "__future__")
    return package not in sys.stdlib_module_names and package not in there


def _packages_of(function: types.FunctionType, exercise: Exercise) -> Iterator[str]:
    """Yield the packages that a function imports, or whose modules, functions and classes it looks up."""
    own = str(function.__globals__.get("__name__")).partition(".")[0]
    for code in _codes(function.__code__):
        for step in dis.get_instructions(code):
            if step.opname == "IMPORT_NAME" and step.argval:
                yield str(step.argval).partition(".")[0]
        for name in code.co_names:
            value = function.__globals__.get(name)
            module = value.__name__ if isinstance(value, types.ModuleType) else None
            if callable(value):
                module = getattr(value, "__module__", None)
            root = module.partition(".")[0] if isinstance(module, str) else own
            if root in ("minbpe_course", "my_tokenizer") and named_in(exercise, (f"mine('{name}')",), "mine"):
                continue  # of ``mine`` or ``working``, which the grader has, too
            if root not in (own, "builtins"):
                yield root


def _cells_run() -> list[str]:
    """Return the cells that have run in this kernel, oldest first, without those that later ones redefine."""
    loaded = sys.modules.get("IPython")
    shell = loaded.get_ipython() if loaded is not None else None
    # As they were typed: in `In`, IPython has replaced magics by calls.
    history = getattr(getattr(shell, "history_manager", None), "input_hist_raw", None)
    cells = [cell for cell in history if isinstance(cell, str)][-MOST_CELLS:] if isinstance(history, list) else []
    kept: list[str] = []
    defined: set[str] = set()
    for cell in reversed(cells):
        try:
            names = definitions.bound(definitions.parse(cell))
        except Exception:  # a cell that failed in the kernel, too
            continue
        if names and names <= defined:
            continue
        defined |= names
        kept.insert(0, cell)
    return kept


def _of_cells(cells: Sequence[str], entry: str, space: Mapping[str, Any]) -> tuple[dict[str, None], list[str]]:
    """Return the packages that an answer needs imported, and the names that no cell defines for it."""
    known = definitions.builtin_names() | {"display", "get_ipython", "In", "Out"}
    statements = definitions.wanted_from(cells, {entry}, set(), known)
    bound = definitions.bound(statements) | definitions.bound_by_calls(statements)
    if entry not in bound:
        return {}, []
    unknown = definitions.needed(statements) - bound - known if "*" not in bound else set()
    return definitions.imported(statements), sorted(name for name in unknown if name in space)
