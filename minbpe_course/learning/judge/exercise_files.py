"""Import the exercises of a teacher's folder: each folder under a unique package name, and again after an edit.

    homework/checks/week1/count_triples.py    EXERCISE = Exercise("week1.count_triples", ...)
    homework/checks/week1/stack.py            EXERCISES = (Exercise("week1.Stack.push", ...), ...), methods of a class
    homework/checks/week1/samples.py          no EXERCISE, so a helper: from .samples import TEXTS

The files are found by ``_Finder``, not by ``sys.path``: two folders may use the same names, no compiled copy goes
stale, and nothing is written next to the author's files. They run in this process, so trust them like any program.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.abc
import importlib.machinery
import re
import sys
import threading
import traceback
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minbpe_course.errors import ExercisesProblem
from minbpe_course.files import read_whole
from minbpe_course.learning.judge.exercise import KINDS, Exercise

LESSON = re.compile(r"[a-z0-9][a-z0-9_]*")
NAME = re.compile(r"[a-z][a-z0-9_]*")
LONGEST_KEY = 50  # the id of a cell has at most 64 characters, and ends with -check or the like after the key
# Other files run only when an exercise imports them.
_MENTIONS = re.compile(rb"\b(?:EXERCISES?|Exercise)\b")
OF_THE_COURSE = "minbpe_course.learning.exercises."
_PREFIX = "minbpe_course_exercises_"
_LOCK = threading.RLock()
_FOLDERS: dict[str, Path] = {}
"""The folders ``checks`` by the names of their packages."""
_STAMPS: dict[str, object] = {}
_LOADED: dict[tuple[str, str], tuple[Exercise, ...]] = {}


def lesson_order(lesson: str) -> list[str | int]:
    """Return the sort key of a lesson's name, in which numbers count as numbers.

    >>> sorted(["week10", "02", "week2"], key=lesson_order)
    ['02', 'week2', 'week10']
    """
    return [int(part) if part.isdigit() else part for part in re.split(r"([0-9]+)", lesson)]


def lesson_folders(checks: Path) -> dict[str, Path]:
    """Return the folders of lessons in a folder ``checks``, by the names of the lessons, in ``lesson_order``.

    Folders without Python files are data, and so are those that begin with a dot or an underscore.

    Raises ExercisesProblem for a folder that cannot be the name of a lesson.
    """
    found = {}
    for folder in sorted(checks.iterdir(), key=lambda path: lesson_order(path.name)) if checks.is_dir() else ():
        if folder.name.startswith((".", "_")) or not folder.is_dir() or not any(folder.glob("*.py")):
            continue
        if not LESSON.fullmatch(folder.name):
            better = re.sub(r"[^a-z0-9]+", "_", folder.name.lower()).strip("_") or "week1"
            raise ExercisesProblem(
                f"{folder}: the name of a lesson has lowercase letters, digits and _. Rename the folder: {better}"
            )
        found[folder.name] = folder
    return found


def load_lesson(checks: Path, lesson: str) -> tuple[Exercise, ...]:
    """Return the exercises of one lesson of a teacher's folder, by name; all files are read again after any edit.

    Raises ExercisesProblem with every problem, one per line: the file, the line, and what to type.
    """
    with _LOCK:
        package = _package_of(checks)
        if (package, lesson) not in _LOADED:
            found, problems = [], []
            for path in sorted((checks / lesson).glob("*.py")):
                if path.name.startswith(".") or not _MENTIONS.search(read_whole(path).replace(b"\0", b"")):
                    continue
                try:
                    found += _exercises_in(_imported(f"{package}.{lesson}.{path.stem}", path), path, lesson)
                except ExercisesProblem as problem:
                    problems.append(str(problem))
            if problems:
                raise ExercisesProblem("\n".join(dict.fromkeys(problems)))
            _LOADED[package, lesson] = tuple(found)
        return _LOADED[package, lesson]


def lesson_module(checks: Path, lesson: str) -> types.ModuleType | None:
    """Return the module of a lesson's ``__init__.py``, None without one. Raises ExercisesProblem."""
    path = checks / lesson / "__init__.py"
    return _imported(f"{_package_of(checks)}.{lesson}", path) if path.is_file() else None


def _package_of(checks: Path) -> str:
    """Return the name of a folder's package, without modules whose files have changed since."""
    checks = checks.resolve()
    package = _PREFIX + hashlib.sha256(str(checks).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    stamp = tuple((str(path), *_stamp(path)) for path in sorted(checks.rglob("*.py")))
    if _STAMPS.get(package) != stamp:
        _FOLDERS[package], _STAMPS[package] = checks, stamp
        for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
            del sys.modules[name]
        for key in [key for key in _LOADED if key[0] == package]:
            del _LOADED[key]
    return package


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        about = path.stat()
    except OSError:  # an editor replaces it just now
        return ()
    return about.st_mtime_ns, about.st_ctime_ns, about.st_size


def _imported(name: str, path: Path) -> types.ModuleType:
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
        if isinstance(error, SyntaxError):
            places.append((error.filename or "", error.lineno))
        ours = _FOLDERS[name.partition(".")[0]]
        file, line = next((one for one in reversed(places) if ours in Path(one[0]).parents), (str(path), None))
        said = error.msg if isinstance(error, SyntaxError) else error
        advice = "Correct it, and check again."
        if isinstance(error, ModuleNotFoundError) and error.name and (path.parent / f"{error.name}.py").is_file():
            advice = f"A file of the same folder is imported with a dot: from .{error.name} import ..."
        if "codec can't decode" in str(said) or "null bytes" in str(said):
            advice = "Save the file in UTF-8."
        said = re.sub(rf"{_PREFIX}\w+", "checks", str(said))
        where = file if line is None else f"{file}, line {line}"
        raise ExercisesProblem(f"{where}: {type(error).__name__}: {said}. {advice}") from error


def exercises_of(module: types.ModuleType) -> tuple[Exercise, ...]:
    """Return the exercises of a file: one, those for the methods of a class, or none."""
    several: tuple[Exercise, ...] = getattr(module, "EXERCISES", ())
    return (module.EXERCISE,) if hasattr(module, "EXERCISE") else tuple(several)


def _exercises_in(module: types.ModuleType, path: Path, lesson: str) -> list[Exercise]:
    """Return the exercises of a file, none for a helper. Raises ExercisesProblem."""
    several = getattr(module, "EXERCISES", ())
    if not isinstance(several, (tuple, list)):
        raise ExercisesProblem(f"{path}, line {line_of(path, 'EXERCISES =')}: write EXERCISES = (Exercise(...),)")
    return [_exercise_in(one, module, path, lesson) for one in exercises_of(module)]


def _exercise_in(found: Any, module: types.ModuleType, path: Path, lesson: str) -> Exercise:
    key = f"{lesson}.{path.stem}"
    if isinstance(found, Exercise) and found.method:
        key = f"{lesson}.{found.entry}.{found.method}"
    where = f"{path}, line {line_of(path, 'EXERCISE =')}"
    if not isinstance(found, Exercise):
        raise ExercisesProblem(
            f'{where}: EXERCISE is of type {type(found).__name__}. Write: EXERCISE = Exercise("{key}", ...'
        )
    for right, wrong in (
        (
            NAME.fullmatch(path.stem),
            "the name of an exercise has lowercase letters, digits and _, and begins with a letter. Rename the file.",
        ),
        (
            len(key) <= LONGEST_KEY,
            f"the key {key} has {len(key)} characters; it has at most {LONGEST_KEY}, since the ids of cells are made "
            "from it. Give the file or its folder a shorter name.",
        ),
        (
            found.key == key,
            f"the key is {found.key!r}, but a key is the name of the folder and that of the file. "
            f'Write: Exercise("{key}", ... or rename the file.',
        ),
        (isinstance(found.title, str), f"title is {found.title!r}; it is a text."),
        (str(found.kind) in KINDS, f"kind is {found.kind!r}; it is one of {', '.join(KINDS)}."),
        (str(found.entry).isidentifier(), f"entry is {found.entry!r}; it is the name of a function or class."),
        (found.difficulty in range(1, 6), f"difficulty is {found.difficulty!r}; it is 1, 2, 3, 4 or 5."),
        (found.points in range(1, 1_000), f"points is {found.points!r}; it is a whole number from 1 on."),
        (
            isinstance(found.hints, (tuple, list)) and [*map(type, found.hints)] == [str] * 3,
            "hints are three texts in parentheses: a nudge, where the lesson has it, the steps.",
        ),
        (isinstance(found.picture, str), "picture is the source of a cell, a text."),
        (
            found.answer is None or getattr(found.answer, "__module__", None) == module.__name__,
            f"answer is not defined in this file. Write in it def {found.entry}(...): and answer={found.entry}",
        ),
        *(
            (not isinstance(getattr(found, name), str), f'{name} is a text. Write: {name}=("...",)')
            for name in ("packages", "given", "avoid")
        ),
    ):
        if not right:
            raise ExercisesProblem(f"{where}: {wrong}")
    return found


def is_the_courses(definition: Any) -> bool:
    """Tell whether a function or class is an answer in the file of an exercise, as ``working`` and ``mine`` return it.

    >>> is_the_courses(len)
    False
    """
    module = getattr(definition, "__module__", None)
    kind = isinstance(definition, (type, types.FunctionType))
    return kind and isinstance(module, str) and module.startswith((OF_THE_COURSE, _PREFIX))


def line_of(path: Path, text: str) -> int:
    """Return the first line of a file that contains a text; 1 if none does."""
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    return next((number for number, line in enumerate(lines, start=1) if text in line), 1)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds modules below the packages in ``_FOLDERS``."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return where a module is, or None for the modules of others."""
        package = fullname.partition(".")[0]
        if package not in _FOLDERS:
            return None
        if path is not None:
            finder = importlib.machinery.FileFinder(next(iter(path)), (_FromSource, [".py"]))
            return finder.find_spec(fullname)
        spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
        spec.submodule_search_locations = [str(_FOLDERS[package])]
        return spec


_FINDER = _Finder()


class _FromSource(importlib.machinery.SourceFileLoader):
    """Compiles a file each time: a compiled copy is taken for fresh after an edit within the same second."""

    def get_code(self, fullname: str) -> types.CodeType:
        data = self.get_data(self.path)
        if b"\0" in data:  # Python would not say in which file
            raise SyntaxError("it contains null bytes", (self.path, 1, 0, ""))
        return self.source_to_code(data, self.path)
