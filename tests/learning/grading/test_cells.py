"""The Python that a cell runs, with IPython's own transformation as the witness."""

from __future__ import annotations

import ast
import contextlib
import getopt
import inspect
import sys
from typing import Any

import IPython
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from IPython.core.inputtransformer2 import TransformerManager

from minbpe_course.learning.grading.cells import python_of
from tests.shared.long_run import examples

# Earlier releases remove prompts inside of a text, too.
pytestmark = pytest.mark.skipif(IPython.version_info[0] < 9, reason="another witness than IPython 9")

# Each "§" becomes the number of its line, so that fragments bind different names, and ``at()`` can be compared with it.
PLAIN = [
    "line_§ = at()",
    "a§ = (7\n  % 4)",
    "a§ = 7 \\\n  % 4",
    "a§ = [1,\n!2\n]",
    "a§ = '%s?' %3",
    "a§ = '!ls'; b§ = '%time x?'",
    "a§ = '''\n!ls\nb§ = !ls\n%time x = 1\nx?\n'''",
    'a§ = """it\'s "quoted" \\""" (\n?x"""\nline_§ = at()',
    "a§ = 'one\\\n!two\\\n?'",
    "a§ = r'\\'' + \"#?\"",
    "# why?",
    "a§ = 1  # it's (why?",
    "a§ = f\"{a!r:>4}{b['k']}{{?\" != '!'",
    "a§ = f'''{\n  a\n!r}'''",
    '@same\ndef f§(x=1, *, y = 2):\n    """Doc?\n\n    >>> f(1)\n    1\n    """\n    return x % y',
    "async def later(): return 1\nline_§ = at(); c§ = await later()",
    "async for i in things(): d§ = i",
    "a += 1; a //= 2; a§ = a == 3 != 4 <= 5 >= 6",
    "print(a, sep = '');",
    "a§ = lambda x=1: x\nb§: int = 2",
    "...",
    "",
    "\t",
    "match a:\n    case {'k': e§} | e§: pass",
]
MAGIC = [
    "%matplotlib inline",
    "%time a§ = 1",
    "%time for i in range(3): a§ = i",
    "%time a§ = (1 + \\\n  2)\nline_§ = at()",
    "%time --no-raise-error a§ = 1",
    "%time !ls",
    "%time",
    "%timeit a§ = b.append(1)",
    "%timeit -n 10 -r3 -q made.append(1)",
    "%prun -s time -q a§ = 1",
    "% time a§ = 1",
    "if a:\n    %time # later",
    "%%time",
    "!ls it's",
    "!ls \\\n  'more?\n!!ls",
    "a§ = !ls",
    "a§ = !echo \\\n  more\nline_§ = at()",
    "a§ = \\\n  !ls\nline_§ = at()",
    "a§: list = ! ls",
    "b['k'] = !ls",
    "a§ = %time -a",
    "if a == 9 or a <= 3: a§ = %time 6 * 7",
    "a += 1; b[str(object='k')] = !ls",
    "a§ = %time (6, \\\n  7)\nline_§ = at()",
    "a§ = %timeit -o made.append(2)",
    "a§ = %prun made.append(3) or 5",
    "a§ = %env HOME",
    "a§ = % who",
    "a§ =%time",
    "a?",
    "a.b??",
    "b[0]?",
    "a*?",
    "a = 5?",
    "a12 = f§?",
    "?a",
    "??",
    "%time?",
    "(1,\n  a)?",
    "if a:\n    %time a§ = 2\nelse:\n    ?help\nline_§ = at()",
    "for i in range(2):\n    !ls {i}\n    a§ = i",
    "def f():\n    x = !ls\n    %cd ..\n    return x\na§ = f()",
]
BROKEN = [
    "a§ = (1,",
    "a§ = '''",
    "a§ = 'it",
    "a§ =",
    "!= 3",
    "%= 3",
    "a§ =\n!ls",
    "a += %time 5",
    "a = b = !ls",
    "f(a)?",
    "\\",
    ")",
]
OPTIONS = {"time": "", "timeit": "n:r:tcp:qov:", "prun": "D:l:rs:T:q"}
HEADS = ["%%time", "%%timeit", "%%timeit -n 3 -q made.append(4)", "%%capture out --no-stderr", "%%capture\n%%time"]
HEADS += [
    "%%prun -s time -q",
    "%%prun made.append(5)",
    "%%bash",
    "%%writefile f.py",
    "%%html",
    "%%!",
    "%%nothing what?",
]
HEADS += ["%%time?", "\n  \n%%time", "\n  "]
# What each line begins with, and what the lines do that continue one.
SHAPES = {"": "", "    ": "    ", "\t": "\t", ">>> ": "... ", "    >>> ": "    ...\t"}
SHAPES["In [12]: "] = "    ...: "

plain = st.lists(st.sampled_from(PLAIN), max_size=5)
mixed = st.lists(st.sampled_from(PLAIN + MAGIC + MAGIC), max_size=6)
broken = st.lists(st.sampled_from(PLAIN + MAGIC + BROKEN), max_size=5)
shapes = st.sampled_from(["", *SHAPES])
heads = st.sampled_from([""] * 12 + HEADS)


def shaped(fragments: list[str], shape: str) -> str:
    """Join fragments into a cell that is indented as a whole, or pasted with its prompts."""
    lines: list[str] = []
    for fragment in fragments:
        first, *more = fragment.split("\n")
        lines += [shape + first, *(SHAPES[shape] + line for line in more)]
    return "\n".join(line.replace("§", str(number)) for number, line in enumerate(lines, start=1))


class Shell:
    """Does with the magics of a cell what ``python_of`` promises."""

    def __init__(self, space: dict[str, Any]) -> None:
        self.space = space
        space["get_ipython"] = lambda: self

    def run_line_magic(self, name: str, line: str, body: str | None = None) -> Any:
        if name not in OPTIONS:
            return None
        statement = line.removeprefix("--no-raise-error ")
        if name != "time":
            statement = " ".join(getopt.getopt(line.split(), OPTIONS[name])[1])
        code = statement if body is None else body if name == "time" else f"{statement}\n{body}"
        source = TransformerManager().transform_cell(code)
        if name == "timeit":
            return exec(source, Shell({**self.space}).space)
        try:
            value = eval(source, self.space)
            return value if name == "time" else None
        except SyntaxError:
            return run(source, self.space)

    def run_cell_magic(self, name: str, line: str, body: str) -> None:
        if body:  # as in IPython
            self.run_line_magic("time" if name == "capture" else name, "" if name == "capture" else line, body)

    def system(self, command: str = "") -> None:
        """Run nothing."""

    show_usage = system

    def getoutput(self, command: str) -> list[str]:
        return []


def run(source: str, space: dict[str, Any]) -> None:
    """Run a cell, also one that awaits."""
    waiting = eval(compile(source, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True), space)
    if inspect.iscoroutine(waiting):
        with contextlib.suppress(StopIteration):
            waiting.send(None)


async def things() -> Any:
    """Yield one thing."""
    yield 1


def bound_by(source: str) -> dict[str, Any]:
    """Run a cell; return what it binds, and the class of its error."""
    space: dict[str, Any] = {"a": 9, "b": {"k": 2}, "made": [], "same": lambda *parts: parts[0], "things": things}
    space |= {"at": lambda: sys._getframe(1).f_lineno, "print": str}
    Shell(space)
    try:
        run(source, space)
    except Exception as error:
        space["error"] = type(error).__name__
    return {name: "a function" if callable(value) else value for name, value in space.items() if name != "__builtins__"}


def transformed(cell: str) -> str:
    try:
        return TransformerManager().transform_cell(cell)
    except SyntaxError:  # IPython shows it, and runs nothing of the cell
        return "("


@settings(max_examples=examples(200))
@given(plain, shapes)
def test_plain_cells_have_the_text_that_ipython_makes(fragments: list[str], shape: str) -> None:
    cell = shaped(fragments, shape)
    assert python_of(cell).lstrip("\n") == transformed(cell).lstrip("\n")
    assert python_of(cell.replace("\n", "\r\n")) == python_of(cell.replace("\n", "\r")) == python_of(cell)


@settings(max_examples=examples(500))
@example(["x = 1\n   ...: y = 2\n   ...: z = 3"], "", "")  # without the first prompt
@example(['def f():\n    """Doc\n    >>> f()\n    """', ">>> doc = f.__doc__"], "", "")
@example(["a = %5"], "", "")
@example(["a = (1,", "b?  # why?"], "", "")
@example([], "", "%%prun made.append(5)")
@given(st.one_of(mixed, broken), shapes, heads)
def test_a_cell_binds_what_it_binds_in_ipython(fragments: list[str], shape: str, head: str) -> None:
    cell = shaped([head, *fragments] if head else fragments, shape)
    ours = bound_by(python_of(cell))
    theirs = bound_by(transformed(cell))
    for name, value in ours.items():
        if name.startswith("line_"):
            assert value == int(name[5:]), cell
            theirs[name] = value  # IPython joins continued lines
    assert ours == theirs, cell
