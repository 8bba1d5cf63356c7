"""Rules that protect users: no private paths, examples that run, no printing or exiting, explicit encodings."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import minbpe_course
from tests.shared.page_blocks import ROOT

pytestmark = pytest.mark.medium

PACKAGE = sorted((ROOT / "minbpe_course").rglob("*.py"))
WRITTEN = {".py", ".md", ".toml", ".yml", ".yaml", ".ipynb", ".txt", ""}

# Files that name such paths on purpose: this rule, and the tools that look for them in lessons.
MAY_NAME_PATHS = {"tests/project/test_house_rules.py", "tests/notebooks/test_notebooks.py", "tools/notebooks.py"}
PRIVATE_PATH = re.compile(r"(?<![\w./])/(?:home|Users|root|work|opt|srv|mnt)/\w|[A-Z]:\\\\?Users")
# Some modules of practice are called for the line that they print.
MAY_PRINT = (
    "minbpe_course/cli/",
    "minbpe_course/__main__.py",
    "minbpe_course/learning/practice/card.py",
    "minbpe_course/learning/practice/guesses.py",
    "minbpe_course/learning/practice/reset.py",
    "minbpe_course/learning/practice/own_file.py",
    "minbpe_course/learning/practice/working.py",
)


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def written_files(root: Path = ROOT) -> Iterator[Path]:
    """Yield the text files of the project without data: those that git tracks, or all in a source archive.

    Contributors may therefore keep environments and notes next to the sources.
    """
    for path in project_files(root):
        if path.is_file() and path.suffix in WRITTEN and "data" not in path.relative_to(root).parts:
            yield path


def project_files(root: Path) -> list[Path]:
    """Return the files that git tracks, or all in a source archive."""
    command = ["git", "ls-files", "-z", "--cached"]
    if (root / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout.decode("utf-8")
        return [root / name for name in listed.split("\0") if name]
    # An unpacked source archive contains only the project.
    return sorted(path for path in root.rglob("*") if not path.relative_to(root).parts[0].startswith("."))


def test_no_file_names_a_private_path() -> None:
    found = []
    for path in written_files():
        if relative(path) not in MAY_NAME_PATHS:
            text = path.read_text(encoding="utf-8")
            found += [f"{relative(path)}: {match.group()}" for match in PRIVATE_PATH.finditer(text)]
    assert found == []


@pytest.mark.parametrize("name", minbpe_course.__all__)
def test_every_public_name_has_an_example_that_runs(name: str) -> None:
    value = inspect.unwrap(getattr(minbpe_course, name))
    # doctest does not find the examples of a wrapped function by itself.
    module = importlib.import_module(value.__module__)
    examples = [test for test in doctest.DocTestFinder().find(value, name, module=module) if test.examples]
    assert examples, f"no >>> example in {value.__module__}.{name}"
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
    for test in examples:
        test.globs = {**vars(module), **test.globs}
        assert runner.run(test).failed == 0, test.name


def test_the_library_never_prints_or_exits() -> None:
    forbidden = {"print", "exit", "quit", "sys.exit", "os._exit"}
    found = [
        f"{relative(path)}:{node.lineno}: {ast.unparse(node.func)}"
        for path in PACKAGE
        if not relative(path).startswith(MAY_PRINT)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in forbidden
    ]
    assert found == []


def test_text_files_are_opened_with_an_encoding() -> None:
    found = [
        f"{relative(path)}:{node.lineno}"
        for path in [*PACKAGE, *(ROOT / "tools").glob("*.py")]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith((".read_text", ".write_text"))
        and not any(keyword.arg == "encoding" for keyword in node.keywords)
    ]
    assert found == []
