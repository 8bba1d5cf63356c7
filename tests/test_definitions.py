"""What a cell defines and needs, found without running it."""

from __future__ import annotations

import ast

import pytest

from minbpe_course.grading import definitions

CELLS = {
    # label: (cell, names bound, names needed)
    "plain": ("import os.path\nx: int = y", {"os", "x"}, {"y", "int"}),
    "parameters and locals": ("def f(a, *b, c=d, **e):\n    g = a\n    return g + h", {"f"}, {"d", "h"}),
    "a name declared global": ("def f():\n    global g\n    g = 1\n    return g", {"f"}, {"g"}),
    "inner functions": ("def f(a):\n    def g(b): return a + b + c\n    return g", {"f"}, {"c"}),
    "comprehensions": ("x = [a + b for a in c if d]", {"x"}, {"b", "c", "d"}),
    "an assignment inside": ("def f():\n    if (n := g()): return n", {"f"}, {"g"}),
    "exceptions": ("try: a()\nexcept B as error: print(error)", set(), {"a", "B", "print", "error"}),
    "loops and items": (
        "for i in r: t[i] = i\nu.v = 1\nwith o as p: pass",
        {"i", "t", "u", "p"},
        {"r", "t", "i", "u", "o"},
    ),
    "a class": ("class A(B):\n    c = d\n    def e(self): return f", {"A"}, {"B", "d", "f"}),
    "decorators and annotations": ("@a\ndef f(b: c) -> d: ...", {"f"}, {"a", "c", "d"}),
    "unpacking": ("(a, *b), c = d", {"a", "b", "c"}, {"d"}),
}


@pytest.mark.parametrize("label", CELLS)
def test_names_of_a_cell(label: str) -> None:
    cell, bound, needed = CELLS[label]
    statements = definitions.parse(cell)
    assert definitions.bound(statements) == bound
    assert definitions.needed(statements) == needed


MAGICS = {
    "%matplotlib inline\nx = 1": "pass\nx = 1",
    "x = %time 5": "x = None",
    "for i in y:\n    !ls {i}\n    print(i)": "for i in y:\n    pass\n    print(i)",
    "f?\n??f": "pass\npass",
    "%%bash\nls": "",
    "%%time\nx = 1": "pass\nx = 1",
    "y = x %3\nz = x != 3": "y = x %3\nz = x != 3",
    "": "",
}


@pytest.mark.parametrize("cell", MAGICS)
def test_lines_for_ipython_are_passed_over(cell: str) -> None:
    assert definitions.without_magics(cell) == MAGICS[cell]


def test_a_line_that_only_looks_like_magic_is_kept() -> None:
    cell = "x = (7\n  % 4)\ntext = '''\n!not this\n'''"
    space: dict[str, object] = {}
    for statement in definitions.parse(cell):
        exec(compile(ast.Module([statement], []), "cell", "exec"), space)
    assert (space["x"], space["text"]) == (3, "\n!not this\n")
