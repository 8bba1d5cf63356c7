"""Answers from several notebooks become one module that can be imported and loaded."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from minbpe_course.cli.main import main
from minbpe_course.errors import ExercisesProblem
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.practice.collect_answers import Collected, collect
from minbpe_course.learning.submissions.notebook_cells import Cell, Notebook, Question
from tests.shared.lesson_code import EXERCISES


def asked(key: str, blank: str = "", given: tuple[str, ...] = (), kind: str = "write") -> Question:
    entry = key.partition(".")[2]
    blank = blank or f"def {entry}(n):\n    raise NotImplementedError"
    return Question(Exercise(key, f"The {entry}", kind, entry, 1, 5, 1, ("a", "b", "c")), blank, given)  # type: ignore[arg-type]


def answered(**sources: str) -> Notebook:
    """A notebook with these cells; two underscores stand for the dash of an id."""
    return Notebook(tuple(Cell(name.strip("_").replace("__", "-", 1), source) for name, source in sources.items()))


def imported(collected: Collected) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "my_tokenizer"}
    exec(compile(collected.source, "my_tokenizer.py", "exec"), names)
    return names


ONE, TWO = asked("01.one"), asked("02.two")


def test_answers_stand_in_the_order_of_the_exercises_with_their_names() -> None:
    made = collect(
        [
            answered(_02__two="def two(n):\n    return one(n) + 1"),
            answered(_01__one="def one(n):\n    # mine\n    return n"),
        ],
        [ONE, TWO],
    )
    assert imported(made)["two"](4) == 5
    assert made.source.index("# 01.one: The one") < made.source.index("# mine") < made.source.index("# 02.two: The two")
    assert (made.blank, made.broken) == ((), ())
    assert ast.get_docstring(ast.parse(made.source)).splitlines()[2] == "2 of 2 answers."


def test_imports_stand_at_the_top_each_once() -> None:
    made = collect(
        [answered(
            _01__one="import re, json\nfrom collections import Counter, deque as dq\n"
            "def one(n):\n    import math\n    return 1",
            _02__two="from __future__ import annotations\nimport re\nfrom collections import Counter\n"
            "def two(n):\n    return Counter",
        )],
        [ONE, TWO],
    )  # fmt: skip
    lines = made.source.splitlines()
    top = [line for line in lines[: lines.index("# 01.one: The one")] if line.startswith(("import", "from"))]
    assert top == [
        "from __future__ import annotations", "import json", "import re", "from collections import Counter",
        "from collections import deque as dq",
    ]  # fmt: skip
    assert "    import math" in lines, "what is inside a function stays there"
    assert made.source.count("Counter") == 2
    imported(made)


def test_statements_without_definitions_are_left_out() -> None:
    source = (
        '"""My cell."""\nimport re; size = 3\nprint("hello")\nassert one\n%timeit one(1)\n!ls\nTABLE = {}\n'
        "for number in range(size):\n    TABLE[number] = number * 2\n\n@staticmethod\n"
        "def one(n):\n    print('kept')\n    return TABLE[n]\n\none(1)\ncheck('01.one', one)\n"
    )
    made = collect([answered(_01__one=source)], [ONE])
    assert not [word for word in ("hello", "assert", "timeit", "!ls", "check(", "My cell") if word in made.source]
    assert "@staticmethod\ndef one" in made.source
    assert imported(made)["TABLE"] == {0: 0, 1: 2, 2: 4}


def test_a_definition_of_another_cell_comes_along_and_nothing_else() -> None:
    notebook = answered(
        _01__one="def one(n):\n    return helper(n) + WIDTH",
        tools="WIDTH = 7\nunused = open('/nowhere')\ndef helper(n):\n    return deeper(n)",
        more="import math\ndef deeper(n):\n    return math.floor(n)\nprint(deeper(1))",
    )
    made = collect([notebook], [ONE])
    assert "nowhere" not in made.source
    assert imported(made)["one"](2.5) == 9


@pytest.mark.parametrize(
    "source", ["def one(n):\n  return (", "def one(n):\nreturn n", "def one(n): return '\0'"], ids=repr
)
def test_an_answer_that_is_not_python_is_left_out_and_named(source: str) -> None:
    made = collect([answered(_01__one=source, _02__two="def two(n):\n    return n")], [ONE, TWO])
    assert made.broken == ("01.one",)
    assert "not Python, left out: 01.one" in made.summary()
    assert imported(made)["two"](3) == 3


def test_one_name_for_two_things_is_an_error_that_names_both() -> None:
    notebooks = [
        answered(_01__one="def tool(n):\n    return 1\ndef one(n):\n    return tool(n)"),
        answered(_02__two="def tool(n):\n    return 2\ndef two(n):\n    return tool(n)"),
    ]
    with pytest.raises(
        ExercisesProblem, match=r"tool is defined differently in the answer to 01\.one and in .* 02\.two"
    ):
        collect(notebooks, [ONE, TWO])
    alike = [notebooks[0], answered(_02__two="def tool(n):\n    return 1\ndef two(n):\n    return tool(n)")]
    assert collect(alike, [ONE, TWO]).source.count("def tool") == 1


# ----------------------------------------------------------------------------------------------------
# The command


def test_the_command_names_blanks_and_missing_lessons(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["collect", str(EXERCISES / "02_*.ipynb")]) == 1
    said = capsys.readouterr().out
    assert "still blank: 02." in said
    assert "name the notebooks of lessons 01, 03, 04, 05 as well" in said
    ast.parse((tmp_path / "my_tokenizer.py").read_text(encoding="utf-8"))
