"""Find the places where a fault can be planted, and choose some of them by a seed.

A fault changes one expression or statement inside a function. Texts, messages of errors, annotations, defaults and
decorators stay as they are: changing those changes no behaviour that a test should notice.
"""

from __future__ import annotations

import ast
import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

KINDS = ("boundary", "comparison", "constant", "deletion", "operator")

BOUNDARIES = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
OPPOSITES = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip

# Calls that only inform the user.
TELLING = {"note", "warn", "warning", "debug", "info", "log"}


@dataclass(frozen=True)
class Fault:
    """A change of the bytes ``start`` to ``end`` of a file, given relative to the root of the repository."""

    file: str
    function: str
    statement: str
    kind: str
    before: str
    after: str
    start: int
    end: int
    lines: tuple[int, ...]
    """The lines of which the tests must execute one: those of the expression, then that of its statement."""

    def __str__(self) -> str:
        return f"{self.file}:{self.lines[0]} {self.function}: {_short(self.before)}  ->  {_short(self.after)}"

    def key(self, seed: int) -> tuple[str, ...]:
        """Return what identifies the fault, even if other statements change."""
        return (str(seed), self.file, self.function, self.statement, self.kind, self.before, self.after)

    def plant(self, source: bytes) -> bytes:
        """Return the source of the file with the fault."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def choose_faults(root: Path, files: Iterable[Path], number: int, seed: int) -> list[Fault]:
    """Choose ``number`` faults in ``files``, as many of each kind as possible.

    The choice depends on the text of each statement and its function, not on line numbers. So it stays the same when
    other statements change.
    """
    queues: dict[str, list[tuple[str, Fault]]] = {kind: [] for kind in KINDS}
    seen: Counter[tuple[str, ...]] = Counter()
    for file in files:
        for fault in find_faults(root, file):
            key = fault.key(seed)
            text = "\0".join((*key, str(seen[key])))
            seen[key] += 1
            queues[fault.kind].append((hashlib.sha256(text.encode()).hexdigest(), fault))
    ordered = [[fault for _, fault in sorted(queue, key=lambda each: each[0])] for queue in queues.values()]
    rounds = itertools.chain.from_iterable(itertools.zip_longest(*ordered))
    return list(itertools.islice((fault for fault in rounds if fault is not None), number))


def find_faults(root: Path, file: Path) -> Iterator[Fault]:
    """Yield every fault that can be planted in the functions of ``file``."""
    source = file.read_bytes()
    starts = [0, *itertools.accumulate(len(line) for line in source.splitlines(keepends=True))]
    name = file.relative_to(root).as_posix()
    for function, statement, kind, node, after in _changes(ast.parse(source)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        lines = tuple(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        before = ast.unparse(node)
        yield Fault(name, function, _head(statement), kind, before, after, start, end, (*lines, statement.lineno))


_Place = ast.expr | ast.stmt
_Change = tuple[str, ast.stmt, str, _Place, str]


def _changes(module: ast.Module) -> Iterator[_Change]:
    """Yield the function, the statement, the kind, the node and what replaces it."""

    def walk(node: ast.AST, function: str, statement: ast.stmt | None) -> Iterator[_Change]:
        if isinstance(node, ast.stmt):
            statement = node
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            inside = isinstance(node, ast.ClassDef) and not function.endswith(")")
            path = f"{function.removesuffix('()')}.{node.name}".lstrip(".") + ("" if inside else "()")
            if node.name != "__repr__":
                for child in node.body:
                    yield from walk(child, path, None)
            return
        if function.endswith("()") and statement is not None:
            yield from ((function, statement, kind, place, after) for kind, place, after in _of_node(node))
        if isinstance(node, ast.Raise | ast.JoinedStr) or _tells(node):
            return
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "msg"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from walk(child, function, statement)

    yield from walk(module, "", None)


def _of_node(node: ast.AST) -> Iterator[tuple[str, _Place, str]]:
    """Yield the changes of a node itself, without those of the nodes in it."""
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            for kind, table in (("boundary", BOUNDARIES), ("comparison", OPPOSITES)):
                if type(operator) in table:
                    ops = [*node.ops[:at], table[type(operator)](), *node.ops[at + 1 :]]
                    yield kind, node, _in_parentheses(ast.Compare(node.left, ops, node.comparators))
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS and not _is_text(node.left):
        other = OPERATORS[type(node.op)]()
        yield "operator", node, _in_parentheses(ast.BinOp(node.left, other, node.right))  # type: ignore[arg-type]
    elif isinstance(node, ast.BoolOp):
        yield "operator", node, _in_parentheses(ast.BoolOp(OPERATORS[type(node.op)](), node.values))  # type: ignore
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "operator", node, _in_parentheses(node.operand)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "constant", node, str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield "constant", node, str(node.value + 1)
    elif isinstance(node, ast.If | ast.While | ast.IfExp) and isinstance(
        node.test, ast.Name | ast.Call | ast.Attribute
    ):
        yield "comparison", node.test, f"(not {ast.unparse(node.test)})"
    elif isinstance(node, ast.AugAssign):
        yield "deletion", node, "pass"
        if type(node.op) in OPERATORS:
            other = OPERATORS[type(node.op)]()
            yield "operator", node, ast.unparse(ast.AugAssign(node.target, other, node.value))  # type: ignore
    elif _can_go(node):
        assert isinstance(node, ast.stmt)
        yield "deletion", node, "pass"


def _can_go(node: ast.AST) -> bool:
    """Whether a statement can be deleted without leaving a name undefined, which any test would notice."""
    if isinstance(node, ast.Expr):
        return not _is_text(node.value) and not _tells(node) and not isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
    return isinstance(node, ast.Raise | ast.Break | ast.Continue | ast.Return | ast.Delete)


def _tells(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    called = node.value.func
    return (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) in TELLING


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _in_parentheses(node: ast.expr) -> str:
    return f"({ast.unparse(ast.fix_missing_locations(node))})"


def _head(statement: ast.stmt) -> str:
    """Return a statement as text; of one that contains others, the first line."""
    return ast.unparse(statement).partition("\n")[0]


def _short(code: str) -> str:
    line = " ".join(code.split())
    return line if len(line) <= 100 else line[:97] + "..."
