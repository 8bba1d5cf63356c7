"""The zip for Gradescope, unpacked and run in a folder in place of its container."""

from __future__ import annotations

import io
import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from minbpe_course.cli.main import main
from minbpe_course.errors import GradingProblem
from minbpe_course.learning.grading import gradescope_zip
from minbpe_course.learning.grading.sandbox.bare import Bare
from minbpe_course.learning.grading.sandbox.choose_sandbox import best
from minbpe_course.learning.judge import catalogue
from tests.shared.patience import PATIENCE
from tests.shared.submission_cases import answer_cell, notebook

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]

SEED = "a seed that is only the teacher knows"
needs_bash = pytest.mark.skipif(os.name != "posix" or not shutil.which("bash"), reason="Gradescope runs bash on Linux")


@pytest.fixture(scope="module")
def data() -> bytes:
    """The zip of one question."""
    return gradescope_zip.build(SEED, catalogue.chosen(["02.rules_behind"]))


def notebooks(made: zipfile.ZipFile) -> list[str]:
    return [name for name in made.namelist() if name.endswith(".ipynb")]


def test_the_zip_has_what_gradescope_wants_and_only_root_reads_answers(data: bytes) -> None:
    made = zipfile.ZipFile(io.BytesIO(data))
    names = made.namelist()
    assert {"setup.sh", "run_autograder"} <= set(names)
    for name in ("setup.sh", "run_autograder"):
        assert made.getinfo(name).external_attr >> 16 == stat.S_IFREG | 0o755
        assert made.read(name).startswith(b"#!/usr/bin/env bash\n")
        assert b"\r" not in made.read(name)
    assert made.getinfo("seed.txt").external_attr >> 16 & 0o777 == 0o600
    assert notebooks(made) == ["course/exercises/02_naive_bpe.ipynb"]
    lesson = gradescope_zip.build(SEED, catalogue.chosen(["02.merge"]))
    assert notebooks(zipfile.ZipFile(io.BytesIO(lesson))) == ["course/notebooks/02_naive_bpe.ipynb"]
    for name in ("setup.sh", "run_autograder"):
        assert b"for folder in teachers course/minbpe_course/learning/exercises; do" in made.read(name)
    assert not [name for name in names if "__pycache__" in name or name.startswith("course/tests")]
    assert data == gradescope_zip.build(SEED, catalogue.chosen(["02.rules_behind"]))


def test_judging_needs_no_more_than_the_setup_installs() -> None:
    code = (
        "import sys\n"
        "from minbpe_course.learning.judge import catalogue\n"
        "from minbpe_course.cli import gradescope\n"
        "from minbpe_course.learning.grading import gradescope_zip\n"
        "catalogue.exercises()\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)))\n"
    )
    brought = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    foreign = {name for name in brought if not name.startswith("_")} - {"minbpe_course", "sitecustomize"}
    assert foreign <= {*gradescope_zip.NEEDS, "distutils-precedence"}


def unpacked(folder: Path, data: bytes, **submission: bytes) -> Path:
    root = folder / "autograder"
    (root / "submission").mkdir(parents=True)
    made = zipfile.ZipFile(io.BytesIO(data))
    made.extractall(root / "source")
    for info in made.infolist():
        (root / "source" / info.filename).chmod(info.external_attr >> 16 & 0o777)
    for name, content in submission.items():
        (root / "submission" / f"{name}.ipynb").write_bytes(content)
    return root


def run(root: Path) -> dict[str, object]:
    environment = {"AUTOGRADER_ROOT": str(root), "AUTOGRADER_PYTHON": sys.executable, "PATH": os.defpath}
    command = ["bash", str(root / "source" / "run_autograder")]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads((root / "results" / "results.json").read_bytes()) | {"complaint": done.stderr.decode()}


def answer(source: str) -> bytes:
    return notebook(answer_cell(source, "02-rules_behind"))


# An answer that tries to find the seed and to write its own marks, and puts what it finds into its results.
THIEF = """
import glob, os
found = []
for place in (ROOT, ROOT + "/source", ROOT + "/results", "/proc/self/root" + ROOT, "/autograder"):
    for name in ("seed.txt", "source/seed.txt", "results/results.json", "results.json"):
        try:
            found.append(open(os.path.join(place, name)).read())
        except OSError:
            pass
        try:
            with open(os.path.join(place, name), "w") as file:
                file.write('{"score": 100}')
            found.append("written")
        except OSError:
            pass
for place in ("/proc/%d/environ" % os.getppid(), "/proc/%d/mem" % os.getppid(), "/proc/1/environ"):
    try:
        found.append(open(place, "rb").read(4096).decode("latin-1"))
    except OSError:
        pass
def rules_behind(*args):
    return repr(found)
"""


@needs_bash
@pytest.mark.skipif(sys.platform != "linux", reason="Gradescope runs on Linux")
def test_a_submission_becomes_results_and_cannot_reach_the_seed(tmp_path: Path, data: bytes) -> None:
    skip_without_sandbox()
    # Others may look into the folder, as they may into Gradescope's.
    for place in (tmp_path, *tmp_path.parents[:-1]):
        if place.stat().st_uid == os.getuid() and "pytest" in place.as_posix():
            place.chmod(0o755)
    root = unpacked(tmp_path, data, mine=answer(THIEF.replace("ROOT", repr(str(tmp_path / "autograder")))))
    made = run(root)
    assert (made["score"], made["stdout_visibility"]) == (0, "hidden")
    (test,) = made["tests"]
    assert (test["max_score"], test["status"]) == (3, "failed")
    assert SEED not in json.dumps(made)
    assert "written" not in test["output"]
    assert "SEED" not in test["output"]
    assert stat.S_IMODE((root / "results").stat().st_mode) == 0o700
    assert (root / "source" / "seed.txt").read_text(encoding="utf-8").strip() == SEED
    assert (
        stat.S_IMODE((root / "source" / "course" / "minbpe_course" / "learning" / "exercises").stat().st_mode) & 0o077
        == 0
    )


@needs_bash
@pytest.mark.skipif(sys.platform != "linux", reason="Gradescope runs on Linux")
def test_an_assignment_is_graded_with_its_points_and_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    skip_without_sandbox()
    file, out = tmp_path / "hw1" / "assignment.toml", tmp_path / "autograder.zip"
    file.parent.mkdir()
    why = '{written = "why", title = "Why?", points = 3, text = "Explain."}'
    file.write_text(f'title = "T"\nquestions = [{{key = "02.merge", points = 5}}, {why}]\n', encoding="utf-8")
    assert main(["release", str(file)]) == 0
    (tmp_path / "seed.txt").write_text(SEED, encoding="utf-8")
    asked = ["gradescope", "--assignment", str(file), "--seed-file", str(tmp_path / "seed.txt"), "--out", str(out)]
    assert main(asked) == 0
    assert "2 questions, 8 points" in capsys.readouterr().out
    handed_in = json.loads((file.parent / "solutions" / "hw1.ipynb").read_text(encoding="utf-8"))
    for cell in handed_in["cells"]:
        cell["source"] = "Because." if cell["id"] == "hw1-why" else cell["source"]
    made = run(unpacked(tmp_path, out.read_bytes(), hw1=json.dumps(handed_in).encode()))
    assert [(test["score"], test["max_score"]) for test in made["tests"]] == [(5, 5), (0, 3)]
    assert made["output"].startswith("To be marked by hand: hw1.why.")


def skip_without_sandbox() -> None:
    try:
        gradescope_zip.protecting(best())
    except GradingProblem:
        pytest.skip("no sandbox here keeps the seed from an answer, and the autograder says so")


@needs_bash
def test_a_grader_that_fails_leaves_results_without_details_for_the_learner(tmp_path: Path, data: bytes) -> None:
    root = unpacked(tmp_path, data)
    (root / "source" / "settings.json").write_text("{", encoding="utf-8")
    made = run(root)
    assert made["score"] == 0
    assert "your teacher can see why" in made["output"]
    assert "JSONDecodeError" in made["complaint"]
    assert "JSONDecodeError" not in made["output"]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="users with numbers")
def test_the_last_rung_is_refused_where_the_answer_would_run_as_the_same_user(monkeypatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    with pytest.raises(GradingProblem, match="could read the seed"):
        gradescope_zip.protecting(Bare())


def test_the_verb_writes_the_zip_and_says_what_to_do_with_it(tmp_path: Path, capsys) -> None:
    (tmp_path / "seed.txt").write_text(SEED, encoding="utf-8")
    out = tmp_path / "autograder.zip"
    command = ["gradescope", "--seed-file", str(tmp_path / "seed.txt"), "--only", "02.merge", "--out", str(out)]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{out}: 1 questions, 2 points. ")
    assert "show it to nobody" in said
    assert SEED not in said
    assert os.name != "posix" or stat.S_IMODE(out.stat().st_mode) == 0o600
    assert main(["gradescope", "--out", str(out)]) == 2
