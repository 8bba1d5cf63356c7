"""Answers from several notebooks become one module that can be imported and loaded."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from minbpe_course.checks.exercise import Exercise
from minbpe_course.cli.main import main
from minbpe_course.errors import ExercisesProblem
from minbpe_course.practice.collect_answers import Collected, collect, glue_for
from minbpe_course.submissions.notebook_cells import Cell, Notebook, Question
from tests.shared.lesson_code import EXERCISES, SOLUTIONS


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


def test_given_code_is_there_once() -> None:
    given = ("START = 5\ndef grow(n):\n    return n + START",)
    questions = [asked("01.one", given=given), asked("01.two", given=(*given, "END = 6"))]
    notebook = answered(_01__one="def one(n):\n    return grow(n)", _01__two="def two(n):\n    return grow(END)")
    made = collect([notebook], questions)
    assert made.source.count("def grow") == 1
    assert imported(made)["two"](0) == 11


def test_a_blank_stays_and_is_named() -> None:
    made = collect([answered(_01__one="def one(n):\n    return n")], [ONE, TWO])
    assert made.blank == ("02.two",)
    assert "still blank: 02.two" in made.summary()
    with pytest.raises(NotImplementedError):
        imported(made)["two"](1)


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


def test_tests_that_the_learner_wrote_are_left_out() -> None:
    made = collect([answered(_01__one="def one(n):\n    return n")], [ONE, asked("01.test_one", kind="test")])
    assert made.keys == ("01.one",)


def test_the_joining_class_comes_last() -> None:
    made = collect(
        [answered(_01__one="def one(n):\n    return n")], [ONE], "class Mine:\n    answer = staticmethod(one)\n"
    )
    assert imported(made)["Mine"].answer(3) == 3
    assert glue_for({"one"}) == "", "not without the answers that it calls"


# ----------------------------------------------------------------------------------------------------
# The command


def test_the_command_names_blanks_and_missing_lessons(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["collect", str(EXERCISES / "02_*.ipynb")]) == 1
    said = capsys.readouterr().out
    assert "still blank: 02." in said
    assert "name the notebooks of lessons 01, 03, 04, 05 as well" in said
    ast.parse((tmp_path / "my_tokenizer.py").read_text(encoding="utf-8"))


def test_windows_line_ends_of_a_notebook_do_no_harm(tmp_path: Path) -> None:
    source = next(SOLUTIONS.glob("02_*.ipynb"))
    notebook = json.loads(source.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"]).replace("\n", "\r\n")
    other = tmp_path / source.name
    other.write_text(json.dumps(notebook), encoding="utf-8")
    for path, out in ((source, "one.py"), (other, "two.py")):
        assert main(["collect", str(path), "--out", str(tmp_path / out)]) == 0
    assert (tmp_path / "one.py").read_bytes() == (tmp_path / "two.py").read_bytes()


@pytest.mark.parametrize("name", ["06_sentencepiece.ipynb", "README.md"])
def test_a_file_without_these_answers_is_refused(name: str, tmp_path: Path, capsys) -> None:
    assert main(["collect", str(SOLUTIONS / name), "--out", str(tmp_path / "out.py")]) == 2
    assert not (tmp_path / "out.py").exists()
    assert capsys.readouterr().err.startswith("minbpe-course collect: ")
