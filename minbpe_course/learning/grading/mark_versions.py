"""Tell which marks a change of the course can affect.

The version of a question is a fingerprint of what decides its mark:

    the judging       every module from the answer to its mark: ``DECIDING``, and what these import
    the exercise      its module, every module that this one imports, directly or not, and the data files next to those
    the question      the key, the untouched cell and the given code, as they were handed out
    the helpers       the right answers to earlier exercises that may take the place of the learner's

A mark that was made under another version is made again. A module counts by its syntax, so comments, docstrings and
line breaks change no version. Nor do sandboxes: they decide where an answer runs, not what it is worth.

Limits: the versions of Python and of the installed libraries are not in the fingerprint, nor is a module that is
imported by a computed name.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from minbpe_course.errors import ExercisesProblem
from minbpe_course.files import read_whole
from minbpe_course.learning.grading.sandbox.base import Limits
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.judge.right_helpers import helpers_of, right_cells
from minbpe_course.learning.submissions.notebook_cells import Question

PACKAGE = Path(__file__).resolve().parents[2]
DECIDING = (
    "learning/judge/judge.py",
    *(f"learning/grading/{name}.py" for name in ("marking", "running", "worker", "definitions")),
)
# They raise, read files, list exercises and confine answers, and are changed often: a mark does not depend on them.
_PASSED_OVER = (
    "errors.py",
    "files.py",
    "learning/__init__.py",
    "learning/judge/catalogue.py",
    "learning/grading/sandbox/",
)
_IGNORED_FIELDS = ("kind", "type_comment", "type_ignores")
_WITH_DOCSTRINGS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def versions(questions: Sequence[Question], package: Path = PACKAGE) -> list[str]:
    """Return the version of each question, 16 hexadecimal digits.

    package : the folder of the course's modules, which a test may copy and edit.

    Raises ExercisesProblem for a module that cannot be parsed.

    >>> from minbpe_course.learning.judge.catalogue import find
    >>> one, other = versions([Question(find("02.merge"), "blank"), Question(find("02.merge"), "other")])
    >>> len(one), one == other
    (16, False)
    """
    modules = _Modules(package)
    limits = repr(Limits())
    judging = modules.fingerprint([package / name for name in DECIDING])
    homes = _homes()
    made = []
    for question in questions:
        home = homes.get(question.exercise.key)
        if home is not None and PACKAGE in home.parents:
            home = package / home.relative_to(PACKAGE)
        exercise = modules.fingerprint([home]) if home is not None else ""
        parts = [judging, limits, exercise, question.exercise.key, question.blank, *question.given]
        parts += right_cells(question.exercise, helpers_of(question.exercise))
        made.append(hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16])
    return made


def _homes() -> dict[str, Path]:
    """Return the file of each exercise that was imported, by its key."""
    found = {}
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", {})  # an attribute could make a lazy module import others
        exercise, file = names.get("EXERCISE"), names.get("__file__")
        if isinstance(exercise, Exercise) and file and catalogue.known(exercise.key) is exercise:
            # Other modules may have imported it: its home is in the folder of its lesson.
            folder = catalogue.collection_of(exercise.key).lesson_folder(exercise.lesson).resolve()
            if Path(file).resolve().parent == folder:
                found[exercise.key] = Path(file).resolve()
    return found


def _data_of(file: Path, folder: Path) -> list[Path]:
    """Return the files in a folder that a module may read, and below it: neither Python nor hidden."""
    inside = ((path, path.relative_to(file.parent).parts) for path in folder.rglob("*"))
    hidden = (".", "__pycache__")
    return sorted(
        path for path, parts in inside
        if path.suffix not in (".py", ".pyc") and path.is_file() and not any(part.startswith(hidden) for part in parts)
    )  # fmt: skip


class _Modules:
    """The modules that were read: each is parsed once, even if several import it."""

    def __init__(self, package: Path) -> None:
        self.package = package
        self._read: dict[Path, tuple[str, tuple[Path, ...]]] = {}

    def fingerprint(self, files: Sequence[Path]) -> str:
        """Return the fingerprint of these modules and of all that they import."""
        reached: set[Path] = set()
        waiting = list(files)
        while waiting:
            file = waiting.pop()
            if file not in reached:
                reached.add(file)
                waiting += self._module(file)[1]
        parts = sorted(f"{self._name(file)} {self._module(file)[0]}" for file in reached)
        return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()

    def _module(self, file: Path) -> tuple[str, tuple[Path, ...]]:
        """Return the hash of a module, and the files of the modules that it imports."""
        if file not in self._read:
            try:
                tree = ast.parse(read_whole(file))
            except (SyntaxError, ValueError, RecursionError) as error:
                raise ExercisesProblem(f"{file} decides marks, and cannot be parsed: {error}. Correct it.") from None
            written = syntax(tree)
            seen = hashlib.sha256(written.encode("ascii"))
            if "'__file__'" in written:  # it reads files next to it
                for data in _data_of(file, file.parent / "data" if self.package in file.parents else file.parent):
                    seen.update(data.name.encode("utf-8") + b"\0" + read_whole(data))
            self._read[file] = seen.hexdigest(), tuple(dict.fromkeys(self._imports(tree, file)))
        return self._read[file]

    def _imports(self, tree: ast.Module, file: Path) -> Iterator[Path]:
        for node in ast.walk(tree):
            names: list[tuple[int, str]] = []
            if isinstance(node, ast.Import):
                names = [(0, alias.name) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = [node.module] if node.module else []
                names = [(node.level, ".".join([*base, alias.name])) for alias in node.names]
                names += [(node.level, name) for name in base]
            for level, name in names:
                found = self._file_of(file, level, name)
                if found is not None:
                    yield found

    def _file_of(self, importer: Path, level: int, name: str) -> Path | None:
        """Return the file of an imported module of the course or of a teacher's collection, else None."""
        if not level and name.partition(".")[0] != self.package.name:
            return None
        # A teacher's modules import one another by relative names only.
        place = importer.parents[level - 1] if level else self.package.parent
        path = place.joinpath(*name.split("."))
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                return None if self._name(file).startswith(_PASSED_OVER) else file
        return None

    def _name(self, file: Path) -> str:
        """Return the name of a module in fingerprints, which does not depend on where the course is installed."""
        inside = self.package in file.parents
        return file.relative_to(self.package if inside else file.parent.parent).as_posix()


def syntax(tree: ast.AST) -> str:
    """Return the syntax of a module as ASCII text, without comments, docstrings and places, for any Python the same.

    >>> syntax(ast.parse("x = f( 1)  # one")) == syntax(ast.parse("x=f(1)")) != syntax(ast.parse("x = f(2)"))
    True
    """
    # Not ast.dump: since Python 3.13 it leaves out empty fields, and every release may add fields.
    written: list[str] = []
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            written.append(node)
            continue
        written.append(type(node).__name__)
        waiting.append(")")
        for name in reversed(node._fields):
            value = getattr(node, name, None)
            if value is None or value == [] or name in _IGNORED_FIELDS:
                continue
            items = value if isinstance(value, list) else [value]
            if name == "body" and isinstance(node, _WITH_DOCSTRINGS) and ast.get_docstring(node, clean=False):
                items = items[1:]
            if isinstance(node, ast.JoinedStr):  # Python 3.12 ends some with an empty text
                items = [one for one in items if getattr(one, "value", None) != ""]
            waiting.append("]")
            waiting += [one if isinstance(one, ast.AST) else f" {one!a}" for one in reversed(items)]
            waiting.append(f" {name}[")
        waiting.append("(")
    return "".join(written)
