"""Find the names that statements bind and need, from their compiled code; nothing is run here.

Limits: a change to a value is found where a statement makes it by name (``table[1] = 2``, ``table.update(...)``), but
not under a second name (``same = table; same.append(1)``).
"""

from __future__ import annotations

import ast
import dis
import warnings
from collections.abc import Iterator
from types import CodeType
from typing import Any

_LOADS = {"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"}


def compiled(source: Any, flags: int = 0) -> Any:
    """Compile a cell as IPython does, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(source, "<cell>", "exec", flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)


def code_of(statement: ast.stmt) -> CodeType:
    """Return the code of one statement."""
    code: CodeType = compiled(ast.Module([statement], []))
    return code


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code and all that it contains."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds in its module, or whose values it changes.

    >>> (one, two, three) = ast.parse("import os.path, re as r\\ntable[1] = 2\\nclass A: size = 3").body
    >>> sorted(bound(one)), bound(two), bound(three)
    (['os', 'r'], {'table'}, {'A'})
    """
    code = code_of(statement)
    steps = [(step, each is code) for each in codes(code) for step in dis.get_instructions(each)]
    names = {
        step.argval for step, top in steps if step.opname == "STORE_GLOBAL" or (top and step.opname == "STORE_NAME")
    }
    if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        names.update(*map(_changed, ast.walk(statement)))
    return {name for name in names if not _is_pythons(name)}


def _changed(node: ast.AST) -> set[str]:
    """Return the name of what a target, or a call whose result is dropped, changes: ``table[1] = 2``, ``t.add(3)``."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        node = node.value.func
    elif isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return set()
    inside: Any = node
    while isinstance(inside, (ast.Subscript, ast.Attribute)):
        inside = inside.value
    return {inside.id} if inside is not node and isinstance(inside, ast.Name) else set()


def needed(*parts: ast.stmt | CodeType) -> set[str]:
    """Return the names that statements or functions look up in their module, however deep inside functions.

    >>> sorted(needed(*ast.parse("def f(x):\\n    y = [x for x in table]\\n    return g(y, lambda z: z + k)").body))
    ['g', 'k', 'table']
    """
    tops = [one if isinstance(one, CodeType) else code_of(one) for one in parts]
    steps = (step for top in tops for each in codes(top) for step in dis.get_instructions(each))
    return {step.argval for step in steps if step.opname in _LOADS and not _is_pythons(step.argval)}


def _is_pythons(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")
