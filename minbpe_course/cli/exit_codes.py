"""Run a verb and return its exit code: one message for each error, and no half-written file.

    0     success                                  130   interrupted by Ctrl-C
    1     success, and the answer is no            141   the reader of the output stopped (| head -1); no message
    2     failure, with a message on stderr        143   ended by SIGTERM (129: by SIGHUP)
    70    a fault of this program, with a traceback on stderr

A signal raises an exception, so that code that is writing a file removes the unfinished part.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any

from minbpe_course.cli.terminal import tell
from minbpe_course.errors import MinbpeCourseError

FAILURE, FAULT, BROKEN_PIPE, SIGNALLED = 2, 70, 141, 128
# Windows reports a closed pipe as EINVAL.
CLOSED_PIPE = (errno.EPIPE, errno.EINVAL) if os.name == "nt" else (errno.EPIPE,)
FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
# Writing to a closed output fails as in other programs. On Windows, a program without a console has no output.
_CLOSED = os.O_RDWR if os.name == "nt" else os.O_RDONLY
# The loader of libraries says this for ENOMEM.
_NO_MEMORY = "failed to map segment from shared object", "cannot allocate memory"


class _Signals:
    """Let signals that end a program raise KeyboardInterrupt, unless they have a handler.

    received : the number of the first one, 0 for none. Once ``answering`` is set, they are ignored.
    """

    def __init__(self, program: bool) -> None:
        usual = {"SIGINT": signal.default_int_handler, "SIGTERM": signal.SIG_DFL, "SIGHUP": signal.SIG_DFL}
        numbers = {getattr(signal, name): usual[name] for name in usual if program and hasattr(signal, name)}
        self._before = {number: was for number, was in numbers.items() if signal.getsignal(number) is was}
        self._process = os.getpid()
        self.received = 0
        self.answering = False

    def __enter__(self) -> _Signals:
        for number in self._before:
            signal.signal(number, self._end)
        return self

    def __exit__(self, *error: object) -> None:
        for number, was in self._before.items():
            if signal.getsignal(number) == self._end:
                # After a signal, the process ends: a second one must not disturb its last steps.
                signal.signal(number, signal.SIG_IGN if self.received else was)

    def _end(self, number: int, frame: object) -> None:
        if os.getpid() != self._process:
            os._exit(SIGNALLED + number)  # a forked child, which has nothing to clean up
        self.received = self.received or number
        if not self.answering:
            raise KeyboardInterrupt


def guarded(name: str, work: Callable[[], int], *, program: bool = True) -> int:
    """Run ``work`` and return its exit code; print an error to stderr, after ``name``.

    program : whether the process ends afterwards; only then are signals and programming errors handled. SystemExit is
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
            number = signals.received or signal.SIGINT
            how = "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
            return _end(SIGNALLED + number, f"{name}: {str(problem) or how}")
        except Exception as problem:
            if _lacks_memory(problem):
                return _end(FAILURE, f"{name}: there is not enough memory for this. Give it less at once.")
            if isinstance(problem, OSError):
                if problem.errno in CLOSED_PIPE and problem.filename is None:
                    return _end(BROKEN_PIPE)
                return _end(FAILURE, f"{name}: {_message(problem)}")
            if not program:
                raise
            return _end(FAULT, f"{traceback.format_exc()}{name}: this is a fault of {name}; please report it.")
        finally:
            _flush_or_discard(sys.stderr)


@contextlib.contextmanager
def _streams() -> Iterator[None]:
    """Stand in for streams that the caller has closed (>&-); their numbers must not become those of other files."""
    with contextlib.ExitStack() as stack:

        def stand_in(access: int) -> Any:
            return stack.enter_context(os.fdopen(os.open(os.devnull, access), "w", encoding="utf-8"))

        if sys.stdin is None:
            stand_in(os.O_WRONLY)
        stack.enter_context(contextlib.redirect_stdout(sys.stdout or stand_in(_CLOSED)))
        stack.enter_context(contextlib.redirect_stderr(sys.stderr or stand_in(os.O_WRONLY)))
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


def _lacks_memory(problem: BaseException | None) -> bool:
    """Tell whether an error, or one that led to it, comes from a lack of memory."""
    if problem is None or isinstance(problem, MemoryError) or getattr(problem, "errno", None) == errno.ENOMEM:
        return problem is not None
    return any(words in str(problem) for words in _NO_MEMORY) or _lacks_memory(problem.__context__)


def _message(problem: OSError) -> str:
    why = problem.strerror or str(problem) or type(problem).__name__
    if problem.filename is not None:
        return f"{str(problem.filename)[:300]}: {why}."
    if problem.errno == errno.EBADF:
        return "cannot write the output: standard output is closed."
    return f"cannot write the output: {why}. It is incomplete." if problem.errno in FULL else f"{why}."
