"""Run a function in a separate process: a file that is too much for it must not end or stop the tests.

    with Elsewhere(meet) as process:            # a function at the top of a module, of one argument
        answer = process.ask(question)          # what it returned, or Died("exit -11"), Died("no answer in time")

The process is started again after it died.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple

from tests.shared.patience import answered

CPU_SECONDS_AT_FIRST = 300.0  # libraries are imported and kernels may have to be compiled


class Died(NamedTuple):
    """The process gave no answer."""

    how: str


class Elsewhere:
    """A process that answers one question after another with one function."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function
        self.process: Any = None
        self.pipe: Any = None

    def ask(self, question: Any, cpu_seconds: float) -> Any:
        """Return the answer, or Died."""
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
        self.process = context.Process(target=_answer, args=(self.function, theirs), daemon=True)
        self.process.start()
        theirs.close()


def _answer(function: Callable[[Any], Any], pipe: Any) -> None:
    while True:
        try:
            question = pipe.recv()
        except EOFError:
            return
        pipe.send(function(question))
