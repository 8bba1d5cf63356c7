r"""Read the code of an exercise from its file: the task, what learners are given, the answer, and the blank.

    def merge(ids, pair, new_id):
        '''Return ids with every occurrence of pair replaced by new_id.          learners keep this line

        Replace every occurrence of a pair ...                                   the task, in Markdown
        '''
        merged = []                                                              without markers, all of it is blank
        ...

An exercise to complete or to repair has markers, each on a separate line, around the part that is blank:

    ### BEGIN SOLUTION
    at += size - (len(token) - 1)
    ### INSTEAD                      optional: comments that learners get in place of a blank
    # at += size
    ### END SOLUTION

A class has markers in each of its methods. The task is in the docstring of the method that is asked for, or in that of
the class; learners keep the first line of each.

Learners are also given the definitions and imports of the file that the answer uses, but not the answers to earlier
exercises: they have their own. An import that only the blank part of a function uses is part of the blank.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from minbpe_course.errors import ExercisesProblem
from minbpe_course.files import read_whole
from minbpe_course.learning.judge.callers import implementation_of
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.judge.exercise_files import OF_THE_COURSE, exercises_of
from minbpe_course.learning.judge.names_in_code import bound, needed

BEGIN, INSTEAD, END = "### BEGIN SOLUTION", "### INSTEAD", "### END SOLUTION"
BLANK = "# YOUR CODE HERE"
_LEFT_OUT = "\0"  # in place of a line of a docstring, so that the others keep their numbers
_MARKED = re.compile(
    rf"^(?P<indent>[ \t]*){BEGIN}\n(?P<answer>.*?)(?:^[ \t]*{INSTEAD}\n(?P<instead>.*?))?^(?P=indent){END}$",
    re.MULTILINE | re.DOTALL,
)
_MARKER = re.compile("#+ *(?:BEGIN|END) SOLUTION", re.IGNORECASE)  # also one that is not written as it should be


class AnswerCode(NamedTuple):
    """The sources of an exercise: the task (Markdown), given code or "", the answer with markers, and with blanks."""

    task: str
    given: str
    answer: str
    blank: str

    def without_markers(self) -> str:
        """Return the answer as a learner would write it."""
        return _MARKED.sub(lambda found: found["answer"].rstrip("\n"), self.answer)

    def hidden_lines(self) -> list[str]:
        """Return the lines of the answer that learners do not get, without imports, stripped, each once."""
        inside = (line.strip() for found in _MARKED.finditer(self.answer) for line in found["answer"].split("\n"))
        return [line for line in dict.fromkeys(filter(None, inside)) if not line.startswith(("import ", "from "))]


@lru_cache(maxsize=1000)
def answer_code(exercise: Exercise) -> AnswerCode:
    """Return the sources of an exercise with an ``answer``.

    Raises ExercisesProblem if the answer is not a definition with a docstring, if a marker has no partner, or if
    something cannot be given to learners.

    >>> from minbpe_course.learning.judge import catalogue
    >>> print(answer_code(catalogue.find("01.count_characters")).blank)
    def count_characters(data):
        \"\"\"Return how many characters begin in this part of a UTF-8 text.\"\"\"
        return ...
    """
    if exercise.answer is None:
        raise ExercisesProblem(
            f"{exercise.key} has no answer. Write in its file the right answer as a function {exercise.entry}, with "
            f"the task as its docstring, and in EXERCISE: answer={exercise.entry}"
        )
    file = _File(sys.modules[exercise.answer.__module__])
    node = file.definition(exercise.entry)
    for name in exercise.given:
        if not file.nodes(name):
            raise file.problem(node, f"given= has {name!r}, which the file does not define. Correct the name.")
    used = needed(node)
    taken = file.taken({*used, *exercise.given} - {exercise.entry})
    given = [(beside, one) for beside, one in taken if not isinstance(one, (ast.Import, ast.ImportFrom))]
    answer = file.answer(node)
    marked = list(_MARKED.finditer(answer))
    if len(_MARKER.findall(answer)) != 2 * len(marked):
        raise file.problem(
            node,
            f"a marker of {exercise.entry} has no partner. {BEGIN} and {END} are lines of their own, with one "
            f"indentation; {INSTEAD} stands between them.",
        )
    for line in "\n".join(found["instead"] or "" for found in marked).split("\n"):
        code = line.strip()
        if code and code[0] != "#":
            raise file.problem(node, f"below {INSTEAD}, {code!r} is no comment. Write: # {code}")
    blank = _MARKED.sub(lambda found: _blank(found, _asked_in(answer[: found.start()], exercise)), answer)
    given_code = _joined(given)
    visible = used = used.union(*(needed(one) for _, one in given))
    if len(marked) == 1 and isinstance(node, ast.FunctionDef):
        visible = used.intersection(re.findall(r"\w+", given_code + blank))
        hidden = [f"{marked[0]['indent']}{line}\n" for line in _imports(taken, used - visible)]
        answer = answer.replace(f"{BEGIN}\n", "".join([f"{BEGIN}\n", *hidden, "\n" * bool(hidden)]))
    imports = "".join(f"{line}\n" for line in _imports(taken, visible))
    above = f"{imports}\n\n" if imports else ""
    # Given code gets a separate cell, because a learner may replace the whole cell of the answer.
    if given:
        return AnswerCode(file.task(node, exercise.method), above + given_code, answer, blank)
    return AnswerCode(file.task(node, exercise.method), "", above + answer, above + blank)


def _asked_in(text: str, exercise: Exercise) -> str:
    """Return what a blank below a text asks for: the method that begins there, or the entry."""
    methods = re.findall(r"^ +def (\w+)", text, re.MULTILINE) if exercise.method else []
    return [exercise.entry, *methods][-1]


def _joined(statements: Sequence[tuple[_File, ast.stmt]]) -> str:
    """Return the sources of statements, with empty lines around definitions."""
    made = ""
    for at, (file, node) in enumerate(statements):
        together = at and not {type(node), type(statements[at - 1][1])} & {ast.FunctionDef, ast.ClassDef}
        made += ("\n" if together else "\n\n\n" if at else "") + file.source(node)
    return made


def _imports(taken: Iterable[tuple[_File, ast.stmt]], used: set[str]) -> list[str]:
    """Return the lines that import these names."""
    found = []
    for _, node in taken:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [one for one in node.names if (one.asname or one.name).partition(".")[0] in used]
            wanted = ast.Import(names) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, names, 0)
            found += [ast.unparse(wanted)] if names else []
    return list(dict.fromkeys(found))


@lru_cache(maxsize=1000)
def code_to_repair(exercise: Exercise) -> Callable[..., Any] | None:
    """Return the function with the bug that learners get, None if there is nothing to repair.

    >>> from minbpe_course.learning.judge import catalogue
    >>> code_to_repair(catalogue.find("03.marked_words")) is None
    False
    """
    if exercise.kind != "repair" or exercise.answer is None:
        return None
    code = answer_code(exercise)
    return implementation_of(f"{code.given}\n\n\n{code.blank}", exercise.entry)


def _blank(found: re.Match[str], entry: str) -> str:
    indent, instead = found["indent"], found["instead"]
    if not (instead or "").strip():
        return f'{indent}{BLANK}\n{indent}raise NotImplementedError("{entry} is still blank")'
    return "\n".join(re.sub(r"^(\s*)# ?", r"\1", line).rstrip() for line in instead.rstrip("\n").split("\n"))


class _File:
    """The file of an exercise, or another of its folder from which it takes given code."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.path = module, Path(str(module.__file__))
        text = importlib.util.decode_source(read_whole(self.path))
        self.lines, self.tree = text.split("\n"), ast.parse(text)
        self.bound = [(node, bound(node)) for node in self.tree.body]
        for node in self.tree.body:
            if (
                isinstance(node, ast.ImportFrom)
                and node.level
                and (node.level > 1 or not node.module or any(one.asname or one.name == "*" for one in node.names))
            ):
                raise self.problem(
                    node,
                    f"learners cannot be given what {ast.unparse(node)!r} imports. Import each name by itself, from a "
                    "file of this folder: from .samples import TEXTS",
                )

    def problem(self, node: ast.stmt, said: str) -> ExercisesProblem:
        """Return the error for a statement."""
        return ExercisesProblem(f"{self.path}, line {node.lineno}: {said}")

    def nodes(self, name: str) -> list[ast.stmt]:
        """Return the statements that bind or change a name."""
        return [node for node, names in self.bound if name in names]

    def definition(self, name: str) -> ast.FunctionDef | ast.ClassDef:
        """Return the one statement that defines the answer; a class may extend the one of its name that is imported."""
        found = [node for node in self.nodes(name) if not isinstance(node, ast.ImportFrom)]
        if len(found) == 1 and isinstance(found[0], (ast.FunctionDef, ast.ClassDef)):
            return found[0]
        raise self.problem(
            [*self.tree.body, *found][-1],
            f"the answer {name} is defined once in its file, at the left margin, by def {name}(...): or class {name}:",
        )

    def taken(self, names: Iterable[str]) -> list[tuple[_File, ast.stmt]]:
        """Return the statements that define these names and all that they use, in the order of the files."""
        found: dict[int, tuple[_File, ast.stmt]] = {}
        waiting = sorted(names)
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            for node in self.nodes(name):
                beside = self._beside(node)
                if beside is not None:
                    found |= {id(one): (file, one) for file, one in beside.taken([name])}
                elif not self._is_asked(node):
                    found[id(node)] = self, node
                    waiting += needed(node)
        return sorted(found.values(), key=lambda one: (one[0] is self, one[1].lineno))

    def source(self, node: ast.stmt) -> str:
        """Return the lines of a statement, with its decorators and the comments above it."""
        first = _first_line(node)
        while first and self.lines[first - 1].startswith("#"):
            first -= 1
        return "\n".join(self.lines[first : node.end_lineno])

    def task(self, node: ast.FunctionDef | ast.ClassDef, method: str = "") -> str:
        """Return the docstring of the answer, or of a method of it that has a task, without its first line."""
        for one in node.body if method else ():
            if isinstance(one, ast.FunctionDef) and one.name == method:
                task = (ast.get_docstring(one) or "").partition("\n")[2].strip()
                node = one if task else node
        return (ast.get_docstring(node) or "").partition("\n")[2].strip()

    def answer(self, node: ast.FunctionDef | ast.ClassDef) -> str:
        """Return the definition of the answer, with the first line of its docstring, and with markers."""
        first, _, task = (ast.get_docstring(node) or "").partition("\n\n")
        if not task.strip() or "\n" in first:
            raise self.problem(
                node, "the answer needs a docstring: one line for learners, an empty line, and the task in Markdown."
            )
        docstring = node.body[0]
        raw = "r" if "\\" in first else ""
        quotes = "'''" if '"""' in first or first.endswith('"') else '"""'
        indent = self.lines[docstring.lineno - 1][: docstring.col_offset]
        head = [*self.lines[_first_line(node) : docstring.lineno - 1], f"{indent}{raw}{quotes}{first}{quotes}"]
        # The comments at the end of a function are not part of its node.
        after = (at for at in range(node.end_lineno or 0, len(self.lines)) if self.lines[at][:1] not in ("", " ", "\t"))
        lines = list(self.lines)
        for one in reversed(node.body) if isinstance(node, ast.ClassDef) else ():
            if isinstance(one, ast.FunctionDef) and (said := ast.get_docstring(one)):
                place = slice(one.body[0].lineno - 1, one.body[0].end_lineno)
                short = f'{" " * one.body[0].col_offset}"""{said.splitlines()[0]}"""'
                lines[place] = [short, *[_LEFT_OUT] * (place.stop - place.start - 1)]
        body = "\n".join(lines[docstring.end_lineno : next(after, None)]).rstrip().split("\n")
        body = [line for line in body if line != _LEFT_OUT]
        if not any(map(_MARKER.search, body)):
            body = [f"{indent}{BEGIN}", *body, f"{indent}{END}"]
        return "\n".join([*head, *body])

    def _beside(self, node: ast.stmt) -> _File | None:
        """Return the file of the same folder, or of another lesson of the course, from which a statement imports."""
        if not isinstance(node, ast.ImportFrom):
            return None
        name = f"{self.module.__package__}.{node.module}" if node.level else str(node.module)
        module = sys.modules.get(name)
        package = str(self.module.__package__)
        # A lesson of the course builds on the answers of earlier ones.
        inside = module is not None and (
            module.__package__ == package or (name.startswith(OF_THE_COURSE) and package.startswith(OF_THE_COURSE))
        )
        return _File(module) if module is not None and inside else None

    def _is_asked(self, node: ast.stmt) -> bool:
        """Tell whether a statement defines the answer of this file."""
        return any(isinstance(one, Exercise) and one.entry in bound(node) for one in exercises_of(self.module))


def _first_line(node: ast.stmt) -> int:
    """Return the index of the first line of a statement or its decorators."""
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))]) - 1
