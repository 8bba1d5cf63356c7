"""Bring a notebook with answers into the form in which it is released: parts, ids, metadata, titles, checks.

An author writes a task, an answer between markers, and the exercise's file in ``checks``. The rest follows from them:

    text     has the card (**`week1.count_triples`**) or the title, else the markdown cell above the answer
    given    a code cell above the answer with the tag "given"
    answer   a code cell with markers that defines the entry of an exercise
    check    check("week1.count_triples", …) on a line of its own; added below the answer where it is missing

An id such as ``02-merge-check`` decides first, so that a cell keeps its part when its source changes. Cells of
no exercise keep their sources, tags and ids.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from minbpe_course.learning.assignments import parts
from minbpe_course.learning.assignments.markers import BEGIN, END
from minbpe_course.learning.judge.exercise import Exercise

FOLDER_SETUP = 'from minbpe_course.learning import check, hint, progress, use_exercises\nuse_exercises("..")'
# Metadata kept for cells outside of exercises; everything else is a trace of who ran it, when, and in which editor.
_KEPT_METADATA = ("jupyter", "tags")
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_CARD = re.compile(r"^\*\*`([^`\s]+)`\*\*", re.MULTILINE)
_CHECK = re.compile(r"check\(\s*['\"]([^'\"]+)['\"][^()\n]*\)")
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*$")
_SETUP_LINE = re.compile(
    r"from minbpe_course(?:\.learning)? import (?:(?:check|hint|progress|use_exercises)(?:,\s*|\s*$))+"
    r"|use_exercises\(.*\)|\s*"
)
_DEFINITION = re.compile(r"^(?:def|class)\s+(\w+)|^(\w+)\s*(?::[^=\n]*)?=(?!=)", re.MULTILINE)


def normalised(notebook: Mapping[str, Any], exercises: Sequence[Exercise], setup: str = parts.SETUP) -> dict[str, Any]:
    """Return a notebook with answers as it is released, except that the answers are still there.

    exercises : of the notebook's lesson; at least one. setup : the source of the setup cell.
    """
    lesson = exercises[0].lesson
    cells = [dict(cell) for cell in notebook["cells"]]
    found = parts_of_cells(cells, exercises)
    _add_checks(cells, found)
    _name(cells, found, lesson)
    made = [_normal_cell(cell, part) for cell, part in zip(cells, found)]
    _add_setup_and_progress(made, found, lesson, setup)
    return notebook_of(made)


def notebook_of(cells: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a notebook with these cells and the metadata that every notebook of exercises has."""
    return {"cells": cells, "metadata": deepcopy(parts.NOTEBOOK_METADATA), "nbformat": 4, "nbformat_minor": 5}


# ----------------------------------------------------------------------------------------------------
# Which part of which exercise a cell is


def parts_of_cells(
    cells: Sequence[Mapping[str, Any]], exercises: Sequence[Exercise]
) -> list[parts.ExercisePart | None]:
    """Return the part that each cell is, or None for cells of no exercise: by its id, else by its content.

    The first cell that can be a part becomes it. A second answer to an exercise gets no part, and release refuses it.
    """
    found: list[parts.ExercisePart | None] = [None] * len(cells)
    taken: set[tuple[str, str]] = set()
    seen: set[str] = set()

    def take(at: int, exercise: Exercise, role: parts.Role) -> None:
        if found[at] is None and (role == "given" or (exercise.key, role) not in taken):
            found[at] = parts.ExercisePart(exercise, role)
            taken.add((exercise.key, role))

    for at, cell in enumerate(cells):
        part = part_by_id(cell, exercises)
        if part is not None and cell["id"] not in seen:
            take(at, part.exercise, part.role)
            seen.add(cell["id"])
    for at, cell in enumerate(cells):
        for exercise, role in _by_content(cell, exercises):
            take(at, exercise, role)
    answers = [at for at, part in enumerate(found) if part is not None and part.role == "answer"]
    for at, cell in enumerate(cells):
        below = next((found[answer] for answer in answers if answer > at), None)
        if found[at] is None and below is not None and "given" in cell.get("metadata", {}).get("tags", ()):
            take(at, below.exercise, "given")
    for answer in answers:
        exercise = found[answer].exercise  # type: ignore[union-attr]
        if (exercise.key, "text") not in taken:
            above = _task_above(cells, found, answer)
            if above is not None:
                take(above, exercise, "text")
    return found


def part_by_id(cell: Mapping[str, Any], exercises: Iterable[Exercise]) -> parts.ExercisePart | None:
    """Return which part of one of these exercises a cell is by its id, or None."""
    cell_id = str(cell.get("id", ""))
    for exercise in exercises:
        name, _, rest = cell_id.partition(f"{exercise.cell_id}")
        if name:
            continue
        role = {"": "answer", "-text": "text", "-check": "check"}.get(rest) if cell_id else None
        if re.fullmatch(r"-given(-[a-z0-9_-]+)?", rest):
            role = "given"
        if role is not None:
            return parts.ExercisePart(exercise, role)  # type: ignore[arg-type]
    return None


def _by_content(cell: Mapping[str, Any], exercises: Sequence[Exercise]) -> list[tuple[Exercise, parts.Role]]:
    source = parts.source_of(cell)
    if cell.get("cell_type") == "markdown":
        keys = _CARD.findall(source)
        title = _heading(source)
        return [(one, "text") for one in exercises if one.key in keys or (not keys and one.title == title)]
    if cell.get("cell_type") != "code":
        return []
    check = _CHECK.fullmatch(source.strip())
    if check is not None:
        return [(one, "check") for one in exercises if one.key == check[1]]
    if not {BEGIN, END} & {line.strip() for line in source.split("\n")}:
        return []
    defined = defined_names(source)
    return [(one, "answer") for one in exercises if one.entry in defined]


def defined_names(source: str) -> set[str]:
    """Return the names that a cell defines at its top level; those of a cell that is not Python by its lines.

    >>> sorted(defined_names("import re\\ndef f(): pass\\nLIMIT: int = 3"))
    ['LIMIT', 'f']
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {name for pair in _DEFINITION.findall(source) for name in pair if name}
    names = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


def _task_above(
    cells: Sequence[Mapping[str, Any]], found: Sequence[parts.ExercisePart | None], answer: int
) -> int | None:
    """Return the markdown cell next above an answer that says more than a heading and belongs to no exercise."""
    for at in range(answer - 1, -1, -1):
        part = found[at]
        if part is not None and part.role != "given":
            return None
        source = parts.source_of(cells[at])
        if at == 0 and source.startswith("# "):
            return None  # the title of the notebook, with an introduction
        if part is None and cells[at].get("cell_type") == "markdown" and _task(source):
            return at
    return None


# ----------------------------------------------------------------------------------------------------
# Sources, ids and metadata


def _heading(source: str) -> str:
    match = _HEADING.match(source.strip("\n").split("\n")[0])
    return match[1] if match else ""


def _task(source: str) -> str:
    """Return the text of an exercise without its title and card."""
    text = source.strip("\n")
    for pattern in (_HEADING, _CARD):
        first, _, rest = text.partition("\n")
        if pattern.match(first):
            text = rest.strip("\n")
    return text


def _add_checks(cells: list[dict[str, Any]], found: list[parts.ExercisePart | None]) -> None:
    checked = {part.exercise.key for part in found if part is not None and part.role == "check"}
    for at in range(len(found) - 1, -1, -1):
        part = found[at]
        if part is not None and part.role == "answer" and part.exercise.key not in checked:
            cells.insert(at + 1, {"cell_type": "code", "metadata": {}, "source": ""})
            found.insert(at + 1, parts.ExercisePart(part.exercise, "check"))


def _name(cells: list[dict[str, Any]], found: Sequence[parts.ExercisePart | None], lesson: str) -> None:
    """Give every cell a unique, valid id; a part gets the id that names it."""
    used: set[str] = set()

    def free(base: str, number: int = 1) -> str:
        while (name := base if number == 1 else f"{base}-{number}") in used:
            number += 1
        return name

    for cell, part in zip(cells, found):
        if part is not None:
            own = part_by_id(cell, [part.exercise])
            if own is None or own.role != part.role or cell["id"] in used:
                suffix = "" if part.role == "answer" else f"-{part.role}"
                cell["id"] = free(f"{part.exercise.cell_id}{suffix}")
            used.add(cell["id"])
    for number, (cell, part) in enumerate(zip(cells, found), start=1):
        if part is None:
            if not _ID.fullmatch(str(cell.get("id", ""))) or cell["id"] in used:
                cell["id"] = free(f"{lesson}-cell-{number}")
            used.add(cell["id"])


def _normal_cell(cell: Mapping[str, Any], part: parts.ExercisePart | None) -> dict[str, Any]:
    source = parts.source_of(cell).strip("\n")
    has = cell.get("metadata", {})
    metadata = {key: has[key] for key in _KEPT_METADATA if has.get(key)}
    if part is not None:
        metadata = parts.metadata_for(part, cell)
        stub = parts.stub_of(cell)
        if stub is not None:
            metadata["minbpe_course"] = {"stub": stub}
        if part.role == "check" and (not source.strip() or _CHECK.fullmatch(source.strip())):
            source = parts.check_source(part.exercise)
        elif part.role == "text" and cell["cell_type"] == "markdown":
            source = f"{parts.text_head(part.exercise)}\n\n{_task(source)}".rstrip("\n")
    made = {"cell_type": cell.get("cell_type"), "id": cell["id"], "metadata": metadata}
    made["source"] = parts.stored_lines(source)
    if cell.get("cell_type") == "code":
        made |= {"execution_count": None, "outputs": []}
    if cell.get("attachments"):
        made["attachments"] = cell["attachments"]
    return made


def code_cell(cell_id: str, source: str) -> dict[str, Any]:
    """Return a code cell that has not been run."""
    return {"cell_type": "code", "execution_count": None, "id": cell_id, "metadata": {}, "outputs": [],
            "source": parts.stored_lines(source)}  # fmt: skip


def _add_setup_and_progress(
    cells: list[dict[str, Any]], found: Sequence[parts.ExercisePart | None], lesson: str, setup: str
) -> None:
    codes = [at for at, cell in enumerate(cells) if cell["cell_type"] == "code"]
    if codes and all(map(_SETUP_LINE.fullmatch, parts.source_of(cells[codes[0]]).split("\n"))):
        cells[codes[0]]["source"] = parts.stored_lines(setup)
    else:
        titled = bool(cells) and found[0] is None and cells[0]["cell_type"] == "markdown"
        cells.insert(int(titled), code_cell(_unused(cells, f"{lesson}-setup"), setup))
    if [parts.source_of(cell) for cell in cells if cell["cell_type"] == "code"][-1] != parts.PROGRESS:
        cells.append(code_cell(_unused(cells, f"{lesson}-progress"), parts.PROGRESS))


def _unused(cells: Iterable[Mapping[str, Any]], cell_id: str) -> str:
    used = {cell["id"] for cell in cells}
    return cell_id if cell_id not in used else _unused(cells, f"{cell_id}-2")
