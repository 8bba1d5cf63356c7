"""A teacher may stand in a learner's folder: nothing that lies there is imported by the grader, whatever its name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from minbpe_course.grading.sandbox.base import Limits
from minbpe_course.grading.sandbox.ladder import SANDBOXES, probe
from minbpe_course.grading.sandbox.libraries import libraries

LIKE_OURS = [
    "importlib/__init__",
    "json/__init__",
    "encodings/__init__",
    "minbpe_course/__init__",
    "array",
    "math",
    "zlib",
]
LIKE_OURS += ["numpy", "regex", "random", "os", "sitecustomize", "usercustomize", "_json", "select"]


@pytest.fixture
def caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder of traps, and return the file that they write."""
    found, here = tmp_path / "caught", tmp_path / "eve"
    for name in LIKE_OURS:
        trap = here / f"{name}.py"
        trap.parent.mkdir(parents=True, exist_ok=True)
        trap.write_text(f"open({str(found)!r}, 'a').write({name!r} + ' ')\n", encoding="utf-8")
    monkeypatch.chdir(here)
    return found


def test_these_traps_would_catch_an_interpreter(caught: Path) -> None:
    subprocess.run([sys.executable, "-c", "import array, json"], check=False, capture_output=True)
    assert caught.read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="libraries are looked for on Linux")
def test_looking_for_libraries_imports_nothing_from_where_the_teacher_stands(caught: Path) -> None:
    found = libraries.__wrapped__(("regex",))
    assert any(os.path.basename(path).startswith("libc.") for path in found)  # noqa: PTH119
    assert not caught.exists()


@pytest.mark.parametrize("kind", SANDBOXES, ids=lambda kind: kind.name)
def test_no_worker_imports_anything_from_where_the_teacher_stands(kind, caught: Path) -> None:
    if not next(rung for rung in probe() if rung.name == kind.name).available:
        pytest.skip("this rung does not work here")
    started = kind().start(Limits(), ())
    try:
        assert b"hello" in started.process.stdout.readline()
    finally:
        started.end()
    assert not caught.exists()
