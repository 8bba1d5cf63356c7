"""The README is short, its commands work, and it and CONTRIBUTING name only what exists."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared.page_blocks import ROOT, blocks, read_page

README = read_page("README.md")
COMMANDS = [line.partition("#")[0].strip() for block in blocks(README, "sh") for line in block.splitlines()]
PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
DOCS = sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))


def test_a_test_runs_every_block() -> None:
    languages = re.findall(r"^```(\w*)\n.*?^```", README, re.MULTILINE | re.DOTALL)
    assert set(languages) == {"python", "sh"}, "test_pages.py runs those of Python"
    assert COMMANDS == ["make learn", "make test", "pip install minbpe-course"], "run a new command here, too"


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """An environment that is installed already, for make: its Python is this one."""
    if os.name == "nt" or not shutil.which("make"):
        pytest.skip("there is no make")
    folder = tmp_path / "environment"
    (folder / "bin").mkdir(parents=True)
    python = folder / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    for stamp in (".made", ".installed", ".installed-test"):
        (folder / stamp).touch()
    return folder


def run(*command: str) -> str:
    """Run a command at the root of the project, as if no test were running; return what it prints."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "MAKE", "MFLAGS"))}
    done = subprocess.run(
        command, cwd=ROOT, env=settings, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_make_learn_copies_the_lessons(environment: Path, tmp_path: Path) -> None:
    copies = tmp_path / "lessons"
    assert str(copies) in run("make", "learn", f"VENV={environment}", f"ARGS=--no-open {copies}")
    assert (copies / "notebooks" / "00_start_here.ipynb").is_file()


def test_the_table_names_every_lesson() -> None:
    listed = re.findall(r"^\| \**`(\d\d_\w+)`\** \|.*\| \d+ \| [\d–]+ \|$", README, re.MULTILINE)
    assert listed == [path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]


@pytest.mark.parametrize("page", [*PAGES, *DOCS])
def test_every_local_link_exists(page: str) -> None:
    links = re.findall(r"\]\((?!https?://)([^)#]+)", read_page(page))
    assert not [link for link in links if not (ROOT / page).parent.joinpath(link).exists()]


@pytest.mark.parametrize("page", PAGES)
def test_the_named_make_targets_exist(page: str) -> None:
    named = set(re.findall(r"\bmake ([a-z]+)\b", read_page(page))) - {"it"}
    assert not [target for target in named if not re.search(rf"^{target}:", read_page("Makefile"), re.MULTILINE)]
