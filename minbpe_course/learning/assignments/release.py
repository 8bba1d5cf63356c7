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
import sys
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minbpe_course.errors import ExercisesProblem, MarkerProblem
from minbpe_course.files import read_whole, write_whole
from minbpe_course.learning.assignments import parts
from minbpe_course.learning.assignments.markers import (
    BEGIN,
    END,
    INSTEAD,
    answer_lines,
    regions,
    survives,
    without_answers,
)
from minbpe_course.learning.assignments.normalise import (
    FOLDER_SETUP,
    defined_names,
    normalised,
    notebook_of,
    part_by_id,
    parts_of_cells,
)
from minbpe_course.learning.judge.catalogue import COURSE, Collection
from minbpe_course.learning.judge.exercise import Exercise


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
        if notebook["nbformat"] != 4 or not isinstance(cells, list) or not all(map(_is_cell, cells)):
            raise ValueError("not a notebook of format 4")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ExercisesProblem(
            f"{path}: not a notebook of format 4 ({type(error).__name__}). Open it in JupyterLab and save it again."
        ) from error
    return notebook


def _is_cell(cell: Any) -> bool:
    if not isinstance(cell, dict) or not isinstance(cell.get("metadata", {}), dict):
        return False
    source, tags = cell.get("source", ""), cell.get("metadata", {}).get("tags", [])
    lines = source if isinstance(source, list) else [source]
    return isinstance(tags, list) and all(isinstance(each, str) for each in (*lines, *tags))


def notebook_bytes(notebook: Mapping[str, Any]) -> bytes:
    r"""Return the bytes of a notebook: sorted keys, an indent of one, a line break at the end.

    >>> notebook_bytes({"nbformat": 4, "cells": []})
    b'{\n "cells": [],\n "nbformat": 4\n}\n'
    """
    return (json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8")


def release(
    notebook: Mapping[str, Any], name: str, exercises: Sequence[Exercise], setup: str = parts.SETUP
) -> dict[str, Any]:
    """Return the exercise notebook made from a notebook with answers; ``name`` is the name of its file.

    exercises : of its lesson. setup : the source of the setup cell.

    Raises ExercisesProblem with every problem of the notebook, one per line.
    """
    found = problems(notebook, exercises, setup)
    if found:
        raise ExercisesProblem("\n".join(f"{name}, {problem}" for problem in found))
    return _released(normalised(notebook, exercises, setup), exercises)


def _released(notebook: Mapping[str, Any], exercises: Sequence[Exercise]) -> dict[str, Any]:
    """Return a normalised notebook without its answers, and locked for learners."""
    cells = []
    for cell in notebook["cells"]:
        part = part_by_id(cell, exercises)
        made = dict(cell)
        if part is not None:
            made["metadata"] = parts.metadata_for(part, cell) | parts.locks_for(part.role)
            if part.role == "answer":
                left = without_answers(parts.source_of(cell), part.exercise.entry, parts.stub_of(cell))
                made["source"] = parts.stored_lines(left)
        cells.append(made)
    return notebook_of(cells)


def exercises_of(name: str, collection: Collection) -> tuple[Exercise, ...]:
    """Return the exercises of a notebook by the name of its file: week1.ipynb, 02_naive_bpe.ipynb.

    Raises ExercisesProblem when the collection lacks one for it.
    """
    lesson = collection.lesson_of(name)
    if lesson is not None and (found := collection.exercises(lesson)):
        return found
    known = ", ".join(collection.lessons()) or "no lessons"
    raise ExercisesProblem(
        f"{name}: there are no exercises for it in {collection.checks}, which has {known}. Delete it, name "
        f"it like its lesson, or write an exercise: minbpe-course new-exercise {Path(name).stem}.count_things"
    )


def setup_of(collection: Collection) -> str:
    """Return the source of the setup cell in the notebooks of a collection."""
    return parts.SETUP if collection is COURSE else FOLDER_SETUP


def release_files(
    sources: Iterable[Path],
    out: Path,
    collection: Collection,
    *,
    write: bool = True,
    whole_folder: bool = False,
) -> list[Released]:
    """Release notebooks of a collection into a folder under their own names and return the state of each.

    write : False only compares. whole_folder : ``sources`` are all there are, so that any other notebook in ``out`` is
    one too many; it is named, never deleted.

    Raises ExercisesProblem with the problems of all notebooks, before the first is written.
    """
    sources = sorted(sources)
    fresh: dict[str, bytes] = {}
    found: list[str] = []
    for path in sources:
        try:
            exercises = exercises_of(path.name, collection)
            made = release(load_notebook(path), path.name, exercises, setup_of(collection))
            fresh[path.name] = notebook_bytes(made)
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


def tidy(path: Path, collection: Collection) -> bool:
    """Rewrite a notebook with answers in the form in which the course keeps it, and tell whether that changed it."""
    before = read_whole(path)
    exercises = exercises_of(path.name, collection)
    after = notebook_bytes(normalised(load_notebook(path), exercises, setup_of(collection)))
    if after != before:
        write_whole(path, after)
    return after != before


# ----------------------------------------------------------------------------------------------------
# Rules for a notebook with answers


def problems(notebook: Mapping[str, Any], exercises: Sequence[Exercise], setup: str = parts.SETUP) -> list[str]:
    """Return every broken rule of a notebook with answers, in the order of its cells.

    >>> asked = Exercise("02.merge", "", "write", "merge", 2, 10, 2, ("", "", ""))
    >>> problems({"cells": []}, [asked])[0][:46]
    'the whole notebook: 02.merge has no answer. Wr'
    """
    found = [
        f"cell {number}: of type {cell.get('cell_type')!r}. Only code and markdown are released."
        for number, cell in enumerate(notebook["cells"], start=1)
        if cell.get("cell_type") not in ("code", "markdown")
    ]
    if found:
        return found
    normal = normalised(notebook, exercises, setup)
    for cell, part in zip(notebook["cells"], parts_of_cells(notebook["cells"], exercises)):
        if part is None and parts.claims_a_part(cell) and not _has_markers(cell):
            found.append(
                f"cell {cell.get('id')}: its tags or nbgrader's metadata say that it is part of an exercise. Given "
                "code belongs above an answer, and each exercise has one check. Move it, delete it, or remove them."
            )
    for cell in normal["cells"]:
        part = part_by_id(cell, exercises)
        found += [f"cell {cell['id']}: {problem}" for problem in _cell(cell, part, exercises)]
    found += [f"the whole notebook: {problem}" for problem in _complete(normal, exercises)]
    return found or surviving_lines(normal, _released(normal, exercises), exercises)


def surviving_lines(
    notebook: Mapping[str, Any], released: Mapping[str, Any], exercises: Sequence[Exercise]
) -> list[str]:
    """Return an error for each line of an answer that can still be read in the released notebook."""
    found = []
    shown = [(cell["id"], list(_texts(_of_author(cell, exercises)))) for cell in released["cells"]]
    for cell in notebook["cells"]:
        part = part_by_id(cell, exercises)
        if part is None or part.role != "answer":
            continue
        for line in answer_lines(parts.source_of(cell)):
            for other, texts in shown:
                if any(survives(line, text) for text in texts):
                    found.append(
                        f"cell {cell['id']}: the line {line!r} of the answer can still be read in cell "
                        f"{other}. Delete it there, rename something, or move the markers so that the line is outside."
                    )
    return found


def _of_author(cell: Mapping[str, Any], exercises: Sequence[Exercise]) -> list[Any]:
    """Return what the author wrote in a released cell; release writes the metadata of parts."""
    metadata = cell["metadata"] if part_by_id(cell, exercises) is None else None
    return [cell["source"], cell.get("attachments"), metadata]


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in JSON data, keys included, and what each one says if it is base64, as in attachments."""
    if isinstance(value, str):
        yield value
        with suppress(ValueError):
            yield b64decode(value).decode("utf-8")
    elif isinstance(value, Mapping):
        for pair in value.items():
            for each in pair:
                yield from _texts(each)
    elif isinstance(value, list):
        for each in (*value, "".join(each for each in value if isinstance(each, str))):
            yield from _texts(each)


def _cell(cell: Mapping[str, Any], part: parts.ExercisePart | None, exercises: Sequence[Exercise]) -> Iterator[str]:
    source = parts.source_of(cell)
    try:
        marked = bool(regions(source))
    except MarkerProblem as problem:
        yield str(problem)
        return
    if marked and (part is None or part.role != "answer"):
        yield _not_an_answer(source, exercises)
    if part is None:
        return
    wanted_type = "markdown" if part.role == "text" else "code"
    if cell["cell_type"] != wanted_type:
        yield f"a {cell['cell_type']} cell; the {part.role} of an exercise is {wanted_type}."
    elif part.role == "given":
        yield from _given(cell, part.exercise)
    elif part.role == "answer":
        yield from _answer(cell, part.exercise)
    elif part.role == "check" and source != parts.check_source(part.exercise):
        yield f"a check is one line: {parts.check_source(part.exercise)}. Move the rest to a cell of its own."


def _has_markers(cell: Mapping[str, Any]) -> bool:
    try:
        return bool(regions(parts.source_of(cell)))
    except MarkerProblem:
        return True


def _not_an_answer(source: str, exercises: Sequence[Exercise]) -> str:
    """Return what is wrong with a marked cell that was not taken for the answer to an exercise."""
    second = [one.key for one in exercises if one.entry in defined_names(source)]
    if second:
        return f"a second answer to {second[0]}. Delete one of the two, or its markers."
    entries = ", ".join(f"{one.entry} ({one.key})" for one in exercises)
    return (
        f"markers outside an answer. An answer is a code cell that defines the entry of an exercise, here: {entries}."
    )


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
    whole = f" Put the markers around whole statements, and complete ones below {INSTEAD}."
    for what, text, repair in (("the answer", source, ""), ("what is released", released, whole)):
        tree, fault = _parsed(text)
        if tree is None:
            yield f"{what}: {fault}{repair}"
            return
        if exercise.entry not in defined_names(text):
            yield f"{what} does not define {exercise.entry}, the entry of {exercise.key}."
    yield from _blanks(cell)


def _blanks(cell: Mapping[str, Any]) -> Iterator[str]:
    """Yield an error for each blank that would raise when the cell is run, or never."""
    source = parts.source_of(cell)
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.stmt, ast.expr))]
    for region in regions(source):
        line = region.begin + 1
        around = {type(node) for node in nodes if node.lineno < line < (node.end_lineno or 0)}
        in_function = around & {ast.FunctionDef, ast.AsyncFunctionDef} and not around & {ast.Constant, ast.JoinedStr}
        if not (in_function or region.instead or parts.stub_of(cell)):
            yield (
                f"line {line}: {BEGIN} outside of a function, or inside a string. Move both markers among the "
                f"statements of a function, or write below {INSTEAD} what learners get."
            )


def _parsed(source: str) -> tuple[ast.Module | None, str]:
    try:
        compile(source, "<cell>", "exec", dont_inherit=True)  # refuses a return outside a function, ast.parse does not
        return ast.parse(source), ""
    except (SyntaxError, ValueError) as error:
        return None, f"line {getattr(error, 'lineno', None)}: not Python ({error})."


def _complete(notebook: Mapping[str, Any], exercises: Sequence[Exercise]) -> Iterator[str]:
    order = [
        (part.exercise.key, part.role)
        for cell in notebook["cells"]
        if (part := part_by_id(cell, exercises)) is not None
    ]
    for exercise in exercises:
        roles = [role for key, role in order if key == exercise.key]
        if "answer" not in roles:
            yield (
                f"{exercise.key} has no answer. Write a code cell that defines {exercise.entry}, with {BEGIN} and "
                f"{END} around what learners have to find."
            )
        elif "text" not in roles:
            yield f"{exercise.key} has no task. Write a markdown cell above its answer; its title and card are added."
        elif roles != ["text", *["given"] * roles.count("given"), "answer", "check"]:
            yield f"{exercise.key} has the cells {', '.join(roles)}; it needs text, given (if any), answer, check."
