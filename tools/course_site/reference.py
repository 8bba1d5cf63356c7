"""The pages of the reference: the public names on the first, then a page for each room of the package, file by file."""

from __future__ import annotations

import ast
from pathlib import Path

import minbpe_course
from tools.course_site.docstrings import to_rst

PACKAGE = Path(minbpe_course.__file__).parent
# What the exercises are checked with would tell the answers; the others are no room, or start the program.
LEFT_OUT = ("checks/lesson_", "_lessons/", "__main__.py", "__init__.py")
# The files of the package's own folder, which no room holds.
ALONE = {"errors": "errors", "packing": "packing and files"}


def pages() -> dict[str, str]:
    """Return the pages by name, as reStructuredText: ``index``, then one for each room in alphabetical order.

    >>> sorted(pages())[:4]
    ['checks', 'cli', 'corpus', 'errors']
    """
    rooms: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(LEFT_OUT) and (_has_public_names(path) or path.name == "__init__.py"):
            parts = path.relative_to(PACKAGE).with_suffix("").parts
            module = ".".join(["minbpe_course", *(part for part in parts if part != "__init__")])
            room = parts[0] if len(parts) > 1 or parts[0] in ALONE else "packing"
            rooms.setdefault(room, []).append(module)
    return {"index": _front(sorted(rooms)), **{room: _page(room, modules) for room, modules in sorted(rooms.items())}}


def _has_public_names(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(
        isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_") for node in tree.body
    )


def _page(room: str, modules: list[str]) -> str:
    title = ALONE.get(room, room)
    lines = [title, "=" * len(title), ""]
    for module in modules:
        if module != f"minbpe_course.{room}" or len(modules) == 1:
            name = module.removeprefix("minbpe_course.")
            lines += [f".. _reference-{name}:", "", name, "-" * len(name), ""] if len(modules) > 1 else []
        lines += [f".. automodule:: {module}", "   :members:", "   :member-order: bysource"]
        # Which error of Python's an error of ours is as well matters to whoever catches it.
        lines += ["   :ignore-module-all:", *(["   :show-inheritance:"] if room == "errors" else []), ""]
    return "\n".join(lines)


def _front(rooms: list[str]) -> str:
    title = "Reference"
    lines = [title, "=" * len(title), "", "Everything that ``from minbpe_course import ...`` offers:", ""]
    lines += [".. list-table::", "   :widths: 35 65", ""]
    for name in minbpe_course.__all__:
        value = getattr(minbpe_course, name)
        role = "class" if isinstance(value, type) else "func"
        summary = " ".join(to_rst([(value.__doc__ or "").strip().splitlines()[0]])).strip()
        lines += [f"   * - :py:{role}:`{name} <{value.__module__}.{name}>`", f"     - {summary}"]
    lines += ["", "And every room of the package, file by file:", ""]
    lines += [f"* :doc:`{ALONE.get(room, room)} <{room}>`{_summary(room)}" for room in rooms]
    return "\n".join([*lines, ""])


def _summary(room: str) -> str:
    path = PACKAGE / room / "__init__.py" if (PACKAGE / room).is_dir() else PACKAGE / f"{room}.py"
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    return f": {' '.join(to_rst([doc.splitlines()[0]])).strip()}" if doc else ""
