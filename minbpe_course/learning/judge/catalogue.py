"""The exercises of the course, and those of teachers: folders, and packages with an entry point.

    the course         minbpe_course/learning/exercises/lesson_02/merge.py
    a folder           homework/checks/week1/count_triples.py      use_exercises("homework")
    a package          my_course/checks/week1/count_triples.py     entry point in the group "minbpe_course.exercises"

Each file is one exercise, and each folder of files one lesson. Its ``__init__.py`` may have a docstring, the title and
the introduction of the lesson's notebook, and NOTEBOOK, the names of the exercises in their order, with cells of text
and code between them: ("echo", Text("..."), "initials"). BLANKS has the names of the exercises that the lesson itself
asks, in their order; the notebook of exercises does not have them.
"""

from __future__ import annotations

import difflib
import importlib.metadata
import importlib.util
import inspect
import os
import re
import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType

from minbpe_course.errors import ExercisesProblem, MissingFile, UnknownExercise
from minbpe_course.learning.judge.exercise import Code, Exercise, Text
from minbpe_course.learning.judge.exercise_files import exercises_of, lesson_folders, lesson_module, load_lesson

VARIABLE = "MINBPE_COURSE_EXERCISES"
GROUP = "minbpe_course.exercises"
_PACKAGE = Path(__file__).resolve().parents[2]
_EXERCISES = _PACKAGE / "learning" / "exercises"


@dataclass(frozen=True)
class Contents:
    """The content of a lesson's notebook; rows : exercises, with cells between them."""

    lesson: str
    title: str
    introduction: str
    rows: tuple[Exercise | Text | Code, ...]
    blanks: tuple[Exercise, ...] = ()

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        """The exercises, in order."""
        return tuple(row for row in self.rows if isinstance(row, Exercise))


@dataclass(frozen=True)
class Collection:
    """The exercises of one author: the course's own, a teacher's folder, or an installed package's.

    name : "the course", the folder as it was given, or the name of the entry point.
    checks : holds a folder for each lesson, with a file for each exercise.
    solutions : holds the notebooks with answers; may not exist.
    released : holds the notebooks that learners get; may not exist.
    """

    name: str
    checks: Path
    solutions: Path
    released: Path

    @classmethod
    def in_folder(cls, folder: str | os.PathLike[str], name: str = "") -> Collection:
        """Return the collection in a teacher's folder, which may be created later.

        >>> Collection.in_folder("homework").checks.name
        'checks'
        """
        root = Path(folder).absolute()
        root = root.resolve() if ".." in root.parts else root
        return cls(name or str(folder), root / "checks", root / "solutions", root / "exercises")

    def lessons(self) -> tuple[str, ...]:
        """Return the names of the lessons, sorted. Raises ExercisesProblem for a folder with an impossible name."""
        return _course_lessons() if self == COURSE else tuple(lesson_folders(self.checks))

    def lesson_folder(self, lesson: str) -> Path:
        """Return the folder of a lesson's exercises.

        >>> COURSE.lesson_folder("02").name
        'lesson_02'
        """
        return self.checks / (f"lesson_{lesson}" if self == COURSE else lesson)

    def exercises(self, lesson: str) -> tuple[Exercise, ...]:
        """Return the exercises of a lesson in their order: its blanks, then those of its notebook.

        A teacher's files are read again after an edit.

        Raises UnknownExercise for a lesson without exercises, ExercisesProblem for files that cannot be used.
        """
        contents = self.contents(lesson)
        return (*contents.blanks, *contents.exercises)

    def exercises_before(self, lesson: str) -> tuple[Exercise, ...]:
        """Return the exercises of the lessons before a lesson."""
        there = self.lessons()
        return tuple(one for each in there[: there.index(lesson)] for one in self.exercises(each))

    def contents(self, lesson: str) -> Contents:
        """Return what the notebook of a lesson is made of. Raises as ``exercises`` does.

        >>> COURSE.contents("02").title
        '02 · Naive byte pair encoding: exercises'
        """
        if lesson not in self.lessons():
            raise UnknownExercise(f"{self.name} has no exercises for a lesson {lesson!r}.")
        if self == COURSE:
            return _course_contents(lesson)
        return _contents(lesson, load_lesson(self.checks, lesson), lesson_module(self.checks, lesson))

    def file_of(self, exercise: Exercise) -> Path:
        """Return the file of an exercise of this collection."""
        module = sys.modules.get(getattr(exercise.answer, "__module__", ""))
        return Path(getattr(module, "__file__", None) or self.lesson_folder(exercise.lesson) / f"{exercise.name}.py")

    def notebook(self, lesson: str) -> str | None:
        """Return the name of a lesson's notebook, LESSON.ipynb or LESSON_WORDS.ipynb, or None.

        >>> COURSE.notebook("02")
        '02_naive_bpe.ipynb'
        """
        for folder in (self.released, self.solutions):
            for path in sorted(folder.glob(f"{lesson}*.ipynb"), key=lambda path: path.stem):
                if self.lesson_of(path.name) == lesson:
                    return path.name
        return None

    def lesson_of(self, notebook: str) -> str | None:
        """Return the lesson to which a notebook belongs by its name, or None.

        >>> COURSE.lesson_of("02_naive_bpe.ipynb")
        '02'
        """
        stem = Path(notebook).stem
        fitting = (lesson for lesson in self.lessons() if stem == lesson or stem.startswith(f"{lesson}_"))
        return max(fitting, key=len, default=None)


_ROOT = _PACKAGE.parent
_CARRIED = _PACKAGE / "_lessons"  # in an installation
COURSE = Collection(
    "the course", _EXERCISES, _ROOT / "solutions", (_CARRIED if _CARRIED.is_dir() else _ROOT) / "exercises"
)
_ADDED_FIRST = (
    '\nA teacher\'s exercises are added first: use_exercises("FOLDER") in a notebook, --exercises FOLDER in a shell. '
    "An assignment finds those in the folder checks next to its file."
)
_USED: dict[Path, Collection] = {}
"""The folders of ``use_exercises``, by their absolute paths."""


def use_exercises(folder: str | os.PathLike[str]) -> None:
    """Add the exercises of a teacher's folder, so that ``check``, ``hint`` and ``progress`` know them.

    folder : contains ``checks``, with a folder for each lesson and a file for each exercise. A relative path is taken
        from the current folder, which in a notebook is that of the notebook. The files run in this process.

    A second call for the same folder does nothing. The variable MINBPE_COURSE_EXERCISES names folders, too.

    Raises MissingFile if there is no such folder or no ``checks`` in it; but not where a teacher's exercises come from
    the variable or an installed package, because there notebooks are moved: nbgrader copies them to other folders.

    >>> use_exercises("no_such_folder")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    minbpe_course.errors.MissingFile: there is no folder no_such_folder. ...
    """
    elsewhere = os.environ.get(VARIABLE) or installed()
    if Collection.in_folder(folder).checks.is_dir() or not elsewhere:
        add_collection(folder, 'use_exercises("homework")')


def add_collection(folder: str | os.PathLike[str], example: str) -> Collection:
    """Do what ``use_exercises`` does, and return the collection; ``example`` is what an error suggests to type."""
    collection = _existing(folder, example)
    return _USED.setdefault(collection.checks.resolve(), collection)


def added() -> tuple[Collection, ...]:
    """Return the collections that ``use_exercises`` added in this process."""
    return tuple(_USED.values())


def collections() -> tuple[Collection, ...]:
    """Return all collections: the course, installed packages, then folders; each folder once, by its last name.

    Raises MissingFile when MINBPE_COURSE_EXERCISES names a folder that is not there.
    """
    named = _named_by_variable(os.environ.get(VARIABLE, ""))
    found = {each.checks.resolve(): each for each in (COURSE, *installed(), *named, *added())}
    return tuple({**found, COURSE.checks: COURSE}.values())


def lessons() -> tuple[str, ...]:
    """Return the names of all lessons with exercises: the two digits of the course's, then those of teachers.

    >>> "02" in lessons()
    True
    """
    return tuple(dict.fromkeys(lesson for collection in collections() for lesson in collection.lessons()))


def lesson_named(name: str) -> str:
    """Return the lesson that a name means; its number, or the name of its notebook, will do.

    >>> lesson_named("2"), lesson_named("02_naive_bpe"), lesson_named("02_merge")
    ('02', '02', '02_merge')
    """
    there = lessons()
    if name not in there:
        for each in collections():
            lesson = each.lesson_of(name)
            if lesson is not None and each.notebook(lesson) == f"{name}.ipynb":
                return lesson
    return next((one for one in (name, name.zfill(2)) if one in there), name)


def exercises(lesson: str | None = None) -> tuple[Exercise, ...]:
    """Return the exercises of one lesson, or of all, in the order of the notebooks. lesson : see ``lesson_named``.

    Raises UnknownExercise for a lesson without exercises, ExercisesProblem for files that cannot be used.

    >>> exercises("02")[0].lesson
    '02'
    """
    there = lessons()
    if lesson is None:
        return tuple(exercise for each in there for exercise in exercises(each))
    lesson = lesson_named(lesson)
    if lesson not in there:
        raise UnknownExercise(f"lesson {lesson!r} has no exercises; the lessons with exercises: {', '.join(there)}")
    return tuple(exercise for exercise, _ in _found(lesson).values())


def find(key: str) -> Exercise:
    """Return the exercise with this key. Raises UnknownExercise, which names similar keys.

    >>> find("02.merge").entry
    'merge'
    """
    return _find(str(key))[0]


def of_class(key: str) -> tuple[Exercise, ...]:
    """Return the exercises for the methods of a class, in order; none if the key is not that of a class.

    >>> of_class("02.merge")
    ()
    """
    lesson = str(key).partition(".")[0]
    asked = exercises(lesson) if lesson in lessons() else ()
    return tuple(one for one in asked if one.method and one.class_key == key)


def chosen(names: Iterable[str]) -> tuple[Exercise, ...]:
    """Return the exercises named, in the order of the catalogue.

    names : "02" for a notebook of exercises, "lesson-02" for the blanks of a lesson, keys ("02.merge"), and classes
    ("02.BasicTokenizer").

    Raises UnknownExercise for another name.

    >>> [one.key for one in chosen(["lesson-02"])][:2]
    ['02.count_pairs', '02.merge']
    """
    wanted = {one.key for name in names for one in _chosen(str(name))}
    return tuple(exercise for exercise in exercises() if exercise.key in wanted)


def _chosen(name: str) -> tuple[Exercise, ...]:
    if "." in name:
        return of_class(name) or (find(name),)
    of_lesson = name.startswith(OF_LESSON)
    return tuple(one for one in exercises(name.removeprefix(OF_LESSON)) if is_blank(one) == of_lesson)


OF_LESSON = "lesson-"


def is_blank(exercise: Exercise) -> bool:
    """Tell whether a lesson asks an exercise, and not the notebook of its exercises."""
    return exercise in collection_of(exercise.key).contents(exercise.lesson).blanks


def collection_of(key: str) -> Collection:
    """Return the collection that an exercise belongs to. Raises UnknownExercise.

    >>> collection_of("02.merge").name
    'the course'
    """
    return _find(str(key))[1]


def known(key: str) -> Exercise | None:
    """Return the exercise with this key, or None.

    >>> known("02.no_such_exercise") is None
    True
    """
    found = _by_any_key(key.partition(".")[0]).get(key)
    return None if found is None else found[0]


def _find(key: str) -> tuple[Exercise, Collection]:
    lesson, _, name = key.partition(".")
    found = _by_any_key(lesson)
    if key in found:
        return found[key]
    for collection in collections():
        path = collection.lesson_folder(lesson) / f"{name}.py"
        if collection != COURSE and lesson in collection.lessons() and path.is_file():
            raise UnknownExercise(f'{path} defines no exercise. Write in it: EXERCISE = Exercise("{key}", ...')
    keys = [exercise.key for exercise in exercises()]
    near = difflib.get_close_matches(key, keys, n=3, cutoff=0.4) or keys[:3]
    more = "" if lesson in lessons() else _ADDED_FIRST
    raise UnknownExercise(
        f"there is no exercise {key!r}. Near it: {', '.join(near)}. A key looks like {keys[0]!r}.{more}"
    )


def _by_any_key(lesson: str) -> dict[str, tuple[Exercise, Collection]]:
    found = _found(lesson)
    return {**{key: one for one in found.values() for key in one[0].also}, **found}


def _found(lesson: str) -> dict[str, tuple[Exercise, Collection]]:
    """Return the exercises of a lesson with their collections, by key. Raises ExercisesProblem for a key used twice."""
    found: dict[str, tuple[Exercise, Collection]] = {}
    for collection in collections():
        try:
            for exercise in collection.exercises(lesson) if lesson in collection.lessons() else ():
                if exercise.key in found:
                    raise ExercisesProblem(
                        f"{collection.lesson_folder(lesson) / exercise.name}.py: the key {exercise.key!r} is that of "
                        f"an exercise of {found[exercise.key][1].name}, too. Rename the file and its "
                        f"key: {exercise.key}_2. Or uninstall that package, if it is a copy of these exercises."
                    )
                found[exercise.key] = exercise, collection
        except ExercisesProblem as problem:
            if collection not in installed():
                raise
            _warn(collection.name, str(problem))
    return found


# ---- The course


@cache
def _course_lessons() -> tuple[str, ...]:
    return tuple(sorted(folder.name.removeprefix("lesson_") for folder in _EXERCISES.glob("lesson_*")))


@cache
def _course_contents(lesson: str) -> Contents:
    package = importlib.import_module(f"minbpe_course.learning.exercises.lesson_{lesson}")
    paths = sorted(COURSE.lesson_folder(lesson).glob("[!_]*.py"))
    modules = (importlib.import_module(f"{package.__name__}.{path.stem}") for path in paths)
    return _contents(lesson, tuple(one for module in modules for one in exercises_of(module)), package)


def _contents(lesson: str, found: tuple[Exercise, ...], package: ModuleType | None) -> Contents:
    """Order the exercises of a lesson; those that its NOTEBOOK does not name come last, by name."""
    left = {one.name: one for one in sorted(found, key=lambda one: one.key)}
    rows: list[Exercise | Text | Code] = []
    blanks = tuple(left.pop(name) for name in getattr(package, "BLANKS", ()) if name in left)
    named = getattr(package, "NOTEBOOK", ())
    if isinstance(named, str):
        raise ExercisesProblem(
            f"{package and package.__file__}: NOTEBOOK is one text. One name needs a comma: NOTEBOOK = ({named!r},)"
        )
    for row in named:
        if not isinstance(row, (Text, Code)) and row not in left:
            raise ExercisesProblem(
                f"{package and package.__file__}: NOTEBOOK names {row!r}. Name a file of the folder, once: "
                f"{', '.join(left) or 'none is left'}"
            )
        rows.append(row if isinstance(row, (Text, Code)) else left.pop(row))
    title, _, text = (inspect.getdoc(package) or "").partition("\n") if package else ("", "", "")
    title = title or re.sub(r"(?<=[a-z])(?=\d)", " ", lesson.replace("_", " ")).capitalize()
    return Contents(lesson, title, text.strip(), (*rows, *left.values()), blanks)


# ---- Collections of teachers


def _existing(folder: str | os.PathLike[str], example: str, named: str = "") -> Collection:
    """Return the collection in a folder. Raises MissingFile."""
    collection = Collection.in_folder(folder)
    if not collection.checks.is_dir():
        root = collection.checks.parent
        what = f"there is no folder {folder}" if not root.is_dir() else f"there is no folder checks in {folder}"
        if root.is_dir() and root.name == "checks":
            what += f". Name the folder around it: {root.parent}"
        raise MissingFile(
            f"{named}{what}. You are in {Path.cwd()}: name a folder with checks/LESSON/NAME.py in it, as in {example}"
        )
    return collection


@lru_cache(maxsize=8)
def _named_by_variable(value: str) -> tuple[Collection, ...]:
    example = f"{VARIABLE}=homework"
    return tuple(_existing(one, example, f"{VARIABLE}: ") for one in value.split(os.pathsep) if one)


@cache
def installed() -> tuple[Collection, ...]:
    """Return the collections of installed packages, which are not imported; a broken one costs a warning."""
    found = []
    for point in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda point: point.name):
        try:
            spec = importlib.util.find_spec(point.value.partition(":")[0].strip())
            places = [*(spec.submodule_search_locations or ()), str(Path(spec.origin or "").parent)] if spec else []
            made = [Collection.in_folder(place, point.name) for place in places]
            made = [each for each in made if each.checks.is_dir()]
            if not made:
                raise MissingFile(f"the entry point {point.value!r} has no folder checks next to it")
            made[0].lessons()
        except Exception as problem:  # importing the parents of a module may raise anything
            _warn(point.name, f"{type(problem).__name__}: {problem}")
        else:
            found.append(made[0])
    return tuple(found)


@cache
def _warn(name: str, problem: str) -> None:
    warnings.warn(f"exercises of the installed package {name!r} were left out: {problem}", stacklevel=2)
