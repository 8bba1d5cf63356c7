"""A line-by-line conversation with a process that cannot be trusted: every step has an end in time and in size.

    line = open_line(process, most_bytes)
    line.send(b"...", deadline)        LineLate when the process does not read
    line.receive(deadline)             one whole line; LineLate, LineBroken (too long), LineClosed (it has hung up)

A Deadline says how long to wait before asking it again, so it can count something other than the clock, such as the
processor time of the process. Limits: where pipes cannot be polled (Windows) two threads do it; a thread that is stuck
on a pipe is left behind until the process at the other end is gone.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import subprocess
import threading
import time
from typing import Any, Protocol

CHUNK = 1 << 16


class Deadline(Protocol):
    """When to stop waiting."""

    def left(self) -> float:
        """Return how many seconds to wait before asking again; none are left when it is zero or less."""
        ...


class ByTheClock:
    """A deadline so many seconds from now.

    >>> ByTheClock(30).left() > 29, ByTheClock(0).left() > 0
    (True, False)
    """

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds from now to the deadline."""
        return self._ends - time.monotonic()


class LineProblem(Exception):
    """The conversation cannot continue. Handled inside this package, never shown to a user."""


class LineLate(LineProblem):
    """The deadline has passed."""


class LineClosed(LineProblem):
    """The other end is gone."""


class LineBroken(LineProblem):
    """More came than will be read."""


class Line(Protocol):
    """Both directions of a conversation."""

    def send(self, data: bytes, deadline: Deadline) -> None:
        """Write all of the data."""
        ...

    def receive(self, deadline: Deadline) -> bytes:
        """Return the next whole line without its end."""
        ...

    def close(self) -> None:
        """Let go of both pipes; nothing more is read."""
        ...


def open_line(process: subprocess.Popen[bytes], most_bytes: int) -> Line:
    """Return a line to a process whose standard input and output are unbuffered pipes.

    >>> import sys
    >>> echo = [sys.executable, "-c", "import sys; print(sys.stdin.readline().upper(), end='', flush=True)"]
    >>> process = subprocess.Popen(echo, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    >>> line = open_line(process, 1000)
    >>> line.send(b"low\\n", ByTheClock(30))
    >>> line.receive(ByTheClock(30))
    b'LOW'
    >>> line.close()
    >>> process.wait()
    0
    """
    return (PolledLine if hasattr(select, "poll") else ThreadedLine)(process, most_bytes)


class _Pending:
    """What has been read and not yet taken."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._parts: list[bytes] = []
        self._size = 0
        self._lines: list[bytes] = []

    def add(self, data: bytes) -> None:
        *whole, rest = data.split(b"\n")
        if whole:
            whole[0] = b"".join([*self._parts, whole[0]])
            self._lines += whole
            self._parts, self._size = [], 0
        self._parts.append(rest)
        self._size += len(rest)

    def take(self) -> bytes | None:
        if not self._lines:
            if self._size > self._most:
                raise LineBroken(f"more than {self._most:,} bytes were written as one answer")
            return None
        line = self._lines.pop(0)
        if len(line) > self._most:
            raise LineBroken(f"more than {self._most:,} bytes were written as one answer")
        return line


class PolledLine:
    """A line over pipes that can be polled."""

    def __init__(self, process: subprocess.Popen[bytes], most_bytes: int) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdout, process.stdin
        for pipe in (self._in, self._out):
            os.set_blocking(pipe.fileno(), False)
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(self._in.fileno(), select.POLLIN)
        self._writable.register(self._out.fileno(), select.POLLOUT)
        self._pending = _Pending(most_bytes)

    def send(self, data: bytes, deadline: Deadline) -> None:
        """Write all of the data."""
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._out.fileno(), rest) :]
            except BlockingIOError:
                _wait(self._writable, deadline)
            except OSError:
                raise LineClosed from None

    def receive(self, deadline: Deadline) -> bytes:
        """Return the next whole line without its end."""
        while (line := self._pending.take()) is None:
            _wait(self._readable, deadline)
            try:
                data = os.read(self._in.fileno(), CHUNK)
            except BlockingIOError:
                continue
            except OSError:
                raise LineClosed from None
            if not data:
                raise LineClosed
            self._pending.add(data)
        return line

    def close(self) -> None:
        """Let go of both pipes; nothing more is read."""
        self._in.close()
        self._out.close()


def _wait(poll: select.poll, deadline: Deadline) -> None:
    while (left := deadline.left()) > 0:
        if poll.poll(left * 1000 + 1):
            return
    raise LineLate


class ThreadedLine:
    """The same over pipes that can only block: one thread reads, another writes."""

    def __init__(self, process: subprocess.Popen[bytes], most_bytes: int) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdout, process.stdin
        self._pending = _Pending(most_bytes)
        # Two chunks wait at most, so a flood stays in the pipe.
        self._read: queue.Queue[bytes] = queue.Queue(2)
        self._write: queue.Queue[bytes | None] = queue.Queue()
        self._written: queue.Queue[bool] = queue.Queue()
        for work in (self._keep_reading, self._keep_writing):
            threading.Thread(target=work, daemon=True).start()

    def _keep_reading(self) -> None:
        data = b"?"
        while data:
            try:
                data = os.read(self._in.fileno(), CHUNK)
            except (OSError, ValueError):
                data = b""
            self._read.put(data)

    def _keep_writing(self) -> None:
        while (data := self._write.get()) is not None:
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(self._out.fileno(), rest) :]
                self._written.put(True)
            except (OSError, ValueError):
                self._written.put(False)

    def send(self, data: bytes, deadline: Deadline) -> None:
        """Write all of the data."""
        self._write.put(data)
        if not _get(self._written, deadline):
            raise LineClosed

    def receive(self, deadline: Deadline) -> bytes:
        """Return the next whole line without its end."""
        while (line := self._pending.take()) is None:
            data = _get(self._read, deadline)
            if not data:
                raise LineClosed
            self._pending.add(data)
        return line

    def close(self) -> None:
        """Let both threads end; the process at the other end is expected to be gone."""
        self._write.put(None)
        for pipe in (self._out, self._in):
            try:
                pipe.close()
            except OSError:
                continue
        while not self._read.empty():
            self._read.get_nowait()


def _get(waiting: queue.Queue, deadline: Deadline) -> Any:
    while (left := deadline.left()) > 0:
        with contextlib.suppress(queue.Empty):
            return waiting.get(timeout=left)
    raise LineLate
