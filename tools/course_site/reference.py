"""Write the pages of the reference: the public names first, then a page for each package, module by module."""

from __future__ import annotations

import ast
from pathlib import Path

import minbpe_course
from tools.course_site.docstrings import to_rst

PACKAGE = Path(minbpe_course.__file__).parent
# The checks of the exercises would reveal the answers; the others have nothing public.
LEFT_OUT = ("learning/exercises/lesson_", "_lessons/", "__main__.py", "__init__.py")


def pages() -> dict[str, str]:
    """Return the pages by name, as reStructuredText: ``index``, then one for each package and each top-level module.

    >>> sorted(pages())[:4]
    ['cli', 'compat', 'corpus', 'counting']
    """
    packages: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(LEFT_OUT) and (_has_public_names(path) or path.name == "__init__.py"):
            parts = path.relative_to(PACKAGE).with_suffix("").parts
            module = ".".join(["minbpe_course", *(part for part in parts if part != "__init__")])
            course = parts[0] == "learning" and parts[1] != "__init__"
            packages.setdefault(".".join(parts[: 1 + course]), []).append(module)
    pages = {package: _page(package, modules) for package, modules in sorted(packages.items())}
    return {"index": _front(sorted(packages)), **pages}


def _has_public_names(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(
        isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_") for node in tree.body
    )


def _page(package: str, modules: list[str]) -> str:
    lines = [package, "=" * len(package), ""]
    for module in modules:
        if module != f"minbpe_course.{package}" or len(modules) == 1:
            name = module.removeprefix("minbpe_course.")
            lines += [f".. _reference-{name}:", "", name, "-" * len(name), ""] if len(modules) > 1 else []
        lines += [f".. automodule:: {module}", "   :members:", "   :member-order: bysource"]
        # A caller who catches an error needs to know which built-in error it is.
        lines += ["   :ignore-module-all:", *(["   :show-inheritance:"] if package == "errors" else []), ""]
    return "\n".join(lines)


def _front(packages: list[str]) -> str:
    title = "Reference"
    lines = [title, "=" * len(title), "", "Everything that ``from minbpe_course import ...`` offers:", ""]
    lines += [".. list-table::", "   :widths: 35 65", ""]
    for name in minbpe_course.__all__:
        value = getattr(minbpe_course, name)
        role = "class" if isinstance(value, type) else "func"
        summary = " ".join(to_rst([(value.__doc__ or "").strip().splitlines()[0]])).strip()
        lines += [f"   * - :py:{role}:`{name} <{value.__module__}.{name}>`", f"     - {summary}"]
    lines += ["", "All packages, module by module:", ""]
    lines += [f"* :doc:`{package} <{package}>`{_summary(package)}" for package in packages]
    return "\n".join([*lines, ""])


def _summary(package: str) -> str:
    folder = PACKAGE.joinpath(*package.split("."))
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    return f": {' '.join(to_rst([doc.splitlines()[0]])).strip()}" if doc else ""
