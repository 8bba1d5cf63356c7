"""A teacher's files: imported under a package of their own, again after an edit; each fault names file and line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from minbpe_course.errors import ExercisesProblem
from minbpe_course.learning.judge.exercise_files import LONGEST_KEY, lesson_folders, load_lesson
from tests.shared.teachers_folder import EXERCISE, SAMPLES, write_exercise

GOOD = EXERCISE.replace("{name}", "double").replace("{key}", "week1.double")


def answer(folder: Path, lesson: str = "week1") -> str:
    """What the first reference of a lesson says to "a"."""
    wanted = load_lesson(folder / "checks", lesson)[0].wanted
    assert wanted is not None
    return str(wanted("a"))


def test_folders_with_equal_names_do_not_mix(tmp_path: Path) -> None:
    for name, times in (("one", 2), ("two", 3)):
        write_exercise(tmp_path / name, "week1.double", EXERCISE.replace("text * 2", f"text * {times}"))
    assert [answer(tmp_path / name) for name in ("one", "two", "one")] == ["aa", "aaa", "aa"]
    assert "samples" not in sys.modules


def test_helpers_are_found_in_the_lesson_above_it_and_in_init(tmp_path: Path) -> None:
    path = write_exercise(tmp_path, "02.double", GOOD.replace("week1.", "02."))
    (path.parent / "__init__.py").write_text("TWICE = 2\n", encoding="utf-8")
    (tmp_path / "checks" / "common.py").write_text("ONE = 1\n", encoding="utf-8")
    (tmp_path / "checks" / "data").mkdir()
    added = "from . import TWICE\nfrom ..common import ONE\n"
    path.write_text(added + path.read_text(encoding="utf-8").replace("* 2", "* (TWICE + ONE)"), encoding="utf-8")
    assert answer(tmp_path, "02") == "aaa"
    assert list(lesson_folders(tmp_path / "checks")) == ["02"]


def test_a_helper_runs_only_when_it_is_imported(tmp_path: Path) -> None:
    path = write_exercise(tmp_path, "week1.double")
    (path.parent / "try_it.py").write_text("raise SystemExit('not for import')", encoding="utf-8")
    (path.parent / "notes.py").write_text("this is not Python", encoding="utf-8")
    (path.parent / "._double.py").write_bytes(b"\0\5\26\7 EXERCISE")  # macOS writes these to other file systems
    (path.parent / ".ipynb_checkpoints").mkdir()
    (path.parent / ".ipynb_checkpoints" / "double-checkpoint.py").write_text("EXERCISE = 1", encoding="utf-8")
    assert answer(tmp_path) == "aa"


def test_a_file_is_read_again_after_an_edit_and_only_then(tmp_path: Path) -> None:
    path = write_exercise(tmp_path, "week1.double")
    first = load_lesson(tmp_path / "checks", "week1")
    assert load_lesson(tmp_path / "checks", "week1") is first
    about = path.stat()
    path.write_text(GOOD.replace("text * 2", "text * 9"), encoding="utf-8")  # as long as before
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns + 1_000))  # within the same second
    assert answer(tmp_path) == "a" * 9
    samples = path.with_name("samples.py")
    samples.write_text(SAMPLES.replace("hush", "mums the word"), encoding="utf-8")
    (exercise,) = load_lesson(tmp_path / "checks", "week1")
    assert "mums the word" in sys.modules[exercise.wanted.__module__].SECRETS
    write_exercise(tmp_path, "week1.triple")
    assert len(load_lesson(tmp_path / "checks", "week1")) == 2
    path.unlink()
    assert [one.entry for one in load_lesson(tmp_path / "checks", "week1")] == ["triple"]


def test_a_fault_that_is_corrected_is_gone(tmp_path: Path) -> None:
    path = write_exercise(tmp_path, "week1.double", "EXERCISE = (")
    for _ in range(2):
        with pytest.raises(ExercisesProblem, match="never closed"):
            load_lesson(tmp_path / "checks", "week1")
    path.write_text(GOOD, encoding="utf-8")
    assert answer(tmp_path) == "aa"


FAULTS = [
    ("syntax", GOOD + "\n(", r"double\.py, line \d+: SyntaxError: '\(' was never closed|unexpected EOF"),
    ("it exits", GOOD + "raise SystemExit(3)\n", r"double\.py, line \d+: SystemExit: 3"),
    ("no such field", GOOD.replace("answer=", "reference="), r"double\.py, line \d+: TypeError: .*'reference'"),
    ("a missing title", GOOD.replace('"Double double",', ""), r"line 14: kind is 'double'; it is one of fill, write"),
    ("difficulty", GOOD.replace("    1,", "    0,"), r"line 14: difficulty is 0; it is 1, 2"),
    ("another key", GOOD.replace("week1.double", "week1.dubble"), r"the key is 'week1\.dubble'.*week1\.double"),
    ("import without a dot", GOOD.replace(".samples", "samples"), r"line 3: ModuleNotFound.*from \.samples import"),
    ("UTF-16", GOOD.encode("utf-16"), r"double\.py, line 1: .* null bytes\. Save the file in UTF-8"),
    ("Latin-1", GOOD.replace("Say it", "Dis-le à").encode("latin-1"), r"double\.py.*: SyntaxError"),
]  # fmt: skip


@pytest.mark.parametrize(("label", "source", "said"), FAULTS, ids=[label for label, *_ in FAULTS])
def test_a_fault_names_the_file_the_line_and_what_to_type(tmp_path: Path, label: str, source, said: str) -> None:
    path = write_exercise(tmp_path, "week1.double")
    path.write_bytes(source if isinstance(source, bytes) else source.encode("utf-8"))
    with pytest.raises(ExercisesProblem, match=said):
        load_lesson(tmp_path / "checks", "week1")


def test_a_fault_in_a_helper_is_named_there(tmp_path: Path) -> None:
    path = write_exercise(tmp_path, "week1.double")
    utf_16 = "SECRETS = [2]\n".encode("utf-16")
    for source in (b"\nSECRETS = [1 / 0]\n", b"\nSECRETS = 1 2\n", utf_16):
        path.with_name("samples.py").write_bytes(source)
        line = 1 if source is utf_16 else 2
        with pytest.raises(ExercisesProblem, match=rf"samples\.py, line {line}: (ZeroDivision|Syntax)Error"):
            load_lesson(tmp_path / "checks", "week1")


def test_all_faults_are_reported_together(tmp_path: Path) -> None:
    for name in ("double", "triple", "fine"):
        write_exercise(tmp_path, f"week1.{name}", "EXERCISE = 1" if name != "fine" else EXERCISE)
    with pytest.raises(ExercisesProblem) as found:
        load_lesson(tmp_path / "checks", "week1")
    assert [line.partition(".py")[0].rpartition(os.sep)[2] for line in str(found.value).splitlines()] == [
        "double",
        "triple",
    ]


@pytest.mark.parametrize(("name", "better"), [("Week 1", "week_1"), ("!", "week1")])
def test_a_lesson_with_an_impossible_name_is_refused(tmp_path: Path, name: str, better: str) -> None:
    (tmp_path / "checks" / name).mkdir(parents=True)
    assert lesson_folders(tmp_path / "checks") == {}
    (tmp_path / "checks" / name / "a.py").touch()
    with pytest.raises(ExercisesProblem, match=rf"Rename the folder: {better}$"):
        lesson_folders(tmp_path / "checks")


@pytest.mark.parametrize("name", ["2double", "count-it"])
def test_an_exercise_with_an_impossible_name_is_refused(tmp_path: Path, name: str) -> None:
    write_exercise(tmp_path, f"week1.{name}", GOOD.replace("week1.double", f"week1.{name}"))
    with pytest.raises(ExercisesProblem, match="Rename the file"):
        load_lesson(tmp_path / "checks", "week1")


def test_a_key_from_which_no_ids_of_cells_can_be_made_is_refused(tmp_path: Path) -> None:
    name = "d" * (LONGEST_KEY - len("week1.") + 1)
    write_exercise(tmp_path, f"week1.{name}", GOOD.replace("week1.double", f"week1.{name}"))
    with pytest.raises(ExercisesProblem, match=f"has {LONGEST_KEY + 1} characters"):
        load_lesson(tmp_path / "checks", "week1")
