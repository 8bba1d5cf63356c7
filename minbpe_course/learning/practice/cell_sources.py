"""Find the source of a function or class that a notebook cell defines, and the statements of a cell.

``inspect.getsource`` finds functions but no classes there, because ``__main__`` is not a file.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import types
from collections.abc import Iterator
from typing import Any

from minbpe_course.learning.grading.cells import python_of
from minbpe_course.learning.judge.names_in_code import compiled


def parse(source: str) -> list[ast.stmt]:
    """Return the statements of a cell. Raises SyntaxError, ValueError or RecursionError for what is not Python."""
    statements: list[ast.stmt] = compiled(python_of(source), ast.PyCF_ONLY_AST).body
    return statements


def source_of(made: Any) -> str | None:
    """Return the text of the definition as it was typed, with its decorators; None where it is not known."""
    found = _source_and_definition(made)
    if found is None:
        return None
    lines, node = found
    begin = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return "".join(lines[begin - 1 : node.end_lineno]).rstrip() + "\n"


def blanks_in(node: ast.AST, place: str = "") -> Iterator[str]:
    """Yield where a definition has ``...`` as code: the method, or the attribute or name that it should be assigned to.

    In an index or a type it means something else.

    >>> list(blanks_in(ast.parse("def double(numbers: tuple[int, ...]): ...")))
    ['double']
    """
    if isinstance(node, ast.Subscript):
        return
    if isinstance(node, ast.Constant) and node.value is Ellipsis:
        yield place
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        place = node.name
    elif isinstance(node, ast.Assign):
        target = node.targets[0]
        place = target.attr if isinstance(target, ast.Attribute) else ast.unparse(target)
    for child in ast.iter_child_nodes(node):
        yield from blanks_in(child, place)


def functions_of(definition: Any) -> list[types.FunctionType]:
    """Return the function that a definition is, or the methods that a class defines itself."""
    try:
        inside = list(vars(definition).values()) if isinstance(definition, type) else [definition]
        inside = [inspect.unwrap(getattr(one, "__func__", one)) for one in inside]
    except Exception:  # an object that raises when it is examined
        return []
    return [one for one in inside if isinstance(one, types.FunctionType)]


def _source_and_definition(made: Any) -> tuple[list[str], ast.FunctionDef | ast.ClassDef] | None:
    written = [one.__code__ for one in functions_of(made) if one.__code__.co_filename != "<string>"]
    if not written:
        return _newest_class(made) if isinstance(made, type) else None
    code = written[0]
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename)
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError):  # a cell with a magic, or a file that has changed
        return None
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == made.__name__:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first <= code.co_firstlineno <= (node.end_lineno or first):
                return lines, node
    return None


def _newest_class(made: type) -> tuple[list[str], ast.ClassDef] | None:
    """Find a class without methods by its name, in the cells from the newest on."""
    for file in reversed(list(linecache.cache)):
        lines = linecache.getlines(file) if "ipykernel_" in file or file.startswith("<ipython-input") else []
        try:
            body = ast.parse("".join(lines)).body
        except (SyntaxError, ValueError):
            continue
        found = [node for node in body if isinstance(node, ast.ClassDef) and node.name == made.__name__]
        if found:
            return lines, found[-1]
    return None
