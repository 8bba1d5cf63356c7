"""Make the notebook that learners get from a notebook with answers: the same bytes on every system.

    solutions/02_naive_bpe.ipynb   ### BEGIN SOLUTION … ### END SOLUTION
    exercises/02_naive_bpe.ipynb   # YOUR CODE HERE, or the stub that the answer cell names

Anything that could publish an answer, or make an exercise impossible to mark, is an error. All errors of a notebook are
reported together, one line each, with the id of the cell:

    02_naive_bpe.ipynb, cell 02-merge: line 7: ### BEGIN SOLUTION without an ### END SOLUTION below it.

Nothing is executed here; tests find out whether an answer is right.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minbpe_course.assignments import parts
from minbpe_course.assignments.markers import answer_lines, regions, survives, without_answers
from minbpe_course.checks import catalogue
from minbpe_course.checks.exercise import Exercise
from minbpe_course.errors import ExercisesProblem, MarkerProblem, UnknownExercise
from minbpe_course.files import read_whole, write_whole

_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MARKED = "markers outside an answer cell. Only the answer of an exercise is taken out."
_NORMALISE = "Run: python -m tools.exercises normalise"
# Metadata kept for cells outside of exercises; everything else is a trace of who ran it, when, and in which editor.
_KEPT_METADATA = ("jupyter", "tags")


@dataclass(frozen=True)
class Released:
    """The state of one exercise notebook: "same", "written", "differs", "missing" or "too many"."""

    name: str
    state: str


def load_notebook(path: Path) -> dict[str, Any]:
    """Return a notebook as plain data.

    Raises ExercisesProblem when the file is not a notebook of format 4, UnusablePath when it cannot be read.
    """
    try:
        notebook = json.loads(read_whole(path).decode("utf-8"))
        cells = notebook["cells"]
        if notebook["nbformat"] != 4 or not isinstance(cells, list) or not all(isinstance(c, dict) for c in cells):
            raise ValueError("not a notebook of format 4")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ExercisesProblem(
            f"{path}: not a notebook of format 4 ({type(error).__name__}). Open it in JupyterLab and save it again."
        ) from error
    return notebook


def notebook_bytes(notebook: Mapping[str, Any]) -> bytes:
    r"""Return the bytes of a notebook: sorted keys, an indent of one, a line break at the end.

    >>> notebook_bytes({"nbformat": 4, "cells": []})
    b'{\n "cells": [],\n "nbformat": 4\n}\n'
    """
    return (json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8")


def release(notebook: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the exercise notebook made from a notebook with answers; ``name`` is the name of its file.

    Raises ExercisesProblem with every problem of the notebook, one per line.
    """
    found = problems(notebook, name)
    if not found:
        released = _notebook_of([released_cell(cell) for cell in notebook["cells"]])
        found = surviving_lines(notebook, released, name)
    if found:
        raise ExercisesProblem("\n".join(found))
    return released


def released_cell(cell: Mapping[str, Any], *, keep_answer: bool = False) -> dict[str, Any]:
    """Return a cell as learners get it: no outputs, no counts, no traces of its author, and no answer.

    >>> released_cell({"cell_type": "code", "id": "x", "metadata": {"scrolled": 1}, "source": "1", "outputs": [1]})
    {'cell_type': 'code', 'id': 'x', 'metadata': {}, 'source': ['1'], 'execution_count': None, 'outputs': []}
    """
    part = parts.part_of(cell)
    source = parts.source_of(cell).strip("\n")
    has = cell.get("metadata", {})
    metadata = {key: has[key] for key in _KEPT_METADATA if has.get(key)}
    if part is not None:
        metadata = parts.metadata_for(part, cell) | ({} if keep_answer else parts.locks_for(part.role))
        if part.role == "answer" and not keep_answer:
            source = without_answers(source, part.exercise.entry, parts.stub_of(cell))
    made: dict[str, Any] = {"cell_type": cell["cell_type"], "id": cell["id"], "metadata": metadata}
    made["source"] = parts.stored_lines(source)
    if cell["cell_type"] == "code":
        made |= {"execution_count": None, "outputs": []}
    if cell.get("attachments"):
        made["attachments"] = cell["attachments"]
    return made


def normalised(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return a notebook with answers as the repository keeps it: the same sources, metadata by the rules."""
    cells = []
    for cell in notebook["cells"]:
        made = released_cell(cell, keep_answer=True)
        stub = parts.stub_of(cell)
        if stub is not None:
            made["metadata"]["minbpe_course"] = {"stub": stub}
        cells.append(made)
    return _notebook_of(cells)


def _notebook_of(cells: list[dict[str, Any]]) -> dict[str, Any]:
    return {"cells": cells, "metadata": deepcopy(parts.NOTEBOOK_METADATA), "nbformat": 4, "nbformat_minor": 5}


def release_files(
    sources: Iterable[Path], out: Path, *, write: bool = True, whole_folder: bool = False
) -> list[Released]:
    """Release notebooks into a folder under their own names and return the state of each.

    write : False only compares. whole_folder : ``sources`` are all there are, so that any other notebook in ``out`` is
    one too many; it is named, never deleted.

    Raises ExercisesProblem with the problems of all notebooks, before the first is written.
    """
    sources = sorted(sources)
    fresh: dict[str, bytes] = {}
    found: list[str] = []
    for path in sources:
        try:
            fresh[path.name] = notebook_bytes(release(load_notebook(path), path.name))
        except ExercisesProblem as problem:
            found.append(str(problem))
    if found:
        raise ExercisesProblem("\n".join(found))
    states = []
    for name, data in fresh.items():
        target = out / name
        state = "missing"
        if target.is_file():
            state = "same" if read_whole(target) == data else "differs"
        if write and state != "same":
            out.mkdir(parents=True, exist_ok=True)
            write_whole(target, data)
            state = "written"
        states.append(Released(name, state))
    if whole_folder:
        left = {path.name for path in out.glob("*.ipynb")} - set(fresh)
        states += [Released(name, "too many") for name in sorted(left)]
    return states


# ----------------------------------------------------------------------------------------------------
# Rules for a notebook with answers


def problems(notebook: Mapping[str, Any], name: str) -> list[str]:
    """Return every broken rule of a notebook with answers, in the order of its cells; ``name`` is its file's."""
    cells = notebook["cells"]
    found = list(_ids(cells))
    if found:  # the other rules name cells by their ids
        return [f"{name}, {problem}" for problem in found]
    lesson = name[:2]
    for cell in cells:
        part = parts.part_of(cell)
        found += [f"cell {cell['id']}: {problem}" for problem in _cell(cell, part, lesson)]
    found += _notebook(cells, lesson)
    return [f"{name}, {problem}" for problem in found]


def surviving_lines(notebook: Mapping[str, Any], released: Mapping[str, Any], name: str) -> list[str]:
    """Return an error for each line of an answer that can still be read in the released notebook."""
    found = []
    for cell in notebook["cells"]:
        part = parts.part_of(cell)
        if part is None or part.role != "answer":
            continue
        for line in answer_lines(parts.source_of(cell)):
            for other in released["cells"]:
                if survives(line, parts.source_of(other)):
                    found.append(
                        f"{name}, cell {cell['id']}: the line {line!r} of the answer can still be read in cell "
                        f"{other['id']}. Rename something, or move the markers so that the line is outside of them."
                    )
    return found


def _ids(cells: list[dict[str, Any]]) -> Iterator[str]:
    seen: dict[str, int] = {}
    for number, cell in enumerate(cells, start=1):
        cell_id = cell.get("id")
        if cell.get("cell_type") not in ("code", "markdown"):
            yield f"cell {number}: of type {cell.get('cell_type')!r}. Only code and markdown are released."
        if not isinstance(cell_id, str) or not _CELL_ID.fullmatch(cell_id):
            yield f"cell {number}: its id is {cell_id!r}; an id has 1 to 64 letters, digits, - and _. {_NORMALISE}"
        elif cell_id in seen:
            yield f"cell {number}: the id {cell_id} is that of cell {seen[cell_id]} too. Give it another."
        else:
            seen[cell_id] = number


def _cell(cell: Mapping[str, Any], part: parts.ExercisePart | None, lesson: str) -> Iterator[str]:
    source = parts.source_of(cell)
    try:
        marked = bool(regions(source))
    except MarkerProblem as problem:
        yield str(problem)
        return
    if part is None:
        if parts.claims_a_part(cell):
            yield (
                "tags or nbgrader's metadata say that it is part of an exercise, but its id names none. "
                "The id of an answer is the key with a dash, 02-merge; checks/lesson_02 has the keys."
            )
        if marked:
            yield _MARKED
        return
    if part.exercise.lesson != lesson:
        yield f"belongs to lesson {part.exercise.lesson}, and this notebook is lesson {lesson}."
    wanted_type = "markdown" if part.role == "text" else "code"
    if cell["cell_type"] != wanted_type:
        yield f"a {cell['cell_type']} cell; the {part.role} of an exercise is {wanted_type}."
        return
    if marked and part.role != "answer":
        yield _MARKED
    yield from _metadata(cell, part)
    yield from {"text": _text, "given": _given, "answer": _answer, "check": _check}[part.role](cell, part.exercise)


def _metadata(cell: Mapping[str, Any], part: parts.ExercisePart) -> Iterator[str]:
    wanted, has = parts.metadata_for(part, cell), cell.get("metadata", {})
    points = has.get("nbgrader", {}).get("points")
    if part.role == "check" and points != part.exercise.points:
        yield f"nbgrader's points are {points}, in the catalogue {part.exercise.points}. {_NORMALISE}"
    elif any(has.get(key) != value for key, value in wanted.items()):
        wrong = ", ".join(key for key, value in wanted.items() if has.get(key) != value)
        yield f"its metadata is not that of the {part.role} of an exercise ({wrong}). {_NORMALISE}"


def _text(cell: Mapping[str, Any], exercise: Exercise) -> Iterator[str]:
    head = [line for line in parts.source_of(cell).split("\n") if line.strip()][:2]
    title, card = [line for line in parts.text_head(exercise).split("\n") if line]
    if not head or head[0] != title:
        yield f"the first line is not the title in the catalogue. Write: {title}"
    if len(head) < 2 or head[1] != card:
        yield f"the line under the title is not the card in the catalogue. Write: {card}"


def _given(cell: Mapping[str, Any], exercise: Exercise) -> Iterator[str]:
    tree, problem = _parsed(parts.source_of(cell))
    if tree is None:
        yield problem
        return
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or "."]
        for name in names:
            top = name.partition(".")[0]
            if top not in sys.stdlib_module_names and top not in exercise.packages:
                yield (
                    f"imports {name}, which the grader does not have. Use the standard library, or name it "
                    f"in the packages of {exercise.key}."
                )


def _answer(cell: Mapping[str, Any], exercise: Exercise) -> Iterator[str]:
    source = parts.source_of(cell)
    try:
        released = without_answers(source, exercise.entry, parts.stub_of(cell))
    except MarkerProblem as problem:
        yield str(problem)
        return
    for what, text in (("the answer", source), ("what is released", released)):
        tree, fault = _parsed(text)
        if tree is None:
            yield f"{what}: {fault}"
        elif exercise.entry not in _defined(tree):
            yield f"{what} does not define {exercise.entry}, which the catalogue names as its entry."


def _check(cell: Mapping[str, Any], exercise: Exercise) -> Iterator[str]:
    if parts.source_of(cell).strip() != parts.check_source(exercise):
        yield f"the source of a check is one line. Write: {parts.check_source(exercise)}"


def _parsed(source: str) -> tuple[ast.Module | None, str]:
    try:
        return ast.parse(source), ""
    except (SyntaxError, ValueError) as error:
        return None, f"line {getattr(error, 'lineno', None)}: not Python ({error})."


def _defined(tree: ast.Module) -> set[str]:
    names = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


def _notebook(cells: list[dict[str, Any]], lesson: str) -> Iterator[str]:
    code = [parts.source_of(cell).strip() for cell in cells if cell["cell_type"] == "code"]
    if not code or code[0] != parts.SETUP:
        yield f"the first code cell is not the setup. Write: {parts.SETUP}"
    if not code or code[-1] != parts.PROGRESS:
        yield f"the last code cell does not show the progress. Write: {parts.PROGRESS}"
    try:
        wanted = catalogue.exercises(lesson)
    except UnknownExercise as problem:
        yield f"the whole notebook: {problem}"
        return
    order = [(part.exercise.key, part.role) for part in map(parts.part_of, cells) if part is not None]
    for exercise in wanted:
        roles = [role for key, role in order if key == exercise.key]
        given = ["given"] * roles.count("given")
        if not roles:
            yield f"{exercise.key} has no cells here. Add {exercise.cell_id}-text, {exercise.cell_id} and its check."
        elif roles != ["text", *given, "answer", "check"]:
            yield f"{exercise.key} has the cells {', '.join(roles)}; it needs text, given (if any), answer, check."
    asked = list(dict.fromkeys(key for key, _ in order))
    if [key for key in asked if key.startswith(f"{lesson}.")] != [e.key for e in wanted if e.key in asked]:
        yield "the exercises are not in the order of the catalogue. Move the cells, or the names in ORDER."
