"""What the cells of a notebook define and what they need, read from their syntax; nothing is run here.

    parse(cell)                        its statements, without what only IPython understands
    needed(statements)                 the names that they look up in the module
    bound(statements)                  the names that they define
    wanted_from(cells, missing, have)  the statements of other cells that define what is missing

The sandbox loads this very file by its path: standard library only, and no import of the house. A learner's text is
never parsed anywhere else, since a text can be made that takes a parser a long time, or all of its stack. Limits: names
are followed, values are not; what a cell changes by calling a method (``table.update(...)``) does not count as defining
it.
"""

from __future__ import annotations

import _ast

TYPE_CHECKING = False  # typing takes longer to import than most answers take to run
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

CELL_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")  # their cells hold Python; those of other magics do not


def parse(source: str) -> list[Any]:
    """Return the statements of a cell; lines for IPython and statements that await are left out.

    >>> len(parse("%matplotlib inline\\nids = [1]\\n!ls\\nawait ids"))
    1
    """
    source = source.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    try:
        body, future = _statements(source)
    except SyntaxError:
        body, future = _statements(without_magics(source))
    kept = [statement for statement in body if not isinstance(statement, _ast.Pass) and not _awaits(statement)]
    for statement in kept:
        statement.future = future
    return kept


def _statements(source: str) -> tuple[list[Any], int]:
    tree: Any = compile(source, "<cell>", "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
    future = 0
    for statement in tree.body:
        if isinstance(statement, _ast.ImportFrom) and statement.module == "__future__":
            import __future__

            for alias in statement.names:
                future |= getattr(getattr(__future__, alias.name, None), "compiler_flag", 0)
    return tree.body, future


def without_magics(source: str) -> str:
    """Replace what only IPython understands, line by line, so that the line numbers stay.

    >>> without_magics("if True:\\n    %time run()\\nfiles = !ls")
    'if True:\\n    pass\\nfiles = None'
    """
    lines = source.split("\n")
    first = lines[0].lstrip() if lines else ""
    if first.startswith("%%") and not first.startswith(CELL_MAGICS):
        return ""
    for number, line in enumerate(lines):
        bare = line.strip()
        indent = line[: len(line) - len(line.lstrip())]
        before, _, after = line.partition("=")
        if bare.startswith(("%", "!", "?")) or (bare.endswith("?") and not bare.startswith("#")):
            lines[number] = f"{indent}pass"
        elif after.lstrip().startswith(("!", "%")) and before.strip().isidentifier():
            lines[number] = f"{before}= None"
    return "\n".join(lines)


def _children(node: Any) -> Iterator[Any]:
    for name in node._fields:
        value = getattr(node, name, None)
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, _ast.AST):
                yield child


_COMPREHENSIONS = (_ast.ListComp, _ast.SetComp, _ast.DictComp, _ast.GeneratorExp)
_SCOPES = (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.Lambda, *_COMPREHENSIONS)


def _shallow(statement: Any) -> Iterator[Any]:
    """The nodes of a statement, but for what lies inside the functions, classes and comprehensions in it."""
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*_SCOPES, _ast.ClassDef)):
            waiting.extend(_children(node))


def _awaits(statement: Any) -> bool:
    return any(isinstance(node, (_ast.Await, _ast.AsyncFor, _ast.AsyncWith)) for node in _shallow(statement))


def bound(statements: Sequence[Any]) -> set[str]:
    """Return the names that statements define, import, assign or store into.

    >>> sorted(bound(parse("import os.path, re as r\\ntable[1] = 2\\ndef f(x): y = x")))
    ['f', 'os', 'r', 'table']
    """
    names: set[str] = set()
    for statement in statements:
        for node in _shallow(statement):
            if isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef)):
                names.add(node.name)
            elif isinstance(node, (_ast.Import, _ast.ImportFrom)):
                names.update((alias.asname or alias.name.partition(".")[0]) for alias in node.names)
            elif isinstance(node, (_ast.Name, _ast.Subscript, _ast.Attribute)) and isinstance(node.ctx, _ast.Store):
                while isinstance(node, (_ast.Subscript, _ast.Attribute)):
                    node = node.value
                if isinstance(node, _ast.Name):
                    names.add(node.id)
    return names


def needed(statements: Sequence[Any]) -> set[str]:
    """Return the names that statements look up in the module, however deep inside functions.

    >>> sorted(needed(parse("def f(x):\\n    y = [x for x in table]\\n    return g(y, x, lambda z: z + k)")))
    ['g', 'k', 'table']
    """
    return {name for statement in statements for name in _looked_up(statement, frozenset())}


def _looked_up(node: Any, inner: frozenset[str]) -> Iterator[str]:
    if isinstance(node, _ast.Name) and isinstance(node.ctx, _ast.Load) and node.id not in inner:
        yield node.id
    if isinstance(node, _SCOPES):
        inner |= _own_names(node)
    for child in _children(node):
        yield from _looked_up(child, inner)


def _own_names(scope: Any) -> set[str]:
    """The local names of a function or comprehension: parameters and what its body binds, but for ``global``."""
    own: set[str] = set()
    declared: set[str] = set()
    for part in _children(scope):
        for node in _shallow(part):
            if isinstance(node, _ast.arg):
                own.add(node.arg)
            elif isinstance(node, _ast.Global):
                declared.update(node.names)
            elif isinstance(node, (_ast.ExceptHandler, _ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef)):
                own.add(node.name or "")
            elif isinstance(node, (_ast.Import, _ast.ImportFrom)):
                own.update((alias.asname or alias.name.partition(".")[0]) for alias in node.names)
            elif isinstance(node, _ast.Name) and isinstance(node.ctx, _ast.Store):
                own.add(node.id)
    return own - declared


def wanted_from(cells: Sequence[str], missing: set[str], have: set[str]) -> list[Any]:
    """Return the statements of other cells that define the missing names, and what those need, in their order.

    >>> cells = ["import re\\nsize = 3\\nprint(size)", "def helper(): return re, size", "syntax error ("]
    >>> [type(statement).__name__ for statement in wanted_from(cells, {"helper"}, set())]
    ['Import', 'Assign', 'FunctionDef']
    """
    statements = []
    for cell in cells:
        try:
            statements += [(statement, bound([statement])) for statement in parse(cell)]
        except Exception:
            continue
    chosen: set[int] = set()
    open_names, seen = set(missing), set(have)
    while open_names:
        name = open_names.pop()
        seen.add(name)
        for number, (statement, names) in enumerate(statements):
            if name in names and number not in chosen:
                chosen.add(number)
                open_names |= needed([statement]) - seen
    return [statements[number][0] for number in sorted(chosen)]
