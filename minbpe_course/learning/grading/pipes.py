"""Exchange lines with an untrusted process over its pipes; every step has a bound in time and in size.

    pipes = Pipes(process, most_bytes)
    pipes.send(b"...", deadline)        TooLate when the process does not read
    pipes.receive(deadline)             one whole line; TooLate, TooLong, or Closed when the process has hung up

A deadline is a function that says how long to wait before asking it again, so it can count something other than the
clock, such as the processor time of the process. Limits: two threads do the work, since Windows cannot poll pipes; a
thread that is stuck on a pipe stays until the process at the other end is gone.
"""

from __future__ import annotations

import contextlib
import os
import queue
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


class Pipes:
    """Both directions of a conversation: one thread reads, another writes.

    Each thread closes its own pipe when it ends. Closed from outside, the number of the pipe could be given to the
    next process's pipe while the thread is about to read, and it would take what that process writes.
    """

    def __init__(self, process: subprocess.Popen[bytes], most_bytes: int) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdout, process.stdin
        self._most = most_bytes
        self._parts: list[bytes] = []  # of the line that is not complete yet
        self._size = 0
        self._lines: list[bytes] = []
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
        """Write all of the data."""
        self._to_write.put(data)
        if not _get(self._written, deadline):
            raise Closed

    def receive(self, deadline: Deadline) -> bytes:
        """Return the next whole line without its end."""
        while not self._lines:
            if self._size > self._most:
                raise TooLong(f"more than {self._most:,} bytes were written as one answer")
            data = _get(self._read_chunks, deadline)
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
