"""Start workers as forks of a process that is in a sandbox already and has loaded everything that a worker needs.

    start_fork(command, packages, settings)        a worker, or None where forks do not work

A new interpreter in a new sandbox takes four times as long. The process that forks runs no answer, so each worker
begins in the same state, with separate namespaces, a new folder and another user (``inside.forked``,
``inside.confine``). It gets the settings and the pipes over a socket, and never reads the pipes.

Each thread has its own, which ends with the thread, and its workers with it. Limits: Linux only.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct
import subprocess
import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minbpe_course.learning.grading.sandbox.base import SECONDS_TO_DIE, SECONDS_TO_END, Ends, Started
from minbpe_course.learning.grading.sandbox.inside import CONFINED, FORGET
from minbpe_course.learning.judge.plain_values import to_json

SECONDS_TO_FORK = 20.0
LONGEST_REPLY = 1_000
# linux/socket.h: ask for the sender of each message, and where it is found. Python names them only since 3.11.
_ASK_FOR_SENDER, _SENDER = 16, 2
Command = Callable[[tuple[str, ...], int], list[str]]
_MINE = threading.local()  # the processes of each thread, by the packages that can be imported
_REFUSED = threading.Event()  # forks do not work on this machine
_WORKED = threading.Event()


@dataclass
class Forked(Started):
    """A worker that another process has forked, the first of its process namespace: all others end with it."""

    process: Ends  # type: ignore[assignment]
    number: int = 0
    handle: int = -1  # of the process: the kernel never gives it to another one
    forget: Callable[[], None] = lambda: None  # tells the process that forked it that it has ended

    def worker(self) -> int:
        """Return the id of the process in which the answer runs."""
        return self.number

    def killed(self) -> bool:
        """Tell whether something outside has killed the worker, which has hung up.

        In its namespace it is the first process, which no signal from inside can kill.
        """
        self._wait(SECONDS_TO_DIE)
        try:
            # The process that forked it takes notice of its end in ``forget`` only.
            about = Path(f"/proc/{self.number}/stat").read_text(encoding="utf-8", errors="replace")
            return int(about.rpartition(")")[2].split()[49]) & 0x7F == signal.SIGKILL
        except (OSError, ValueError, IndexError):  # that process was killed, too
            return True

    def _wait(self, seconds: float) -> None:
        ended = select.poll()
        ended.register(self.handle, select.POLLIN)
        ended.poll(seconds * 1000)

    def end(self) -> None:
        """Kill the worker and everything that it has started, and wait until they are gone."""
        if self.handle < 0:
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.handle, signal.SIGKILL)  # type: ignore[attr-defined,unused-ignore]
        self._wait(SECONDS_TO_END)
        os.close(self.handle)
        self.handle = -1
        self.forget()


class _Parent:
    """A process that forks workers, and the socket that carries the requests."""

    def __init__(self, command: Command, packages: tuple[str, ...]) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.settimeout(SECONDS_TO_FORK)
        ours.setsockopt(socket.SOL_SOCKET, _ASK_FOR_SENDER, 1)
        number, nowhere = theirs.fileno(), subprocess.DEVNULL
        try:
            arguments = command(packages, number)
            self.process = subprocess.Popen(
                arguments, stdin=nowhere, stdout=nowhere, stderr=nowhere, env={}, pass_fds=(number,),
                start_new_session=True,
            )  # fmt: skip
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        self._requests = ours
        self.end = weakref.finalize(self, _end, ours, self.process)

    def _forget(self) -> None:
        with contextlib.suppress(OSError):  # it has ended
            self._requests.send(FORGET)

    def fork(self, settings: Mapping[str, Any]) -> Forked:
        """Return a new worker with these settings. Raises OSError when the process has ended or does not answer."""
        reads, stdin = os.pipe()
        try:
            stdout, writes = os.pipe()
        except OSError:
            os.close(reads)
            os.close(stdin)
            raise
        ends = Ends(os.fdopen(stdin, "wb", 0), os.fdopen(stdout, "rb", 0))
        try:
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("2i", reads, writes))
            self._requests.sendmsg([to_json(settings).encode("ascii")], [rights])
            said, senders, _, _ = self._requests.recvmsg(LONGEST_REPLY, 64)
            if said != CONFINED:
                raise ConnectionResetError(said.decode("utf-8", "replace"))
            number = next(struct.unpack("3i", data)[0] for _, kind, data in senders if kind == _SENDER)
            handle = os.pidfd_open(number)  # type: ignore[attr-defined,unused-ignore]
            return Forked(ends, number=number, handle=handle, forget=self._forget)
        except BaseException:
            ends.stdin.close()
            ends.stdout.close()
            raise
        finally:
            os.close(reads)
            os.close(writes)


def _end(requests: socket.socket, process: subprocess.Popen[bytes]) -> None:
    requests.close()
    process.kill()
    process.wait()


def start_fork(command: Command, packages: tuple[str, ...], settings: Mapping[str, Any]) -> Forked | None:
    """Return a worker that is a fork of this thread's process for the packages; None where forks do not work.

    command : returns the command that starts that process, from the packages and the number of its socket.
    """
    parents: dict[tuple[str, ...], _Parent] = _MINE.__dict__.setdefault("parents", {})
    while hasattr(os, "pidfd_open") and not _REFUSED.is_set():
        known = parents.get(packages)
        try:
            parent = parents[packages] = known or _Parent(command, packages)
            worker = parent.fork(settings)
            _WORKED.set()
            return worker
        except OSError:
            if packages in parents:
                parents.pop(packages).end()
            if known is None and not _WORKED.is_set():  # neither killed since nor late on a busy machine
                _REFUSED.set()
            if known is None:
                return None
    return None
