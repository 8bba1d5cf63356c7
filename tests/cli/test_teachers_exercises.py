"""A teacher's folder from the learner's first check to the marks of a class, and in the zip for Gradescope."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from minbpe_course import use_exercises
from minbpe_course.cli.main import main
from minbpe_course.learning.judge import catalogue
from tests.shared.patience import PATIENCE
from tests.shared.teachers_folder import write_exercise, write_notebook

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]

RIGHT = "def {name}(text):\n    return text + text\n"
SEED = "a seed for the tests"


@pytest.fixture(autouse=True)
def no_teachers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(catalogue, "_USED", {})
    monkeypatch.delenv(catalogue.VARIABLE, raising=False)
    monkeypatch.delenv("MINBPE_COURSE_PROGRESS", raising=False)


@pytest.fixture
def homework(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two lessons, of which one belongs to the course, too."""
    folder = tmp_path / "our homework"
    for key in ("week1.double", "week1.echo", "02.twice"):
        write_exercise(folder, key)
    with monkeypatch.context() as patch:
        patch.setattr(catalogue, "_USED", {})
        use_exercises(folder)
        for lesson in ("week1", "02"):
            asked = [one for one in catalogue.exercises(lesson) if catalogue.collection_of(one.key) != catalogue.COURSE]
            write_notebook(folder / "exercises" / f"{lesson}.ipynb", *asked)
    monkeypatch.chdir(tmp_path)
    return folder


def hand_in(homework: Path, name: str, to: Path, **answers: str) -> Path:
    """Write a released notebook with answers by the names of exercises, as a learner saves it."""
    notebook = json.loads((homework / "exercises" / name).read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        entry = cell["id"].partition("-")[2]
        if entry in answers:
            cell["source"] = answers[entry].replace("{name}", entry)
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(json.dumps(notebook), encoding="utf-8")
    return to


@pytest.mark.slow
def test_the_verbs_of_a_learner(homework: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand_in(homework, "week1.ipynb", homework / "exercises" / "week1.ipynb", double=RIGHT)
    assert main(["check", "--exercises", str(homework)]) == 1
    said = capsys.readouterr().out
    assert "✓ done · week1.double" in said
    assert "not started · 02.twice" in said
    assert f'A step of help: minbpe-course hint week1.echo --exercises "{homework}"' in said
    assert "1 of 3 done, 2 of 6 points" in said
    assert main(["check", str(homework / "exercises" / "week1.ipynb"), "--exercises", str(homework), "--only",
                 "week1.double"]) == 0  # fmt: skip
    assert main(["hint", "week1.echo", "--exercises", str(homework)]) == 0
    assert "minbpe-course hint week1.echo" in capsys.readouterr().out
    assert main(["progress", "week1", "--exercises", str(homework)]) == 0
    assert "1 hint" in capsys.readouterr().out
    assert [path.parent for path in homework.parent.rglob(".minbpe_course_progress.json")] == [homework / "exercises"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["check", "--exercises", "nowhere"], "there is no folder nowhere.*--exercises homework"),
        (["check", "our homework/exercises/week1.ipynb"], "minbpe-course check .*week1.ipynb --exercises FOLDER"),
        (["hint", "week1.echo"], "A teacher's exercises are added first"),
    ],
)
def test_errors_say_what_to_type(homework: Path, capsys, line: list[str], said: str) -> None:
    assert main(line) == 2
    assert re.search(f"(?s){said}", capsys.readouterr().err)


def grade(*arguments: object) -> int:
    return main(["grade", *map(str, arguments), "--seed", SEED, "--allow-unsandboxed", "--json"])


def test_a_class_is_graded_on_what_was_handed_out(homework: Path, tmp_path: Path, capsys) -> None:
    submissions = tmp_path / "class"
    hand_in(homework, "week1.ipynb", submissions / "ada" / "week1.ipynb", double=RIGHT, echo=RIGHT)
    hand_in(homework, "week1.ipynb", submissions / "bob" / "copy.ipynb", echo="def echo(text):\n    return text\n")
    # Nothing that was handed in is taken for an exercise, whatever it is called.
    write_exercise(submissions / "bob", "week1.double", "raise SystemExit('imported')  # EXERCISE")
    assert grade(submissions, "--exercises", homework, "--out", tmp_path / "out") == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (last["learners"], last["questions"], last["marked"]) == (2, 2, 4)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "grades.csv").read_text(encoding="utf-8-sig"))))
    assert [(row["assignment"], row["student_id"], row["score"]) for row in rows] == [
        ("week1", "ada", "4.0"), ("week1", "bob", "0.0"),
    ]  # fmt: skip
    report = (tmp_path / "out" / "bob" / "report.html").read_text(encoding="utf-8")
    assert "<h2>week1</h2>" in report
    assert "hush" not in report
    assert "imports minbpe_course" not in report
    # With a second lesson, the teacher has to say which is assigned.
    hand_in(homework, "02.ipynb", submissions / "ada" / "02.ipynb", twice=RIGHT)
    assert grade(submissions, "--exercises", homework, "--out", tmp_path / "out") == 2
    assert "2 in week1, 1 in 02. Say what is assigned: --only week1" in capsys.readouterr().err
    assert grade(submissions, "--exercises", homework, "--out", tmp_path / "out", "--only", "02.twice") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["marked"] == 2


# An answer that looks for the checks, and puts what it finds into its result.
THIEF = """
def double(text):
    found = []
    for root in ROOTS:
        try:
            found.append(open(root + "/checks/week1/double.py").read())
            found.append(open(root + "/checks/week1/samples.py").read())
        except BaseException:
            pass
    import sys
    return repr(found) + repr([name for name in sys.modules if "exercises" in name]) + repr(sys.path)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the sandboxes of other systems do not hide files")
def test_an_answer_cannot_see_the_checks(homework: Path, tmp_path: Path, capsys) -> None:
    source = THIEF.replace("ROOTS", repr([str(homework), "..", "../.."]))
    hand_in(homework, "week1.ipynb", tmp_path / "class" / "eve" / "week1.ipynb", double=source)
    assert main(["check", str(tmp_path / "class" / "eve" / "week1.ipynb"), "--exercises", str(homework)]) == 1
    said = capsys.readouterr().out
    assert "yours" in said
    assert not {"SECRETS", "homework", "minbpe_course_exercises"} & set(said.replace("'", " ").split())
    assert "SECRETS" not in said


@pytest.mark.skipif(os.name != "posix" or not shutil.which("bash"), reason="Gradescope runs bash on Linux")
def test_the_zip_for_gradescope_carries_the_folder(homework: Path, tmp_path: Path, capsys) -> None:
    (homework / "checks" / "words.txt").write_text("data", encoding="utf-8")
    for left_out in (".git/config", "week1/__pycache__/double.pyc"):
        (homework / "checks" / left_out).parent.mkdir(parents=True, exist_ok=True)
        (homework / "checks" / left_out).write_text("nobody's", encoding="utf-8")
    assert main(["gradescope", "--seed", SEED, "--exercises", str(homework), "--out", "a.zip"]) == 0
    assert "3 questions" in capsys.readouterr().out
    assert main(["gradescope", "--seed", SEED, "--exercises", str(homework), "--only", "week1", "--out", "a.zip"]) == 0
    root = tmp_path / "autograder"
    with zipfile.ZipFile("a.zip") as made:
        ours = sorted(name for name in made.namelist() if not name.startswith("course/"))
        made.extractall(root / "source")
    checks = ["02/samples.py", "02/twice.py", "week1/double.py", "week1/echo.py", "week1/samples.py", "words.txt"]
    assert ours == sorted([
        "run_autograder", "seed.txt", "settings.json", "setup.sh", "teachers/0/exercises/week1.ipynb",
        *(f"teachers/0/checks/{name}" for name in checks),
    ])  # fmt: skip
    assert not (root / "source" / "course" / "exercises").exists()
    hand_in(homework, "week1.ipynb", root / "submission" / "week1.ipynb", double=RIGHT, echo=RIGHT)
    code = (
        "import sys; from pathlib import Path; from minbpe_course.learning.grading import gradescope_zip\n"
        "from minbpe_course.learning.grading.sandbox.choose_sandbox import best\n"
        "gradescope_zip.run_in(Path(sys.argv[1]), best)"
    )
    environment = {**os.environ, "PYTHONPATH": str(root / "source" / "course")}
    subprocess.run([sys.executable, "-c", code, str(root)], env=environment, check=True, timeout=PATIENCE)
    assert json.loads((root / "results" / "results.json").read_bytes())["score"] == 4
