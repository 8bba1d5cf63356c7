"""Exercises are begun and checked, in a folder of an author."""

# A fault a line, however long: a table is read down its columns.
# ruff: noqa: E501

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from minbpe_course.errors import ExercisesProblem, UnknownExercise, UnusablePath
from minbpe_course.learning.assignments import check_exercises
from minbpe_course.learning.assignments.check_exercises import problems_of
from minbpe_course.learning.assignments.new_exercise import EXAMPLES, new_assignment, new_exercise
from minbpe_course.learning.assignments.parts import source_of
from minbpe_course.learning.assignments.release import release_files
from minbpe_course.learning.judge.catalogue import COURSE, Collection
from minbpe_course.learning.judge.exercise import KINDS


@pytest.fixture
def homework(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Collection:
    """A new assignment."""
    monkeypatch.setattr(check_exercises, "LONGEST_CHECK", 60)
    new_assignment(tmp_path / "home work é")
    return Collection.in_folder(tmp_path / "home work é")


def released(collection: Collection) -> dict[str, str]:
    """Release everything, and return the sources of the cells by their ids."""
    release_files(collection)
    notebooks = [json.loads(path.read_text(encoding="utf-8")) for path in collection.released.glob("*.ipynb")]
    return {cell["id"]: source_of(cell) for notebook in notebooks for cell in notebook["cells"]}


def files(collection: Collection) -> dict[str, bytes]:
    root = collection.checks.parent
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.*")}


def keys(collection: Collection) -> list[str]:
    return [one.key for lesson in collection.lessons() for one in collection.exercises(lesson)]


# ----------------------------------------------------------------------------------------------------
# New


def test_a_new_assignment_has_no_problems_and_can_be_released(homework: Collection) -> None:
    assert list(problems_of(homework)) == []
    assert keys(homework) == [key for key, _, _ in EXAMPLES]
    cells = released(homework)
    assert "YOUR CODE HERE" in cells["week1-echo"]
    assert 'split(" ")' in cells["week1-initials"]
    assert cells["week1-setup"].endswith('use_exercises("..")')


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_exercise_of_each_kind_has_no_problems(kind: str, homework: Collection) -> None:
    file = new_exercise(homework, "week2.my_own_1", kind=kind, entry="count_it", title='Say "ENTRY" \\ é')
    assert list(problems_of(homework)) == []
    (made,) = homework.exercises("week2")
    assert (made.kind, made.entry, made.title) == (kind, "count_it", 'Say "ENTRY" \\ é')
    assert "week2-my_own_1-check" in released(homework)
    assert file.read_text(encoding="utf-8").count("\n") <= (37 if kind == "design" else 30)


IMPOSSIBLE = ["week1.", ".echo", "Week1.echo", "week1.a.b", "../week1.a", "week1.class", "week1.a\n", "week1." + 45 * "a"]  # fmt: skip


@pytest.mark.parametrize("key", IMPOSSIBLE)
def test_an_impossible_key_writes_nothing(key: str, homework: Collection) -> None:
    before = files(homework)
    with pytest.raises(ExercisesProblem, match="cannot be a key"):
        new_exercise(homework, key)
    assert files(homework) == before


def test_what_is_there_already_or_not_there_is_named(homework: Collection, tmp_path: Path) -> None:
    before = files(homework)
    for key, options, words in (
        ("week1.echo", {}, "exists already, in .*echo.py"),
        ("week1.new", {"entry": "a b"}, "'a b' is not a name"),
        ("week1.new", {"title": "a\nb"}, "cannot be a title"),
    ):
        with pytest.raises((ExercisesProblem, UnknownExercise), match=words):
            new_exercise(homework, key, **options)
    with pytest.raises(ExercisesProblem, match="the course has no lesson 'week1'"):
        new_exercise(COURSE, "week1.new")
    with pytest.raises(ExercisesProblem, match="is not empty"):
        new_assignment(homework.checks.parent)
    (tmp_path / "file").write_text("")
    with pytest.raises(ExercisesProblem, match="exists"):
        new_assignment(tmp_path / "file")
    with pytest.raises(UnusablePath):
        new_assignment(tmp_path / "file" / "inside")
    assert files(homework) == before


# ----------------------------------------------------------------------------------------------------
# Checked: a change of the file of week1.echo, the text of the line that is named, and the problem

FAULTS = [
    ("a hint of the ladder", ('"An echo answers after every word."',
                      '"Any introduction to Python\'s lists: look for append and extend."'), "all-twice", "one of the three"),
    ("not a mistake", ("lambda words: words + words", "echo"), "all-twice", "earns 2 points"),
    ("no example", ("like=lambda words: words + words", "when=lambda case, outcome, wanted: False"), "all-twice", "no example"),
    ("by the clock", ("random.choice([", "__import__('random').choice(["), "drawn=", "other cases the second time"),
    ("endless", ("range(1, 16)", "iter(int, 1)"), "", "too many cases"),
    ("an echo", ("return [word for word in words for _ in range(2)]", "return words"), "drawn=", "the first argument earns 2"),
    ("wrong by its witness", ("answer=echo,", "answer=echo, wanted=lambda words: words[::-1],"), "def echo(", "the answer in the notebook gets 0 of 2 points"),
    ("a package", ("    return [word", "    import tiktoken\n    return [word"), "import", "imports tiktoken, which the grader does not have"),
    ("an edit of nothing", ("like=lambda words: words + words", 'like=("ECHO", "")'), "all-twice", "cannot be made: 'ECHO' is not in the source"),
    ("a name of the notebook", ("def echo(words):", "def check(words):\n    return words\n\n\ndef echo(words, used=check):"), "EXERCISE", "redefines check"),
    ("an unknown type", ("from minbpe_course.learning import Exercise, Mistake\n\n\ndef echo(words)", "from __future__ import annotations\nfrom minbpe_course.learning import Exercise, Mistake\n\n\ndef echo(words: Unknown)"), "def echo(", "name 'Unknown' is not defined"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "needle", "words"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS]
)
def test_a_problem_is_named_with_its_line(
    change: tuple[str, str], needle: str, words: str, homework: Collection
) -> None:
    file = homework.checks / "week1" / "echo.py"
    source = file.read_text(encoding="utf-8")
    assert change[0] in source
    file.write_text(source.replace(change[0], change[1]), encoding="utf-8")
    found = list(problems_of(homework))
    if not words:
        assert found == []
        return
    first = next(problem for problem in found if re.search(words, problem))
    assert str(file) in first
    if needle:
        line = int(re.search(r"echo.py:(\d+): week1.echo: ", first)[1])
        assert needle in file.read_text(encoding="utf-8").split("\n")[line - 1]
    assert all("\n" not in problem for problem in found)


def test_a_folder_without_an_exercise_is_named(homework: Collection) -> None:
    (homework.checks / "week2").mkdir()
    (homework.checks / "week2" / "samples.py").write_text("TEXTS = []\n", encoding="utf-8")
    (problem,) = problems_of(homework)
    assert "week2: no file in it is an exercise" in problem


def test_keys_that_do_not_exist_are_named(homework: Collection) -> None:
    for key in ("week1.nothing", "week9.echo", "02.merge"):
        with pytest.raises(UnknownExercise):
            list(problems_of(homework, [key]))
