"""Answers become plain values by the base classes' own methods, and come through one line of JSON unchanged."""

from __future__ import annotations

import array
import collections
import contextlib
import enum
import functools
import itertools
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.learning.judge import plain_values as module
from minbpe_course.learning.judge.plain_values import NotPlain, from_json, plain, to_json
from tests.shared.patience import PATIENCE


class Pair(NamedTuple):
    left: int
    right: int


class Colour(enum.IntEnum):
    RED = 3


def lying(base: type, value: Any, **lies: Any) -> Any:
    """A value of a subclass whose methods return lies."""
    methods = {f"__{name}__": lambda *arguments, lie=lie: lie for name, lie in lies.items()}
    return type("Liar", (base,), {**methods, "items": lambda self: [("lie", 1)]})(value)


@pytest.mark.parametrize(
    ("label", "value", "expected"),
    [
        ("Counter", collections.Counter("aab"), {"a": 2, "b": 1}),
        ("defaultdict", collections.defaultdict(int, {(1, 2): 3}), {(1, 2): 3}),
        ("namedtuple", Pair(1, 2), (1, 2)),
        ("IntEnum", Colour.RED, 3),
        ("NumPy integer", np.uint32(7), 7),
        ("NumPy float", np.float32(0.5), 0.5),
        ("NumPy array", np.array([[1, 2], [3, 4]], dtype=np.int16), [[1, 2], [3, 4]]),
        ("NumPy inside", [np.int64(1), (np.uint8(2),)], [1, (2,)]),
        ("generator", (n for n in (1, 2)), [1, 2]),
        ("range", range(3), [0, 1, 2]),
        ("deque", collections.deque([1]), [1]),
        ("array", array.array("I", [5]), [5]),
        ("bytearray", bytearray(b"ab"), b"ab"),
        ("memoryview", memoryview(b"abcd")[1:3], b"bc"),
        ("frozenset", frozenset([1]), {1}),
        ("list that lies", lying(list, [1, 2], iter=iter([9]), len=9, eq=True, getitem=9, repr="[9]"), [1, 2]),
        ("int that lies", lying(int, 5, eq=True, hash=0, add=9, index=9, int=9), 5),
        ("text that lies", lying(str, "truth", str="lie", eq=True, hash=0), "truth"),
        ("dict that lies", lying(dict, {"a": lying(int, 1, add=9)}, iter=iter(["lie"])), {"a": 1}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_answers_become_plain(label: str, value: Any, expected: Any) -> None:
    made = plain(value)
    # repr tells types apart that compare as equal.
    assert repr(made) == repr(expected), label
    assert all(type(part) in (int, str, list, tuple, dict) for part in _parts(made) if isinstance(part, (int, str)))


def _parts(value: Any) -> list[Any]:
    inner = value if isinstance(value, (list, tuple, set)) else [*value, *value.values()] if type(value) is dict else []
    return [value, *(part for each in inner for part in _parts(each))] if not isinstance(value, bool) else []


class Record:
    pass


class Endless:
    def __iter__(self) -> Any:
        return itertools.count()


def _nested(levels: int) -> list[Any]:
    inside: list[Any] = []
    for _ in range(levels):
        inside = [inside]
    return inside


RING: list[Any] = []
RING.append(RING)


@pytest.mark.parametrize(
    ("label", "value", "word"),
    [
        ("object", Record(), "Record"),
        ("class", Record, "class"),
        ("iterable object", Endless(), "Endless"),
        ("endless generator", (n for n in itertools.count()), "items"),
        ("complex", 1j, "complex"),
        ("deep", _nested(100), "levels"),
        ("contains itself", RING, "levels"),
        ("huge", 1 << 20_000, "bits"),
        ("set as a key", {frozenset([1]): 1}, "inside a key"),  # a frozenset becomes a set
        ("NumPy objects", np.array([object()]), "object"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_everything_else_is_refused_by_name(label: str, value: Any, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ITEMS", 1000)
    with pytest.raises(NotPlain, match=word):
        plain(value)


@pytest.mark.parametrize("around", [lambda value: [value], lambda value: {1: value}, lambda value: iter([value])])
def test_every_container_is_one_level(around: Callable[[Any], Any]) -> None:
    def nested(levels: int) -> Any:
        return functools.reduce(lambda value, _: around(value), range(levels), 0)

    plain(nested(module.DEEPEST + 1))
    with pytest.raises(NotPlain, match="levels"):
        plain(nested(module.DEEPEST + 2))


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**200), 2**200)
    | st.floats()
    | st.text(alphabet=st.characters(exclude_categories=()), max_size=10)
    | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.text() | st.binary() | st.tuples(st.integers(), st.integers()), inner)
        | st.sets(st.integers() | st.text())
    ),
    max_leaves=20,
)


@pytest.mark.medium
@given(PLAIN)
def test_plain_values_round_trip_through_one_line(value: Any) -> None:
    line = to_json(value)
    assert "\n" not in line
    assert line.isascii()
    # Sets may come back in another order, 1 equals True, and NaN nothing: the line itself tells more than ==.
    assert to_json(from_json(line)) == line
    assert to_json(plain(value)) == line


def test_two_halves_of_a_surrogate_pair_stay_two_characters() -> None:
    halves = "\ud83d" + "\udc00"
    assert from_json(to_json([halves, {halves: "\udc00"}])) == [halves, {halves: "\udc00"}]


@given(st.binary() | st.text().map(str.encode))
def test_any_line_is_read_or_refused(line: bytes) -> None:
    with contextlib.suppress(ValueError):
        from_json(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{}",
        '{"i": "zz"}',
        '{"t": [1], "d": []}',
        '{"d": [[[1], 2]]}',
        '{"s": [[1]]}',
        '{"b": "%%%"}',
        '{"i": "0x' + "f" * 10_000 + '"}',
        "NaN 1",
        "[" * 100_000,
        '{"t":[' * 400 + "]}" * 400,
        "1" * 5000,
        '"\ud800',
        json.dumps({"d": [[(2**61 - 1) * n, 0] for n in range(200)]}),  # all with the hash 0
    ],
    ids=lambda line: line[:20],
)
def test_lines_that_were_not_written_here_are_refused(line: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any ValueError is right
        from_json(line)


def test_the_module_imports_nothing_of_the_package() -> None:
    """The process of an answer loads this file by its path, without the package, and without what is slow to import."""
    path = Path(module.__file__)
    program = (
        "import sys, importlib.util as u; s = u.spec_from_file_location('plain', sys.argv[1]);"
        "m = u.module_from_spec(s); s.loader.exec_module(m); print(m.to_json(m.plain({1: (2.5, b'x')})));"
        "assert not any(n.startswith(('minbpe', 'numpy', 'typing')) for n in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert run.stdout.strip() == '{"d": [[1, {"t": [2.5, {"b": "78"}]}]]}', run.stderr
