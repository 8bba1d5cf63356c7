"""Which marks are made again after a change of the course: of its comments, of one exercise, of the judge, of data."""

from __future__ import annotations

import ast
import functools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from minbpe_course.errors import ExercisesProblem
from minbpe_course.learning.grading.mark_versions import PACKAGE, syntax, versions
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.submissions.notebook_cells import Question

pytestmark = pytest.mark.sandbox

IGNORED = shutil.ignore_patterns("__pycache__", "_lessons", "kernels", "vocabularies", "jupyter", "*.kernel")


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The modules of the course, to be edited."""
    return Path(shutil.copytree(PACKAGE, tmp_path_factory.mktemp("copy") / PACKAGE.name, ignore=IGNORED))


@pytest.fixture
def edit(copied: Path) -> Iterator[Callable[..., None]]:
    """Replace a part of a file of the copy; undone after the test."""
    before: dict[Path, bytes] = {}

    def edited(name: str, old: str, new: str) -> None:
        path = copied / name
        data = before.setdefault(path, path.read_bytes())
        assert old.encode() in data, (name, old)
        path.write_bytes(path.read_bytes().replace(old.encode(), new.encode(), 1))

    yield edited
    for path, data in before.items():
        path.write_bytes(data)


def asked() -> list[Question]:
    return [Question(exercise, "the blank cell") for exercise in catalogue.exercises()]


@functools.cache
def unchanged() -> list[str]:
    return versions(asked())


def changed(copied: Path) -> set[str]:
    """Return the keys whose marks would be made again."""
    questions = asked()
    pairs = zip(questions, unchanged(), versions(questions, copied))
    return {question.exercise.key for question, old, new in pairs if old != new}


def everything() -> set[str]:
    return {exercise.key for exercise in catalogue.exercises()}


def test_every_question_has_a_version_of_its_own(copied: Path) -> None:
    assert len(set(versions(asked()))) == len(asked())
    assert changed(copied) == set()


def test_comments_docstrings_and_line_breaks_change_nothing(copied: Path, edit) -> None:
    for path in sorted((copied / "learning").rglob("*.py")) + sorted((copied / "reference").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        edit(path.relative_to(copied).as_posix(), source, f"{source}\n\n# A remark.\n")
        if source.startswith('"""'):
            edit(path.relative_to(copied).as_posix(), '"""', '"""In other words. ')
    assert changed(copied) == set()


def test_a_changed_case_changes_its_exercise_and_those_that_import_it(copied: Path, edit) -> None:
    edit("learning/exercises/lesson_02/merge.py", "EXERCISE = ", "EXERCISE = ONE = ")
    assert changed(copied) == {"02.merge"}
    edit("learning/exercises/lesson_02/train_merges.py", "EXERCISE = ", "EXERCISE = ONE = ")
    again = changed(copied)
    assert {"02.merge", "02.train_merges", "02.apply_merges"} <= again
    assert all(key.startswith("02.") for key in again)


@pytest.mark.parametrize("name", ["judge/judge.py", "grading/worker.py", "submissions/notebook_cells.py"])
def test_a_change_of_the_judging_changes_every_version(copied: Path, edit, name: str) -> None:
    edit(f"learning/{name}", "from __future__ import annotations", "from __future__ import annotations\nNEW = 1")
    assert changed(copied) == everything()


@pytest.mark.parametrize(
    "name", ["errors.py", "learning/grading/batch.py", "learning/judge/conformance/rule.py"],
)  # fmt: skip
def test_what_decides_no_mark_changes_no_version(copied: Path, edit, name: str) -> None:
    edit(name, "", "NEW = 1\n")
    assert changed(copied) == set()


def test_what_was_handed_out_is_part_of_the_version() -> None:
    exercise = catalogue.find("02.merge")
    handed_out = [Question(exercise, "a"), Question(exercise, "b"), Question(exercise, "a", ("import re",))]
    assert len(set(versions(handed_out))) == 3


def test_a_module_that_cannot_be_parsed_is_named(copied: Path, edit) -> None:
    edit("learning/judge/judge.py", "", "def (:\n")
    with pytest.raises(ExercisesProblem, match=r"judge\.py decides marks, and cannot be parsed"):
        versions(asked(), copied)


def test_an_exercise_of_a_teacher_depends_on_its_module_and_the_helpers_that_it_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "checks" / "week1"
    folder.mkdir(parents=True)
    source = (
        "from minbpe_course.learning.judge.exercise import Case, Exercise\n"
        "from .drawing import LARGEST\n"
        "EXERCISE = Exercise('week1.triple', 'Triple it', 'write', 'triple', 1, 5, 2, ('', '', ''),\n"
        "    wanted=lambda n: 3 * n, shown=(Case('small', (LARGEST,)),))\n"
    )
    monkeypatch.setattr(catalogue, "_USED", {})
    seen = []
    for name, text in (
        *(("drawing.py", "LARGEST = 9\n"), ("triple.py", source)),
        *(("unused.py", "LARGEST = 9\n"), ("triple.py", source + "# A remark.\n")),
        *(("drawing.py", "LARGEST = 8\n"), ("triple.py", source + "x = 1\n")),
    ):
        (folder / name).write_text(text, encoding="utf-8")
        if (folder / "triple.py").exists():
            catalogue.use_exercises(tmp_path)
            seen += versions([Question(catalogue.find("week1.triple"), "")])
    assert seen[0] == seen[1] == seen[2]
    assert len(set(seen)) == 3


def test_syntax_reads_what_runs_and_nothing_else() -> None:
    one = '"""Doc."""\nclass A:\n    """Doc."""\n    def f(self):\n        "Doc."\n        return (1,\n  2)  # two\n'
    other = "class A:\n  def f(self): return 1, 2\n"
    assert syntax(ast.parse(one)) == syntax(ast.parse(other))
    different = ["x = 1", "x = '1'", "x = b'1'", "x = 1.0", "x = True", "x = [1]", "x = (1,)", "x = ...", "x = None"]
    different += ["x: int = 1", "x += 1", "def x(): pass", "def x(*a): pass", "def x(*, a): pass", "global x"]
    assert len({syntax(ast.parse(source)) for source in different}) == len(different)
    syntax(ast.parse("+".join("1" * 900)))
