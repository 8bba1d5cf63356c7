"""Find out whether a name still has an earlier definition than the one that was typed last.

A cell that stops with an error, or that defines ``merge_pairs`` in place of ``merge``, leaves the old ``merge`` as it
was. A verdict on that would be about code that the learner has replaced. IPython stores the text of every cell that has
run, failed ones included, so the last attempt to define a name can be compared with the cell that its definition comes
from.

    merge defined, checked, checked again                 the same definition, the same verdict
    merge defined, then a cell that fails, checked        no new definition of merge has arrived

Limits: outside IPython nothing is known, and nothing is reported; an error ends a script anyway. A wrong name is
recognised by its spelling and its parameters.
"""

from __future__ import annotations

import ast
import difflib
import linecache
import re
from collections.abc import Mapping, Sequence
from typing import Any

from minbpe_course.learning.judge.names_in_code import bound, compiled
from minbpe_course.learning.practice.cell_sources import blanks_in, functions_of

_DEFINED = re.compile(r"^(?:async +)?(?:def|class) +(\w+)", re.MULTILINE)
# At the head of a cell whose body is code of the notebook.
_MAGIC = re.compile(r"\A\s*%%(?:time|timeit|capture|prun)\b.*\n?")
CLOSE = 0.6  # likeness of two names, as in difflib.get_close_matches

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def no_new_definition(name: str, definition: Any, names: Mapping[str, Any], known: Sequence[str] = ()) -> str:
    """Return a sentence that says why ``definition`` is not the one typed last, or "" if it is or nothing is known.

    name : the name that the learner should define. definition : its latest value, or None. names : those of the
    notebook, among which the shell is found. known : other names that the notebook asks for; a cell that defines one
    of them does not count as an attempt at ``name``.

    >>> no_new_definition("merge", None, {})
    ''
    """
    cells, shell = cells_run(names)
    if shell is None:
        return ""
    begins = f"No new definition of {name} has arrived: "
    first = re.compile(rf"^(?:async +)?\w+ +{re.escape(name)} *[(:]", re.MULTILINE)  # also "df merge(ids):"
    last, others = True, False  # no other cell ran between this one and the check; some that did have definitions
    for at, cell in reversed(list(enumerate(cells))):
        attempted = first.search(cell) is not None
        if cell == cells[-1] and not attempted:
            continue  # the check, now and before
        tree, problem = _read(shell, cell)
        if tree is None:
            if attempted:
                return f"{begins}the cell that should define it stopped with {problem}."
            if last and _may_define(name, cell):
                return f"{begins}the last cell stopped with {problem}."
            continue
        found = [node for node in tree.body if isinstance(node, _DEFINITIONS)]
        if any(node.name == name for node in found):
            texts = _texts(definition, name)
            arrived = _text(shell, cell) in texts if texts else definition is not None
            return "" if arrived else f"{begins}the cell that should define it stopped before it got there."
        if any(name in bound(one) for one in tree.body if one not in found):
            return ""
        if not others:
            for node in found:
                retried = node.name not in known and _is_retried(cells, at, name, node.name)
                if retried and _is_misnamed(node, name, definition):
                    return f"{begins}the last cell defines {node.name} instead."
        last, others = False, others or bool(found)
    return ""


def cells_run(names: Mapping[str, Any]) -> tuple[list[str], Any]:
    """Return the text of the cells that have run, the running one last, and the shell; [] and None outside IPython."""
    try:
        shell = names["get_ipython"]()
        history = shell.history_manager.input_hist_raw
        return [cell for cell in history if isinstance(cell, str) and cell.strip()], shell
    except Exception:  # no IPython, or another one than this expects
        return [], None


def _text(shell: Any, cell: str) -> str:
    return str(shell.transform_cell(_MAGIC.sub("", cell))).strip()


def _read(shell: Any, cell: str) -> tuple[ast.Module | None, str]:
    """Return the syntax tree of a cell, or None and the name of the error that it stops with."""
    try:
        text = _text(shell, cell)
        compiled(text)
        return compiled(text, ast.PyCF_ONLY_AST), ""
    except (SyntaxError, ValueError) as error:
        article = "an" if isinstance(error, IndentationError) else "a"
        return None, f"{article} {type(error).__name__}"


def _may_define(name: str, cell: str) -> bool:
    """Tell whether a cell that does not compile may be meant to define a name; a line alone is a trial."""
    defined = _DEFINED.findall(cell)
    return any(_is_close(one, name) for one in defined) if defined else "\n" in cell.strip()


def _is_close(one: str, other: str) -> bool:
    one, other = one.lower(), other.lower()
    return one in other or other in one or difflib.SequenceMatcher(None, one, other).ratio() >= CLOSE


def _texts(definition: Any, name: str) -> set[str]:
    """Return the text of the cells that a definition comes from; empty if it is not known, or has another name."""
    functions = functions_of(definition)
    if any(one.__name__ != name for one in ([definition] if isinstance(definition, type) else functions)):
        return set()
    files = {function.__code__.co_filename for function in functions}
    return {"".join(linecache.getlines(file)).strip() for file in files} - {""}


def _is_retried(cells: Sequence[str], at: int, name: str, other: str) -> bool:
    """Tell whether a cell is new since the last definition of a name, and comes right after that or after a check."""
    near = False
    for before in range(at - 1, -1, -1):
        cell = cells[before]
        defined = _DEFINED.findall(cell)
        near = near or cell == cells[-1] or name in defined
        if name in defined:
            return cells[at] not in cells[:before]
        if defined and other not in defined and not near:
            return False
    return True


def _is_misnamed(node: Definition, name: str, definition: Any) -> bool:
    """Tell whether a definition under another name looks like an attempt at ``name``: close, with equal parameters."""
    codes = [function.__code__ for function in functions_of(definition)]
    helps = any(node.name in code.co_names for code in codes)
    uses = any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(node))
    if any(blanks_in(node)) or helps or uses:
        return False  # the blank of another task, a helper, or what comes next
    wanted = {code.co_varnames[: code.co_argcount] for code in codes}
    functions = [one for one in ast.walk(node) if isinstance(one, ast.FunctionDef)]
    alike = definition is None or any(tuple(arg.arg for arg in one.args.args) in wanted for one in functions)
    return alike and _is_close(node.name, name)
