"""Build the two notebooks of a lesson from the files of its exercises: the same bytes on every system.

    lesson_02/merge.py --answer_code--> solutions/02_naive_bpe.ipynb   the answer between nbgrader's markers
                                        exercises/02_naive_bpe.ipynb   # YOUR CODE HERE, or the code to complete

Nobody edits these notebooks. A line of an answer that learners could read elsewhere in theirs is an error. Nothing is
executed here; ``check_exercises`` finds out whether an answer is right.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minbpe_course.errors import ExercisesProblem
from minbpe_course.files import read_whole, write_whole
from minbpe_course.learning.assignments import parts
from minbpe_course.learning.assignments.assignment import Assignment, Written, name_of
from minbpe_course.learning.judge.answer_code import answer_code
from minbpe_course.learning.judge.catalogue import (
    COURSE,
    Collection,
    Contents,
    collection_of,
    installed,
    lesson_named,
)
from minbpe_course.learning.judge.exercise import ALLOWED_PACKAGES, Code, Exercise

_SETUP = "from minbpe_course.learning import check, hint, progress"
_FOLDER_SETUP = f'{_SETUP}, use_exercises\nuse_exercises("..")'
_HOW = """\
Write your answer where it says `YOUR CODE HERE` or `...`. If the task is to repair a bug, change the code you find
there. Run the cell, then run the check below it, as often as you like. The check shows you the smallest case that goes
wrong. `hint("{key}")` gives you a hint, and another one each time you call it again.

Your answer may use Python's standard library, NumPy{more}, and your answers above it. Nothing else is available when it
is graded, not even `minbpe_course`; `check` warns you about anything that will be missing. One call may take two
seconds, and all the calls for one exercise together may take twenty."""

_UNCHECKED = """

Write an answer without a check below it where it says `YOUR CODE HERE` or `...`, and try it yourself. It is checked
when it is graded, with Python's standard library, NumPy{more}, and your answers above it."""


@dataclass(frozen=True)
class Released:
    """The state of one notebook: "same", "written", "differs", "missing" or "too many"."""

    path: Path
    state: str


def notebook_bytes(notebook: Mapping[str, Any]) -> bytes:
    r"""Return the bytes of a notebook: sorted keys, an indent of one, a line break at the end.

    >>> notebook_bytes({"nbformat": 4, "cells": []})
    b'{\n "cells": [],\n "nbformat": 4\n}\n'
    """
    return (json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8")


def notebook_of(
    contents: Contents, collection: Collection, *, answers: bool, unchecked: Container[str] = ()
) -> dict[str, Any]:
    """Return the notebook of a lesson, with the answers or as learners get it.

    unchecked : the keys of the exercises whose checks learners do not get.

    Raises ExercisesProblem for an answer that cannot be found in its file, and for a lesson without exercises.

    >>> made = notebook_of(COURSE.contents("02"), COURSE, answers=False)
    >>> [cell["id"] for cell in made["cells"]][4:7]
    ['02-test_merge-text', '02-test_merge', '02-test_merge-check']
    """
    lesson, exercises = contents.lesson, contents.exercises
    unchecked = () if answers else unchecked
    keys = [one.key for one in exercises if not isinstance(one, Written) and one.key not in unchecked]
    if not exercises:
        raise ExercisesProblem(
            f"{collection.lesson_folder(lesson)}: no file in it is an exercise. Begin one, with minbpe-course "
            f"new-exercise {lesson}.NAME, or rename the folder if it is no lesson: _{lesson}"
        )
    extra = sorted({name for one in exercises for name in one.packages} - set(ALLOWED_PACKAGES))
    more = f" and where the task says so {' and '.join(extra)}" if extra else ""
    how = _HOW.format(key=keys[0], more=more) if keys else ""
    how += _UNCHECKED.format(more=more) if unchecked else ""
    cells = [
        _cell(f"{lesson}-title", f"# {contents.title}", "markdown"),
        _cell(f"{lesson}-setup", _SETUP if collection == COURSE or unchecked else _FOLDER_SETUP),
        _cell(f"{lesson}-introduction", f"{contents.introduction}\n\n{how}".strip(), "markdown"),
    ]
    there: set[str] = set()
    for number, row in enumerate(contents.rows, start=1):
        if isinstance(row, Written):
            cells += _written_cells(row)
        elif isinstance(row, Exercise):
            *those, check = (cell for cell in _cells_of(row, answers) if cell["id"] not in there)
            cells += those if row.key in unchecked else [*those, check]
            there.add(row.cell_id)  # the methods of a class share a cell
        else:
            cells.append(
                _cell(f"{lesson}-cell-{number}", row.strip("\n"), "code" if isinstance(row, Code) else "markdown")
            )
    cells.append(_cell(f"{lesson}-progress", "progress()"))
    return {"cells": cells, "metadata": deepcopy(parts.NOTEBOOK_METADATA), "nbformat": 4, "nbformat_minor": 5}


def _cells_of(exercise: Exercise, answers: bool) -> Iterator[dict[str, Any]]:
    code = answer_code(exercise)
    yield _part(exercise, "text", f"### {exercise.title}\n\n{exercise.card()}\n\n{code.task}", answers)
    if code.given:
        yield _part(exercise, "given", code.given, answers)
    if exercise.picture:
        yield _cell(f"{exercise.cell_id}-picture", exercise.picture.strip("\n"))
    yield _part(exercise, "answer", code.answer if answers else code.blank, answers)
    yield _part(exercise, "check", parts.check_source(exercise), answers)


def _written_cells(question: Written) -> Iterator[dict[str, Any]]:
    """Yield the task, and the cell of Markdown that a teacher marks."""
    task = f"### {question.title}\n\n{question.card()}\n\n{question.text}"
    yield _part(question, "text", task, answers=False)
    yield _part(question, "answer", parts.WRITE_HERE, answers=False)


def _part(exercise: Exercise, role: parts.Role, source: str, answers: bool) -> dict[str, Any]:
    made = _cell(
        parts.id_of(exercise, role), source, "markdown" if role == "text" or exercise.kind == "written" else "code"
    )
    made["metadata"] = parts.metadata_for(exercise, role)
    if not answers:  # so that a learner's editor does not delete or change the cell
        made["metadata"]["deletable"] = False
        if role != "answer":
            made["metadata"]["editable"] = False
    return made


def _cell(cell_id: str, source: str, kind: str = "code") -> dict[str, Any]:
    lines = [line for line in re.split(r"(?<=\n)", source) if line]
    made = {"cell_type": kind, "id": cell_id, "metadata": {}, "source": lines}
    return made | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def release_assignment(assignment: Assignment, *, out: Path | None = None, write: bool = True) -> list[Released]:
    """Build the two notebooks of an assignment and return the state of each. Parameters, errors: ``release_files``.

    Raises ExercisesProblem, too, where its own exercises are not next to its file, or installed.
    """
    beside = assignment.collection
    for key in assignment.own:
        found_in = collection_of(key)
        if found_in.checks.resolve() != beside.checks.resolve() and found_in not in installed():
            raise ExercisesProblem(
                f"{assignment.path}: {key} is in {found_in.checks}, where the notebook of a learner does not look. Put "
                f"the file of the assignment beside that folder: {found_in.checks.with_name(assignment.name)}.toml"
            )
    collection = beside if assignment.own else COURSE
    contents = assignment.contents()
    if found := problems(contents, collection):
        raise ExercisesProblem("\n".join(found))
    folders = [(beside.released, False), (beside.solutions, True)]
    return [
        _state(
            folder / assignment.notebook.name,
            notebook_bytes(notebook_of(contents, collection, answers=answers, unchecked=assignment.unchecked)),
            write,
        )
        for folder, answers in (folders if out is None else [(out, False)])
    ]


def release_files(
    collection: Collection, lessons: Iterable[str] = (), *, out: Path | None = None, write: bool = True
) -> list[Released]:
    """Build the notebooks of some lessons of a collection (default: of all) and return the state of each.

    out : a folder for the exercises alone (default: the folders of the collection). write : False only compares.
    Without ``lessons``, any other notebook in the folders is one too many; it is named, never deleted.

    Raises ExercisesProblem with the problems of all lessons before the first is written, UnknownExercise.
    """
    fresh: dict[Path, bytes] = {}
    found: list[str] = []
    chosen = tuple(map(lesson_named, lessons))
    folders = {collection.released: False, collection.solutions: True} if out is None else {out: False}
    for lesson in chosen or collection.lessons():
        try:
            contents = collection.contents(lesson)
            found += problems(contents, collection)
            name = collection.notebook(lesson) or f"{lesson}.ipynb"
            for folder, answers in folders.items():
                fresh[folder / name] = notebook_bytes(notebook_of(contents, collection, answers=answers))
        except ExercisesProblem as problem:
            found.append(str(problem))
    if found:
        raise ExercisesProblem("\n".join(dict.fromkeys(found)))
    states = [_state(path, data, write) for path, data in fresh.items()]
    if not chosen:
        left = {path for folder in folders for path in folder.glob("*.ipynb")} - set(fresh)
        assigned = {name_of(path) for path in collection.released.parent.glob("*.toml")}
        states += [Released(path, "too many") for path in sorted(left) if path.stem not in assigned]
    return states


def _state(path: Path, data: bytes, write: bool) -> Released:
    """Write a notebook if it is to be written and differs, and return its state."""
    state = "missing"
    if path.is_file():
        state = "same" if read_whole(path) == data else "differs"
    if write and state != "same":
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
        state = "written"
    return Released(path, state)


def problems(contents: Contents, collection: Collection) -> list[str]:
    """Return an error for each line of an answer that learners can read elsewhere, and for code that is not Python."""
    found: list[str] = []
    for row in contents.rows:
        if isinstance(row, Exercise):
            found += _syntax_error(collection.file_of(row), row.picture)
        elif isinstance(row, Code):
            found += _syntax_error(collection.lesson_folder(contents.lesson) / "__init__.py", row)
    shown = [(cell["id"], parts.source_of(cell)) for cell in notebook_of(contents, collection, answers=False)["cells"]]
    for exercise in contents.exercises:
        for line in () if isinstance(exercise, Written) else answer_code(exercise).hidden_lines():
            for cell_id, text in shown:
                if survives(line, text):
                    found.append(
                        f"{collection.file_of(exercise)}: learners can read the line {line!r} of the answer in cell "
                        f"{cell_id} of their notebook. Delete it there, rename something, or leave it unmarked."
                    )
    return found


def _syntax_error(path: Path, code: str) -> Iterator[str]:
    """Yield the error in the code of a cell, with its line in the file. A cell with magics is not read."""
    try:
        compile(code, "", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        if not re.search(r"^\s*[%!]|\?\s*$", code, re.MULTILINE):
            line = getattr(error, "lineno", None) or 1
            for node in ast.walk(ast.parse(read_whole(path))):
                if isinstance(node, ast.Constant) and node.value == code:
                    line = min(node.lineno + line - 1, node.end_lineno or 0)
            yield f"{path}, line {line}: this code of a cell is not Python: {error.args[0]}. Correct it."


def survives(answer_line: str, text: str) -> bool:
    r"""Tell whether a line of an answer appears in ``text``: anywhere, or as a whole line if it is short.

    >>> survives("return ids", "    return ids[1:]"), survives("else:", "if a: b\nelse: c"), survives("else:", " else:")
    (True, False, True)
    """
    if len(answer_line) >= 8:
        return answer_line in text
    return any(line.strip() == answer_line for line in text.split("\n"))
