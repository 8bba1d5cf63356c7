"""``@answer(...)``: check what a learner wrote into a blank of a lesson, and continue with theirs if it is right.

A blank is a cell with ``...`` where code is missing. The folded cell below it holds the answer under this decorator,
with examples to try. Running that cell compares the two definitions of the same name:

    still blank     the lesson continues with the answer; of a class, what is filled in is tried
    not arrived     the blank's cell has failed, or defines another name: an earlier definition is not judged again
    wrong           the first example that differs is printed; the lesson continues with the answer
    right           the lesson continues with the learner's own

So "run all" always passes, and a learner who fills in the blanks uses their own code from there on.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
import types
from collections.abc import Callable, Collection
from typing import Any, TypeVar

from minbpe_course.learning.judge.callers import run_case
from minbpe_course.learning.judge.choose_hint import NO_RETURN
from minbpe_course.learning.judge.equality import agree, difference, same, shown
from minbpe_course.learning.judge.exercise import Case, Outcome
from minbpe_course.learning.practice.cell_sources import blanks_in, definition_of, functions_of
from minbpe_course.learning.practice.check import LONGEST_CALL, CapturedOutput, cut_after, names_of_caller
from minbpe_course.learning.practice.newest_definition import no_new_definition
from minbpe_course.learning.practice.views.verdicts import printed_lines

Defined = TypeVar("Defined", bound=Callable[..., Any])

_JUDGED = "__minbpe_course_judged__"  # on an answer in use: the learner's definition that it replaces, or None
LONGEST_VALUE = 80  # characters of a value in the message


def answer(*examples: Any) -> Callable[[Defined], Defined]:
    """Compare the definition in the blank above with the decorated one, and return the one to continue with.

    examples : inputs to try. A tuple holds the arguments of a call; a function is called with the definition itself, so
        it can try a class; any other value is the only argument.

    A line or two are printed, with the first example on which the two differ, and then what the learner's code printed.
    An exception counts as a result, and so do the changed arguments of a function that returns None.

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
    names = names_of_caller()

    def compare(right: Defined) -> Defined:
        name = right.__name__
        yours = names.get(name)
        if is_the_courses(yours):  # this cell has run before
            yours = vars(yours)[_JUDGED]
        printed = CapturedOutput()
        missing = no_new_definition(name, yours, names)
        said = f"{missing}\n{_UNTIL_THEN}" if missing else _verdict(name, yours, right, examples, names, printed)
        if said:
            print(said)
            with contextlib.suppress(AttributeError, TypeError):
                setattr(right, _JUDGED, yours)
        else:
            tried = f"{len(examples)} examples" if len(examples) != 1 else "the example"
            print(f"{name}: yours agrees on {tried}. The lesson continues with yours.")
        for line in printed_lines(printed.text()):
            print(line)
        return right if said else yours  # type: ignore[return-value]

    return compare


def is_the_courses(definition: Any) -> bool:
    """Tell whether a definition is the answer of the course, in use because the blank is empty or wrong.

    A subclass of such an answer is not.
    """
    return isinstance(definition, (type, types.FunctionType)) and _JUDGED in vars(definition)


_UNTIL_THEN = "Change yours and run both cells again; until then the lesson uses the answer."


def _verdict(
    name: str,
    yours: Any,
    right: Callable[..., Any],
    examples: tuple[Any, ...],
    names: dict[str, Any],
    printed: CapturedOutput,
) -> str:
    """Return what is wrong with the learner's definition, or "" if nothing is.

    A class with blanks is tried, too, because one of its methods may be filled in.
    """
    continues = "The lesson continues with the answer in this cell."
    node = definition_of(yours)
    empty = list(dict.fromkeys(blanks_in(node))) if node is not None else []
    if yours is None or (empty and not isinstance(yours, type)):
        return f"{name}: the blank is still empty. {continues}"
    still = f"{_listed(empty)} {'are' if len(empty) > 1 else 'is'} still empty."
    hollow = {one.__code__ for one in functions_of(yours) if one.__name__ in empty}
    for number, example in enumerate(examples, start=1):
        names[name] = yours
        given, of_a_blank = _tried(yours, example, printed, hollow)
        try:
            names[name] = right  # an answer that calls itself
            wanted, _ = _tried(right, example, CapturedOutput(), set())
        finally:
            names[name] = yours
        if agree(given, wanted):
            continue
        if empty and of_a_blank:
            agrees = f"yours agrees on {number - 1} of {len(examples)} examples; " if number > 1 else ""
            return f"{name}: {agrees}{still} {continues}"
        said = f"{_call(name, example, number)} {_compared(given, wanted)}"
        return "\n".join([said, *([still] if empty else []), _UNTIL_THEN])
    return f"{name}: {still} {continues}" if empty else ""


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _tried(
    definition: Callable[..., Any], example: Any, printed: CapturedOutput, hollow: Collection[types.CodeType]
) -> tuple[Outcome, bool]:
    """Try one example on a copy of its arguments; its output goes to ``printed``.

    hollow : the code of the methods that are still empty.

    Return the outcome, whose value is the result, and the arguments after a call that returned None: perhaps its work
    was to change them. Return also whether a method that is still empty was called, or the Ellipsis of a blank is where
    a value should be.
    """

    def call(*arguments: Any) -> list[Any]:
        if isinstance(example, types.FunctionType):
            return [example(definition), ()]
        result = definition(*arguments)
        return [result, arguments if result is None else ()]

    called: set[types.CodeType] = set()
    before = sys.getprofile()
    if hollow:
        sys.setprofile(lambda frame, event, _: called.add(frame.f_code))
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            found = cut_after(LONGEST_CALL, lambda: run_case(call, Case("", _arguments(example)))) or Outcome(
                "too slow"
            )
    finally:
        sys.setprofile(before)
    return found, "ellipsis" in found.message or not called.isdisjoint(hollow)


def _compared(given: Outcome, wanted: Outcome) -> str:
    """Return two outcomes that differ as a sentence."""
    where = ""
    if given.state == wanted.state == "value":
        (value, left), (right, right_left) = given.value, wanted.value
        if value is None and right is not None:
            return f"gives None. {NO_RETURN} The answer {_said(wanted)}."
        if value is None:
            mine, others = next(pair for pair in zip(left, right_left) if not same(*pair))
            return f"leaves {shown(mine, LONGEST_VALUE)}, and the answer leaves {shown(others, LONGEST_VALUE)}."
        where = difference(value, right) if len(repr(right)) > LONGEST_VALUE else ""
    return f"{_said(given)}, and the answer {_said(wanted)}{where and f' ({where})'}."


def _said(outcome: Outcome) -> str:
    if outcome.state == "value":
        return f"gives {shown(outcome.value[0], LONGEST_VALUE)}"
    error, message = {
        "blank": ("NotImplementedError", outcome.message),
        "refused": ("TypeError", outcome.message.replace("the answer", "the result")),
        "too slow": ("TimeoutError", f"no result after {LONGEST_CALL:g} seconds"),
    }.get(outcome.state, (outcome.error, outcome.message))
    return f"raises {error}: {message}".rstrip(": ")


def _arguments(example: Any) -> tuple[Any, ...]:
    return example if isinstance(example, tuple) else (example,)


def _call(name: str, example: Any, number: int) -> str:
    if isinstance(example, types.FunctionType):
        return inspect.getdoc(example) or f"{name}, example {number}:"
    return f"{name}({', '.join(shown(argument, LONGEST_VALUE) for argument in _arguments(example))})"
