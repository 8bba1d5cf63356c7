"""The names that a cell binds and needs, found without running it."""

from __future__ import annotations

import pytest

from minbpe_course.learning.judge.names_in_code import bound, needed
from minbpe_course.learning.practice.cell_sources import parse

CELLS = {
    # label: (cell, names bound, names needed)
    "parameters and locals": ("def f(a, *b, c=d, **e):\n    g = a\n    return g + h", {"f"}, {"d", "h"}),
    "a name declared global": ("def f():\n    global g\n    g = 1\n    return g", {"f", "g"}, {"g"}),
    "inner functions": ("def f(a):\n    def g(b): return a + b + c\n    return g", {"f"}, {"c"}),
    "comprehensions": ("x = [a + b for a in c if d]", {"x"}, {"b", "c", "d"}),
    "loops": ("for i in r: t[i] = i\nu.v = 1\nwith o as p: pass", {"i", "t", "u", "p"}, {"r", "t", "i", "u", "o"}),
    "a class": ("class A(B):\n    c = d\n    def e(self): self.c = f", {"A"}, {"B", "d", "f"}),
    "a default with the name of its parameter": ("def f(a=a, *, b=b): return a + b", {"f"}, {"a", "b"}),
    "a walrus in a comprehension": ("x = [b := a for a in c if b]", {"x", "b"}, {"b", "c"}),
    "annotations": ("def f(a: A) -> B: return a\nx: C = 1", {"f", "x"}, {"A", "B", "C"}),
    "calls that change": ("t.add(1)\nfor x in y: u.v.append(x)\nprint(z)", {"t", "u", "x"}, set("tuxyz") | {"print"}),
    "magics": ("%%time\n%run a.py\nx = !ls\n%time y = await z", {"x", "y"}, {"z"}),
    "names of Python itself": ("class A:\n    here = __name__", {"A"}, set()),
    "an invalid escape": ("x = '\\d' is y", {"x"}, {"y"}),
    "what looks like a magic": ("x = (7\n  % 4)\ntext = '''\n!not this\n'''", {"x", "text"}, set()),
}


@pytest.mark.parametrize("label", CELLS)
@pytest.mark.filterwarnings("error")
def test_names_of_a_cell(label: str) -> None:
    cell, binds, needs = CELLS[label]
    statements = parse(cell)
    assert set().union(*map(bound, statements)) == binds
    assert needed(*statements) == needs
