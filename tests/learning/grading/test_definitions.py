"""The names that a cell defines and needs, found without running it."""

from __future__ import annotations

import ast
import symtable
import sys
import sysconfig
from pathlib import Path

import pytest

from minbpe_course.learning.grading import definitions

CELLS = {
    # label: (cell, names bound, names needed)
    "parameters and locals": ("def f(a, *b, c=d, **e):\n    g = a\n    return g + h", {"f"}, {"d", "h"}),
    "a name declared global": ("def f():\n    global g\n    g = 1\n    return g", {"f"}, {"g"}),
    "inner functions": ("def f(a):\n    def g(b): return a + b + c\n    return g", {"f"}, {"c"}),
    "comprehensions": ("x = [a + b for a in c if d]", {"x"}, {"b", "c", "d"}),
    "exceptions": ("try: a()\nexcept B as error: print(error)", set(), {"a", "B", "print", "error"}),
    "loops": ("for i in r: t[i] = i\nu.v = 1\nwith o as p: pass", {"i", "t", "u", "p"}, {"r", "t", "i", "u", "o"}),
    "a class": ("class A(B):\n    c = d\n    def e(self): return f", {"A"}, {"B", "d", "f"}),
    "a default with the name of its parameter": ("def f(a=a, *, b=b): return a + b", {"f"}, {"a", "b"}),
    "global below a local": ("def f(a):\n    def g():\n        global a\n        return a\n    return g", {"f"}, {"a"}),
    "a walrus in a comprehension": ("x = [b := a for a in c if b]", {"x", "b"}, {"b", "c"}),
    "deleting": ("del a, b[c]\ndef f():\n    del d", {"b", "f"}, {"a", "b", "c"}),
    "a pattern": (
        "match a:\n    case {'b': [c, *d], **e} if f: g = c\n    case B(h) | h: pass",
        {"c", "d", "e", "g", "h"},
        {"a", "f", "c", "B"},
    ),
    "a star": ("from a import *", {"*"}, set()),
    "a name in a text": ("def f(): return globals()['a'], eval('b + 1')", {"f"}, {"globals", "eval", "a", "b"}),
}


@pytest.mark.parametrize("label", CELLS)
def test_names_of_a_cell(label: str) -> None:
    cell, bound, needed = CELLS[label]
    statements = definitions.parse(cell)
    assert definitions.bound(statements) == bound
    assert definitions.needed(statements) == needed


# ----------------------------------------------------------------------------------------------------
# The compiler as a witness


def _by_the_compiler(source: str) -> tuple[set[str], set[str]]:
    """The names that a statement looks up in its module, and those that it may: bound there, or by a class."""
    top = symtable.symtable(source, "<cell>", "exec")
    needed, may = set(), set()
    waiting = [top]
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        for symbol in table.get_symbols():
            if table is top or symbol.is_global():
                may.add(symbol.get_name())
                if symbol.is_referenced():
                    needed.add(symbol.get_name())
            elif table.get_type() == "class":
                may.add(symbol.get_name())
    return needed, may


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="symtable gives the module the variables of comprehensions")
def test_names_of_the_standard_library_as_the_compiler_finds_them() -> None:
    seen = 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[::8]:
        for statement in ast.parse(path.read_bytes()).body:
            source = ast.unparse(statement)
            # Of a function called "top", symtable says that its parameters are global; __names__ belong to modules.
            if "__future__" in source or "def top(" in source:
                continue
            needed, may = _by_the_compiler(source)
            found = {name for part in ast.parse(source).body for name in definitions._looked_up(part, frozenset())}
            needed, found = ({name for name in names if "__" not in name} for names in (needed, found))
            assert needed <= found <= needed | may, f"{path.name}, line {statement.lineno}"
            seen += 1
    assert seen > 200


# ----------------------------------------------------------------------------------------------------
# Statements of other cells

OTHER_CELLS = {
    # label: (other cells, the names that an answer needs, what they are once the chosen statements have run)
    "a table filled in a comprehension": (["t = []\n[t.append(i) for i in range(2)]"], {"t"}, {"t": [0, 1]}),
    "an item taken out of a list": (["t = [1, 2]\nlast = t.pop()"], {"t"}, {"t": [1]}),
    "names made by exec": (["text = 't = 5'", "exec(text)"], {"t"}, {"t": 5}),
    "names made by globals()": (["globals()['t'] = 5", "globals().update(u=6)"], {"t", "u"}, {"t": 5, "u": 6}),
    "a class that gets an attribute later": (["class t: pass", "setattr(t, 'n', 2)\nu = t.n"], {"u"}, {"u": 2}),
    "a fallback": (["try:\n    import no_such as t\nexcept ImportError:\n    import re as t"], {"t"}, {}),
    "a star import": (["from math import *", "t = floor(2.5)"], {"t"}, {"t": 2}),
    "a builtin defined anew": (["def ord(c): return 1"], {"ord"}, {}),
    "what only shows is not run": (["t = 1\nprint(t, no_such)\nno_such(1)"], {"t"}, {"t": 1}),
}


@pytest.mark.parametrize("label", OTHER_CELLS)
def test_statements_that_an_answer_needs(label: str) -> None:
    cells, needed, values = OTHER_CELLS[label]
    space: dict[str, object] = {}
    for statement in definitions.wanted_from(cells, set(needed), set(), definitions.builtin_names()):
        exec(compile(ast.Module([statement], []), "cell", "exec"), space)
    assert needed <= space.keys()
    assert {name: space[name] for name in values} == values


def test_a_builtin_that_a_scratch_cell_assigns_to_is_kept() -> None:
    cells = ["sum = 0\nfor x in [1, 2]:\n    sum += x", "from math import *"]
    assert definitions.wanted_from(cells, {"sum", "len"}, set(), definitions.builtin_names()) == []


@pytest.mark.parametrize(
    "cell",
    [
        "def  len(x): return 0",
        "def \\\n len(x): return 0",
        "from operator import (\n length_hint as len)",
        "class len: pass",
        "def \uff4c\uff45\uff4e(x): return 0",
        "import numpy as len",
        "async def len(x): pass",
    ],
)
def test_a_cell_may_replace_a_builtin(cell: str) -> None:
    assert len(definitions.wanted_from(["x = 1", cell], {"len"}, set(), definitions.builtin_names())) == 1


def test_settings_of_the_interpreter_hold_for_every_answer() -> None:
    cells = ["import sys\nsys.setrecursionlimit(5000)", "import json"]
    chosen = definitions.wanted_from(cells, set(), set(), definitions.builtin_names())
    assert [type(statement).__name__ for statement in chosen] == ["Import", "Expr"]
