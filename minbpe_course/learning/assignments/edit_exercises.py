"""Move, rename and delete exercises: the file in ``checks``, the cells in the notebook with answers, what names them.

Everything is computed before the first file is written. Released notebooks follow by ``minbpe-course release``.
"""

from __future__ import annotations

import io
import os
import re
import tokenize
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minbpe_course.errors import ExercisesProblem, UnknownExercise
from minbpe_course.files import read_whole, write_whole
from minbpe_course.learning.assignments.check_exercises import file_of
from minbpe_course.learning.assignments.new_exercise import (
    cells_of,
    checked_key,
    end_of,
    first_cells,
    make_folders,
    must_be_a_name,
    notebook_of_lesson,
)
from minbpe_course.learning.assignments.normalise import parts_of_cells
from minbpe_course.learning.assignments.notebook_file import NotebookFile
from minbpe_course.learning.assignments.parts import source_of, stored_lines
from minbpe_course.learning.assignments.release import setup_of
from minbpe_course.learning.judge.catalogue import COURSE, Collection
from minbpe_course.learning.judge.exercise import Exercise

_SEARCHED = (".py", ".md", ".ipynb", ".toml", ".txt")


@dataclass(frozen=True)
class Place:
    """One exercise in its files: the record, the file, the notebook, and the places of its cells there."""

    exercise: Exercise
    file: Path
    notebook: NotebookFile
    cells: list[int]


def place_of(collection: Collection, key: str) -> Place:
    """Return where an exercise is. Raises UnknownExercise if the collection does not have it."""
    lesson = key.partition(".")[0]
    exercises = collection.exercises(lesson) if lesson in collection.lessons() else ()
    exercise = next((one for one in exercises if one.key == key), None)
    if exercise is None:
        known = ", ".join(one.key for each in collection.lessons() for one in collection.exercises(each))
        raise UnknownExercise(f"{collection.name} has no exercise {key!r}. It has: {known or 'none'}.")
    notebook = NotebookFile(notebook_of_lesson(collection, lesson))
    found = parts_of_cells(notebook.cells, exercises)
    places = [at for at, part in enumerate(found) if part is not None and part.exercise.key == key]
    # Cells between those of an exercise belong to it: a picture, an example; but not those of another exercise.
    between = range(places[0], places[-1] + 1) if places else ()
    cells = [at for at in between if at in places or found[at] is None]
    return Place(exercise, file_of(key, collection), notebook, cells)


def move_exercise(collection: Collection, key: str, after: str | None) -> Path:
    """Move the cells of an exercise after those of another, or before all others, and return the notebook's path.

    Raises UnknownExercise for an exercise that is not in this notebook.
    """
    place = place_of(collection, key)
    cells = place.notebook.cells
    found = parts_of_cells(cells, collection.exercises(place.exercise.lesson))
    cells_of(found, key)
    if after is None:
        target = next(at for at, part in enumerate(found) if part is not None)
    elif after == key:
        raise UnknownExercise(f"{key} cannot come after itself.")
    else:
        target = cells_of(found, after)[-1] + 1
    moved = [cells[at] for at in place.cells]
    rest_before = [cell for at, cell in enumerate(cells[:target]) if at not in place.cells]
    rest_after = [cell for at, cell in enumerate(cells[target:], target) if at not in place.cells]
    cells[:] = [*rest_before, *moved, *rest_after]
    place.notebook.write()
    return place.notebook.path


def rename_exercise(collection: Collection, key: str, new_key: str, entry: str | None = None) -> list[Path]:
    """Give an exercise another key, in the same lesson or another one, and return the files that were written.

    entry : the name that the learner will define (default: as before; the name in the key, if it was that).

    Raises ExercisesProblem, and writes nothing, for a key that exists or cannot be one; UnknownExercise.
    """
    place = place_of(collection, key)
    lesson, name = checked_key(collection, new_key)
    old = place.exercise
    source = read_whole(place.file).decode("utf-8")
    written = re.search(r"""entry=(["'])\w+\1""", source)
    if entry is None:
        entry = name if written is None and old.entry == key.partition(".")[2] else old.entry
    must_be_a_name(entry)
    source = _with_strings(_with_key(source, key, new_key), old.entry, entry)
    if written is not None:
        source = source.replace(written[0], f'entry="{entry}"', 1)
    elif entry != name:
        source, times = re.subn(
            rf'((?:^(?P<in>[ \t]*)|(?<=\())(?:key=)?"{re.escape(new_key)}",)',
            lambda found: found[1] + (f'\n{found["in"]}' if found["in"] else " ") + f'entry="{entry}",',
            source, count=1, flags=re.M,
        )  # fmt: skip
        if not times:
            raise ExercisesProblem(f'{place.file}: write entry="{entry}" after the key by hand, then rename it again.')
    same_lesson = lesson == old.lesson
    target = place.notebook if same_lesson else NotebookFile(notebook_of_lesson(collection, lesson))
    own = {id(place.notebook.cells[at]) for at in place.cells}
    for at, cell in enumerate(place.notebook.cells):
        if id(cell) in own or (same_lesson and key in source_of(cell)):
            place.notebook.cells[at] = _renamed(cell, old, new_key, entry if id(cell) in own else old.entry)
    if not same_lesson:
        for helper in re.findall(r"^from \.(\w+) import", source, re.M):
            if not (collection.lesson_folder(lesson) / f"{helper}.py").is_file():
                raise ExercisesProblem(
                    f"{place.file} imports from .{helper}, which lesson {lesson} does not have. Copy {helper}.py there."
                )
        target.cells = target.cells or first_cells(lesson, setup_of(collection))
        end = end_of(target.cells)
        target.cells[end:end] = [place.notebook.cells[at] for at in place.cells]
        place.notebook.cells = [cell for at, cell in enumerate(place.notebook.cells) if at not in place.cells]
    keeps_name = same_lesson and place.file.stem != key.partition(".")[2]
    file = place.file if keeps_name else collection.lesson_folder(lesson) / f"{name}.py"
    make_folders(file.parent)
    write_whole(file, source.encode("utf-8"))
    target.write()
    if target is not place.notebook:
        place.notebook.write()
    if file != place.file:
        place.file.unlink()
    return list(dict.fromkeys([file, place.notebook.path, target.path]))


def delete_exercise(collection: Collection, key: str) -> tuple[list[Path], str]:
    """Delete the file and the cells of an exercise; return the files that changed and everything that was removed."""
    place = place_of(collection, key)
    cells = place.notebook.cells
    removed = [f"# {place.file}", read_whole(place.file).decode("utf-8").rstrip("\n")]
    removed += [f"# {place.notebook.path}, cell {cells[at].get('id')}\n{source_of(cells[at])}" for at in place.cells]
    cells[:] = [cell for at, cell in enumerate(cells) if at not in place.cells]
    place.notebook.write()
    place.file.unlink()
    return [place.file, place.notebook.path], "\n\n".join(removed)


def mentions(collection: Collection, key: str) -> Iterator[str]:
    """Yield the places that name a key outside of released notebooks: path:line, and the path of a notebook."""
    root = collection.checks.parents[2] if collection == COURSE else collection.checks.parent
    pattern = re.compile(
        rf"(?<![\w.]){re.escape(key)}(?![\w.])|(?<![\w-]){re.escape(key.replace('.', '-', 1))}(?![\w])"
    )
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "build", "__")))
        for path in (Path(folder, name) for name in sorted(names)):
            if path.suffix in _SEARCHED and not path.is_relative_to(collection.released):
                lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
                found = [f"{path}:{number}" for number, line in enumerate(lines, 1) if pattern.search(line)]
                yield from [str(path)] * bool(found) if path.suffix == ".ipynb" else found


def _with_key(text: str, key: str, new_key: str) -> str:
    return re.sub(rf"(?<![\w.]){re.escape(key)}(?![\w])", new_key, text)


def _in_markdown(text: str, name: str, new: str) -> str:
    """Rename a function where a text quotes or calls it; the same word elsewhere is prose."""
    return re.sub(rf"(?<=`){name}(?=[`(])|(?<![\w.]){name}(?=\()", new, text)


def _in_code(source: str, name: str, new: str) -> str:
    """Rename a function in code; leave strings, comments and attributes of the same name."""
    lines = stored_lines(source)
    found = []
    with suppress(tokenize.TokenError, SyntaxError):
        before = ""
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.NAME and token.string == name and before != ".":
                found.append(token.start)
            before = token.string
    for row, begin in reversed(found):
        lines[row - 1] = lines[row - 1][:begin] + new + lines[row - 1][begin + len(name) :]
    return "".join(lines)


def _with_strings(source: str, name: str, new: str) -> str:
    """Rename what the learner defines in the sources that a file has as strings."""
    parts = re.split(r'("""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\')', source)
    for at in range(1, len(parts), 2):
        if re.search(rf"^(?:def|class) {name}\b", parts[at], re.M):
            parts[at] = re.sub(rf"\b{name}\b", new, parts[at])
    return "".join(parts)


def _renamed(cell: dict[str, Any], old: Exercise, new_key: str, entry: str) -> dict[str, Any]:
    source = _with_key(source_of(cell), old.key, new_key)
    if entry != old.entry:
        source = (_in_code if cell.get("cell_type") == "code" else _in_markdown)(source, old.entry, entry)
    made = {**cell, "source": stored_lines(source)}
    cell_id = str(cell.get("id", ""))
    if cell_id == old.cell_id or cell_id.startswith(f"{old.cell_id}-"):
        made["id"] = new_key.replace(".", "-", 1) + cell_id[len(old.cell_id) :]
        if "nbgrader" in cell.get("metadata", {}):
            nbgrader = {**cell["metadata"]["nbgrader"], "grade_id": made["id"]}
            made["metadata"] = {**cell["metadata"], "nbgrader": nbgrader}
    return made
