"""Rules that a machine can hold: what is written, where, how long, and that every public name explains itself."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import minbpe_course

ROOT = Path(__file__).resolve().parent.parent
LONGEST_FILE = 400
PYTHON = sorted(
    path for room in ("minbpe_course", "tools", "tests", "benchmarks") for path in (ROOT / room).rglob("*.py")
)
PACKAGE = [path for path in PYTHON if path.is_relative_to(ROOT / "minbpe_course")]
WRITTEN = {".py", ".md", ".toml", ".yml", ".yaml", ".ipynb", ".txt", ""}
NOT_OURS = {"build", "dist"}
OURS_THOUGH_HIDDEN = {".ci", ".github"}

# Where a folder of somebody's machine is named on purpose: the rule itself, and what looks for such names in lessons.
MAY_NAME_PLACES = {"tests/test_house_rules.py", "tests/test_notebooks.py", "tools/notebooks.py"}
PRIVATE_PLACE = re.compile(r"(?<![\w./])/(?:home|Users|root|work|opt|srv|mnt)/\w|[A-Z]:\\\\?Users")
UNFINISHED = re.compile(r"#.*\b(?:TODO|FIXME|XXX|HACK)\b")
# The last stands in for functions of tiktoken's that print.
MAY_PRINT = (
    "minbpe_course/cli/",
    "minbpe_course/__main__.py",
    "minbpe_course/vocabularies/rebuild.py",
    "minbpe_course/visual/merging_aloud.py",
)


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def written_files() -> Iterator[Path]:
    """Yield everything that a person wrote: text files outside caches, environments and data."""
    for folder, folders, names in os.walk(ROOT):
        hidden = {name for name in folders if name.startswith(".")} - OURS_THOUGH_HIDDEN
        folders[:] = sorted(set(folders) - hidden - NOT_OURS - {"__pycache__"})
        for name in names:
            path = Path(folder, name)
            if path.suffix in WRITTEN and "data" not in path.relative_to(ROOT).parts:
                yield path


def public(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            # What says only which types belong together is explained where the function is.
            if any(ast.unparse(each) == "overload" for each in node.decorator_list):
                continue
            yield node


def test_no_file_names_a_place_of_one_machine() -> None:
    found = []
    for path in written_files():
        if relative(path) not in MAY_NAME_PLACES:
            text = path.read_text(encoding="utf-8")
            found += [f"{relative(path)}: {match.group()}" for match in PRIVATE_PLACE.finditer(text)]
    assert found == []


def test_a_file_can_be_read_in_one_sitting() -> None:
    lengths = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in PYTHON}
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_a_file_says_what_it_is_and_is_finished() -> None:
    for path in PYTHON:
        source = path.read_text(encoding="utf-8")
        assert ast.get_docstring(ast.parse(source)), f"{relative(path)}: no module docstring"
        assert relative(path) == "tests/test_house_rules.py" or not UNFINISHED.search(source), relative(path)
        assert b"\r\n" not in path.read_bytes(), f"{relative(path)}: line ends of Windows"


def test_every_public_name_has_a_docstring() -> None:
    bare = []
    for path in PACKAGE:
        for node in public(ast.parse(path.read_text(encoding="utf-8"))):
            bare += [f"{relative(path)}: {node.name}"] if not ast.get_docstring(node) else []
            methods = node.body if isinstance(node, ast.ClassDef) else []
            bare += [
                f"{relative(path)}: {node.name}.{method.name}"
                for method in methods
                if isinstance(method, ast.FunctionDef)
                and not method.name.startswith("_")
                and not ast.get_docstring(method)
            ]
    assert bare == []


@pytest.mark.parametrize("name", minbpe_course.__all__)
def test_every_name_at_the_front_door_has_an_example_that_runs(name: str) -> None:
    value = inspect.unwrap(getattr(minbpe_course, name))
    # A wrapped function hides its examples from doctest, and so from the test run.
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


def test_what_is_opened_names_its_encoding() -> None:
    found = [
        f"{relative(path)}:{node.lineno}"
        for path in [*PACKAGE, *(ROOT / "tools").glob("*.py")]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith((".read_text", ".write_text"))
        and not any(keyword.arg == "encoding" for keyword in node.keywords)
    ]
    assert found == []


@pytest.mark.skipif(not os.environ.get("CI"), reason="new releases of the checkers may find new things: see make check")
@pytest.mark.parametrize(
    "command", [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]], ids=" ".join
)
def test_the_checkers_find_nothing(command: list[str]) -> None:
    run = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=False, cwd=ROOT)
    assert run.returncode == 0, run.stdout + run.stderr
