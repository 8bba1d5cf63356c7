"""Run a verb and return its exit code: one message for each error, and no half-written file.

    0     success                                  130   interrupted by Ctrl-C
    1     success, and the answer is no            141   the reader of the output stopped (| head -1); no message
    2     failure, with a message on stderr        143   ended by SIGTERM (129: by SIGHUP)

A signal raises an exception, so that code that is writing a file removes the unfinished part.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

from minbpe_course.cli.terminal import tell
from minbpe_course.errors import MinbpeCourseError

FAILURE, INTERRUPTED, BROKEN_PIPE, SIGNALLED = 2, 130, 141, 128
# Windows reports a closed pipe as EINVAL.
CLOSED_PIPE = (errno.EPIPE, errno.EINVAL) if os.name == "nt" else (errno.EPIPE,)
FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


class Terminated(BaseException):
    """A signal that ends this process; a BaseException like KeyboardInterrupt, so that no handler catches it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _Signals:
    """Let signals that end a program raise, unless they have a handler; once ``answering`` is set, ignore them."""

    def __init__(self, program: bool) -> None:
        usual = {"SIGINT": signal.default_int_handler, "SIGTERM": signal.SIG_DFL, "SIGHUP": signal.SIG_DFL}
        numbers = {getattr(signal, name): usual[name] for name in usual if program and hasattr(signal, name)}
        self._before = {number: was for number, was in numbers.items() if signal.getsignal(number) is was}
        self._process = os.getpid()
        self._received = self.answering = False

    def __enter__(self) -> _Signals:
        for number in self._before:
            signal.signal(number, self._end)
        return self

    def __exit__(self, *error: object) -> None:
        for number, was in self._before.items():
            if signal.getsignal(number) == self._end:
                # After a signal, the process ends: a second one must not disturb its last steps.
                signal.signal(number, signal.SIG_IGN if self._received else was)

    def _end(self, number: int, frame: object) -> None:
        if os.getpid() != self._process:
            os._exit(SIGNALLED + number)  # a forked child, which has nothing to clean up
        self._received = True
        if not self.answering:
            raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)


def guarded(name: str, work: Callable[[], int], *, program: bool = True) -> int:
    """Run ``work`` and return its exit code; print an error to stderr, after ``name``.

    program : whether the process ends afterwards; only then are signals handled. SystemExit and programming errors are
    raised.
    """
    with _streams(), _Signals(program) as signals:
        try:
            try:
                return _flushed(work)
            finally:
                # Here, not below: a second signal may arrive before the first line of an except clause runs.
                signals.answering = True
        except MinbpeCourseError as problem:
            return _end(FAILURE, f"{name}: {problem}")
        except KeyboardInterrupt as problem:
            return _end(INTERRUPTED, f"{name}: {str(problem) or 'interrupted'}")
        except Terminated as end:
            return _end(SIGNALLED + end.number, f"{name}: ended by {signal.Signals(end.number).name}")
        except OSError as problem:
            if problem.errno in CLOSED_PIPE and problem.filename is None:
                return _end(BROKEN_PIPE)
            return _end(FAILURE, f"{name}: {_message(problem)}")
        except MemoryError:
            return _end(FAILURE, f"{name}: there is not enough memory for this. Give it less at once.")
        finally:
            _flush_or_discard(sys.stderr)


@contextlib.contextmanager
def _streams() -> Iterator[None]:
    """Discard output if stdout or stderr is missing: the caller closed it (>&-), or there is no console."""
    with (
        open(os.devnull, "w", encoding="utf-8") as nowhere,  # noqa: PTH123
        contextlib.redirect_stdout(sys.stdout or nowhere),
        contextlib.redirect_stderr(sys.stderr or nowhere),
    ):
        yield


def _flushed(work: Callable[[], int]) -> int:
    """Run ``work`` and flush standard output here, where an error can still be reported."""
    try:
        code = work()
    except SystemExit:
        sys.stdout.flush()
        raise
    sys.stdout.flush()
    return code


def _end(code: int, message: str = "") -> int:
    _flush_or_discard(sys.stdout)
    if message:
        tell(message)
    return code


def _flush_or_discard(stream: Any) -> None:
    """Flush; after an error redirect the stream to /dev/null, so that interpreter shutdown does not raise again."""
    try:
        stream.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def _message(problem: OSError) -> str:
    why = problem.strerror or str(problem) or type(problem).__name__
    if problem.filename is not None:
        return f"{str(problem.filename)[:300]}: {why}."
    return f"cannot write the output: {why}. It is incomplete." if problem.errno in FULL else f"{why}."
