"""What must hold for a notebook with answers before it may be released; a broken rule is a line that names the cell.

    02_naive_bpe.ipynb, cell 02-merge: line 7: ### BEGIN SOLUTION without an ### END SOLUTION below it.

Limits: the rules read, they never run. Whether an answer is right is the matter of the tests.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from minbpe_course.checks import catalogue
from minbpe_course.checks.exercise import Exercise
from minbpe_course.errors import MarkerProblem, UnknownExercise
from minbpe_course.grading.assignment import (
    PROGRESS,
    SETUP,
    ExercisePart,
    check_source,
    claims_a_part,
    metadata_for,
    part_of,
    source_of,
    stub_of,
    text_head,
)
from minbpe_course.grading.markers import answer_lines, regions, survives, without_answers

_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NORMALISE = "Run: python -m tools.exercises normalise"


def problems(notebook: Mapping[str, Any], name: str) -> list[str]:
    """Return every broken rule of a notebook with answers, in the order of its cells; ``name`` is its file's."""
    cells = notebook["cells"]
    found = list(_ids(cells))
    if found:  # without ids nothing else can be said of a cell
        return [f"{name}, {problem}" for problem in found]
    lesson = name[:2]
    for cell in cells:
        part = part_of(cell)
        found += [f"cell {cell['id']}: {problem}" for problem in _cell(cell, part, lesson)]
    found += _notebook(cells, lesson)
    return [f"{name}, {problem}" for problem in found]


def surviving_lines(notebook: Mapping[str, Any], released: Mapping[str, Any], name: str) -> list[str]:
    """Return a line for every line of an answer that can still be read in what is released."""
    found = []
    for cell in notebook["cells"]:
        part = part_of(cell)
        if part is None or part.role != "answer":
            continue
        for line in answer_lines(source_of(cell)):
            for other in released["cells"]:
                if survives(line, source_of(other)):
                    found.append(
                        f"{name}, cell {cell['id']}: the line {line!r} of the answer can still be read in cell "
                        f"{other['id']}. Rename something, or move the markers so that the line is no answer."
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


def _cell(cell: Mapping[str, Any], part: ExercisePart | None, lesson: str) -> Iterator[str]:
    source = source_of(cell)
    try:
        marked = bool(regions(source))
    except MarkerProblem as problem:
        yield str(problem)
        return
    if part is None:
        if claims_a_part(cell):
            yield (
                "tags or nbgrader's metadata say that it is part of an exercise, but its id names none. "
                "The id of an answer is the key with a dash, 02-merge, and the key stands in checks/lesson_02.py."
            )
        if marked:
            yield "markers outside an answer cell. Only the answer of an exercise is taken out."
        return
    if part.exercise.lesson != lesson:
        yield f"belongs to lesson {part.exercise.lesson}, and this notebook is lesson {lesson}."
    wanted_type = "markdown" if part.role == "text" else "code"
    if cell["cell_type"] != wanted_type:
        yield f"a {cell['cell_type']} cell; the {part.role} of an exercise is {wanted_type}."
        return
    if marked and part.role != "answer":
        yield "markers outside an answer cell. Only the answer of an exercise is taken out."
    yield from _metadata(cell, part)
    yield from {"text": _text, "given": _given, "answer": _answer, "check": _check}[part.role](cell, part.exercise)


def _metadata(cell: Mapping[str, Any], part: ExercisePart) -> Iterator[str]:
    wanted, has = metadata_for(part, cell), cell.get("metadata", {})
    points = has.get("nbgrader", {}).get("points")
    if part.role == "check" and points != part.exercise.points:
        yield f"nbgrader's points are {points}, in the catalogue {part.exercise.points}. {_NORMALISE}"
    elif any(has.get(key) != value for key, value in wanted.items()):
        wrong = ", ".join(key for key, value in wanted.items() if has.get(key) != value)
        yield f"its metadata is not that of the {part.role} of an exercise ({wrong}). {_NORMALISE}"


def _text(cell: Mapping[str, Any], exercise: Exercise) -> Iterator[str]:
    head = [line for line in source_of(cell).split("\n") if line.strip()][:2]
    title, card = [line for line in text_head(exercise).split("\n") if line]
    if not head or head[0] != title:
        yield f"the first line is not the title in the catalogue. Write: {title}"
    if len(head) < 2 or head[1] != card:
        yield f"the line under the title is not the card in the catalogue. Write: {card}"


def _given(cell: Mapping[str, Any], exercise: Exercise) -> Iterator[str]:
    tree, problem = _parsed(source_of(cell))
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
                    f"imports {name}, which is not there when answers are marked. Use the standard library, or name it "
                    f"in the packages of {exercise.key}."
                )


def _answer(cell: Mapping[str, Any], exercise: Exercise) -> Iterator[str]:
    source = source_of(cell)
    try:
        released = without_answers(source, exercise.entry, stub_of(cell))
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
    if source_of(cell).strip() != check_source(exercise):
        yield f"the source of a check is one line. Write: {check_source(exercise)}"


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
    code = [source_of(cell).strip() for cell in cells if cell["cell_type"] == "code"]
    if not code or code[0] != SETUP:
        yield f"the first code cell is not the setup. Write: {SETUP}"
    if not code or code[-1] != PROGRESS:
        yield f"the last code cell does not show the progress. Write: {PROGRESS}"
    try:
        wanted = catalogue.exercises(lesson)
    except UnknownExercise as problem:
        yield f"the whole notebook: {problem}"
        return
    order = [(part.exercise.key, part.role) for part in map(part_of, cells) if part is not None]
    for exercise in wanted:
        roles = [role for key, role in order if key == exercise.key]
        given = ["given"] * roles.count("given")
        if not roles:
            yield f"{exercise.key} has no cells here. Add {exercise.cell_id}-text, {exercise.cell_id} and its check."
        elif roles != ["text", *given, "answer", "check"]:
            yield f"{exercise.key} has the cells {', '.join(roles)}; it needs text, given (if any), answer, check."
    asked = list(dict.fromkeys(key for key, _ in order))
    if [key for key in asked if key.startswith(f"{lesson}.")] != [e.key for e in wanted if e.key in asked]:
        yield "the exercises are not in the order of the catalogue. Move the cells, or the entries of EXERCISES."
