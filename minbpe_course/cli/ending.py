"""How every verb ends: one message for whatever went wrong, the exit code that says so, and nothing half-written.

    0     it did its work                          130   Ctrl-C
    1     it did, and the answer is no             141   nobody reads the output any more (| head -1), said by no word
    2     it could not, and a message says why     143   ended by SIGTERM (129: by SIGHUP, the terminal is gone)

A signal becomes an exception, so that whoever is writing a file removes the part of it that is there.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from io import TextIOWrapper
from typing import Any

from minbpe_course.errors import MinbpeCourseError
from minbpe_course.files import remove_unfinished

TROUBLE, INTERRUPTED, UNREAD, SIGNALLED = 2, 130, 141, 128
ENDING = ("SIGTERM", "SIGHUP")
# Windows says so where others say EPIPE.
NOBODY_READS = (errno.EPIPE, errno.EINVAL) if os.name == "nt" else (errno.EPIPE,)

ESCAPED = "minbpe_course_escaped"


def escaped(error: UnicodeError) -> tuple[str, int]:
    r"""Write characters that an encoding lacks as ``\u00ef`` or ``\U0001f44b``; an error handler of codecs.

    Python's own ``backslashreplace`` writes the first as ``\xef``, which here means a byte.

    >>> "na\u00efve \U0001f44b".encode("ascii", ESCAPED)
    b'na\\u00efve \\U0001f44b'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    codes = map(ord, error.object[error.start : error.end])
    return "".join(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}" for code in codes), error.end


codecs.register_error(ESCAPED, escaped)


class Ended(BaseException):
    """A signal asks this process to end; like KeyboardInterrupt, nothing on the way should catch it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def guarded(name: str, work: Callable[[], int], *, program: bool = True) -> int:
    """Do the work of a verb and return the exit code; what goes wrong is said on stderr, after ``name``.

    program : whether the process ends with this, so that a second Ctrl-C need not be heard. What is a fault of ours
    is raised, and so is SystemExit.

    >>> guarded("example", lambda: 0, program=False)
    0
    """
    with _streams_that_can_write_everything(), _signals_that_raise(program) as listening:
        try:
            try:
                return _with_all_written(work)
            finally:
                # Here, not below: a second signal may come before the first line of what answers the first one.
                listening.over = program
        except MinbpeCourseError as problem:
            return _over(TROUBLE, f"{name}: {problem}")
        except KeyboardInterrupt as problem:
            _hear_no_more(program)
            return _over(INTERRUPTED, f"{name}: {str(problem) or 'interrupted'}")
        except Ended as end:
            _hear_no_more(program)
            return _over(SIGNALLED + end.number, f"{name}: ended by {signal.Signals(end.number).name}")
        except OSError as problem:
            if problem.errno in NOBODY_READS and problem.filename is None:
                return _over(UNREAD)
            return _over(TROUBLE, f"{name}: {_in_words(problem)}")
        except MemoryError:
            return _over(TROUBLE, f"{name}: there is not enough memory for this. Give it less at once.")
        finally:
            _let_go(sys.stderr)
            if program:
                remove_unfinished()


def _with_all_written(work: Callable[[], int]) -> int:
    """What is still in a buffer would fail where nobody hears it: when Python ends."""
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


def _over(code: int, message: str = "") -> int:
    """Say the message, and see that Python can end in peace."""
    _let_go(sys.stdout)
    with contextlib.suppress(OSError, ValueError):
        if message and sys.stderr is not None:
            print(message, file=sys.stderr)
    return code


def _let_go(stream: Any) -> None:
    """Flush; what cannot be written goes where nothing fails, for Python would try once more at the end."""
    try:
        _flush(stream)
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def _in_words(problem: OSError) -> str:
    why = problem.strerror or str(problem) or type(problem).__name__
    if problem.filename is not None:
        return f"{str(problem.filename)[:300]}: {why}."
    full = problem.errno in (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
    return f"the output could not be written: {why}. It is not whole." if full else f"{why}."


@contextlib.contextmanager
def _streams_that_can_write_everything() -> Iterator[None]:
    """See that no character stops a verb: what an output cannot write is written as an escape."""
    before = sys.stdout, sys.stderr
    errors: list[tuple[TextIOWrapper, str]] = []
    with contextlib.ExitStack() as open_until_then:
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream is None:
                # Closed by whoever called (>&-), or never there: pythonw.
                nowhere = open_until_then.enter_context(open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123
                setattr(sys, name, nowhere)
            elif isinstance(stream, TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
                errors.append((stream, stream.errors))
                stream.reconfigure(errors=ESCAPED)
        try:
            yield
        finally:
            for stream, was in errors:
                with contextlib.suppress(OSError, ValueError):
                    stream.reconfigure(errors=was)
            sys.stdout, sys.stderr = before


class _Listening:
    """Whether signals are still heard: once ``over``, whoever answers the first is not disturbed by a second."""

    over = False


@contextlib.contextmanager
def _signals_that_raise(program: bool) -> Iterator[_Listening]:
    """Let SIGTERM and SIGHUP raise Ended, where nobody else has chosen what they do, and of a program also Ctrl-C."""
    listening = _Listening()
    if threading.current_thread() is not threading.main_thread():
        yield listening
        return
    process = os.getpid()

    def end(number: int, frame: object) -> None:
        del frame
        if os.getpid() != process:
            os._exit(SIGNALLED + number)  # a fork of ours, which has nothing to tidy up
        if not listening.over:
            raise KeyboardInterrupt if number == signal.SIGINT else Ended(number)

    before: dict[int, Any] = {getattr(signal, name): signal.SIG_DFL for name in ENDING if hasattr(signal, name)}
    if program:
        before[signal.SIGINT] = signal.default_int_handler
    ours = {number: was for number, was in before.items() if signal.getsignal(number) is was}
    for number in ours:
        signal.signal(number, end)
    try:
        yield listening
    finally:
        for number, was in ours.items():
            if signal.getsignal(number) is end:
                signal.signal(number, was)


def _hear_no_more(program: bool) -> None:
    if program and threading.current_thread() is threading.main_thread():
        for name in ("SIGINT", *ENDING):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
