"""Run one learner's notebook in this process, up to one question, and report in plain values what happened.

    python -S -s -B worker.py plain_values.py SETTINGS      started by grading.sandbox, spoken to by grading.running

With "requests" in the settings this process runs no answer: it forks, and each fork is such a worker.

Every line, in both directions, is typed JSON (``judge/plain_values.py``, loaded from the path given):

    out  {"hello": True}                                             the sandbox works; or False, and the "problem"
    in   {"cells", "entry", ..., "skip"}                             what to run: the fields of a running.Program
    out  {"cell"}                                                    before each cell, which SIGINT interrupts
    out  {"ready", "notes"}                                          all cells have run
    in   {"id", "args"}                                              one call;  out  {"id", "state", "value", ...}
                     "kwargs", "keep", "after", "watched"            and what may come with it (see NotebookModule.call)
    in   {"id", "args", "method"}                                    a call of the object that was made and kept
    in   {"id", "test": True}                                        the entry is a test of ``subject``
    out  {"ask": True, "args", "kwargs"}    in  {"state", ...}       ... which lives in another process

The next call is sent only after the one before it has been answered, so a program that searches its process finds
no case that it has not been given yet.

This file uses the standard library only and imports nothing of the package: the sandbox shows the worker no more than
this file and three others. It holds no expected value and compares nothing, so there is nothing here to find, patch or
forge; the worst that a learner's code can do to it is a wrong answer. Limits: it protects nothing by itself. The
sandbox (``grading.sandbox``) and ``prepare_process`` restrict the process before the first line of the learner runs.
"""

# pathlib takes longer to import than most answers take to run
# ruff: noqa: PTH100, PTH102, PTH120, PTH123

from __future__ import annotations

import _ast
import _signal  # type: ignore[import-not-found]
import _thread
import builtins
import os
import sys
import types

TYPE_CHECKING = False  # typing takes longer to import than most answers take to run
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

LONGEST_TEXT = 500
MOST_NOTES = 20
IN_NOTEBOOKS = ("display", "get_ipython")  # IPython adds these to the builtins
ALLOW_TOP_LEVEL_AWAIT, COROUTINE = 0x2000, 0x80  # of ``compile``, and of what it makes of an ``await``
FUTURE = -0x20000  # the flags of ``from __future__ import ...``
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
    python_of = load_file(settings["cells"], "cells").python_of
    if "requests" in settings:
        import_early(settings["packages"])
        settings = load_file(settings["inside"], "inside").forked(settings["requests"], plain.from_json)
    channel = Channel(plain, settings["result_bytes"])
    try:
        packages, pretended = prepare_process(settings)
    except Exception as error:  # nothing of the learner's has run: this is about the sandbox
        channel.write({"hello": False, "problem": f"{type(error).__name__}: {error}"[:LONGEST_TEXT]})
        return
    channel.write({"hello": True})
    while (message := channel.read()) is not None:
        if "entry" in message:
            module = NotebookModule(message, plain)
            pretended.tools = module.tools()
            module.run_cells(channel, python_of, packages)
            channel.write({"ready": True, "notes": module.notes})
        else:
            outcome = module.test(channel) if "test" in message else module.call(message)
            channel.write({"id": message["id"], **outcome})


def load_file(path: str, name: str) -> Any:
    """Return the module in a file, without making its folder importable."""
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    with open(path, "rb") as file:
        exec(compile(file.read(), path, "exec"), module.__dict__)
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


def prepare_process(settings: dict[str, Any]) -> tuple[Packages, Pretended]:
    """Give up what the settings say: importable folders, file descriptors, rights and resources."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != here]
    # A thread takes its stack, eight megabytes by default, from the limited address space.
    _thread.stack_size(THREAD_STACK)
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)  # only a cell is interrupted
    packages, pretended = Packages(settings["packages"]), Pretended()
    sys.meta_path.append(packages)
    sys.meta_path.insert(0, pretended)
    if settings["inside"]:
        load_file(settings["inside"], "inside").confine(settings)
    for loaded in ("plain", "cells", "inside"):
        sys.modules.pop(loaded, None)
    return packages, pretended


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
    """Finds the packages that a notebook may import, each by the file that the settings name."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files

    def restrict(self, names: Sequence[str]) -> None:
        """Find only these from now on; importing one of the others again fails."""
        gone = self._files.keys() - set(names)
        self._files = {name: file for name, file in self._files.items() if name in names}
        for name in [name for name in sys.modules if name.partition(".")[0] in gone]:
            del sys.modules[name]

    def find_spec(self, name: str, *_where: Any) -> Any:
        """Return the spec of an allowed package, which then finds its own modules."""
        if name not in self._files:
            return None
        from importlib.util import spec_from_file_location

        return spec_from_file_location(name, self._files[name])


class Pretended:
    """Packages that only show something: importable at any depth, every name in them does nothing.

    ``minbpe_course`` is one of them: the notebook calls ``check``, which here keeps what it is given. ``tqdm`` passes
    its iterable on.
    """

    ROOTS = ("minbpe_course", "matplotlib", "IPython", "ipywidgets", "tqdm")

    def __init__(self) -> None:
        self.tools: dict[str, Any] = {}
        """The functions of the course that do something here."""

    def find_spec(self, name: str, *_where: Any) -> Any:
        """Return a spec for one of these packages, and for any module below it."""
        if name.partition(".")[0] not in self.ROOTS:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: Any) -> types.ModuleType:
        """Create the module, empty but for the tools of the course."""
        module = types.ModuleType(spec.name)
        root = spec.name.partition(".")[0]
        if root == "minbpe_course":
            module.__dict__.update(self.tools, __all__=list(self.tools))
        module.__getattr__ = _of_tqdm if root == "tqdm" else _attribute  # type: ignore[method-assign]
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: the module is complete."""


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
    """Can be called, asked for attributes and items, and entered, all without effect.

    It is false. Comparing it or iterating over it raises, because a comparison or a loop needs the value.
    """

    def __init__(self, *parts: Any) -> None:
        self._parts = parts

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        decorates = len(args) == 1 and isinstance(args[0], (types.FunctionType, type))
        return args[0] if decorates else self

    def __getattr__(self, name: str) -> Any:
        if name in ("flat", "flatten", "ravel"):
            return Nothing(*(inner for part in self._parts for inner in (part._parts or (part,))))
        return _attribute(name)

    def __getitem__(self, key: Any) -> Nothing:
        return Nothing()

    def __setitem__(self, key: Any, value: Any) -> None:
        return None

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Iterator[Any]:
        if not self._parts:
            raise TypeError("where answers are graded, this has no value to iterate over")
        return iter(self._parts)

    def __eq__(self, other: object) -> bool:
        raise TypeError("where answers are graded, this has no value to compare")

    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__
    __hash__ = object.__hash__

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


class NotebookModule:
    """A new module in which the learner's cells run in order, and the calls of the answer that they make."""

    def __init__(self, job: dict[str, Any], plain: Any) -> None:
        self._plain = plain
        self._job = job
        self.notes: list[tuple[int, int, str]] = []
        self._future = 0
        self._loop: Any = None
        self._checked = False  # by the statement that runs
        self._problem: BaseException | None = None
        self._entry: Any = self
        self._made: Any = None
        self._folders, self._folder = 0, ""
        self._right: dict[str, Any] = {}
        # Named as in a notebook: dataclasses, pickle and typing look the module of a class up by this name.
        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        self._space = module.__dict__
        self._space["__builtins__"] = builtins
        self._space.update(dict.fromkeys(IN_NOTEBOOKS, Nothing()))
        sys.displayhook = _keep_last
        for name in [name for name in sys.modules if name.partition(".")[0] == "minbpe_course"]:
            del sys.modules[name]

    def run_cells(self, channel: Channel, python_of: Callable[[str], str], packages: Packages) -> None:
        """Run the cells in order. After a statement that fails, note it and run the next one."""
        self._bind(-1)
        for number, source in enumerate(self._job["cells"]):
            if number == self._job["begins"] and self._job["own"] is not None:
                packages.restrict(self._job["own"])
            channel.write({"cell": number})
            if number not in self._job["skip"]:
                _signal.signal(_signal.SIGINT, _signal.default_int_handler)
                try:
                    self._run_cell(number, source, python_of)
                except KeyboardInterrupt:
                    pass
                finally:
                    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
            self._bind(number)
        if self._entry is self:
            self._entry = self._space.get(self._job["entry"], self)

    def _run_cell(self, number: int, source: str, python_of: Callable[[str], str]) -> None:
        try:
            flags = _ast.PyCF_ONLY_AST | ALLOW_TOP_LEVEL_AWAIT | self._future
            text = python_of(source)
            statements = compile(text, "<cell>", "exec", flags, dont_inherit=True).body
        except BaseException as error:
            self._note(number, getattr(error, "lineno", None) or 1, error)
            return
        key = self._job["key"]
        key = key if key in text else key.rpartition(".")[0]  # the check of a class
        last = text.count("\n", 0, text.rfind(key)) + 1 if key and number == len(self._job["cells"]) - 1 else 0
        for statement in statements:
            self._checked = False
            try:
                self._run(statement, self._space)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._note(number, statement.lineno, error)
            if self._checked and statement.lineno <= last <= statement.end_lineno:
                return  # in a notebook, what is below the check in its cell runs after it

    def _run(self, statement: Any, space: dict[str, Any]) -> None:
        flags = ALLOW_TOP_LEVEL_AWAIT | self._future
        code = compile(_ast.Interactive([statement]), "<cell>", "single", flags, dont_inherit=True)
        if isinstance(statement, _ast.ImportFrom) and statement.module == "__future__":
            # As in a notebook, it holds for the cells below, too.
            self._future |= code.co_flags & FUTURE
        if not code.co_flags & COROUTINE and "asyncio" not in sys.modules:
            exec(code, space)
            return
        import asyncio

        async def in_the_loop() -> None:
            value = eval(code, space)
            if code.co_flags & COROUTINE:
                await value

        # As in a notebook, one loop runs in all cells. Under asyncio.run, SIGINT would not stop one without ``await``.
        self._loop = self._loop or asyncio.new_event_loop()
        self._loop.run_until_complete(in_the_loop())

    def _note(self, number: int, line: int, error: BaseException) -> None:
        if not isinstance(error, NotImplementedError) and len(self.notes) < MOST_NOTES:
            self.notes.append((number, line, self._plain.kind_name(type(error))))
        if number >= self._job["begins"]:
            self._problem = self._problem or error

    def _bind(self, number: int) -> None:
        """Put right answers in place of the learner's, after the cell in which the learner's were checked."""
        for name in self._job["bound"].get(number, ()):
            right = self._served(name)
            if right is not None:
                self._space[name] = right

    def _served(self, name: str) -> Any:
        """Return the right answer of this name, or None where none may be given."""
        if name not in self._right:
            for cells, names in self._job["right"]:
                if name in names.values():
                    space: dict[str, Any] = {"__builtins__": builtins, "__name__": "__main__"}
                    try:
                        for cell in cells:
                            exec(compile(cell, "<right>", "exec"), space)
                    except BaseException:  # the learner's cells have changed what it uses
                        continue
                    self._right.update((one, space[one]) for one in names.values() if one in space)
        return self._right.get(name)

    # ---- What the tools of the course do here

    def tools(self) -> dict[str, Any]:
        """Return the functions that the course offers here; the other names in its modules do nothing."""
        nothing = dict.fromkeys(("hint", "keep", "progress", "use_exercises", "how_close", "reset"), Nothing())
        return {"check": self._check, "working": self._working, "mine": self._mine, **nothing}

    def _check(self, key: Any, answer: Any = None, **_points: Any) -> Any:
        if key == self._job["key"] or ("." in str(key) and self._job["key"].startswith(f"{key}.")):
            self._checked = True
            self._entry = self._space.get(self._job["entry"], self) if answer is None else answer
        return Nothing()

    def _working(self, key: str, answer: Any = None) -> Any:
        for _, names in self._job["right"]:
            found = (names[one] for one in names if one == key or one.startswith(f"{key}."))
            right = self._served(next(found, ""))
            if right is not None:
                return right
        return self._space.get(str(key).rpartition(".")[2]) if answer is None else answer

    def _mine(self, name: str) -> Any:
        name = str(name).rpartition(".")[2]  # "05.MyTokenizer" names a lesson, too
        if name in self._space:
            return self._space[name]
        right = self._served(name)
        return Nothing() if right is None else right

    # ---- The calls

    def call(self, message: dict[str, Any]) -> dict[str, Any]:
        """Call the entry, or a method of the object that was made last; return the state and the plain answer.

        keep : the answer is that object, and is not returned. watched : tell whether the arguments were changed.
        after : return what became of them.
        """
        args = message["args"]
        before = self._plain.plain(args) if message.get("watched") else None
        outcome = self._observed(lambda: self._called(message))
        if before is not None and self._differ(args, before):
            outcome["changed"] = True
        if message.get("after"):
            # Changes that an implementation under test makes to its arguments are part of its behaviour.
            outcome["after"] = self._plain.plain(args) if outcome["state"] in ("value", "raised") else args
        return outcome

    def _called(self, message: dict[str, Any]) -> Any:
        if "method" in message:
            step = message["method"], message["args"], self._folder_for(message["args"])
            self._made, value = self._plain.take_step(self._made, *step)
            return value
        self._made = None
        _seed_random()
        entry = getattr(self._entry, message["maker"]) if message.get("maker") else self._entry
        answer = entry(*message["args"], **message.get("kwargs", {}))
        if not message.get("keep"):
            return answer
        self._made, self._folder = answer, ""
        return None

    def _folder_for(self, args: Any) -> str:
        """Return the folder for the files of this case, a new one as in the notebook, made when a step names a file."""
        named = any(type(arg) is str and arg.startswith(self._plain.IN_FOLDER) for arg in args)
        if named and not self._folder:
            self._folders += 1
            self._folder = f"case {self._folders}"
            os.mkdir(self._folder)
        return self._folder

    def _differ(self, after: Any, before: Any) -> bool:
        try:
            return bool(self._plain.plain(after) != before)
        except BaseException:  # it now holds a value that is not plain
            return True

    def test(self, channel: Channel) -> dict[str, Any]:
        """Call the entry, a test, with a function that asks the other side. A test that returns has accepted it."""
        _seed_random()
        outcome = self._observed(lambda: self._entry(RemoteImplementation(channel, self._job["subject"], self._plain)))
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
        if isinstance(self._problem, NotImplementedError):
            return {"state": "blank"}
        if self._problem is not None:
            return self._raised(self._problem)
        return {"state": "refused", "message": f"no cell defines {self._job['entry']}"}

    def _raised(self, error: BaseException) -> dict[str, Any]:
        bases = tuple(self._plain.kind_name(kind) for kind in type(error).__mro__[:20])
        return {"state": "raised", "error": bases[0], "message": _text(error), "bases": bases}


class RemoteImplementation:
    """The implementation under test, as the learner's test sees it: a function whose body is in another process."""

    def __init__(self, channel: Channel, name: str, plain: Any) -> None:
        self.__name__ = name
        self._channel = channel
        self._plain = plain

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Ask, wait, and return, raise, or change the arguments, as the implementation did."""
        self._channel.write({"ask": True, "args": self._plain.plain(args), "kwargs": self._plain.plain(kwargs)})
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


def _keep_last(value: Any) -> None:
    """Keep the value of an expression as ``_``, as a notebook does."""
    if value is not None:
        builtins._ = value  # type: ignore[attr-defined]


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
