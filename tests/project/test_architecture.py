"""Imports go down: the storeys of the house and the one door of each heavy guest, read from the sources."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "minbpe_course"

# Imports point to a lower level only; packages on the same level do not import each other.
LEVELS = {
    "errors": 0,
    "files": 1,
    "resources": 1,
    "model": 1,
    "text": 1,
    "kernels": 1,
    "reference": 2,
    "splitting": 2,
    "corpus": 3,
    "engines": 3,
    "vocabularies": 3,
    "counting": 4,
    "formats": 4,
    "trainers": 5,
    "tokenizers": 6,
    "compat": 7,
    "inspecting": 7,
    "token_files": 7,
    "checks": 8,
    "visual": 8,
    "assignments": 9,
    "grading": 10,
    "practice": 11,
    "cli": 12,
    # No module imports these two, except for the version in __init__.
    "__init__": 13,
    "__main__": 13,
}

DOORS = {
    "numba": ("kernels/",),
    "llvmlite": ("kernels/",),
    "dask": ("counting/cluster/dask_engine.py",),
    "distributed": ("counting/cluster/dask_engine.py",),
    "matplotlib": ("visual/charts/",),
    "cycler": ("visual/charts/",),
    "anywidget": ("visual/playground/widget.py",),
    "ipywidgets": ("visual/playground/widget.py",),
    "traitlets": ("visual/playground/widget.py",),
    "nbformat": ("cli/lessons.py",),
    "jupyterlab": ("cli/",),
    "shtab": ("cli/completion.py",),
    "pyarrow": ("corpus/", "token_files/shard_files.py"),
    "zstandard": ("corpus/",),
    "compression": ("corpus/",),
}

# What may be imported at all: the required dependencies, by the name they are imported under, and the optional ones,
# whose doors say what to install where they are missing.
DECLARED = {
    "anywidget": "anywidget",
    "babel": "babel",
    # The standard library's from 3.14 on.
    "compression": "compression",
    "cycler": "matplotlib",
    "dask": "dask",
    "distributed": "dask",
    "google": "protobuf",
    "jupyterlab": "jupyterlab",
    "llvmlite": "numba",
    "matplotlib": "matplotlib",
    "mistral_common": "mistral-common",
    "nbformat": "jupyterlab",
    "numba": "numba",
    "numpy": "numpy",
    "pyarrow": "pyarrow",
    "regex": "regex",
    "sentencepiece": "sentencepiece",
    "shtab": "shtab",
    "tiktoken": "tiktoken",
    "tiktoken_ext": "tiktoken",
    "traitlets": "jupyterlab",
    "zstandard": "zstandard",
}

KERNELS_MAY_IMPORT = {"__future__", "ctypes", "llvmlite", "numba", "numpy", "os"}
# What compiles kernels, keeps them, stands in for them or chooses among them, and is none.
NO_KERNELS = {"__init__.py", "compiled.py", "interface.py", "lists.py", "machine.py", "machine_plain.py", "memory.py"}
NO_KERNELS |= {"self_check.py", "store.py"}


def room_of(path: Path, package: Path) -> str:
    parts = path.relative_to(package).with_suffix("").parts
    return parts[0]


def imports_of(path: Path, package: Path) -> Iterator[tuple[int, str]]:
    """Yield line and absolute dotted name of every import, at the top, in functions and for type checkers alike."""
    here = ("minbpe_course", *path.relative_to(package).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            above = here[: len(here) - node.level] if node.level else ()
            base = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                # "from package import room" names a room, "from package.room import thing" a thing in it.
                yield node.lineno, f"{base}.{alias.name}" if base == "minbpe_course" else base
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            yield from ((node.lineno, str(name.value)) for name in node.args[:1] if isinstance(name, ast.Constant))


def faults(package: Path) -> list[str]:
    """Return a sentence for every import that breaks the plan of the house."""
    found = []
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if name.startswith("_lessons/"):
            continue
        room = room_of(path, package)
        if room not in LEVELS:
            found.append(f"{name}: the room {room} is not in the plan; give it a storey in tests/test_architecture.py")
            continue
        for line, imported in imports_of(path, package):
            where = f"{name}:{line}"
            top, _, rest = imported.partition(".")
            of_the_kernels = imported.startswith("minbpe_course.kernels")
            if (
                room == "kernels"
                and path.name not in NO_KERNELS
                and top not in KERNELS_MAY_IMPORT
                and not of_the_kernels
            ):
                found.append(f"{where}: a kernel knows only machines and numbers, and imports {imported}")
            if top == "minbpe_course":
                found += _house_faults(where, room, rest)
            elif top not in sys.stdlib_module_names and top not in DECLARED:
                found.append(f"{where}: imports {top}, which is no required dependency")
            if top in DOORS and not name.startswith(DOORS[top]):
                found.append(f"{where}: imports {top}, whose only door is {' or '.join(DOORS[top])}")
    return found


def _house_faults(where: str, room: str, rest: str) -> Iterator[str]:
    other = rest.partition(".")[0]
    if not other or other == "__version__":
        if LEVELS[room] < LEVELS["cli"]:
            yield f"{where}: {room} imports the front door"
    elif other not in LEVELS:
        yield f"{where}: imports {other} from the front door; import it from its room"
    elif other != room and LEVELS[other] >= LEVELS[room]:
        storeys = f"{room} (storey {LEVELS[room]}) imports {other} (storey {LEVELS[other]})"
        yield f"{where}: {storeys}; imports go down only"


def test_imports_go_down() -> None:
    assert faults(PACKAGE) == []


def test_no_module_is_named_like_a_dependency() -> None:
    # A file named ``regex.py`` hides the library from every script that is run in the same folder.
    names = {path.stem for path in PACKAGE.rglob("*.py") if "compat" not in path.parts}
    dependencies = {*DECLARED, *DOORS}
    assert names & dependencies == set()


def test_the_plan_has_no_drawer() -> None:
    drawers = {"utils", "util", "helpers", "misc", "tools"}
    assert not [path for path in PACKAGE.rglob("*") if path.stem.lower().strip("_") in drawers]


@pytest.mark.parametrize(
    ("file", "source", "expected"),
    [
        ("model.py", "from minbpe_course.tokenizers.basic import BasicTokenizer", "imports go down only"),
        ("model.py", "def late():\n    import minbpe_course.tokenizers.basic", "imports go down only"),
        ("text/patterns.py", "from minbpe_course import splitting", "imports go down only"),
        ("text/patterns.py", "from ..splitting import words", "imports go down only"),
        ("reference/pairs.py", "from minbpe_course.formats import minbpe_text", "imports go down only"),
        ("tokenizers/basic.py", "import numba", "only door is kernels/"),
        ("visual/tokens.py", "import matplotlib.pyplot as plt", "only door is visual/charts/"),
        ("corpus/counting.py", "import dask", "only door is counting/cluster/dask_engine.py"),
        ("kernels/pairs.py", "from minbpe_course.text.patterns import PATTERNS", "knows only machines"),
        ("tokenizers/basic.py", "import pandas", "no required dependency"),
        ("tokenizers/basic.py", "from minbpe_course import train", "import it from its room"),
        ("attic/things.py", "import os", "not in the plan"),
    ],
)
def test_the_test_finds_what_it_looks_for(tmp_path: Path, file: str, source: str, expected: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source + "\n", encoding="utf-8")
    assert any(expected in fault for fault in faults(tmp_path)), faults(tmp_path)


def test_downward_imports_are_no_fault(tmp_path: Path) -> None:
    (tmp_path / "tokenizers").mkdir()
    (tmp_path / "tokenizers" / "basic.py").write_text(
        "import numpy as np\nimport sys\nfrom minbpe_course.model import BytePairModel\n"
        "from minbpe_course.tokenizers.base import Tokenizer\nfrom .base import Tokenizer\n",
        encoding="utf-8",
    )
    assert faults(tmp_path) == []
