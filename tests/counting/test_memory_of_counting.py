"""Counting stays within the memory that it is given, as the operating system sees it, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

LONG = os.environ.get("MINBPE_COURSE_LONG_TESTS") == "1"
ROOT = Path(__file__).resolve().parents[2]
MB = 1_000_000

PROGRAM = """
import json, sys
from pathlib import Path
from minbpe_course.counting.count_words import count_words

def seen(name):
    for line in open("/proc/self/status"):
        if line.startswith(name + ":"):
            return 1024 * int(line.split()[1])

path, output, memory, threads = json.loads(sys.argv[1])
# The kernels are loaded by then, as they are in a process that has done anything at all.
count_words("warm up \\u0439", memory=memory, num_threads=threads)
count_words("warm up \\u0439", num_threads=threads)
Path("/proc/self/clear_refs").write_text("5")
before = seen("VmRSS")
counts = count_words(Path(path), memory=memory, num_threads=threads, output=output)
print(json.dumps([seen("VmHWM") - before, seen("VmHWM"), len(counts), counts.sha256]))
"""


def many_words(path: Path, size: int, alphabet: str) -> None:
    """A text of ``size`` bytes: common words, and one in three that was hardly ever seen before."""
    random = np.random.default_rng(2026)
    common = ["".join(random.choice(list(alphabet), 5)) for _ in range(1000)]
    letters = np.array(list(alphabet))
    with path.open("wb") as file:
        while file.tell() < size:
            rare = letters[random.integers(0, len(letters), (20_000, 9))].tolist()
            words = [word for each in rare for word in (common[len(each[0]) % 7], "".join(each), common[0])]
            file.write(" ".join([*words, "😀\n"]).encode("utf-8"))


def measured(path: Path, output: Path, memory: int, threads: int) -> tuple[int, int, int, str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps([str(path), str(output), memory, threads])],
        cwd=ROOT,
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    growth, highest, words, sha256 = json.loads(done.stdout)
    return growth, highest, words, sha256


CASES = [(64, 25, 2, "abcdefghijkl")]
if LONG:
    # Ten times the memory and more, with texts of one, two and four bytes for each character in memory.
    CASES += [(64, 640, 1, "abcdefghijkl"), (64, 640, 2, "абвгдежзик"), (256, 640, 2, "abcdefghijkl")]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the highest mark of a process cannot be set back")
@pytest.mark.parametrize(("memory", "size", "threads", "alphabet"), CASES)
def test_the_memory_is_kept(memory, size, threads, alphabet, tmp_path):
    many_words(tmp_path / "text.txt", size * MB, alphabet)
    growth, highest, words, sha256 = measured(tmp_path / "text.txt", tmp_path / "small", memory * MB, threads)
    assert growth <= 1.2 * memory * MB
    if memory >= 256:
        assert highest <= 1.2 * memory * MB
    assert words > size * 10_000, "the tables held all, so nothing was tested"
    if LONG:
        roomy = measured(tmp_path / "text.txt", tmp_path / "large", 2000 * MB, 2)
        assert roomy[2:] == (words, sha256)
