"""Right answers of unusual types keep all of their points, for every exercise, as docs/teaching.md promises.

Types of the value: a Counter for a dict, NumPy's numbers, generators, views, arrays of bytes, subclasses. Forms of the
function: partial, method, callable object, decorated, remembering, noisy, changing its arguments. Types that can fail
only in a separate process are tried there, one exercise for each type of answer.
"""

from __future__ import annotations

import collections
import copy
import functools
import itertools
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from minbpe_course.checks import catalogue
from minbpe_course.checks.exercise import Exercise
from minbpe_course.checks.judge import judge
from minbpe_course.grading.batch import packages_for
from minbpe_course.grading.running import Program, RemoteCaller
from minbpe_course.practice.check import judged
from minbpe_course.submissions.notebook_cells import Answer
from tests.checks.learners_answers import Written, solution, written
from tests.shared.lesson_code import names_after, notebook_of, program_of, solution_of, solved

pytestmark = pytest.mark.medium

FUNCTIONS = [one for one in catalogue.exercises() if one.kind != "test" and not one.shown[0].script]
CLASSES = [one for one in catalogue.exercises() if one.kind != "test" and one.shown[0].script]
TESTS = [one for one in catalogue.exercises() if one.kind == "test"]


class Row(list):
    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]


class Number(int):
    def __str__(self) -> str:
        return "Number"


# A function for each type; the inner values are converted before.
OTHER_TYPES: dict[str, dict[type, Callable[[Any], Any]]] = {
    "subclasses": {**{kind: type("Own", (kind,), {}) for kind in (str, bytes, tuple, float)}, list: Row, int: Number,
                   dict: collections.OrderedDict},
    "read once": {list: iter, tuple: iter, bytes: memoryview},
    "generators": {list: lambda value: (item for item in value), bytes: bytearray},
    "maps and chains": {list: lambda value: map(_itself, value), tuple: itertools.chain, bytes: bytearray},
    "deques and counters": {list: collections.deque, dict: lambda value: collections.defaultdict(int, value),
                            bytes: bytearray},
    "views": {list: lambda value: dict(enumerate(value)).values(), dict: lambda value: collections.Counter(value)
              if all(isinstance(item, int) for item in value.values()) else value},
    "tuples for lists": {list: tuple},
    "lists for tuples": {tuple: list},
    "NumPy": {int: lambda value: np.int64(value) if abs(value) < 2**63 else value, bool: np.bool_, float: np.float64,
              list: lambda value: np.array(value) if _is_flat(value) else value},
}  # fmt: skip


def _itself(value: Any) -> Any:
    return value


def _is_flat(value: list[Any]) -> bool:
    return bool(value) and all(isinstance(item, (int, np.integer)) and abs(item) < 2**63 for item in value)


def converted(value: Any, conversions: dict[type, Callable[[Any], Any]], inside_a_key: bool = False) -> Any:
    """The same value, with each part converted by the function for its type; keys stay hashable."""
    kind = type(value)
    if kind is list or kind is tuple:
        value = kind(converted(item, conversions, inside_a_key) for item in value)
    elif kind is dict:
        value = {converted(key, conversions, True): converted(item, conversions) for key, item in value.items()}
    if inside_a_key and kind in (tuple, bytes):
        return value
    return conversions[kind](value) if kind in conversions else value


def has_full_marks(exercise: Exercise, answer: Any) -> None:
    verdict, _ = judged(exercise, answer)
    assert (verdict.state, verdict.points) == ("done", exercise.points), verdict


# ----------------------------------------------------------------------------------------------------
# Clothes of the value


@pytest.mark.parametrize("name", OTHER_TYPES)
@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda exercise: exercise.key)
def test_an_answer_of_another_type(exercise: Exercise, name: str) -> None:
    answer = solution_of(exercise)
    has_full_marks(exercise, lambda *arguments: converted(answer(*arguments), OTHER_TYPES[name]))


@pytest.mark.parametrize("name", OTHER_TYPES)
@pytest.mark.parametrize("exercise", CLASSES, ids=lambda exercise: exercise.key)
def test_a_class_whose_methods_return_another_type(exercise: Exercise, name: str) -> None:
    class Dressed:
        def __init__(self, *arguments: Any) -> None:
            self.inner = solution_of(exercise)(*arguments)

        def __getattr__(self, method: str) -> Callable[..., Any]:
            return lambda *arguments: converted(getattr(self.inner, method)(*arguments), OTHER_TYPES[name])

    has_full_marks(exercise, Dressed)


# ----------------------------------------------------------------------------------------------------
# Clothes of the function


def _decorated(answer: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(answer)
    def wrapper(*arguments: Any, **more: Any) -> Any:
        return answer(*arguments, **more)

    return wrapper


class _Callable:
    def __init__(self, answer: Callable[..., Any]) -> None:
        self.answer = answer

    def __call__(self, *arguments: Any) -> Any:
        return self.answer(*arguments)


def _remembers(answer: Callable[..., Any]) -> Callable[..., Any]:
    kept: dict[str, Any] = {}

    @functools.cache
    def by_text(text: str) -> Any:
        return answer(*kept[text])

    def remembering(*arguments: Any) -> Any:
        kept.setdefault(repr(arguments), copy.deepcopy(arguments))
        return by_text(repr(arguments))

    return remembering


def _noisy(answer: Callable[..., Any]) -> Callable[..., Any]:
    def noisy(*arguments: Any) -> Any:
        print("looking at", arguments, "\ud800", end="")
        warnings.warn("slow", DeprecationWarning, stacklevel=1)
        for percent in range(0, 100, 20):
            sys.stderr.write(f"\r{percent:3} %|{'#' * percent}")
            sys.stderr.flush()
        return answer(*arguments)

    return noisy


def _careless(answer: Callable[..., Any]) -> Callable[..., Any]:
    """Leaves nothing of what it was given: neither lists nor dicts are as they were."""

    def careless(*arguments: Any) -> Any:
        result = copy.deepcopy(answer(*arguments))
        for argument in arguments:
            if isinstance(argument, (list, dict)):
                argument.clear()
        return result

    return careless


FORMS: dict[str, Callable[[Any], Any]] = {
    "a lambda": lambda answer: lambda *arguments: answer(*arguments),
    "a partial": functools.partial,
    "a callable object": _Callable,
    "a method": lambda answer: _Callable(answer).__call__,
    "a static method": lambda answer: types.SimpleNamespace(f=staticmethod(answer).__func__).f,
    "decorated": _decorated,
    "remembers": _remembers,
    "noisy": _noisy,
    "careless": _careless,
}


@pytest.mark.filterwarnings("ignore:slow")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda exercise: exercise.key)
def test_an_answer_in_another_form(exercise: Exercise, form: str) -> None:
    if form == "careless" and exercise.keeps_input:
        pytest.skip("its text asks for the input to stay as it is")
    has_full_marks(exercise, FORMS[form](solution_of(exercise)))


@pytest.mark.filterwarnings("ignore:slow")
@pytest.mark.parametrize("form", ["a lambda", "a partial", "decorated", "noisy"])
@pytest.mark.parametrize("exercise", [*CLASSES, *TESTS], ids=lambda exercise: exercise.key)
def test_a_class_or_a_test_in_another_form(exercise: Exercise, form: str) -> None:
    has_full_marks(exercise, FORMS[form](solution_of(exercise)))


# ----------------------------------------------------------------------------------------------------
# In a separate process

APART: list[tuple[str, str, str]] = [
    ("01.count_characters", "a subclass of int", "type('N', (int,), {})(value)"),
    ("01.utf8_encode", "a bytearray", "bytearray(value)"),
    ("01.utf8_encode", "a memoryview", "memoryview(value)"),
    ("01.utf8_decode", "a subclass of str", "type('T', (str,), {'__str__': lambda self: 'no'})(value)"),
    ("02.count_pairs", "a Counter", "__import__('collections').Counter(value)"),
    ("02.count_pairs", "a defaultdict", "__import__('collections').defaultdict(int, value)"),
    ("02.train_merges", "named tuples", "[__import__('collections').namedtuple('P', 'l r')(*pair) for pair in value]"),
    ("03.split_words", "an iterator", "iter(value)"),
    ("03.split_words", "the values of a dict", "dict(enumerate(value)).values()"),
    ("04.byte_alphabet", "an ordered dict", "__import__('collections').OrderedDict(value)"),
    ("06.read_pieces", "a map", "map(lambda piece: [*piece], value)"),
]


@pytest.mark.parametrize(("key", "name", "conversions"), APART, ids=[f"{key} {name}" for key, name, _ in APART])
def test_an_answer_of_another_type_in_a_separate_process(key: str, name: str, conversions: str) -> None:
    exercise = catalogue.find(key)
    notebook = notebook_of(exercise.lesson)
    wrapper = f"_right = {exercise.entry}\ndef {exercise.entry}(*arguments):\n    value = _right(*arguments)\n"
    program = program_of(notebook, key, f"{solution(key)}\n{wrapper}    print(value)\n    return {conversions}\n")
    with RemoteCaller(Program(**program)) as caller:
        verdict = judge(exercise, caller)
    assert (verdict.state, verdict.points) == ("done", exercise.points), verdict


@pytest.mark.parametrize("answer", written("right"), ids=lambda answer: f"{answer.key} {answer.name}")
def test_a_right_answer_by_an_unusual_route(answer: Written) -> None:
    exercise = catalogue.find(answer.key)
    has_full_marks(exercise, names_after([answer.code], dict(solved(exercise.lesson)))[exercise.entry])
    program = program_of(notebook_of(exercise.lesson), answer.key, answer.code)
    program["packages"] = packages_for(exercise, Answer(answer.code, program["others"]))
    with RemoteCaller(Program(**program)) as caller:
        verdict = judge(exercise, caller, "a secret")
    assert (verdict.state, verdict.points) == ("done", exercise.points), verdict
