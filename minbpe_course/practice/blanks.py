"""``@answer(...)``: check what a learner wrote into a blank of a lesson, and continue with theirs if it is right.

A blank is a cell with ``...`` where code is missing. The folded cell below it holds the answer under this decorator,
with examples to try. Running that cell compares the two definitions of the same name:

    still blank     the lesson continues with the answer
    wrong           the smallest example that differs is printed; the lesson continues with the answer
    right           the lesson continues with the learner's own

So "run all" always passes, and a learner who fills in the blanks uses their own code from there on.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import inspect
import io
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from minbpe_course.checks.equality import difference, same, shown
from minbpe_course.checks.plain_values import NotPlain, plain
from minbpe_course.practice.cell_sources import definition_of
from minbpe_course.practice.check import LONGEST_CALL, cut_after

Defined = TypeVar("Defined", bound=Callable[..., Any])

_FOUND = "__minbpe_course_found__"  # on an answer in use: the message about the blank
LONGEST_VALUE = 80  # characters of a value in the message


def answer(*examples: Any) -> Callable[[Defined], Defined]:
    """Compare the definition in the blank above with the decorated one, and return the one to continue with.

    examples : inputs to try. A tuple holds the arguments of a call; a function is called with the definition itself, so
        it can try a class; any other value is the only argument.

    A line or two are printed, with the first example on which the two differ. An exception counts as a result.

    >>> @answer((2, 3), (0, 0))
    ... def add(left, right):
    ...     return left + right
    add: the blank is still empty. The lesson continues with the answer in this cell.
    >>> def double(number):
    ...     return number * number
    >>> @answer(2, 3)
    ... def double(number):
    ...     return 2 * number
    double(3) gives 9, and the answer gives 6.
    Change yours and run both cells again; until then the lesson uses the answer.
    """
    frame = inspect.currentframe()
    names = frame.f_back.f_globals if frame is not None and frame.f_back is not None else {}

    def compare(right: Defined) -> Defined:
        name = right.__name__
        yours = names.get(name)
        said = _found(yours)  # set if this cell has run before and replaced the blank
        if said is None:
            said = _verdict(name, yours, right, examples, names)
        if said:
            print(said)
            with contextlib.suppress(AttributeError, TypeError):
                setattr(right, _FOUND, said)
            return right
        tried = f"{len(examples)} examples" if len(examples) != 1 else "the example"
        print(f"{name}: yours agrees on {tried}. The lesson continues with yours.")
        return yours  # type: ignore[return-value]

    return compare


def _found(definition: Any) -> str | None:
    """Return the message of an answer in use, None for every other value; a subclass of an answer is another value."""
    return vars(definition).get(_FOUND) if isinstance(definition, (type, types.FunctionType)) else None


def is_the_courses(definition: Any) -> bool:
    """Tell whether a definition is the answer of the course, in use because the blank is empty or wrong."""
    return _found(definition) is not None


def _verdict(name: str, yours: Any, right: Callable[..., Any], examples: tuple[Any, ...], names: dict[str, Any]) -> str:
    """Return what is wrong with the learner's definition, or "" if nothing is."""
    if yours is None or is_blank(yours):
        return f"{name}: the blank is still empty. The lesson continues with the answer in this cell."
    for number, example in enumerate(examples, start=1):
        given = _tried(yours, example)
        try:
            names[name] = right  # an answer that calls itself
            wanted = _tried(right, example)
        finally:
            names[name] = yours
        if given.kind != wanted.kind or not same(given.value, wanted.value):
            long = given.kind == wanted.kind and len(repr(wanted.value)) > LONGEST_VALUE
            where = difference(given.value, wanted.value) if long else ""
            return (
                f"{_call(name, example, number)} {given}, and the answer {wanted}{where and f' ({where})'}."
                "\nChange yours and run both cells again; until then the lesson uses the answer."
            )
    return ""


@dataclass(frozen=True)
class _Result:
    """The result of one example: a plain value, or the name of an exception, whose message may differ."""

    kind: Literal["gives", "raises"]
    value: Any
    message: str = ""

    def __str__(self) -> str:
        if self.kind == "raises":
            return f"raises {self.value}: {self.message}".rstrip(": ")
        return f"gives {shown(self.value, LONGEST_VALUE)}"


def _tried(definition: Callable[..., Any], example: Any) -> _Result:
    """Try one example on a copy of its arguments, without showing what it prints."""

    def run() -> _Result:
        try:
            if isinstance(example, types.FunctionType):
                return _Result("gives", plain(example(definition)))
            arguments = copy.deepcopy(example if isinstance(example, tuple) else (example,))
            result = plain(definition(*arguments))
            # A function that returns nothing has done its work on its arguments.
            return _Result("gives", plain(arguments) if result is None else result)
        except NotPlain as problem:
            return _Result("raises", "TypeError", f"the result is {problem}")
        except (Exception, SystemExit) as error:
            return _Result("raises", type(error).__name__, str(error))

    with contextlib.redirect_stdout(io.StringIO()):
        found = cut_after(LONGEST_CALL, run)
    return found or _Result("raises", "TimeoutError", f"no result after {LONGEST_CALL:g} seconds")


def _call(name: str, example: Any, number: int) -> str:
    if isinstance(example, types.FunctionType):
        return inspect.getdoc(example) or f"{name}, example {number}:"
    arguments = example if isinstance(example, tuple) else (example,)
    return f"{name}({', '.join(shown(argument, LONGEST_VALUE) for argument in arguments)})"


def is_blank(definition: Any) -> bool:
    """Tell whether a function or class still has ``...`` where code is missing.

    Limits: False for a definition whose source is not known.

    >>> def written(ids): return ids
    >>> def blank(ids): ...
    >>> is_blank(written), is_blank(blank)
    (False, True)
    """
    node = definition_of(definition)
    return node is not None and _has_blank(node)


def _has_blank(node: ast.AST) -> bool:
    """Tell whether a statement contains ``...`` as code; in an index or a type it means something else."""
    if isinstance(node, ast.Subscript):
        return False
    blank = isinstance(node, ast.Constant) and node.value is Ellipsis
    return blank or any(map(_has_blank, ast.iter_child_nodes(node)))
