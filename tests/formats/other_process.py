"""Run a function in a separate process with limits: a damaged file can make a program crash, hang or use all memory.

    with Elsewhere(load_theirs) as theirs:      # a function at the top of a module, of one argument
        answer = theirs.ask(files)              # what it returned, or Died("exit -11"), Died("no answer in time")

The process is started again after it died. An exception that leaves the function comes back as ``Raised``.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple

from tests.shared.patience import answered

CPU_SECONDS = 20.0
CPU_SECONDS_AT_FIRST = 300.0  # libraries are imported and kernels may have to be compiled
MOST_MEMORY = 4 << 30


class Died(NamedTuple):
    """The process gave no answer."""

    how: str


class Raised(NamedTuple):
    """An exception left the function."""

    kind: str
    message: str


class Elsewhere:
    """A process that answers one question after another with one function."""

    def __init__(self, function: Callable[[Any], Any], most_memory: int = MOST_MEMORY) -> None:
        self.function = function
        self.most_memory = most_memory
        self.process: Any = None
        self.pipe: Any = None

    def ask(self, question: Any, cpu_seconds: float = CPU_SECONDS) -> Any:
        """Return the answer, Raised or Died."""
        if self.process is None or not self.process.is_alive():
            self._start()
            cpu_seconds += CPU_SECONDS_AT_FIRST
        try:
            self.pipe.send(question)
            if answered(self.pipe.poll, self.process.pid, cpu_seconds):
                return self.pipe.recv()
            how = "no answer in time"
        except (EOFError, OSError):
            self.process.join()
            how = f"exit {self.process.exitcode}"
        self.close()
        return Died(how)

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.pipe.close()
            self.process = None

    def __enter__(self) -> Elsewhere:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_answer, args=(self.function, theirs, self.most_memory), daemon=True)
        self.process.start()
        theirs.close()


def _answer(function: Callable[[Any], Any], pipe: Any, most_memory: int) -> None:
    _limit_memory(most_memory)
    while True:
        try:
            question = pipe.recv()
        except EOFError:
            return
        try:
            answer = function(question)
        except BaseException as error:  # a panic of Rust is not an Exception
            if isinstance(error, KeyboardInterrupt):
                return
            answer = Raised(type(error).__name__, str(error)[:2000])
        pipe.send(answer)


def _limit_memory(most: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
