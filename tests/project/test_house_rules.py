"""Rules that a test can check: no private paths, documented public names, no printing, named encodings."""

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

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sorted(
    path for room in ("minbpe_course", "tools", "tests", "benchmarks") for path in (ROOT / room).rglob("*.py")
)
PACKAGE = [path for path in PYTHON if path.is_relative_to(ROOT / "minbpe_course")]
WRITTEN = {".py", ".md", ".toml", ".yml", ".yaml", ".ipynb", ".txt", ""}

# Where a folder of somebody's machine is named on purpose: the rule itself, and what looks for such names in lessons.
MAY_NAME_PLACES = {"tests/project/test_house_rules.py", "tests/notebooks/test_notebooks.py", "tools/notebooks.py"}
PRIVATE_PLACE = re.compile(r"(?<![\w./])/(?:home|Users|root|work|opt|srv|mnt)/\w|[A-Z]:\\\\?Users")
# The last stands in for functions of tiktoken's that print.
MAY_PRINT = (
    "minbpe_course/cli/",
    "minbpe_course/__main__.py",
    "minbpe_course/vocabularies/rebuild.py",
    "minbpe_course/compat/tiktoken/_educational.py",
)


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def written_files(root: Path = ROOT) -> Iterator[Path]:
    """Yield the text files of the project, without data: in a checkout what git tracks, else all there are.

    So a contributor may keep environments and notes next to the sources.
    """
    for path in _project_files(root):
        if path.is_file() and path.suffix in WRITTEN and "data" not in path.relative_to(root).parts:
            yield path


def _project_files(root: Path) -> list[Path]:
    command = ["git", "ls-files", "-z", "--cached"]
    if (root / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout.decode("utf-8")
        return [root / name for name in listed.split("\0") if name]
    # An unpacked source archive holds nothing but the project.
    return sorted(path for path in root.rglob("*") if not path.relative_to(root).parts[0].startswith("."))


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


def test_a_folder_of_a_contributor_is_not_looked_at(tmp_path: Path) -> None:
    for name in ("mine.py", "venv/lib/theirs.py", "notes/todo.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a path of this machine", encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "mine.py"], cwd=tmp_path, check=True)
    assert list(written_files(tmp_path)) == [tmp_path / "mine.py"]


def test_a_file_says_what_it_is() -> None:
    for path in PYTHON:
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), f"{relative(path)}: no module docstring"
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
