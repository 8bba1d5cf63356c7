"""encode and decode as programs: pipes, a strange locale, cut short, interrupted, and with a text of any length."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from minbpe_course import get_encoding
from minbpe_course.corpus import course_text

pytestmark = pytest.mark.medium

PROGRAM = [sys.executable, "-m", "minbpe_course"]
POSIX = pytest.mark.skipif(os.name == "nt", reason="signals and memory as on Linux and macOS")
AWKWARD = "Hello\r\nw\u00f6rld\n\u2028 \u65e5\u672c\x85\x1a\x00 e\u0301 \U0001f600\rend".encode()
STRANGE = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1", "PYTHONCOERCECLOCALE": "0"}


def test_a_pipe_in_a_locale_without_utf8(tmp_path):
    path = tmp_path / "\u00f6 \u65e5.txt" if os.name == "nt" else tmp_path / "text.txt"
    path.write_bytes(AWKWARD)
    with subprocess.Popen(
        [*PROGRAM, "encode", path, "-"], env=STRANGE, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as first:
        assert first.stdin is not None
        first.stdin.write(AWKWARD)
        first.stdin.close()
        done = subprocess.run([*PROGRAM, "decode"], env=STRANGE, stdin=first.stdout, capture_output=True, check=True)
    assert (first.returncode, done.stderr) == (0, b"")
    assert done.stdout == 2 * AWKWARD


@POSIX
def test_the_reader_of_the_output_may_stop(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_bytes(b"a line\n" * 400_000)
    with subprocess.Popen(
        [*PROGRAM, "encode", "--lines", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        assert (
            program.stdout.readline()
            == f"{' '.join(map(str, get_encoding('cl100k_base').encode('a line')))}\n".encode()
        )
        program.stdout.close()
        assert program.stderr is not None
        assert program.stderr.read() == b""
    assert program.returncode == 141


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("verb", ["encode", "train"])
def test_memory_does_not_grow_with_one_endless_line(tmp_path, verb):
    """The peak that the system has seen, of a text and of one that is twelve times as long."""
    text = course_text()[:60_000].replace("\n", " ").replace("<|", "<").encode()
    peaks = []
    for times in (50, 400):
        path = tmp_path / "line.txt"
        path.write_bytes(text * times)
        more = (
            ["-j", "1", "-o", tmp_path / "out.npy"] if verb == "encode" else ["-n", "300", "-o", tmp_path / "out.model"]
        )
        program = subprocess.Popen([*PROGRAM, verb, path, *more], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
        assert program.returncode == 0
        # Linux counts in kB, macOS in bytes.
        peaks.append(used.ru_maxrss / (1 << 10 if sys.platform != "darwin" else 1 << 20))
    assert path.stat().st_size > 20_000_000
    assert peaks[1] < peaks[0] + 40, "MB"
