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
import threading
from collections.abc import Callable, Iterator
from io import TextIOWrapper
from typing import Any

from minbpe_course.cli.terminal import ESCAPED, tell
from minbpe_course.errors import MinbpeCourseError
from minbpe_course.files import remove_unfinished

FAILURE, INTERRUPTED, BROKEN_PIPE, SIGNALLED = 2, 130, 141, 128
SIGNALS = ("SIGTERM", "SIGHUP")
# Windows reports a closed pipe as EINVAL.
CLOSED_PIPE = (errno.EPIPE, errno.EINVAL) if os.name == "nt" else (errno.EPIPE,)


class Terminated(BaseException):
    """A signal that ends this process; a BaseException like KeyboardInterrupt, so that no handler catches it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def guarded(name: str, work: Callable[[], int], *, program: bool = True) -> int:
    """Run ``work`` and return its exit code; print an error to stderr, after ``name``.

    program : whether the process ends afterwards; a second Ctrl-C is then ignored. SystemExit and programming errors
    are raised.
    """
    with _streams_that_encode_everything(), _signals_that_raise(program) as handler:
        try:
            try:
                return _flushed(work)
            finally:
                # Here, not below: a second signal may arrive before the first line of an except clause runs.
                handler.ignores = program
        except MinbpeCourseError as problem:
            return _end(FAILURE, f"{name}: {problem}")
        except KeyboardInterrupt as problem:
            _ignore_signals(program)
            return _end(INTERRUPTED, f"{name}: {str(problem) or 'interrupted'}")
        except Terminated as end:
            _ignore_signals(program)
            return _end(SIGNALLED + end.number, f"{name}: ended by {signal.Signals(end.number).name}")
        except OSError as problem:
            if problem.errno in CLOSED_PIPE and problem.filename is None:
                return _end(BROKEN_PIPE)
            return _end(FAILURE, f"{name}: {_message(problem)}")
        except MemoryError:
            return _end(FAILURE, f"{name}: there is not enough memory for this. Give it less at once.")
        finally:
            _flush_or_discard(sys.stderr)
            if program:
                remove_unfinished()


def _flushed(work: Callable[[], int]) -> int:
    """Run ``work`` and flush standard output here, where an error can still be reported."""
    try:
        code = work()
    except SystemExit:
        _flush(sys.stdout)
        raise
    _flush(sys.stdout)
    return code


def _flush(stream: Any) -> None:
    # None: a program without a console.
    if stream is not None and not stream.closed:
        stream.flush()


def _end(code: int, message: str = "") -> int:
    _flush_or_discard(sys.stdout)
    with contextlib.suppress(OSError, ValueError):
        if message:
            tell(message)
    return code


def _flush_or_discard(stream: Any) -> None:
    """Flush; after an error redirect the stream to /dev/null, so that interpreter shutdown does not raise again."""
    try:
        _flush(stream)
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def _message(problem: OSError) -> str:
    why = problem.strerror or str(problem) or type(problem).__name__
    if problem.filename is not None:
        return f"{str(problem.filename)[:300]}: {why}."
    full = problem.errno in (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
    return f"cannot write the output: {why}. It is incomplete." if full else f"{why}."


@contextlib.contextmanager
def _streams_that_encode_everything() -> Iterator[None]:
    """Let stdout and stderr write an escape for each character that their encoding lacks."""
    before = sys.stdout, sys.stderr
    changed: list[tuple[TextIOWrapper, str]] = []
    with contextlib.ExitStack() as stack:
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream is None:
                # The caller closed it (>&-), or there is no console: pythonw.
                nowhere = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123
                setattr(sys, name, nowhere)
            elif isinstance(stream, TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
                changed.append((stream, stream.errors))
                stream.reconfigure(errors=ESCAPED)
        try:
            yield
        finally:
            for stream, errors in changed:
                with contextlib.suppress(OSError, ValueError):
                    stream.reconfigure(errors=errors)
            sys.stdout, sys.stderr = before


class _Handler:
    """Whether the signal handler ignores a second signal while the first one is being handled."""

    ignores = False


@contextlib.contextmanager
def _signals_that_raise(program: bool) -> Iterator[_Handler]:
    """Let SIGTERM and SIGHUP raise Terminated, unless they have a handler; in a program, handle Ctrl-C as well."""
    handler = _Handler()
    if threading.current_thread() is not threading.main_thread():
        yield handler
        return
    process = os.getpid()

    def end(number: int, frame: object) -> None:
        del frame
        if os.getpid() != process:
            os._exit(SIGNALLED + number)  # a forked child, which has nothing to clean up
        if not handler.ignores:
            raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)

    before: dict[int, Any] = {getattr(signal, name): signal.SIG_DFL for name in SIGNALS if hasattr(signal, name)}
    if program:
        before[signal.SIGINT] = signal.default_int_handler
    ours = {number: was for number, was in before.items() if signal.getsignal(number) is was}
    for number in ours:
        signal.signal(number, end)
    try:
        yield handler
    finally:
        for number, was in ours.items():
            if signal.getsignal(number) is end:
                signal.signal(number, was)


def _ignore_signals(program: bool) -> None:
    if program and threading.current_thread() is threading.main_thread():
        for name in ("SIGINT", *SIGNALS):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
