"""Imports point to the lower levels of docs/architecture.md, heavy libraries have one place, and the page is true."""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from minbpe_course import learning

pytestmark = pytest.mark.medium

PACKAGE = Path(__file__).resolve().parents[2] / "minbpe_course"

PAGE = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
# Imports point to a lower level only; packages on the same level do not import each other.
LEVELS = {name: int(level) for level, name in re.findall(r"^\| (\d+) \| `([\w/]+)` \|", PAGE, re.MULTILINE)}
# Other modules import only the version from __init__.
LEVELS |= dict.fromkeys(("__init__", "__main__"), max(LEVELS.values()) + 1)

# The only modules that may import a heavy or optional dependency.
IMPORTED_ONLY_IN = {
    "numba": ("kernels/",),
    "llvmlite": ("kernels/",),
    "dask": ("counting/cluster/dask_engine.py",),
    "distributed": ("counting/cluster/dask_engine.py",),
    "matplotlib": ("learning/charts/",),
    "anywidget": ("playground_page/widget.py",),
    "ipywidgets": ("playground_page/widget.py",),
    "traitlets": ("playground_page/widget.py",),
    "nbformat": ("cli/lessons.py",),
    "jupyterlab": ("cli/",),
    "shtab": ("cli/completion.py",),
    "pyarrow": ("corpus/", "token_files/shard_files.py"),
    "zstandard": ("corpus/",),
    "compression": ("corpus/",),
}

# Everything that may be imported: required and optional dependencies. "compression" is in the library from 3.14 on, and
# "tomli", as tomllib, from 3.11 on.
DECLARED = {
    "anywidget", "babel", "compression", "dask", "distributed", "google", "jupyterlab", "llvmlite",
    "matplotlib", "mistral_common", "nbformat", "numba", "numpy", "pyarrow", "regex", "sentencepiece", "shtab",
    "tiktoken", "tiktoken_ext", "tomli", "traitlets", "zstandard",
}  # fmt: skip

# What a bare installation has. Other libraries are imported in a block of ``needed``, or in a ``try``, except where
# something else makes sure that they are there.
ALWAYS_THERE = {"compression", "llvmlite", "numba", "numpy", "regex", "tomli"}
ASKED_BEFORE = ("cli/learn.py", "corpus/columns.py", "cli/lessons.py", "learning/charts/", "vocabularies/rank_files.py")

KERNELS_MAY_IMPORT = {"__future__", "ctypes", "llvmlite", "numba", "numpy", "os"}
# Files in kernels/ that are not kernels: they compile, store, replace or select them.
NOT_KERNELS = {"__init__.py", "cache.py", "compiled.py", "lists.py", "machine.py", "machine_plain.py", "memory.py"}
NOT_KERNELS |= {"lazy.py"}


def sources(package: Path) -> Iterator[tuple[str, Path]]:
    """Yield name and path of every module."""
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if not name.startswith("_lessons/"):
            yield name, path


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def guarded_lines(path: Path) -> set[int]:
    """Return the lines in blocks of ``needed`` and in the bodies of ``try``."""
    found: set[int] = set()
    for node in ast.walk(tree_of(path)):
        needed = isinstance(node, ast.With) and ast.unparse(node.items[0].context_expr).startswith("needed(")
        if needed or isinstance(node, ast.Try):
            found |= {line for part in node.body for line in range(part.lineno, (part.end_lineno or 0) + 1)}
    return found


def imports_of(path: Path, package: Path) -> Iterator[tuple[int, str, str]]:
    """Yield line, module and imported name of every import, also in functions and for type checkers."""
    here = ("minbpe_course", *path.relative_to(package).with_suffix("").parts)
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, ""
        elif isinstance(node, ast.ImportFrom):
            above = here[: len(here) - node.level] if node.level else ()
            base = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                yield node.lineno, base, alias.name
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            yield from ((node.lineno, str(name.value), "") for name in node.args[:1] if isinstance(name, ast.Constant))


def package_of(names: Sequence[str]) -> str:
    """Return the package of docs/architecture.md to which the parts of a module's name, or of a path, belong."""
    inside = names[0] == "learning" and names[1:] not in ((), ("__init__",))
    return "/".join(names[:2]) if inside else names[0]


def faults(package: Path) -> list[str]:
    """Return a sentence for every import that breaks the rules."""
    found = []
    for name, path in sources(package):
        own = package_of(Path(name).with_suffix("").parts)
        if own not in LEVELS:
            found.append(f"{name}: the package {own} has no level; add it to docs/architecture.md")
            continue
        guarded = guarded_lines(path)
        is_kernel = own == "kernels" and path.name not in NOT_KERNELS
        for line, module, imported in imports_of(path, package):
            where, top = f"{name}:{line}", module.partition(".")[0]
            if is_kernel and top not in KERNELS_MAY_IMPORT and not module.startswith("minbpe_course.kernels"):
                found.append(f"{where}: a kernel may not import {module}; it gets arrays and numbers as arguments")
            if own == "learning/exercises" and module == "minbpe_course.learning":
                module = learning._HOMES.get(
                    imported, module
                )  # teachers import from there, too; the level is that of the module
            if top == "minbpe_course":
                found += _level_faults(where, own, package_of((*module.split("."), imported)[1:]))
            elif top not in sys.stdlib_module_names and top not in DECLARED:
                found.append(f"{where}: imports {top}, which is not a declared dependency")
            elif top in DECLARED - ALWAYS_THERE and line not in guarded and not name.startswith(ASKED_BEFORE):
                found.append(f"{where}: imports {top}, which may be missing; import it in a block of extras.needed")
            if top in IMPORTED_ONLY_IN and not name.startswith(IMPORTED_ONLY_IN[top]):
                found.append(f"{where}: imports {top}, which only {' or '.join(IMPORTED_ONLY_IN[top])} may import")
    return found


def _level_faults(where: str, own: str, other: str) -> Iterator[str]:
    if not other or other == "__version__":
        if LEVELS[own] < LEVELS["cli"]:
            yield f"{where}: {own} imports the top-level package"
    elif other not in LEVELS:
        yield f"{where}: imports {other} from the top-level package; import it from its module"
    elif other != own and LEVELS[other] >= LEVELS[own]:
        levels = f"{own} (level {LEVELS[own]}) imports {other} (level {LEVELS[other]})"
        yield f"{where}: {levels}; imports point to lower levels only"


def test_imports_point_to_lower_levels() -> None:
    assert faults(PACKAGE) == []


def graph_of(package: Path) -> dict[str, set[str]]:
    """Return for each module the modules of the package that it imports, also in functions and for type checkers."""
    modules = {}
    for name, path in sources(package):
        modules[".".join(("minbpe_course", *Path(name).with_suffix("").parts)).removesuffix(".__init__")] = path
    graph: dict[str, set[str]] = {module: set() for module in modules}
    for module, path in modules.items():
        for _, base, imported in imports_of(path, package):
            target = f"{base}.{imported}" if f"{base}.{imported}" in modules else base
            if target in modules and target not in (module, "minbpe_course"):
                graph[module].add(target)
    return graph


def circles_of(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that import each other, directly or through others."""
    reach: dict[str, set[str]] = {}
    for start in graph:
        reached: set[str] = set()
        waiting = list(graph[start])
        while waiting:
            node = waiting.pop()
            if node not in reached:
                reached.add(node)
                waiting += graph[node]
        reach[start] = reached
    circles = {tuple(sorted(b for b in reach[a] if a in reach[b])) for a in graph if a in reach[a]}
    return [list(circle) for circle in sorted(circles)]


def test_no_modules_import_each_other() -> None:
    assert circles_of(graph_of(PACKAGE)) == []


# Production code does not depend on the plain-Python algorithms, which the lessons quote and the tests compare with.
MAY_IMPORT_REFERENCE = {"reference", "learning", "playground_page", "compat", "inspecting"}


def test_production_code_does_not_import_the_reference() -> None:
    found = [
        f"{name}:{line}: imports {module}"
        for name, path in sources(PACKAGE)
        if Path(name).with_suffix("").parts[0] not in MAY_IMPORT_REFERENCE
        for line, module, imported in imports_of(path, PACKAGE)
        if f"{module}.{imported}.".startswith("minbpe_course.reference.")
    ]
    assert found == []


def test_no_module_has_the_name_of_a_dependency() -> None:
    # A file named ``regex.py`` hides the library from every script in the same folder.
    names = {path.stem for path in PACKAGE.rglob("*.py") if "compat" not in path.parts}
    assert names & {*DECLARED, *IMPORTED_ONLY_IN} == set()


# ---- What the page names


@pytest.mark.parametrize("file", sorted(set(re.findall(r"`((?:\w+/)+\w+\.(?:py|md))`", PAGE))))
def test_files_exist(file: str) -> None:
    assert any((folder / file).is_file() for folder in (PACKAGE, PACKAGE.parent)), file


@pytest.mark.parametrize(
    ("file", "function"), re.findall(r"^\| \d+ \| `([\w/.]+\.py)` \| `([\w.]+)`", PAGE, re.MULTILINE)
)
def test_functions_exist(file: str, function: str) -> None:
    source = (PACKAGE / file).read_text(encoding="utf-8")
    for name in function.split("."):
        assert re.search(rf"\b(?:def|class) {name}\b|^{name} = ", source, re.MULTILINE), (file, name)
