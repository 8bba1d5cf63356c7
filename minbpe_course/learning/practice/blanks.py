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
import copy
import inspect
import sys
import types
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from minbpe_course.learning.judge.choose_hint import NO_RETURN
from minbpe_course.learning.judge.equality import difference, same, shown
from minbpe_course.learning.judge.plain_values import NotPlain, plain
from minbpe_course.learning.practice.cell_sources import blanks_in, definition_of, functions_of
from minbpe_course.learning.practice.check import LONGEST_CALL, CapturedOutput, cut_after
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
    frame = inspect.currentframe()
    names = frame.f_back.f_globals if frame is not None and frame.f_back is not None else {}

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
        given = _tried(yours, example, printed, hollow)
        try:
            names[name] = right  # an answer that calls itself
            wanted = _tried(right, example, CapturedOutput(), set())
        finally:
            names[name] = yours
        if given == wanted:
            continue
        if empty and given.of_a_blank:
            agrees = f"yours agrees on {number - 1} of {len(examples)} examples; " if number > 1 else ""
            return f"{name}: {agrees}{still} {continues}"
        said = f"{_call(name, example, number)} {given.beside(wanted)}"
        return "\n".join([said, *([still] if empty else []), _UNTIL_THEN])
    return f"{name}: {still} {continues}" if empty else ""


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else ""


@dataclass(frozen=True, eq=False)
class _Result:
    """The result of one example: a plain value, or the name of an exception, whose message may differ.

    left : the arguments after a call that returned None; perhaps its work was to change them.
    of_a_blank : a method that is still empty was called, or the Ellipsis of a blank is where a value should be.
    """

    kind: Literal["gives", "raises"]
    value: Any
    message: str = ""
    left: tuple[Any, ...] = ()
    of_a_blank: bool = False

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Result)
            and self.kind == other.kind
            and same(self.value, other.value)
            and same(self.left, other.left)
        )

    def __str__(self) -> str:
        if self.kind == "raises":
            return f"raises {self.value}: {self.message}".rstrip(": ")
        return f"gives {shown(self.value, LONGEST_VALUE)}"

    def beside(self, wanted: _Result) -> str:
        """Return both results as a sentence."""
        if self.kind == wanted.kind == "gives" and self.value is None:
            if wanted.value is not None:
                return f"{self}. {NO_RETURN} The answer {wanted}."
            mine, right = next(pair for pair in zip(self.left, wanted.left) if not same(*pair))
            return f"leaves {shown(mine, LONGEST_VALUE)}, and the answer leaves {shown(right, LONGEST_VALUE)}."
        long = self.kind == wanted.kind and len(repr(wanted.value)) > LONGEST_VALUE
        where = difference(self.value, wanted.value) if long else ""
        return f"{self}, and the answer {wanted}{where and f' ({where})'}."


def _tried(
    definition: Callable[..., Any], example: Any, printed: CapturedOutput, hollow: Collection[types.CodeType]
) -> _Result:
    """Try one example on a copy of its arguments; what it prints goes to ``printed``.

    hollow : the code of the methods that are still empty.
    """
    called: set[types.CodeType] = set()

    def run() -> _Result:
        try:
            if isinstance(example, types.FunctionType):
                return _Result("gives", plain(example(definition)))
            arguments = copy.deepcopy(example if isinstance(example, tuple) else (example,))
            result = plain(definition(*arguments))
            return _Result("gives", result, left=plain(arguments) if result is None else ())
        except NotPlain as problem:
            return _Result("raises", "TypeError", f"the result is {problem}")
        except (Exception, SystemExit) as error:
            return _Result("raises", type(error).__name__, str(error))

    before = sys.getprofile()
    if hollow:
        sys.setprofile(lambda frame, event, _: called.add(frame.f_code))
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            found = cut_after(LONGEST_CALL, run)
    finally:
        sys.setprofile(before)
    if found is None:
        return _Result("raises", "TimeoutError", f"no result after {LONGEST_CALL:g} seconds")
    return replace(found, of_a_blank="ellipsis" in found.message or not called.isdisjoint(hollow))


def _call(name: str, example: Any, number: int) -> str:
    if isinstance(example, types.FunctionType):
        return inspect.getdoc(example) or f"{name}, example {number}:"
    arguments = example if isinstance(example, tuple) else (example,)
    return f"{name}({', '.join(shown(argument, LONGEST_VALUE) for argument in arguments)})"
