"""Run one learner's answer in this process, and report in plain values what happened.

    python -S -s -B worker.py plain_values.py SETTINGS      started by grading.sandbox, spoken to by grading.running

With "requests" in the settings this process runs no answer: it forks, and each fork is such a worker.

Every line, in both directions, is typed JSON (``judge/plain_values.py``, loaded from the path given):

    out  {"hello": True}                                             the sandbox works; or False, and the "problem"
    in   {"given", "right", "helpers", "answer", "others", "entry", "subject"}
                                                                     what to define;  out  {"ready", "notes", "taken"}
    in   {"id", "args", "kwargs", "keep", "after", "watched"}        one call;  out  {"id", "state", "value", ...}
    in   {"id", "method", "args"}                                    a call of the object that was made and kept
    in   {"id", "test": True, "known"}                               the entry is a test of ``subject``
    out  {"ask", "args", "kwargs"}    in  {"ask", "state", ...}      ... which lives in another process

The next call is sent only after the one before it has been answered, so a program that searches its process finds
nothing that it has not been asked yet.

This file uses the standard library only and imports nothing of the package: the sandbox shows the worker no more than
this file and four others. It holds no expected value and compares nothing, so there is nothing here to find, patch or
forge; the worst that a learner's code can do to it is a wrong answer. Limits: it protects nothing by itself. The
sandbox (``grading.sandbox``) and ``prepare_process`` restrict the process before the first line of the learner runs.
"""

# pathlib takes longer to import than most answers take to run
# ruff: noqa: PTH100, PTH120, PTH123

from __future__ import annotations

import _ast
import _thread
import builtins
import marshal
import os
import sys
import types

TYPE_CHECKING = False  # typing takes longer to import than most answers take to run
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

CELLS = "minbpe_course.learning.grading.cells"  # the name by which ``definitions`` imports it
LONGEST_TEXT = 500
MOST_NOTES = 5
MOST_TAKEN = 500  # names from other cells
IN_NOTEBOOKS = ("display", "get_ipython")  # IPython adds these to the builtins
THREAD_STACK = 2 << 20
# By the worker itself, then by answers.
EARLY = (
    "binascii",
    "resource",
    "collections",
    "functools",
    "re",
    "typing",
    "unicodedata",
    "heapq",
    "random",
    "dataclasses",
)


def main(arguments: Sequence[str]) -> None:
    """Serve until the other side closes the pipe."""
    plain = load_file(arguments[1], "plain")
    settings = plain.from_json(arguments[2])
    load_file(settings["cells"], CELLS)
    definitions = load_file(settings["definitions"], "definitions")
    if "requests" in settings:
        import_early(settings["packages"])
        settings = load_file(settings["inside"], "inside").forked(settings["requests"], plain.from_json)
    channel = Channel(plain, settings["result_bytes"])
    try:
        prepare_process(settings)
    except Exception as error:  # nothing of the learner's has run: this is about the sandbox
        channel.write({"hello": False, "problem": f"{type(error).__name__}: {error}"[:LONGEST_TEXT]})
        return
    channel.write({"hello": True})
    for message in channel:
        if "entry" in message:
            module = AnswerModule(message, plain, definitions)
            channel.write({"ready": True, "notes": module.notes, "taken": module.taken})
        elif "test" in message:
            channel.write({"id": message["id"], **module.test(channel, message["known"])})
        elif "method" in message:
            channel.write({"id": message["id"], **module.call_method(message)})
        else:
            channel.write({"id": message["id"], **module.call(message)})


def load_file(path: str, name: str) -> Any:
    """Return the module in a file, without making its folder importable."""
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    with open(path, "rb") as file:
        data = file.read()
    code = marshal.loads(data[16:]) if path.endswith(".pyc") else compile(data, path, "exec")
    exec(code, module.__dict__)
    return module


def import_early(packages: dict[str, str]) -> None:
    """Import what most workers import, so that its forks find them loaded."""
    finder = Packages(packages)
    sys.meta_path.append(finder)
    for name in (*EARLY, *packages):
        try:
            __import__(name)
        except Exception:  # then it fails in the answer that imports it
            continue
    sys.meta_path.remove(finder)


def prepare_process(settings: dict[str, Any]) -> None:
    """Give up what the settings say: importable folders, file descriptors, rights and resources."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != here]
    # A thread takes its stack, eight megabytes by default, from the limited address space.
    _thread.stack_size(THREAD_STACK)
    sys.meta_path.append(Packages(settings["packages"]))
    sys.meta_path.insert(0, Pretended())
    if settings["inside"]:
        load_file(settings["inside"], "inside").confine(settings)
    for loaded in ("plain", CELLS, "definitions", "inside"):
        sys.modules.pop(loaded, None)


# ----------------------------------------------------------------------------------------------------
# The channel to the other side


class Channel:
    """The original standard input and output, kept aside; the learner's prints are discarded."""

    def __init__(self, plain: Any, result_bytes: int) -> None:
        self._plain = plain
        self._result_bytes = result_bytes
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        os.close(nowhere)

    def read(self) -> Any:
        """Return the next message, or None when there will be no more."""
        line = self._in.readline()
        return self._plain.from_json(line) if line else None

    def __iter__(self) -> Iterator[Any]:
        while (message := self.read()) is not None:
            yield message

    def write(self, message: dict[str, Any]) -> None:
        """Send one message; a refusal replaces a value that makes the line too long."""
        line = self._plain.to_json(message)
        if len(line) > self._result_bytes and "id" in message:
            refusal = f"the answer takes {len(line):,} bytes when written down; at most {self._result_bytes:,} are read"
            line = self._plain.to_json({"id": message["id"], "state": "refused", "message": refusal})
        data = memoryview(line.encode("ascii") + b"\n")
        while data:
            data = data[os.write(self._out, data) :]


# ----------------------------------------------------------------------------------------------------
# Importable packages


class Packages:
    """Finds the packages that the exercise allows, each by the file that the settings name."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return the spec of an allowed package, which then finds its own modules."""
        if name not in self._files:
            return None
        from importlib.util import spec_from_file_location

        return spec_from_file_location(name, self._files[name])


class Pretended:
    """Packages that only show something: importable at any depth, every name in them does nothing.

    ``minbpe_course`` is one of them because of a learner's stray ``check(...)``. ``tqdm`` passes its iterable on.
    """

    ROOTS = ("minbpe_course", "matplotlib", "IPython", "ipywidgets", "tqdm")

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return a spec for one of these packages, and for any module below it."""
        if name.partition(".")[0] not in self.ROOTS:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: Any) -> types.ModuleType:
        """Create the empty module."""
        module = types.ModuleType(spec.name)
        find = _of_tqdm if spec.name.partition(".")[0] == "tqdm" else _attribute
        module.__getattr__ = find  # type: ignore[method-assign]
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: the module is empty."""


def _attribute(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "subplots":
        return _subplots
    return Nothing(*(Nothing() for _ in range(UNPACKED.get(name, 0))))


def _of_tqdm(name: str) -> Any:
    if name.startswith("__") or name in ("auto", "autonotebook", "notebook", "std"):
        raise AttributeError(name)  # these are modules, which the import system looks for next
    over_range = lambda *args, **options: ProgressBar(range(*args))  # noqa: E731
    return over_range if name in ("trange", "tnrange") else ProgressBar()


def _subplots(nrows: int = 1, ncols: int = 1, **kwargs: Any) -> tuple[Nothing, Nothing]:
    """Return a figure and its axes, in the shape that matplotlib gives them."""
    rows = [Nothing(*(Nothing() for _ in range(ncols))) for _ in range(nrows)]
    if 1 in (nrows, ncols):
        return Nothing(), Nothing(*(axes for row in rows for axes in row))
    return Nothing(), Nothing(*rows)


UNPACKED = {"plot": 1, "hist": 3}  # calls whose results are often unpacked, and into how many names


class Nothing:
    """Can be called, asked for attributes and items, entered and iterated over, all without effect."""

    def __init__(self, *parts: Any) -> None:
        self._parts = parts

    def __call__(self, *args: Any, **kwargs: Any) -> Nothing:
        return self

    def __getattr__(self, name: str) -> Any:
        if name in ("flat", "flatten", "ravel"):
            return Nothing(*(inner for part in self._parts for inner in (part._parts or (part,))))
        return _attribute(name)

    def __getitem__(self, key: Any) -> Nothing:
        return Nothing()

    def __setitem__(self, key: Any, value: Any) -> None:
        return None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parts)

    def __enter__(self) -> Nothing:
        return self

    def __exit__(self, *error: object) -> None:
        return None


class ProgressBar(Nothing):
    """A bar of tqdm that is not drawn: iterating over it iterates over what it was given."""

    def __init__(self, iterable: Any = ()) -> None:
        super().__init__()
        self._iterable = iterable

    def __call__(self, iterable: Any = (), *args: Any, **kwargs: Any) -> ProgressBar:
        return ProgressBar(iterable)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._iterable)

    def __len__(self) -> int:
        return len(self._iterable)

    def __bool__(self) -> bool:
        return True


# ----------------------------------------------------------------------------------------------------
# The learner's code


class AnswerModule:
    """The learner's cells, defined in a new module, and the calls of what they define."""

    def __init__(self, job: dict[str, Any], plain: Any, definitions: Any) -> None:
        self._plain = plain
        self._definitions = definitions
        self._entry_name = job["entry"]
        self._subject = job["subject"]
        self.notes: list[str] = []
        self.taken: list[str] = []
        self.problem: BaseException | None = None
        # Named as in a notebook: dataclasses, pickle and typing look the module of a class up by this name.
        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        self._space = module.__dict__
        self._space["__builtins__"] = builtins
        for cell in job["given"]:
            for statement in self._parsed(cell, "given") or []:
                error = self._run(statement)
                if error is not None:
                    self._note(f"line {statement.lineno} of a given cell", error)
        self._helpers = self._right(job) if job.get("helpers") else {}
        self._space.update(self._helpers)
        self._lines = job["answer"].split("\n")
        self._begun = self._define(job["answer"], job["others"])
        self._entry = self._space.get(self._entry_name, self)
        self._made: Any = None

    def _right(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return right answers to earlier exercises by their names, defined apart from the learner's names."""
        space = {"__builtins__": builtins, "__name__": "__main__"}
        for cell in (*job["given"], *job["right"]):
            for statement in self._parsed(cell, "given") or []:
                self._run(statement, space=space)
        return {name: space[name] for name in job["helpers"] if name in space}

    def _define(self, answer: str, others: list[str]) -> bool:
        """Run the statements of the answer and those it needs; return False for an empty answer."""
        statements = self._parsed(answer, "answer")
        if not statements:
            return statements is None
        if self._helpers:  # a cell may define several answers
            names = self._helpers.keys()
            statements = [one for one in statements if not names & self._definitions.bound([one])]
        chosen = self._from_others(statements, others)
        for name in IN_NOTEBOOKS:
            self._space.setdefault(name, Nothing())
        waiting = [statement for statement in chosen if self._run(statement) is not None]
        for statement in statements:
            error = self._run(statement, "<answer>")
            if error is not None:
                self.problem = self.problem or error
                self._note(f"line {statement.lineno} of the answer's cell", error)
        # In a notebook a cell above may have been run after the answer, and use what the answer defines.
        for statement in waiting:
            error = self._run(statement)
            if error is not None:
                self._note(f"line {statement.lineno} of another cell", error)
        self._space.update(self._helpers)
        return True

    def _from_others(self, statements: list[Any], others: list[str]) -> list[Any]:
        definitions = self._definitions
        try:
            known = definitions.builtin_names() | set(IN_NOTEBOOKS)
            mine = definitions.bound(statements)
            have = mine | self._space.keys()
            needed = definitions.needed(statements)
            chosen: list[Any] = definitions.wanted_from(others, needed - have, have, known) if others else []
            future = definitions.future_of(others)
            for statement in (*chosen, *statements):
                statement.future |= future
            missing = (needed | definitions.needed(chosen)) - self._space.keys() - known
            elsewhere = (mine - {self._entry_name}) & (needed | definitions.needed(chosen))
            self.taken = sorted(definitions.bound(chosen) | missing | elsewhere)[:MOST_TAKEN]
            return chosen
        except Exception:  # a text that is nested too deeply
            return []

    def _parsed(self, source: str, where: str) -> list[Any] | None:
        try:
            return self._definitions.parse(source)
        except BaseException as error:
            if where == "answer":
                self.problem = error
            self._note(f"the {where} cell cannot be read", error)
            return None

    def _run(self, statement: Any, where: str = "<cell>", space: dict[str, Any] | None = None) -> BaseException | None:
        """Run one statement by itself, so that an error elsewhere in the cell costs nothing; return its own error."""
        try:
            tree = _ast.Module([statement], [])
            exec(
                compile(tree, where, "exec", statement.future, dont_inherit=True),
                self._space if space is None else space,
            )
        except BaseException as error:
            return error
        return None

    def _note(self, where: str, error: BaseException) -> None:
        if len(self.notes) < MOST_NOTES and not isinstance(error, NotImplementedError):
            name = self._plain.kind_name(type(error))
            self.notes.append(f"{where}: {name}: {_text(error)}"[:LONGEST_TEXT])

    def call(self, message: dict[str, Any]) -> dict[str, Any]:
        """Call the entry with fresh arguments; return the state and the plain answer."""
        args = message["args"]
        before = self._plain.plain(args) if message.get("watched") else None
        outcome = self._observed(lambda: self._called(message))
        if before is not None and self._differ(args, before):
            outcome["changed"] = True
        if message["after"]:
            # Changes that an implementation under test makes to its arguments are part of its behaviour.
            outcome["after"] = self._plain.plain(args) if outcome["state"] in ("value", "raised") else args
        return outcome

    def _called(self, message: dict[str, Any]) -> Any:
        self._made = None
        _seed_random()
        answer = self._entry(*message["args"], **message["kwargs"])
        if not message["keep"]:
            return answer
        self._made = answer
        return None

    def call_method(self, message: dict[str, Any]) -> dict[str, Any]:
        """Call a method of the object that was made last; return the state and the plain answer."""
        return self._observed(lambda: self._plain.plain(getattr(self._made, message["method"])(*message["args"])))

    def _differ(self, after: Any, before: Any) -> bool:
        try:
            return bool(self._plain.plain(after) != before)
        except BaseException:  # it now holds a value that is not plain
            return True

    def test(self, channel: Channel, known: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """Call the entry, a test, with a function that asks the other side. A test that returns has accepted it."""
        _seed_random()
        outcome = self._observed(lambda: self._entry(RemoteImplementation(channel, self._subject, self._plain, known)))
        if outcome["state"] == "value" or outcome.get("error") == "NotPlain":
            return {"state": "value", "value": None}
        return outcome

    def _observed(self, run: Callable[[], Any]) -> dict[str, Any]:
        if self._entry is self:
            return self._absent()
        try:
            answer = run()
            if answer is Ellipsis:
                return {"state": "blank"}
            return {"state": "value", "value": self._plain.plain(answer)}
        except NotImplementedError as error:
            return {"state": "blank", "message": _text(error)}
        except self._plain.NotPlain as error:
            return {"state": "refused", "error": "NotPlain", "message": f"the answer is {error}"[:LONGEST_TEXT]}
        except BaseException as error:
            return self._raised(error)

    def _absent(self) -> dict[str, Any]:
        if not self._begun or isinstance(self.problem, NotImplementedError):
            return {"state": "blank"}
        if self.problem is not None:
            return self._raised(self.problem)
        return {"state": "refused", "message": f"the cell defines no {self._entry_name}"}

    def _line_of(self, at: types.TracebackType | None) -> str:
        """Return the last line of the answer cell in a traceback: for an assert, the assert itself."""
        line = ""
        while at is not None:
            if at.tb_frame.f_code.co_filename == "<answer>" and 0 < at.tb_lineno <= len(self._lines):
                line = self._lines[at.tb_lineno - 1].strip()[:LONGEST_TEXT]
            at = at.tb_next
        return line

    def _raised(self, error: BaseException) -> dict[str, Any]:
        bases = tuple(self._plain.kind_name(kind) for kind in type(error).__mro__[:20])
        without_text = type(error) is AssertionError and not error.args
        message = self._line_of(error.__traceback__) if without_text else _text(error)
        return {"state": "raised", "error": bases[0], "message": message, "bases": bases}


class RemoteImplementation:
    """The implementation under test, as the learner's test sees it: a function whose body is in another process.

    known : the questions and answers of an earlier run of the test on this implementation, as they were written. While
    it asks the same again, in the same order, these answers are returned; from the first difference on, every question
    is sent.
    """

    def __init__(self, channel: Channel, name: str, plain: Any, known: Sequence[tuple[str, str]]) -> None:
        self.__name__ = name
        self._channel = channel
        self._plain = plain
        self._known = list(known)
        self._count = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Ask, wait, and return, raise, or change the arguments, as the implementation did."""
        asked = {"args": self._plain.plain(args), "kwargs": self._plain.plain(kwargs)}
        self._count += 1
        asked = {"ask": self._count, **asked}
        if self._known and self._known[0][0] == self._plain.to_json(asked):
            answer = self._plain.from_json(self._known.pop(0)[1])
        else:
            self._known.clear()
            self._channel.write(asked)
            answer = self._channel.read() or {"state": "lost"}
        for mine, after in zip(args, answer.get("after") or ()):
            if type(mine) is list and mine != after:
                mine[:] = after
            elif type(mine) in (dict, set) and mine != after:
                mine.clear()
                mine.update(after)
        if answer["state"] == "value":
            return answer["value"]
        kind: Any = getattr(builtins, answer.get("error") or "", None)
        known = isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, NotImplementedError)
        text = answer.get("message") or answer["state"]
        raise kind(text) if known else RuntimeError(f"{answer.get('error') or 'no answer'}: {text}")


def _seed_random() -> None:
    for name in ("random", "numpy.random"):
        module = sys.modules.get(name)
        if isinstance(module, types.ModuleType) and callable(getattr(module, "seed", None)):
            module.seed(0)


def _text(error: BaseException) -> str:
    try:
        return str.__str__(str(error)[:LONGEST_TEXT])
    except BaseException:  # a learner's own exception may fail to describe itself
        return ""


if __name__ == "__main__":
    main(sys.argv)
