"""The files of a lesson become two notebooks, the same bytes every time, or every fault is named with its file."""

# A fault a line, however long: a table is read down its columns.
# ruff: noqa: E501

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from minbpe_course.cli.main import main
from minbpe_course.errors import ExercisesProblem
from minbpe_course.learning.assignments.release import release_files
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.answer_code import answer_code
from minbpe_course.learning.judge.catalogue import Collection

HEAD = "from minbpe_course.learning import Code, Exercise, Text\n"
DOUBLE = f'''{HEAD}
def double(n):
    """Return twice n.

    What it says: `double(2)` is `4`.
    """
    twice = n + n
    return twice


EXERCISE = Exercise("week1.double", "Double it", "write", answer=double, points=1)
'''
SAMPLES = """import math
from functools import cache, partial


HALF = 0.5  # a comment at its end


@cache
def half(n):
    return math.floor(HALF * n)


def nobody_needs_it():
    return partial(half)
"""
HALVE = f'''{HEAD}
import math

from .double import double
from .samples import half

# The least.
LEAST = 1
LEAST += 1


class Halver:
    """Halve, in two ways.

    Repair both.
    """

    def by_hand(self, n):
        ### BEGIN SOLUTION
        found = half(double(n)) // 2

        return found
        ### INSTEAD
        # if n:
        #     return n / 2
        #
        # # why?
        ### END SOLUTION

    def by_machine(self, n):
        if n > LEAST:
            ### BEGIN SOLUTION
            n = math.ceil(n)
            ### END SOLUTION
        return n // 2


EXERCISE = Exercise("week1.halve", "Halve it", "repair", "Halver", answer=Halver, picture="print(1)")
'''
LESSON = f'''"""Two questions

Both are easy.
"""

{HEAD}
NOTEBOOK = ("halve", Text("""
Now the other way.
"""), Code("%time halver = 1"), "double")
'''


@pytest.fixture
def homework(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Collection:
    """A folder with two exercises, as the current folder."""
    monkeypatch.chdir(tmp_path)
    for name, source in {"double": DOUBLE, "halve": HALVE, "samples": SAMPLES, "__init__": LESSON}.items():
        write(tmp_path, name, source)
    return catalogue.add_collection(tmp_path, "")


def write(folder: Path, name: str, source: str) -> None:
    (folder / "checks" / "week1").mkdir(parents=True, exist_ok=True)
    (folder / "checks" / "week1" / f"{name}.py").write_text(source, encoding="utf-8")


def cells(folder: Path) -> dict[str, dict[str, Any]]:
    made = json.loads((folder / "week1.ipynb").read_text(encoding="utf-8"))
    return {cell["id"]: {**cell, "source": "".join(cell["source"])} for cell in made["cells"]}


def test_the_two_notebooks_of_a_lesson(homework: Collection) -> None:
    release_files(homework)
    learners, teachers = cells(homework.released), cells(homework.solutions)
    assert list(learners) == list(teachers) == [
        "week1-title", "week1-setup", "week1-introduction", "week1-halve-text", "week1-halve-given",
        "week1-halve-picture", "week1-halve", "week1-halve-check", "week1-cell-2", "week1-cell-3", "week1-double-text",
        "week1-double", "week1-double-check", "week1-progress",
    ]  # fmt: skip
    assert learners["week1-title"]["source"] == "# Two questions"
    assert learners["week1-introduction"]["source"].startswith("Both are easy.\n\nWrite your answer")
    assert learners["week1-cell-2"]["source"] == "Now the other way."
    assert learners["week1-double-text"]["source"].endswith("1 point\n\nWhat it says: `double(2)` is `4`.")
    blank = '    # YOUR CODE HERE\n    raise NotImplementedError("double is still blank")'
    assert learners["week1-double"]["source"] == f'def double(n):\n    """Return twice n."""\n{blank}'
    assert teachers["week1-double"]["source"] == (
        'def double(n):\n    """Return twice n."""\n    ### BEGIN SOLUTION\n    twice = n + n\n    return twice\n    ### END SOLUTION'
    )
    assert b"SOLUTION" not in (homework.released / "week1.ipynb").read_bytes()


def test_given_code_is_what_the_answer_uses_and_learners_do_not_write(homework: Collection) -> None:
    code = answer_code(homework.exercises("week1")[0])
    assert code.given == (
        "import math\nfrom functools import cache\n\n\nHALF = 0.5  # a comment at its end\n\n\n"
        "@cache\ndef half(n):\n    return math.floor(HALF * n)\n\n\n# The least.\nLEAST = 1\nLEAST += 1"
    )
    assert code.blank == (
        'class Halver:\n    """Halve, in two ways."""\n\n    def by_hand(self, n):\n        if n:\n            return n / 2\n\n'
        "        # why?\n\n    def by_machine(self, n):\n        if n > LEAST:\n            # YOUR CODE HERE\n"
        '            raise NotImplementedError("Halver is still blank")\n        return n // 2'
    )
    assert code.hidden_lines() == ["found = half(double(n)) // 2", "return found", "n = math.ceil(n)"]


def test_an_import_that_only_the_blank_needs_is_part_of_the_answer(homework: Collection) -> None:
    source = DOUBLE.replace("def double", "import math\nfrom functools import cache\n\n\n@cache\ndef double")
    write(homework.checks.parent, "double", source.replace("n + n", "math.floor(n + n)"))
    code = answer_code(homework.exercises("week1")[1])
    assert code.blank.startswith("from functools import cache\n\n\n@cache\ndef double")
    assert "    ### BEGIN SOLUTION\n    import math\n\n    twice = math" in code.answer
    assert code.hidden_lines() == ["twice = math.floor(n + n)", "return twice"]


def test_learners_may_change_the_answer_and_nothing_else(homework: Collection) -> None:
    release_files(homework)
    free = {cell_id: cell["metadata"].get("editable", True) for cell_id, cell in cells(homework.released).items()}
    assert [cell_id for cell_id, may in free.items() if may and "-halve" in cell_id] == [
        "week1-halve-picture",
        "week1-halve",
    ]
    # Whoever reads the answers is not locked out.
    assert all("editable" not in cell["metadata"] for cell in cells(homework.solutions).values())


FAULTS = [
    ("no end", "double", ("    twice = n", "    ### BEGIN SOLUTION\n    twice = n"), r"double.py, line \d+: a marker of double has no partner"),
    ("no docstring", "double", ('"""Return twice n.', "n  # "), "SyntaxError"),
    ("code for a comment", "halve", ("# # why?", "why = 1"), "'why = 1' is no comment. Write: # why = 1"),
    ("an answer that runs later", "double", ("def double", "async def double"), "double.py, line \\d+: the answer double is defined once"),
    ("an answer defined twice", "double", ("EXERCISE =", "double = double\nEXERCISE ="), "the answer double is defined once"),
    ("an unknown name to give", "double", ("answer=double", "answer=double, given=('HALF',)"), "given= has 'HALF'"),
    ("a picture that is drawn", "double", ("answer=double", "answer=double, picture=print"), "picture is the source"),
    ("another name", "halve", ("import half", "import half as halved"), "line \\d+: learners cannot be given what 'from .samples import half as halved'"),
    ("no answer", "double", (", answer=double", ""), "week1.double has no answer"),
    ("leak in the task", "double", ("What it says", "Write twice = n + n"), "'twice = n \\+ n' of the answer in cell week1-double-text"),
    ("leak in given code", "samples", ("    return math", "    n = math.ceil(n)\n    return math"), "'n = math.ceil\\(n\\)' of the answer in cell week1-halve-given"),
    ("leak in a stub", "halve", ("# if n:", "# found = half(double(n)) // 2"), "in cell week1-halve "),
    ("leak between exercises", "__init__", ("Now the", "Write n = math.ceil(n) the"), "in cell week1-cell-2"),
    ("an unknown name", "__init__", ('"double")', '"duoble")'), "NOTEBOOK names 'duoble'. Name a file of the folder, once: double"),
    ("one name", "__init__", (LESSON[LESSON.index('("halve"') :], '("double")'), r"NOTEBOOK is one text\. One name needs a comma: NOTEBOOK = \('double',\)"),
    ("a picture that is not Python", "halve", ('"print(1)"', '"""\nx = 1\nx = = 2\n"""'), r"halve\.py, line 41: this code of a cell is not Python: invalid syntax"),
    ("a cell that is not Python", "__init__", ('"%time halver = 1"', '"""\n\nhalver = (1"""'), r"__init__\.py, line 12: this code of a cell is not Python: '\(' was never closed"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "change", "words"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS]
)
def test_a_fault_is_named_and_nothing_is_written(
    name: str, change: tuple[str, str], words: str, homework: Collection
) -> None:
    path = homework.checks / "week1" / f"{name}.py"
    source = path.read_text(encoding="utf-8")
    assert change[0] in source
    path.write_text(source.replace(*change), encoding="utf-8")
    with pytest.raises(ExercisesProblem, match=words):
        release_files(homework)
    assert not homework.released.exists()
    assert not homework.solutions.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda source: source.replace(b"\n", b"\r\n"),
        lambda source: b"\xef\xbb\xbf" + source,
        lambda source: b"# coding: latin-1\n# \xe9\n\n" + source,
        lambda source: re.sub(rb"(?m)^ +", lambda found: b"\t" * (len(found[0]) // 4), source),
    ],
    ids=["Windows", "mark", "Latin-1", "tabs"],
)
def test_every_encoding_and_indentation_that_python_reads(
    change: Callable[[bytes], bytes], homework: Collection
) -> None:
    release_files(homework)
    folders = (homework.released, homework.solutions)
    whole = [(folder / "week1.ipynb").read_bytes() for folder in folders]
    for path in (homework.checks / "week1").glob("*.py"):
        path.write_bytes(change(path.read_bytes()))
    release_files(homework)
    assert [(folder / "week1.ipynb").read_bytes().replace(b"\\t", b"    ") for folder in folders] == whole


def test_what_is_around_the_answer_comes_with_it(homework: Collection) -> None:
    source = DOUBLE.replace('"""Return twice n.', "'''Return \"twice n\"").replace('4`.\n    """', "4`.\n    '''")
    source = source.replace(
        "def double", "try:\n    from functools import cache\nexcept ImportError:\n    pass\n\n\n@cache\ndef double"
    )
    write(homework.checks.parent, "double", source)
    code = answer_code(homework.exercises("week1")[1])
    assert code.given == "try:\n    from functools import cache\nexcept ImportError:\n    pass"
    assert code.blank.startswith("@cache\ndef double(n):\n    '''Return \"twice n\"'''\n    # YOUR")


def test_exercises_that_no_notebook_names_come_last(homework: Collection) -> None:
    write(homework.checks.parent, "again", DOUBLE.replace("double", "again"))
    assert [one.entry for one in homework.exercises("week1")] == ["Halver", "double", "again"]
    (homework.checks / "week1" / "__init__.py").unlink()
    assert [one.entry for one in homework.exercises("week1")] == ["again", "double", "Halver"]
    assert homework.contents("week1").title == "Week 1"


def test_release_writes_and_then_agrees(homework: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["release", "--check"]) == 1
    assert "missing; run: minbpe-course release" in capsys.readouterr().err
    assert not homework.released.exists()
    assert main(["release"]) == 0
    assert main(["release", "--check"]) == 0
    path = homework.released / "week1.ipynb"
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"YOUR CODE", b"MY CODE"))
    (homework.solutions / "week9.ipynb").write_text("{}", encoding="utf-8")
    capsys.readouterr()
    assert main(["release", "--check"]) == 1
    said = capsys.readouterr().err
    assert "week1.ipynb: differs" in said
    assert "week9.ipynb: no lesson has this name" in said
    assert b"MY CODE" in path.read_bytes(), "it only looks"
    assert main(["release"]) == 1, "what is too many stays until somebody deletes it"
    assert path.read_bytes() == whole
    assert main(["release", "week1", "--out", "elsewhere"]) == 0
    assert [path.name for path in Path("elsewhere").iterdir()] == ["week1.ipynb"]
    assert main(["release", "week2"]) == 2
