"""Compute a fingerprint of the rules of a question, so that a mark is made again only when they have changed.

The rules of a question are what was handed out, the file of its exercise (answer, cases, mistakes, points, witness),
the files of the course or of the teacher's folder that this one imports, and the right answers above it in the
notebook, which may replace wrong ones. Titles, tasks, hints, docstrings and comments are not among them. ``RULES``
stands for the judge and the worker: raise it when a change of theirs can change a mark.

Limits: a file that an exercise reads is not looked at, nor is a module that it imports by a computed name. Another
version of Python may write a syntax tree in another way, which makes all marks again.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from minbpe_course.files import read_whole
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.judge.right_helpers import helpers_of, right_cells
from minbpe_course.learning.submissions.notebook_cells import Question

RULES = 2
_FOLLOWED = ("minbpe_course.learning.exercises", "minbpe_course.reference")
_ROOT = Path(__file__).resolve().parents[3]
_TOLD = {"title", "hints", "hint", "difficulty", "minutes", "picture"}


def rules_of(questions: Sequence[Question]) -> list[str]:
    """Return the rules of each question, 16 hexadecimal digits.

    >>> from minbpe_course.learning.judge.catalogue import find
    >>> one, other = rules_of([Question(find("02.merge"), "blank"), Question(find("02.merge"), "other")])
    >>> len(one), one == other
    (16, False)
    """
    return [_digest(question) for question in questions]


def _digest(question: Question) -> str:
    exercise = question.exercise
    served = right_cells(exercise, helpers_of(exercise))
    sources = (question.blank, *question.given, *served, *_files_of(exercise))
    written = hashlib.sha256(f"{RULES} {exercise.key}".encode())
    for source in sources:
        written.update(_tree(source)[0])
    return written.hexdigest()[:16]


def _files_of(exercise: Exercise) -> Iterator[str]:
    """Yield the sources of the file of an exercise and of those that it imports, directly or not."""
    if exercise.kind == "written":
        return
    folder = catalogue.collection_of(exercise.key).lesson_folder(exercise.lesson)
    name = catalogue.collection_of(exercise.key).file_of(exercise).stem if exercise.method else exercise.name
    # pytest would collect a file of the course whose name begins with test_.
    waiting = [file for file in (folder / f"{name}.py", folder / f"tests_of_{name[5:]}.py") if file.is_file()]
    seen = set(waiting)
    for file in waiting:
        source = read_whole(file).decode("utf-8-sig")
        yield source
        for level, module in _tree(source)[1]:
            place = (file.parents[level - 1] if level else _ROOT).joinpath(*module.split("."))
            for found in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
                if found not in seen and found.is_file():
                    seen.add(found)
                    waiting.append(found)


@lru_cache(maxsize=10_000)
def _tree(source: str) -> tuple[bytes, tuple[tuple[int, str], ...]]:
    """Return the hash of what a source does, and what it imports: the number of dots and the name of each module."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # a cell with a magic
        return hashlib.sha256(source.encode("utf-8", "surrogatepass")).digest(), ()
    imports: dict[tuple[int, str], None] = {}
    for node in ast.walk(tree):
        if isinstance(getattr(node, "body", None), list):
            node.body = [one for one in node.body if not _is_text(one)]  # type: ignore[attr-defined]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("Exercise", "Mistake"):
            del node.args[1:2]  # the title, or the hint
            node.keywords = [one for one in node.keywords if one.arg not in _TOLD]
        elif isinstance(node, ast.ImportFrom):
            home = node.module or ""
            if node.level or home.startswith(_FOLLOWED):
                imports |= dict.fromkeys((node.level, f"{home}.{one.name}".strip(".")) for one in node.names)
                imports[node.level, home] = None
    return hashlib.sha256(ast.dump(tree).encode("utf-8", "surrogatepass")).digest(), tuple(imports)


def _is_text(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(ast.Constant(str())):
            return True
    return False
