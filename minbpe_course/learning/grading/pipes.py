"""Exchange lines with an untrusted process over its pipes; every step has a bound in time and in size.

    pipes = open_pipes(process, most_bytes)
    pipes.send(b"...", deadline)        TooLate when the process does not read
    pipes.receive(deadline)             one whole line; TooLate, TooLong, or Closed when the process has hung up

A deadline is a function that says how long to wait before asking it again, so it can count something other than the
clock, such as the processor time of the process. Limits: where pipes cannot be polled (Windows), two threads do the
work; a thread that is stuck on a pipe stays until the process at the other end is gone.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

CHUNK = 1 << 16
# Returns how many seconds to wait before asking again; zero or less when the deadline has passed.
Deadline = Callable[[], float]


def by_the_clock(seconds: float) -> Deadline:
    """Return a deadline so many seconds from now."""
    ends = time.monotonic() + seconds
    return lambda: ends - time.monotonic()


class PipeProblem(Exception):
    """The conversation cannot continue. Handled inside this package, never shown to a user."""


class TooLate(PipeProblem):
    """The deadline has passed."""


class Closed(PipeProblem):
    """The other end is gone."""


class TooLong(PipeProblem):
    """More was written than will be read."""


def open_pipes(process: subprocess.Popen[bytes], most_bytes: int) -> Pipes:
    """Return the pipes of a process whose standard input and output are unbuffered."""
    return (PolledPipes if hasattr(select, "poll") else ThreadedPipes)(process, most_bytes)


class Pipes:
    """Both directions of a conversation, and the bytes that were read but not yet taken."""

    def __init__(self, process: subprocess.Popen[bytes], most_bytes: int) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdout, process.stdin
        self._most = most_bytes
        self._parts: list[bytes] = []  # of the line that is not complete yet
        self._size = 0
        self._lines: list[bytes] = []

    def send(self, data: bytes, deadline: Deadline) -> None:
        """Write all of the data."""
        raise NotImplementedError

    def _read(self, deadline: Deadline) -> bytes:
        """Return some bytes; none when the other end is closed."""
        raise NotImplementedError

    def receive(self, deadline: Deadline) -> bytes:
        """Return the next whole line without its end."""
        while not self._lines:
            if self._size > self._most:
                raise TooLong(f"more than {self._most:,} bytes were written as one answer")
            data = self._read(deadline)
            if not data:
                raise Closed
            *whole, rest = data.split(b"\n")
            if whole:
                whole[0] = b"".join([*self._parts, whole[0]])
                self._lines += whole
                self._parts, self._size = [], 0
            self._parts.append(rest)
            self._size += len(rest)
        line = self._lines.pop(0)
        if len(line) > self._most:
            raise TooLong(f"more than {self._most:,} bytes were written as one answer")
        return line

    def close(self) -> None:
        """Close both pipes; nothing more is read."""
        for pipe in (self._out, self._in):
            with contextlib.suppress(OSError):
                pipe.close()


class PolledPipes(Pipes):
    """Pipes that can be polled."""

    def __init__(self, process: subprocess.Popen[bytes], most_bytes: int) -> None:
        super().__init__(process, most_bytes)
        for pipe in (self._in, self._out):
            os.set_blocking(pipe.fileno(), False)
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(self._in.fileno(), select.POLLIN)
        self._writable.register(self._out.fileno(), select.POLLOUT)

    def send(self, data: bytes, deadline: Deadline) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._out.fileno(), rest) :]
            except BlockingIOError:
                _wait(self._writable, deadline)
            except OSError:
                raise Closed from None

    def _read(self, deadline: Deadline) -> bytes:
        while True:
            _wait(self._readable, deadline)
            try:
                return os.read(self._in.fileno(), CHUNK)
            except BlockingIOError:
                continue
            except OSError:
                return b""


def _wait(poll: select.poll, deadline: Deadline) -> None:
    while (left := deadline()) > 0:
        if poll.poll(left * 1000 + 1):
            return
    raise TooLate


class ThreadedPipes(Pipes):
    """Pipes that can only block: one thread reads, another writes.

    Each thread closes its own pipe when it ends. Closed from outside, the number of the pipe could be given to the
    next process's pipe while the thread is about to read, and it would take what that process writes.
    """

    def __init__(self, process: subprocess.Popen[bytes], most_bytes: int) -> None:
        super().__init__(process, most_bytes)
        # At most two chunks wait, so that a flood stays in the pipe.
        self._read_chunks: queue.Queue[bytes] = queue.Queue(2)
        self._to_write: queue.Queue[bytes | None] = queue.Queue()
        self._written: queue.Queue[bool] = queue.Queue()
        self._over = False
        for work in (self._keep_reading, self._keep_writing):
            threading.Thread(target=work, daemon=True).start()

    def _keep_reading(self) -> None:
        data = b"?"
        with self._in:
            while data and not self._over:
                try:
                    data = os.read(self._in.fileno(), CHUNK)
                except OSError:
                    data = b""
                self._read_chunks.put(data)

    def _keep_writing(self) -> None:
        with contextlib.suppress(OSError), self._out:
            while (data := self._to_write.get()) is not None:
                try:
                    rest = memoryview(data)
                    while rest and not self._over:
                        rest = rest[os.write(self._out.fileno(), rest) :]
                    self._written.put(True)
                except OSError:
                    self._written.put(False)

    def send(self, data: bytes, deadline: Deadline) -> None:
        self._to_write.put(data)
        if not _get(self._written, deadline):
            raise Closed

    def _read(self, deadline: Deadline) -> bytes:
        chunk: bytes = _get(self._read_chunks, deadline)
        return chunk

    def close(self) -> None:
        """Let both threads end; the process at the other end is expected to be gone."""
        self._over = True
        self._to_write.put(None)
        while not self._read_chunks.empty():
            self._read_chunks.get_nowait()


def _get(waiting: queue.Queue, deadline: Deadline) -> Any:
    while (left := deadline()) > 0:
        with contextlib.suppress(queue.Empty):
            return waiting.get(timeout=left)
    raise TooLate
