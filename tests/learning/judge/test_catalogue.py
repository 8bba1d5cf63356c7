"""The catalogue: exercises of the course, of teachers' folders and of installed packages, each key once, in order."""

from __future__ import annotations

import importlib
import json
import os
import random
import sys
import warnings
from pathlib import Path

import pytest

from minbpe_course import use_exercises
from minbpe_course.errors import ExercisesProblem, MissingFile, UnknownExercise
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.catalogue import COURSE, Collection
from tests.shared.lesson_code import EXERCISES, SOLUTIONS
from tests.shared.teachers_folder import EXERCISE, write_exercise


@pytest.fixture
def homework(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_exercise(tmp_path / "homework", "week1.double")
    return tmp_path / "homework"


# ---- The course


def test_the_course_is_a_collection_like_the_others() -> None:
    assert catalogue.collections() == (COURSE,)
    assert COURSE.lessons() == catalogue.lessons() == tuple(f"{number:02}" for number in range(1, 20))
    assert (COURSE.solutions, COURSE.released) == (SOLUTIONS, EXERCISES)
    assert COURSE.lesson_folder("02").is_dir()
    assert COURSE.notebook("02") == "02_naive_bpe.ipynb"
    assert COURSE.notebook("99") is None
    assert COURSE.lesson_of("my_02_naive_bpe.ipynb") is None


def test_every_exercise_of_the_course_is_found_once_in_the_order_of_its_cells() -> None:
    keys = [exercise.key for exercise in catalogue.exercises()]
    sources = [path.read_text(encoding="utf-8") for path in COURSE.checks.glob("lesson_*/*.py")]
    assert len(set(keys)) == len(keys)
    assert sum("." not in key[3:] for key in keys) == sum("\nEXERCISE = " in source for source in sources)
    assert len({key.rpartition(".")[0] for key in keys if "." in key[3:]}) == sum(
        "\nEXERCISES = " in source for source in sources
    )
    in_cells = []
    for path in sorted(SOLUTIONS.glob("*.ipynb")):
        ids = [cell["id"].replace("-", ".", 1) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
        in_cells += [id for id in ids if id in keys]
    blanks = {one.key for lesson in COURSE.lessons() for one in COURSE.contents(lesson).blanks}
    assert [key for key in keys if key not in blanks] == in_cells
    for key in keys:
        assert catalogue.find(key).key == key
        assert catalogue.collection_of(key) == COURSE


@pytest.mark.parametrize("key", ["02.mergee", "", "02.samples", "../x.y", "a\0.b"])
def test_an_unknown_key_names_near_ones(key: str) -> None:
    assert catalogue.known(key) is None
    with pytest.raises(UnknownExercise, match=r"there is no exercise .* Near it: \d\d\."):
        catalogue.find(key)


# ---- Folders


def test_the_exercises_of_a_folder_are_added_to_those_of_the_course(homework: Path) -> None:
    with pytest.raises(UnknownExercise, match=r"use_exercises\(\"FOLDER\"\)"):
        catalogue.find("week1.double")
    assert use_exercises("homework") is None
    use_exercises(homework)
    use_exercises("./homework/../homework")
    assert [one.name for one in catalogue.collections()] == ["the course", "homework"]
    assert catalogue.lessons()[-2:] == ("19", "week1")
    (exercise,) = catalogue.exercises("week1")
    assert exercise is catalogue.find("week1.double") is catalogue.exercises()[-1]
    assert exercise.wanted("a") == "aa"
    assert [case.args for case in exercise.drawn(random.Random(1))] != []
    assert Collection.in_folder("homework/checks/..", "homework").checks == (homework / "checks").resolve()
    made = catalogue.collection_of("week1.double")
    assert made == Collection("homework", *(homework / name for name in ("checks", "solutions", "exercises")))
    assert made.lesson_folder("week1") == homework / "checks" / "week1"
    assert made.notebook("week1") is None


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("nowhere", "there is no folder nowhere"),
        ("homework/checks", "there is no folder checks in .*Name the folder around it: .*homework"),
        ("homework/checks/week1/double.py", "there is no folder homework"),
        (".", "there is no folder checks in "),
    ],
)
def test_a_folder_without_exercises_is_refused(homework: Path, folder: str, said: str) -> None:
    with pytest.raises(MissingFile, match=f"(?s){said}.*checks/LESSON/NAME.py"):
        use_exercises(folder)
    assert catalogue.collections() == (COURSE,)


def test_a_file_that_defines_no_exercise_is_named(homework: Path) -> None:
    write_exercise(homework, "week1.empty", "")
    use_exercises(homework)
    with pytest.raises(UnknownExercise, match=r"empty\.py defines no exercise"):
        catalogue.find("week1.empty")


def test_the_variable_names_folders_too(homework: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_exercise(homework.parent / "more", "week2.triple")
    monkeypatch.setenv(catalogue.VARIABLE, os.pathsep.join(["homework", str(homework.parent / "more")]))
    assert catalogue.lessons()[-2:] == ("week1", "week2")
    use_exercises("homework")
    assert len(catalogue.collections()) == 3
    use_exercises("..")  # as in a notebook that was moved
    assert len(catalogue.collections()) == 3
    monkeypatch.setenv(catalogue.VARIABLE, "nowhere")
    with pytest.raises(MissingFile, match="MINBPE_COURSE_EXERCISES: there is no folder nowhere"):
        catalogue.find("02.merge")


def test_the_longest_name_of_a_lesson_decides_whose_notebook_it_is(homework: Path) -> None:
    for lesson in ("week1_b", "week12"):
        write_exercise(homework, f"{lesson}.double")
    collection = Collection.in_folder(homework)
    assert collection.lessons() == ("week1", "week1_b", "week12")
    for notebook, lesson in (
        ("week1", "week1"), ("week1_intro", "week1"), ("week1_b", "week1_b"), ("week1_b_more", "week1_b"),
        ("week12", "week12"), ("week13", None), ("Week1", None), ("week", None),
    ):  # fmt: skip
        assert collection.lesson_of(f"{notebook}.ipynb") == lesson
    (homework / "exercises").mkdir()
    for name in ("week12", "week1_b", "week1_intro"):
        (homework / "exercises" / f"{name}.ipynb").touch()
    assert [collection.notebook(lesson) for lesson in collection.lessons()] == [
        "week1_intro.ipynb", "week1_b.ipynb", "week12.ipynb",
    ]  # fmt: skip


def test_a_key_is_used_once(homework: Path, tmp_path: Path) -> None:
    use_exercises(homework)
    taken = write_exercise(homework, "02.merge")
    with pytest.raises(ExercisesProblem, match=r"merge\.py: the key '02.merge' is that of an exercise of the course"):
        catalogue.find("02.merge")
    assert catalogue.find("03.split_words").lesson == "03"
    taken.unlink()
    write_exercise(tmp_path / "other", "week1.double")
    use_exercises(tmp_path / "other")
    with pytest.raises(
        ExercisesProblem, match=r"other.*double\.py: .* of .*homework, too\. Rename .*: week1\.double_2"
    ):
        catalogue.exercises("week1")


# ---- Installed packages


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Install packages with exercises, as pip would: a module, and a dist-info with an entry point."""
    site = tmp_path / "site"

    def install(name: str, value: str) -> Path:
        about = site / f"{name}-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        (about / "entry_points.txt").write_text(f"[{catalogue.GROUP}]\n{name} = {value}\n", encoding="utf-8")
        (site / name).mkdir()
        (site / name / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
        importlib.invalidate_caches()
        return site / name

    monkeypatch.syspath_prepend(site)
    catalogue.installed.cache_clear()
    catalogue._warn.cache_clear()
    yield install
    catalogue.installed.cache_clear()
    for name in [name for name in sys.modules if name.startswith("their")]:
        del sys.modules[name]


def test_an_installed_package_adds_exercises_without_being_imported(installed) -> None:
    folder = installed("their_course", "their_course")
    write_exercise(folder, "week1.double")
    assert catalogue.find("week1.double").wanted("a") == "aa"
    assert catalogue.collection_of("week1.double") == Collection.in_folder(folder, "their_course")
    assert "their_course" not in sys.modules
    # Its author, who installed it from a checkout, wants errors and not warnings.
    use_exercises(folder)
    assert [one.name for one in catalogue.collections()] == ["the course", str(folder)]
    write_exercise(folder, "week1.echo", "EXERCISE = (")
    with pytest.raises(ExercisesProblem, match="never closed"):
        catalogue.find("week1.double")


@pytest.mark.parametrize(
    ("value", "source", "said"),
    [
        ("nothing_here", EXERCISE, "has no folder checks"),
        ("their_course", "EXERCISE = (", "double.py, line 1: SyntaxError"),
        ("their_course", EXERCISE.replace("{key}", "week1.other"), "the key is 'week1.other'"),
    ],
)
def test_a_broken_package_costs_one_warning(installed, value: str, source: str, said: str) -> None:
    write_exercise(installed("their_course", value), "week1.double", source)
    with pytest.warns(UserWarning, match=rf"'their_course' were left out: (?s:.*){said}"):
        assert len(catalogue.exercises()) == sum(len(COURSE.exercises(lesson)) for lesson in COURSE.lessons())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert catalogue.find("02.merge").entry == "merge"
        catalogue.exercises()


def test_a_lesson_is_no_class() -> None:
    assert catalogue.of_class("02") == ()
    assert [one.method for one in catalogue.of_class("02.BasicTokenizer")] == [
        "train",
        "encode",
        "decode",
        "save",
        "load",
    ]
