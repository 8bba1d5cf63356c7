"""Find what an answer uses from its notebook, and what the grader lacks of that.

The grader runs the cells of a notebook in order, with the standard library and a few packages, but without the
learner's files. This module names what an answer needs beyond that, so that after "done" the answer either passes in
the grader too, or there was a warning.

Limits: compiled code does not show a name that the program looks up as a string (``importlib``, ``eval``). Other cells
are known only in IPython, which keeps the text of those that have run.
"""

from __future__ import annotations

import ast
import contextlib
import dis
import functools
import re
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any

from minbpe_course.learning.grading.worker import Pretended
from minbpe_course.learning.judge.exercise import ALLOWED_PACKAGES, Exercise
from minbpe_course.learning.judge.names_in_code import bound, code_of, codes, needed
from minbpe_course.learning.judge.right_helpers import named_in, right_cells
from minbpe_course.learning.practice.cell_sources import parse
from minbpe_course.learning.practice.newest_definition import cells_run

MOST_FUNCTIONS = 500
MOST_CELLS = 500  # of the history, the newest
# Modules of the standard library that need other processes, a network or a screen, which an answer does not have.
OUT_OF_REACH = {"ctypes", "curses", "multiprocessing", "socket", "ssl", "subprocess", "tkinter", "urllib", "webbrowser"}
_TOOLS = {"check", "hint", "keep", "mine", "progress", "working"}  # the grader has these parts of the course
_FILES = ("open", "read_text", "read_bytes", "loadtxt", "genfromtxt", "fromfile")
_SHELL = ("user_ns", "getoutput", "run_cell", "history_manager")
_IN_VAIN = dict.fromkeys(_FILES, "the grader has none of your files") | {"input": "no one answers in the grader"}
_IN_VAIN |= dict.fromkeys(_SHELL, "the grader has no shell")
_IN_VAIN |= dict.fromkeys(("getsource", "getsourcelines"), "the grader keeps no source of your cells")
_ALIKE = {"_", "exit", "get_ipython", "open", "quit"}  # names of IPython that harm no answer in the grader
_CATCHING = {"EOFError", "Exception", "BaseException"}  # what ``input`` raises in the grader
# A notebook that writes files may read them.
_WRITES = re.compile(r"write_text|write_bytes|tempfile|[\"'][wax]b?\+?[\"']")
# Magics and calls that bring names from outside the cells.
_LOADED = re.compile(r"^\s*%%?(run|store|load|writefile)\b|get_ipython\(\)\.", re.MULTILINE)
_HOLDERS = (functools.partial, types.MethodType, staticmethod, classmethod, property)
_REPLACING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def functions_of(answer: Any) -> list[types.FunctionType]:
    """Return the functions that make up an answer: its methods, wrapped functions, and the helpers that it calls.

    Helpers are functions and classes of the same module.
    """
    found: dict[int, types.FunctionType] = {}
    seen: set[int] = set()
    waiting = [answer]
    while waiting and len(found) < MOST_FUNCTIONS:
        one = waiting.pop(0)
        if id(one) in seen or one is None or isinstance(one, types.ModuleType):
            continue
        seen.add(id(one))
        if isinstance(one, types.FunctionType):
            found[id(one)] = one
            waiting += _inside(one)
        elif isinstance(one, type):
            values = [value for base in one.__mro__ for value in vars(base).values() if _can_hold_code(value)]
            # Not what typing and other modules give to a class.
            waiting += [value for value in values if getattr(value, "__module__", one.__module__) == one.__module__]
        elif isinstance(one, _HOLDERS) or isinstance(getattr(one, "__wrapped__", None), types.FunctionType):
            waiting += [getattr(one, name, None) for name in ("func", "__func__", "fget", "__wrapped__")]
        else:
            waiting += [vars(base)["__call__"] for base in type(one).__mro__ if "__call__" in vars(base)][:1]
    return list(found.values())


def _can_hold_code(value: Any) -> bool:
    return isinstance(value, (types.FunctionType, *_HOLDERS)) or hasattr(type(value), "__wrapped__")


def _inside(function: types.FunctionType) -> list[Any]:
    """Return the callables that a function wraps, closes over, or looks up in its own module."""
    inside = [getattr(function, "__wrapped__", None)]
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # a cell that is still empty
            inside.append(cell.cell_contents)
    module = function.__globals__.get("__name__")
    for name in needed(function.__code__):
        value = function.__globals__.get(name)
        if callable(value) and getattr(value, "__module__", None) == module:
            inside.append(value)
    return [one for one in inside if callable(one)]


def names_used(answer: Any) -> set[str]:
    """Return the names that an answer and its helpers may look up, also those that their module lacks."""
    return needed(*(one.__code__ for one in functions_of(answer)))


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
    used = [(one.__code__, one.__globals__) for one in functions]
    unknown: list[str] = []
    cells: list[str] = []
    if functions:
        space = functions[0].__globals__
        cells, shell = cells_run(space)
        makers, missing = _makers({exercise.entry, *needed(*(code for code, _ in used))}, cells[-MOST_CELLS:])
        used += [(code, space) for code in makers]
        hidden = set(shell.user_ns_hidden) if shell else set()
        brought = space.keys() - hidden if any(map(_LOADED.search, cells)) else set()
        unknown = sorted(missing & (brought | hidden - _ALIKE))
    packages = {package for code, space in used for package in _packages_of(code, space, exercise)}
    in_vain = {name for code, space in used for name in _called_in_vain(code, space)}
    if any(map(_WRITES.search, cells)):
        in_vain -= set(_FILES)
    said = [
        f"Your answer uses `{name}`, which the grader does not have."
        for name in sorted(packages)
        if _is_missing(name, exercise)
    ]
    said += [f"Your answer needs `{name}`, but {_IN_VAIN[name]}." for name in sorted(in_vain)]
    said += [f"Your answer uses `{name}`, which no cell of this notebook defines." for name in unknown]
    return said


def _is_missing(package: str, exercise: Exercise) -> bool:
    if package in OUT_OF_REACH or package == "minbpe_course":
        return True
    there = (*exercise.packages, *ALLOWED_PACKAGES, *Pretended.ROOTS, "__main__", "__future__")
    return package not in sys.stdlib_module_names and package not in there


def _packages_of(code: types.CodeType, space: dict[str, Any], exercise: Exercise) -> Iterator[str]:
    """Yield the packages that code imports, or whose modules, functions and classes it looks up."""
    own = str(space.get("__name__")).partition(".")[0]
    for each in codes(code):
        for step in dis.get_instructions(each):
            if step.opname == "IMPORT_NAME" and step.argval:
                root = str(step.argval).partition(".")[0]
                if each.co_name != "<module>" or root != "minbpe_course":  # a cell can import it, for `check`
                    yield root
    for name in needed(code):
        value = space.get(name)
        # A generator has a name, too.
        module = value.__name__ if isinstance(value, types.ModuleType) else None
        if callable(value):
            module = getattr(value, "__module__", None)
        root = module.partition(".")[0] if isinstance(module, str) else own
        of_the_course = root in ("minbpe_course", "my_tokenizer") and (
            name in _TOOLS or named_in(exercise, (f"mine('{name}')",), "mine")  # the grader has it, too
        )
        if root not in (own, "builtins") and not of_the_course:
            yield root


def _called_in_vain(code: types.CodeType, space: dict[str, Any]) -> Iterator[str]:
    attributes = {name for each in codes(code) for name in each.co_names}
    names = needed(code) | attributes - {"input"}
    if names & _CATCHING:
        names.discard("input")
    for name in names & _IN_VAIN.keys():
        if getattr(space.get(name), "__module__", None) != space.get("__name__"):  # it is not the notebook's own
            yield name


def _makers(names: set[str], cells: Sequence[str]) -> tuple[list[types.CodeType], set[str]]:
    """Return the code of the statements in cells that make the values of names, and the names that none binds.

    Names that such a statement needs count, too. A value that was replaced later is left out.
    """
    newest_first = [one for cell in reversed(cells) for one in reversed(_statements(cell))]
    makers: dict[int, types.CodeType] = {}
    waiting, seen, missing = set(names), set(names), set()
    while waiting:
        name = waiting.pop()
        missing.add(name)
        for at, (statement, binds) in enumerate(newest_first):
            if name in binds:
                missing.discard(name)
                makers[at] = code_of(statement)
                needs = needed(makers[at])
                waiting |= needs - seen
                seen |= needs
                if isinstance(statement, _REPLACING) or (isinstance(statement, ast.Assign) and name not in needs):
                    break
    return list(makers.values()), missing


@functools.lru_cache(maxsize=MOST_CELLS)
def _statements(cell: str) -> list[tuple[ast.stmt, set[str]]]:
    """Return the statements of a cell, each with the names that it binds."""
    try:
        return [(statement, bound(statement)) for statement in parse(cell)]
    except Exception:  # a cell that failed in the kernel, too
        return []
