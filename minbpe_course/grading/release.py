"""From a notebook with answers to the notebook that learners get, the same bytes on every system.

    solutions/02_naive_bpe.ipynb   ### BEGIN SOLUTION … ### END SOLUTION
    exercises/02_naive_bpe.ipynb   # YOUR CODE HERE, or the stub that the answer cell names

Everything that could publish an answer or make an exercise impossible to mark is an error, and all errors of a notebook
are reported together, each with the id of its cell (``grading.assignment_rules``). Nothing is executed here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minbpe_course.errors import ExercisesProblem
from minbpe_course.files import read_whole, write_whole
from minbpe_course.grading.assignment import (
    NOTEBOOK_METADATA,
    Cell,
    locks_for,
    metadata_for,
    part_of,
    source_of,
    stored_lines,
    stub_of,
)
from minbpe_course.grading.assignment_rules import problems, surviving_lines
from minbpe_course.grading.markers import without_answers

# Of a cell that is part of no exercise; everything else is a trace of who ran it, when, and in which editor.
_KEPT_METADATA = ("jupyter", "tags")


@dataclass(frozen=True)
class Released:
    """What became of one exercise notebook: "same", "written", "differs", "missing" or "too many"."""

    name: str
    state: str


def read_notebook(path: Path) -> dict[str, Any]:
    """Return a notebook as plain data. Raises ExercisesProblem when it is none, UnusablePath when it cannot be read."""
    try:
        notebook = json.loads(read_whole(path).decode("utf-8"))
        cells = notebook["cells"]
        if notebook["nbformat"] != 4 or not isinstance(cells, list) or not all(isinstance(c, dict) for c in cells):
            raise ValueError("no notebook of format 4")
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
    """Return the exercise notebook that belongs to a notebook with answers; ``name`` is the name of its file.

    Raises ExercisesProblem with every problem of the notebook, a line each.
    """
    found = problems(notebook, name)
    if not found:
        released = {
            "cells": [released_cell(cell) for cell in notebook["cells"]],
            "metadata": deepcopy(NOTEBOOK_METADATA),
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        found = surviving_lines(notebook, released, name)
    if found:
        raise ExercisesProblem("\n".join(found))
    return released


def released_cell(cell: Mapping[str, Any], *, keep_answer: bool = False) -> Cell:
    """Return a cell as learners get it: no outputs, no counts, no traces, and no answer unless it is to be kept.

    >>> released_cell({"cell_type": "code", "id": "x", "metadata": {"scrolled": 1}, "source": "1", "outputs": [1]})
    {'cell_type': 'code', 'id': 'x', 'metadata': {}, 'source': ['1'], 'execution_count': None, 'outputs': []}
    """
    part = part_of(cell)
    source = source_of(cell).strip("\n")
    has = cell.get("metadata", {})
    metadata = {key: has[key] for key in _KEPT_METADATA if has.get(key)}
    if part is not None:
        metadata = metadata_for(part, cell) | ({} if keep_answer else locks_for(part.role))
        if part.role == "answer" and not keep_answer:
            source = without_answers(source, part.exercise.entry, stub_of(cell))
    made: Cell = {
        "cell_type": cell["cell_type"],
        "id": cell["id"],
        "metadata": metadata,
        "source": stored_lines(source),
    }
    if cell["cell_type"] == "code":
        made |= {"execution_count": None, "outputs": []}
    if cell.get("attachments"):
        made["attachments"] = cell["attachments"]
    return made


def normalised(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return a notebook with answers in the form in which it is kept: the same sources, metadata by the rules."""
    cells = []
    for cell in notebook["cells"]:
        made = released_cell(cell, keep_answer=True)
        stub = stub_of(cell)
        if stub is not None:
            made["metadata"]["minbpe_course"] = {"stub": stub}
        cells.append(made)
    return {"cells": cells, "metadata": deepcopy(NOTEBOOK_METADATA), "nbformat": 4, "nbformat_minor": 5}


def release_files(
    sources: Iterable[Path], out: Path, *, write: bool = True, whole_folder: bool = False
) -> list[Released]:
    """Release notebooks into a folder under their own names and return what became of each.

    write : False only compares.
    whole_folder : ``sources`` are all there are, so that any other notebook in ``out`` is one too many; it is named,
        never deleted.

    Every notebook is looked at before the first is written: raises ExercisesProblem with the problems of all of them.
    """
    sources = sorted(sources)
    fresh: dict[str, bytes] = {}
    found: list[str] = []
    for path in sources:
        try:
            fresh[path.name] = notebook_bytes(release(read_notebook(path), path.name))
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
