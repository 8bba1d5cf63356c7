"""Join the learner's answers to several lessons into one module, ``my_tokenizer.py``.

Sources are joined, never executed. Imports come first, each once; a heading before each part names its exercise. Given
code comes from the released notebooks. A blank stays a blank, and the summary names it. Left out are tests that the
learner wrote, and bare calls and asserts in the cell of an answer, which would run on import. The class in
``collected_class.txt`` turns the answers to lessons 01 to 05 into a tokenizer.

Limits: only the definitions that an answer needs are taken from other cells, without their comments. Two lessons that
define one name differently cannot share a module; that is an error, which names it.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from minbpe_course.errors import ExercisesProblem
from minbpe_course.files import read_whole
from minbpe_course.learning.assignments.markers import BEGIN, END
from minbpe_course.learning.grading.cells import python_of
from minbpe_course.learning.grading.definitions import bound, needed, parse, wanted_from
from minbpe_course.learning.submissions.notebook_cells import Answer, Notebook, Question, find_answer

HEADER = '''"""My tokenizer: the answers that I wrote in the exercises of the course, as one module.

{summary}

Made by ``minbpe-course collect``. Change the answers in the notebooks, then collect them again.
"""

from __future__ import annotations
'''
_RULE = "# " + "-" * 98
LESSONS = ("01", "02", "03", "04", "05")
HOW = "minbpe-course collect"


@dataclass(frozen=True)
class Collected:
    """A module, and the keys of the answers that are not in it: still blank, or not Python."""

    source: str
    keys: tuple[str, ...]
    blank: tuple[str, ...]
    broken: tuple[str, ...]

    def summary(self) -> str:
        """Return how many answers it has, and which are missing."""
        have = len(self.keys) - len(self.blank) - len(self.broken)
        parts = [f"{have} of {len(self.keys)} answers"]
        parts += [f"still blank: {', '.join(self.blank)}"] if self.blank else []
        parts += [f"not Python, left out: {', '.join(self.broken)}"] if self.broken else []
        return "; ".join(parts)


def collect(notebooks: Sequence[Notebook], questions: Iterable[Question], glue: str = "") -> Collected:
    """Join the answers to these questions, in their order, into one module.

    glue : source that follows them, see ``glue_for``.

    Raises ExercisesProblem when two parts define a name differently.
    """
    questions = [question for question in questions if question.exercise.kind != "test"]
    answers = [find_answer(notebooks, question) for question in questions]
    parts = _Parts()
    blank, broken = [], []
    entries = {question.exercise.entry for question in questions}
    for question, answer in zip(questions, answers):
        exercise = question.exercise
        heading = f"# {exercise.key}: {exercise.title}"
        for given in question.given:
            parts.add(given, f"given with {exercise.key}", heading)
        if not answer.started:
            blank.append(exercise.key)
        source = question.blank if answer.source is None else answer.source
        try:
            written = ast.parse(python_of(source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            broken.append(exercise.key)
            continue
        for helper in _helpers(written.body, answer, {*parts.names, *entries}):
            parts.add(helper, f"another cell of lesson {exercise.lesson}", heading)
        parts.add(source, f"the answer to {exercise.key}", heading)
    if glue:
        parts.add(glue, "the end of the module", _RULE)
    keys = tuple(question.exercise.key for question in questions)
    made = Collected(parts.source(), keys, tuple(blank), tuple(broken))
    return replace(made, source=HEADER.format(summary=made.summary() + ".") + made.source)


class _Parts:
    """The parts of the module: imports gathered, equal definitions kept once, different ones of one name refused."""

    def __init__(self) -> None:
        self.names: dict[str, tuple[str, str]] = {}
        self._imports: dict[str, None] = {}
        self._texts: list[str] = []
        self._headings: set[str] = set()
        self._added: set[str] = set()

    def add(self, source: str, origin: str, heading: str) -> None:
        source = python_of(source)
        if source in self._added:  # given code may come with several answers
            return
        self._added.add(source)
        tree = ast.parse(source)
        dropped: list[ast.stmt] = []
        imports: list[str] = []
        for statement in tree.body:
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                dropped.append(statement)
                if not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
                    imports += _single_imports(statement)
            elif isinstance(statement, (ast.Expr, ast.Assert, ast.Pass)) or self._is_known(statement, origin):
                dropped.append(statement)
        self._imports.update(dict.fromkeys(imports))
        text = _without(source, tree.body, dropped)
        if text:
            if heading not in self._headings:
                self._headings.add(heading)
                self._texts.append(heading)
            self._texts.append(text)

    def _is_known(self, statement: ast.stmt, origin: str) -> bool:
        """Remember what a statement defines; tell whether the same statement is there already."""
        text = ast.unparse(statement)
        names = bound([statement])
        for name in names:
            before = self.names.get(name)
            if before and before[0] != text and isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.Assign)):
                raise ExercisesProblem(
                    f"{name} is defined differently in {before[1]} and in {origin}, and one module cannot hold both. "
                    "Rename one of them in its notebook, then collect again."
                )
        known = bool(names) and all(name in self.names and self.names[name][0] == text for name in names)
        self.names.update(dict.fromkeys(names, (text, origin)))
        return known

    def source(self) -> str:
        imports = "".join(
            f"{line}\n" for line in sorted(self._imports, key=lambda line: (line.startswith("from"), line))
        )
        return ("\n" + imports if imports else "") + "".join(f"\n\n{text}\n" for text in self._texts)


def _single_imports(statement: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(statement, ast.Import):
        return [ast.unparse(ast.Import([alias])) for alias in statement.names]
    return [ast.unparse(ast.ImportFrom(statement.module, [alias], statement.level)) for alias in statement.names]


def _without(source: str, statements: list[ast.stmt], dropped: list[ast.stmt]) -> str:
    """Return a source without some of its statements. One that shares a line with a kept statement stays as well."""
    kept: set[int] = set()
    gone: set[int] = set()
    for statement in statements:
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(each.lineno for each in decorators)])
        (gone if statement in dropped else kept).update(range(first, (statement.end_lineno or first) + 1))
    text = "\n".join(
        line
        for number, line in enumerate(source.split("\n"), start=1)
        if (number not in gone or number in kept) and line.strip() not in (BEGIN, END)
    )
    return text.strip("\n").rstrip() if kept else ""


def _helpers(statements: list[ast.stmt], answer: Answer, have: set[str]) -> list[str]:
    """Return the definitions in other cells that an answer needs."""
    known = {*have, *bound(statements), *dir(builtins)}
    missing = needed(statements) - known
    return [ast.unparse(statement) for statement in wanted_from(answer.others, missing, known)] if missing else []


@cache
def glue() -> tuple[str, frozenset[str]]:
    """Return the source of the class that joins the answers, and the names of the answers that it calls."""
    source = read_whole(Path(__file__).with_name("collected_class.txt")).decode("utf-8").replace("\r\n", "\n")
    statements = parse(source)
    return source, frozenset(needed(statements) - bound(statements) - set(dir(builtins)))


def glue_for(entries: Set[str]) -> str:
    """Return the source that joins the answers, or "" when one that it calls is missing."""
    source, needs = glue()
    return source if entries >= needs else ""
