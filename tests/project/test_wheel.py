"""The wheel carries the whole course, data, type marker, lessons and exercises, also when built from an sdist."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
DATA = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "minbpe_course").rglob("*")
    if path.is_file() and "data" in path.relative_to(ROOT).parts
)
LESSONS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "notebooks").glob("*.ipynb"))
EXERCISES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "exercises").rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist, then the wheel from the sdist and from nothing else, with no network."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> zipfile.ZipFile:
    (path,) = built.glob("minbpe_course-*-py3-none-any.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_carries_every_lesson_as_it_is_stored(wheel: zipfile.ZipFile) -> None:
    assert LESSONS
    for name in [*LESSONS, *EXERCISES]:
        assert wheel.read(f"minbpe_course/_lessons/{name}") == (ROOT / name).read_bytes(), name


def test_the_wheel_carries_the_package_and_its_data(wheel: zipfile.ZipFile) -> None:
    assert DATA
    written = [path for path in (ROOT / "minbpe_course").rglob("*") if path.suffix in (".py", ".js", ".css", ".html")]
    assert {path.suffix for path in written} == {".py", ".js", ".css", ".html"}
    modules = [path.relative_to(ROOT).as_posix() for path in written]
    for name in [*modules, *DATA, "minbpe_course/py.typed"]:
        assert wheel.read(name) == (ROOT / name).read_bytes(), name


def test_any_jupyterlab_of_the_environment_finds_our_extension(wheel: zipfile.ZipFile) -> None:
    folder = ROOT / "minbpe_course" / "cli" / "jupyter"
    paths = [path for path in (folder / "labextensions").rglob("*") if path.is_file()]
    assert {path.suffix for path in paths} == {".css", ".js", ".json"}
    for path in paths:
        ending = f".data/data/share/jupyter/{path.relative_to(folder).as_posix()}"
        (name,) = [name for name in wheel.namelist() if name.endswith(ending)]
        assert wheel.read(name) == path.read_bytes()


def test_the_wheel_carries_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.partition("/")[0].split("-")[0] for name in wheel.namelist()}
    assert tops == {"minbpe_course"}
    rubbish = ("__pycache__", ".pyc", ".nbi", ".nbc", ".ipynb_checkpoints", "/tests/", ".part")
    assert not [name for name in wheel.namelist() if any(part in name for part in rubbish)]


def test_the_wheel_says_what_it_is(wheel: zipfile.ZipFile) -> None:
    information = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = wheel.read(information).decode("utf-8")
    assert "Name: minbpe-course" in metadata
    assert "License-Expression: MIT" in metadata
    assert "Requires-Python: >=3.10" in metadata
    assert (ROOT / "README.md").read_text(encoding="utf-8") in metadata.replace("\r\n", "\n")
    entry_points = wheel.read(information.replace("METADATA", "entry_points.txt")).decode("utf-8")
    assert "minbpe-course = minbpe_course.cli.main:main" in entry_points
    assert information.replace("METADATA", "licenses/LICENSE") in wheel.namelist()


def test_the_sdist_can_run_the_tests(built: Path) -> None:
    (path,) = built.glob("minbpe_course-*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Makefile", "environment.yml", "tests/project/test_wheel.py", "tools/notebooks.py", *LESSONS} <= names


def test_after_pip_install_learn_lays_the_lessons(built: Path, tmp_path: Path) -> None:
    (path,) = built.glob("*.whl")
    site = tmp_path / "site"
    options = ["--quiet", "--no-deps", "--no-index", "--target", str(site), str(path)]
    pip = [sys.executable, "-m", "pip", "install", *options]
    subprocess.run(pip, check=True, capture_output=True)
    here = tmp_path / "learner"
    here.mkdir()

    def learn() -> str:
        # Isolated from the checkout: only the installed wheel is on the path before the dependencies.
        program = (
            f"import sys; sys.path.insert(0, {str(site)!r}); from minbpe_course.cli.main import main; sys.exit(main())"
        )
        command = [sys.executable, "-I", "-c", program, "learn", "--no-open"]
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=here, env=clean)
        assert run.returncode == 0, run.stderr
        return run.stdout

    assert f"{len(LESSONS) + len(EXERCISES)} new" in learn()
    laid = here / "minbpe_course_lessons"
    assert all((laid / name).read_bytes() == (ROOT / name).read_bytes() for name in LESSONS)
    (laid / LESSONS[0]).write_text("my own work", encoding="utf-8")
    assert "1 kept as you changed it" in learn()
    assert (laid / LESSONS[0]).read_text(encoding="utf-8") == "my own work"
