"""Lines over the pipes of a process: cut, late, too long, or never read."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from minbpe_course.learning.grading import pipes
from minbpe_course.learning.grading.pipes import (
    Closed,
    Deadline,
    Pipes,
    TooLate,
    TooLong,
    by_the_clock,
)

pytestmark = pytest.mark.medium


@pytest.fixture
def talk():
    """Return what starts a program and opens a line to it."""
    opened = []

    def start(source: str, most_bytes: int = 1000):
        process = subprocess.Popen(
            [sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        line = Pipes(process, most_bytes)
        opened.append((process, line))
        return line

    yield start
    for process, line in opened:
        process.kill()
        process.wait()
        line.close()


def soon(seconds: float = 300) -> Deadline:
    return by_the_clock(seconds)


def test_lines_arrive_whole_however_they_were_cut(talk) -> None:
    line = talk(
        "import os, time\n"
        "for piece in (b'on', b'e\\ntw', b'o\\nthree\\n', b'\\n'):\n    os.write(1, piece); time.sleep(0.02)"
    )
    assert [line.receive(soon()) for _ in range(4)] == [b"one", b"two", b"three", b""]
    with pytest.raises(Closed):
        line.receive(soon())


def test_a_process_that_neither_reads_nor_writes_is_too_late(talk) -> None:
    line = talk("import time; time.sleep(60)")
    with pytest.raises(TooLate):
        line.receive(soon(0.3))
    with pytest.raises(TooLate):
        line.send(b"x" * 4_000_000, soon(0.3))


@pytest.mark.parametrize("source", ["import os\nwhile True: os.write(1, b'x' * 500)", "print('x' * 20_000)"])
def test_a_line_has_a_bound_with_and_without_an_end(source: str, talk) -> None:
    line = talk(source, 10_000)
    with pytest.raises(TooLong, match="10,000"):
        line.receive(soon())


def test_a_large_message_arrives(talk) -> None:
    line = talk("import sys; print(len(sys.stdin.buffer.readline()))")
    line.send(b"x" * 3_000_000 + b"\n", soon())
    assert line.receive(soon()) == b"3000001"


def test_a_thread_that_is_about_to_read_takes_nothing_of_the_next_process(monkeypatch) -> None:
    reading, go_on = threading.Event(), threading.Event()

    def read_late(descriptor: int, size: int) -> bytes:
        reading.set()
        go_on.wait(30)
        return os.read(descriptor, size)

    monkeypatch.setattr(pipes, "os", SimpleNamespace(read=read_late, write=os.write))
    started = [sys.executable, "-c", "import os; os.write(1, b'hello\\n')"]
    with subprocess.Popen(started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as first:
        old = Pipes(first, 1000)
        assert reading.wait(30)
        old.close()
        with subprocess.Popen(started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as second:
            assert second.stdout is not None
            go_on.set()
            assert old.receive(soon()) == b"hello"
            assert second.stdout.read() == b"hello\n"
