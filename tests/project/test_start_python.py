"""Nothing that the package starts runs a file of the current folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from minbpe_course.start_python import program, python_alone, python_module
from tests.shared.page_blocks import ROOT
from tests.shared.patience import PATIENCE

pytestmark = pytest.mark.medium

# As the script in the folder bin starts it: from a file that is elsewhere.
COMMAND = """
import sys
from minbpe_course.cli.main import main
if __name__ == "__main__":
    sys.exit(main())
"""
SPAWN = """
import multiprocessing
from minbpe_course.start_python import safe_spawning
if __name__ == "__main__":
    spawning = multiprocessing.get_context("spawn")
    with safe_spawning():
        process = spawning.Process(target=print, args=("spawned",))
        process.start()
        process.join()
    assert process.exitcode == 0
"""
TOKENIZER = "class MyTokenizer:\n    def __init__(self, pattern=None): pass\n"


@pytest.fixture
def canaries(tmp_path: Path) -> Iterator[Path]:
    """A folder with a file for each module that a program may import; each leaves a note when it is run."""
    folder, noted = tmp_path / "canaries", tmp_path / "noted"
    folder.mkdir()
    others = {
        "IPython",
        "dask",
        "distributed",
        "ipykernel",
        "jupyter_server",
        "jupyterlab",
        "llvmlite",
        "minbpe_course",
    }
    others |= {"nbformat", "numba", "numpy", "pip", "regex", "sitecustomize", "tornado", "traitlets", "usercustomize"}
    for name in {*sys.stdlib_module_names, *others}:
        note = f"with open({str(noted)!r}, 'a') as file: print({name!r}, file=file)\n"
        (folder / f"{name}.py").write_text(note, encoding="utf-8")
    for name in ("jupyter_config", "jupyter_server_config", "jupyter_lab_config"):
        (folder / f"{name}.py").write_text(note, encoding="utf-8")
    yield folder
    assert not noted.exists(), noted.read_text(encoding="utf-8")


def script(folder: Path, source: str, *arguments: object) -> list[str]:
    path = folder / "bin" / "script.py"
    path.parent.mkdir()
    path.write_text(source, encoding="utf-8")
    return [sys.executable, str(path), *map(str, arguments)]


# Python 3.10 has no variable that keeps the current folder off the path of processes that a library starts.
since_311 = pytest.mark.skipif(sys.version_info < (3, 11), reason="needs PYTHONSAFEPATH")


@pytest.mark.parametrize("way", ["module", "package", "alone", pytest.param("spawned", marks=since_311)])
def test_a_new_python_runs_nothing_of_the_current_folder(way: str, canaries: Path, tmp_path: Path) -> None:
    commands = {
        "module": python_module("platform", "--terse"),
        "package": python_module("minbpe_course", "--version"),
        "alone": python_alone("-c", "import json, random"),
        "spawned": script(tmp_path, SPAWN),
    }
    done = subprocess.run(commands[way], cwd=canaries, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout or way == "alone"


def test_the_path_of_the_user_is_kept(tmp_path: Path) -> None:
    (tmp_path / "theirs.py").write_text("print('theirs')", encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    assert subprocess.run(python_module("theirs"), env=environment, capture_output=True, check=True).stdout
    assert subprocess.run(python_alone("-c", "import theirs"), env=environment, capture_output=True).returncode == 1


# With a line of a verb that starts Python, in the grader's sandboxes and elsewhere. "{}" is a folder with files.
VERBS = {
    "doctor": ["doctor"],
    "check": ["check", "{}/02_naive_bpe.ipynb"],
    "grade": ["grade", "{}/class", "--out", "{}/marks", "--seed", "a seed of this test", "--only", "02.merge",
              "--allow-unsandboxed"],
    "conform": ["conform", "{}/mine.py", "--only", "earliest-merge-first"],
    "count": ["count", "{}/text.txt", "-o", "{}/words.counts", "--dask", "local"],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.cluster
@pytest.mark.parametrize("verb", [pytest.param(verb, marks=since_311 if verb == "count" else ()) for verb in VERBS])
def test_a_verb_runs_nothing_of_the_current_folder(verb: str, canaries: Path, tmp_path: Path) -> None:
    (tmp_path / "class" / "ada").mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "class" / "ada"):
        notebook = (ROOT / "solutions" / "02_naive_bpe.ipynb").read_bytes()
        (folder / "02_naive_bpe.ipynb").write_bytes(notebook)
    (tmp_path / "mine.py").write_text(TOKENIZER, encoding="utf-8")
    (tmp_path / "text.txt").write_text("the cat in the hat\n" * 50, encoding="utf-8")
    words = [word.replace("{}", str(tmp_path)) for word in VERBS[verb]]
    done = subprocess.run(
        script(tmp_path, COMMAND, *words), cwd=canaries, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr


def test_a_program_of_the_current_folder_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suffix = ".bat" if sys.platform == "win32" else ""
    for folder in (tmp_path / "here", tmp_path / "bin"):
        folder.mkdir()
        (folder / f"uvx{suffix}").write_text("", encoding="utf-8")
        (folder / f"uvx{suffix}").chmod(0o755)
    monkeypatch.chdir(tmp_path / "here")
    for before in ("", ".", "./"):
        monkeypatch.setenv("PATH", before)
        assert program("uvx") is None
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    if sys.platform != "win32":
        assert program("uvx") == str(tmp_path / "bin" / "uvx")
