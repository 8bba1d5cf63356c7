"""``keep(...)`` and ``mine(...)``: the learner's own tokenizer, a file that grows from lesson to lesson.

    keep(BasicTokenizer)                 writes the class, and all it uses, to my_tokenizer.py in the notebook's folder
    BasicTokenizer = mine("BasicTokenizer")      the next lesson continues with it

A comment above each answer says who wrote it. Keeping a name again replaces its definition in place, but an answer of
the course never replaces one of the learner's; the rest of the file stays, including code written by hand. A learner
who skipped a lesson gets the answers of the course from ``mine``.

A class that extends the one of its own name, ``class GPT4Tokenizer(GPT4Tokenizer)``, comes right after that one and
replaces none of it. The classes below, which are built on that name, get the new methods.

Limits: a value that a definition uses must be a module, an import, another definition, or text, bytes or a number.
``mine`` runs the file in this process; only do that with your own.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import inspect
import io
import itertools
import linecache
import math
import os
import sys
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from minbpe_course.errors import InvalidAnswer
from minbpe_course.files import read_whole, write_whole
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.answer_code import answer_code
from minbpe_course.learning.judge.exercise_files import is_the_courses
from minbpe_course.learning.judge.names_in_code import needed
from minbpe_course.learning.practice.cell_sources import functions_of, parse, source_of

FILE = "my_tokenizer.py"
HEADER = '"""My tokenizer. It grows from lesson to lesson; a comment above each answer says who wrote it."""\n'
BY_ME, BY_THE_COURSE = "# Written by me.", "# Written by the course, not by me."
_SIMPLE = (str, bytes, int, float, bool, type(None))


def own_file() -> Path:
    """Return the path of the learner's file: ``MINBPE_COURSE_MY_TOKENIZER``, or ``my_tokenizer.py`` in this folder.

    From the folder of the exercises, the one next to the lessons is found.
    """
    named = os.environ.get("MINBPE_COURSE_MY_TOKENIZER")
    beside = Path("..", "notebooks", FILE)
    return Path(named) if named else beside if not Path(FILE).exists() and beside.is_file() else Path(FILE)


def keep(*definitions: Callable[..., Any]) -> None:
    """Write functions and classes of this notebook, and all that they use, to the learner's file.

    definitions : made in a cell of this notebook, or what ``working`` and ``mine`` returned.

    Raises InvalidAnswer for a definition without a source, and for a use of a value that a file cannot hold. The file
    then stays as it was.
    """
    for definition in definitions:
        if not isinstance(definition, (type, types.FunctionType)) and not hasattr(definition, "__wrapped__"):
            raise InvalidAnswer(f"keep takes functions and classes, and this is a {type(definition).__name__}.")
    path = own_file()
    parts = _Parts(_text(path) if path.is_file() else HEADER)
    for definition in definitions:
        parts.add(definition)
    source = parts.source()
    try:
        compile(source, FILE, "exec")
    except (SyntaxError, ValueError) as error:
        raise InvalidAnswer(
            f"{FILE} stays as it is: with this it isn't Python, {_where(error, source, FILE)}."
        ) from error
    write_whole(path, source.encode("utf-8"))
    asked = [definition.__name__ for definition in definitions]
    for said, names in (
        (f"Kept in {FILE}", [name for name in asked if name not in parts.spared and not parts.added.get(name)]),
        (f"Kept in {FILE} as yours", [name for name in asked if parts.added.get(name) == BY_ME]),
        (f"Kept in {FILE} as the course's, because yours is not right yet",
         [name for name in asked if parts.added.get(name) == BY_THE_COURSE]),
        ("Not replaced, because you wrote your own before", [name for name in asked if name in parts.spared]),
    ):  # fmt: skip
        if names:
            print(f"{said}: {', '.join(names)}")


def mine(name: str) -> Any:
    """Return a definition from the learner's file; if that name isn't in it, the course's answer.

    name : of the definition; "09.GPT4Tokenizer" asks for the course's answer of that lesson where the file has none. Of
        several lessons that ask for one name, the first counts.

    Raises InvalidAnswer if the file cannot be run, or neither has such a name.
    """
    lesson, _, name = name.rpartition(".")
    path = own_file()
    found = vars(_run(_text(path), str(path))).get(name) if path.is_file() else None
    if found is not None:
        return found
    asked = catalogue.exercises(lesson or None)
    answers = [one.answer for one in asked if one.entry == name and one.answer is not None]
    if answers:
        print(f"{name}: {FILE} has none, so this is the course's.")
        return answers[0]
    raise InvalidAnswer(f"neither {FILE} nor the course defines {name!r}. Its lesson keeps it: run that lesson first.")


def _text(path: Path) -> str:
    try:
        return read_whole(path).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise InvalidAnswer(
            f"{path.name} is not UTF-8: {error}. Save it as UTF-8, then run this cell again."
        ) from error


def _lines(source: str) -> list[str]:
    """Return the lines as Python counts them; ``splitlines`` also cuts at form feeds and U+2028."""
    return io.StringIO(source).readlines()


def _run(source: str, path: str) -> types.ModuleType:
    module = types.ModuleType(Path(FILE).stem)
    module.__file__ = path
    sys.modules[module.__name__] = module  # where dataclasses and pickle look for it
    # ``keep`` moves lines of the file, so what is loaded gets a name and lines that stay.
    name = f"<{Path(path).name}, as loaded: {hash(source):x}>"
    linecache.cache[name] = (len(source), None, _lines(source), name)
    try:
        exec(compile(source, name, "exec"), vars(module))
    except (Exception, SystemExit) as error:
        raise InvalidAnswer(
            f"{Path(path).name} stops with {_where(error, source, name)}. "
            "Fix it, or delete it and run the lessons again that keep their code in it."
        ) from error
    return module


def _where(error: BaseException, source: str, name: str) -> str:
    """Return the error and the line of the source that raises it, such as "NameError: ..., line 3: `LIMIT = inf`"."""
    numbers = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == name]
    number = error.lineno if isinstance(error, SyntaxError) else (numbers or [None])[0]
    lines = _lines(source)
    line = f", line {number}: `{lines[number - 1].strip()}`" if number and number <= len(lines) else ""
    return f"{type(error).__name__}: {getattr(error, 'msg', error)}{line}"


class _Parts:
    """The statements of the file in order, each with its text; definitions are replaced by name, imports come first."""

    def __init__(self, source: str) -> None:
        self._head = ""
        self._imports: dict[str, None] = {}
        self._statements: list[tuple[str, str]] = []  # the name that a statement defines, or "", and its text
        self._sources: dict[str, str] = {}
        self.added: dict[str, str] = {}  # name -> who wrote it, or "" for what is no answer to an exercise
        self.spared: list[str] = []  # definitions of the learner's that an answer of the course does not replace
        self._asked = {one.entry: one for one in catalogue.exercises()}
        self._read(source)

    def _read(self, source: str) -> None:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError) as error:
            raise InvalidAnswer(
                f"{FILE} is not Python: {error}. Correct it, or move it away and run this cell again."
            ) from error
        lines = _lines(source)
        end = 0  # comments and empty lines belong to the statement that follows them
        for number, statement in enumerate(tree.body):
            text = "".join(lines[end : statement.end_lineno]).strip("\n")
            end = statement.end_lineno or end
            if number == 0 and ast.get_docstring(tree) is not None:
                self._head = text
            elif isinstance(statement, (ast.Import, ast.ImportFrom)):
                self._imports[text] = None
            else:
                self._statements.append((_name_of(statement), text))
        self._statements.append(("", "".join(lines[end:]).strip("\n")))

    def add(self, definition: Any, before: str = "") -> None:
        """Put a definition and all it uses into the file; new definitions come before their first user."""
        name, base = definition.__name__, _namesake(definition)
        key = _extension(name) if base else name
        at = self._place(key)
        if at is not None and definition.__module__ == Path(FILE).stem:
            return  # loaded with ``mine``: the file has it, perhaps a newer one
        courses = is_the_courses(definition)
        source = _answer_of(definition) if courses else source_of(inspect.unwrap(definition))
        if source is None:
            raise InvalidAnswer(
                f"the source of {name} is not known: define it in a cell of this notebook, then keep it."
            )
        if key in self._sources:
            if self._sources[key] != source and not courses:
                raise InvalidAnswer(f"{name} has two definitions, and a file can hold one: rename one of them.")
            return
        self._sources[key] = source
        newest = self._place(name) if at is None else at
        if newest is not None and courses and BY_THE_COURSE not in self._statements[newest][1]:
            self.spared.append(name)
            return
        if base:
            self.add(base, before)
            before = name
        self.added[name] = BY_THE_COURSE if courses else BY_ME if name in self._asked else ""
        place = before if at is None else key
        made_in = (one.__globals__ for one in functions_of(definition))
        known = next(made_in, vars(sys.modules["__main__"]))  # a class may have no methods
        with contextlib.suppress(SyntaxError):  # a part of a function; keep says so when the file is whole
            for used in sorted((needed(*parse(source)) - {name}) & known.keys()):
                self._use(used, known[used], name, place)
        self._put(key, "\n".join(filter(None, [self.added[name], source.rstrip("\n")])), before)

    def _use(self, used: str, value: Any, user: str, before: str) -> None:
        if hasattr(builtins, used) and inspect.unwrap(value) is getattr(builtins, used):
            return  # notebooks have their own `open`, which wraps Python's
        own_name, module = getattr(value, "__name__", used), getattr(value, "__module__", None)
        alias = "" if own_name == used else f" as {used}"
        if isinstance(value, types.ModuleType):
            self._imports[f"import {own_name}{alias}"] = None
        elif (
            callable(value)
            and own_name.isidentifier()
            and (module in ("__main__", Path(FILE).stem) or is_the_courses(value))
        ):
            self.add(value, before)
            if alias:
                self._put(used, f"{used} = {own_name}", before)
        elif callable(value) and getattr(sys.modules.get(module or ""), own_name, None) is value:
            self._imports[f"from {module} import {own_name}{alias}"] = None
        elif isinstance(value, _SIMPLE):
            written = repr(value) if not isinstance(value, float) or math.isfinite(value) else f'float("{value}")'
            self._put(used, f"{used} = {written}", before)
        else:
            raise InvalidAnswer(
                f"{user} uses {used}, a {type(value).__name__} of this notebook, which a file cannot hold. "
                "Pass it as an argument, or store it in self."
            )

    def _put(self, name: str, text: str, before: str) -> None:
        """Replace the statement that defines a name; a new one comes before the name given, or at the end."""
        at = self._place(name)
        if at is not None:
            above = itertools.takewhile(lambda line: line.startswith("#"), _lines(self._statements[at][1]))
            kept = (line for line in above if line.rstrip() not in (BY_ME, BY_THE_COURSE))
            self._statements[at] = (name, "".join(kept) + text)
            return
        at = self._place(before) if before else None
        if at is not None and name == _extension(before):
            at += 1
        self._statements.insert(len(self._statements) if at is None else at, (name, text))

    def _place(self, name: str) -> int | None:
        """Return where a name is defined; of several places the last, which counts when the file runs."""
        return max((at for at, (defined, _) in enumerate(self._statements) if defined == name), default=None)

    def source(self) -> str:
        imports = sorted(self._imports, key=lambda line: ("__future__" not in line, line.startswith("from"), line))
        top = "\n\n".join(filter(None, [self._head, "\n".join(imports)]))
        return "\n\n\n".join(filter(None, [top, *(text for _, text in self._statements)])) + "\n"


def _answer_of(definition: Any) -> str | None:
    """Return the code of an answer of the course, or of a helper in the file of an exercise."""
    for exercise in catalogue.exercises():
        if exercise.answer is definition:
            source = answer_code(exercise).without_markers()
            return source[source.index(f"{'class' if isinstance(definition, type) else 'def'} {exercise.entry}") :]
    return source_of(definition)


def _extension(name: str) -> str:
    """Return the name, for this file, of the statement that extends the class of its own name."""
    return f"{name}({name})"


def _namesake(definition: Any) -> type | None:
    """Return the class of the same name that a class extends, without extensions in between; None if there is none."""
    for base in getattr(definition, "__bases__", ()):
        if base.__name__ == definition.__name__:
            return _namesake(base) or base
    return None


def _name_of(statement: ast.stmt) -> str:
    """Return the name that a statement defines, or "" if it defines none or several; see ``_extension``."""
    if isinstance(statement, ast.ClassDef):
        bases = [base.id for base in statement.bases if isinstance(base, ast.Name)]
        return _extension(statement.name) if statement.name in bases else statement.name
    if isinstance(statement, ast.FunctionDef):
        return statement.name
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", statement)]
    simple = isinstance(statement, (ast.Assign, ast.AnnAssign)) and len(targets) == 1
    return targets[0].id if simple and isinstance(targets[0], ast.Name) else ""
