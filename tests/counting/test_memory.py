"""Counting stays within its memory, as the operating system measures it in a separate process.

The worst text for a table of words is one with nearly only new words. A short one always; with
MINBPE_COURSE_LONG_TESTS=1 also texts ten times as large as budgets of 32, 64 and 256 MB.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from minbpe_course.counting.counts_file import open_counts

pytestmark = pytest.mark.medium

LONG = bool(os.environ.get("MINBPE_COURSE_LONG_TESTS"))
ROOT = Path(__file__).resolve().parents[2]
LETTERS = 15

PROGRAM = """
import json, sys
from pathlib import Path
from minbpe_course import count_words
source, output, memory, checkpoint, threads = sys.argv[1:]

def seen(name):
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name)]
    return 1024 * int(line.split()[1])

# Load the kernels first, as every program has that counts a second time.
count_words([Path(source).with_name("small.txt")], output=output + ".small", memory=memory, num_threads=int(threads))
Path("/proc/self/clear_refs").write_text("5")
before = seen("VmRSS:")
options = dict(memory=memory, num_threads=int(threads), checkpoint=checkpoint or None)
made = count_words([Path(source)], output=output, **options)
print(json.dumps([before, seen("VmHWM:"), len(made), made.occurrences, made.bytes]))
"""


def write_words(path: Path, size: int, new: float, alphabet: str, seed: int) -> tuple[int, int]:
    """Write words of LETTERS letters, the share ``new`` of which occur once; return distinct and all words."""
    chance = np.random.default_rng(seed)
    letters = np.array(list(alphabet))
    total = size // len((alphabet[0] * LETTERS + " ").encode())
    once, begin = 0, 0
    with path.open("wb") as file:
        while begin < total:
            number = min(1 << 18, total - begin)
            fresh = chance.random(number) < new
            count = int(fresh.sum())
            values = np.empty(number, dtype=np.uint64)
            # Odd factors permute the numbers below a power of two, so none comes twice.
            values[fresh] = (np.arange(once, once + count, dtype=np.uint64) + 1000) * np.uint64(0x9E3779B97F4A7C15)
            values[~fresh] = chance.choice(1000, number - count)
            once += count
            spelled = np.full((number, LETTERS + 1), " ")
            for at in range(LETTERS):
                spelled[:, at + 1] = letters[(values % np.uint64(len(letters))).astype(np.intp)]
                values //= np.uint64(len(letters))
            file.write("".join(spelled.ravel().tolist()).encode("utf-8"))
            begin += number
    return once + (min(1000, total - once) if new < 1 else 0), total


def measured(source: Path, output: Path, memory: str, checkpoint: str = "", threads: int = 1) -> list[int]:
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(source), str(output), memory, checkpoint, str(threads)],
        capture_output=True, encoding="utf-8", env=os.environ | {"PYTHONPATH": path}, timeout=3000,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return list(json.loads(run.stdout.splitlines()[-1]))


LATIN, CYRILLIC = "abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщ"
CASES = [(64, 24_000_000, 1.0, 1, LATIN), (64, 24_000_000, 0.5, 2, LATIN)]
if LONG:
    CASES = [
        (64, 640_000_000, 1.0, 1, LATIN),
        (64, 640_000_000, 0.3, 2, CYRILLIC),
        (256, 2_560_000_000, 0.5, 2, LATIN),
        (32, 320_000_000, 1.0, 1, LATIN),
    ]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads what Linux reports about a process")
@pytest.mark.parametrize(("megabytes", "size", "new", "threads", "alphabet"), CASES)
def test_counting_stays_in_its_budget(megabytes, size, new, threads, alphabet, tmp_path: Path) -> None:
    source, budget = tmp_path / "corpus.txt", megabytes * 1_000_000
    (tmp_path / "small.txt").write_text("low lower й", encoding="utf-8")
    distinct, words = write_words(source, size, new, alphabet, seed=megabytes)
    before, peak, *counted = measured(
        source, tmp_path / "out.counts", f"{megabytes}MB", str(tmp_path / "work"), threads
    )
    assert counted == [distinct, words, source.stat().st_size]
    # Numba and its compiler alone take more than the smallest budgets, so the growth counts.
    assert peak - before < 1.2 * budget
    if before < budget / 2:
        assert peak < 1.2 * budget
    # The same file in memory, or with another budget if that is too long, and with another number of threads.
    measured(source, tmp_path / "other.counts", "1GB" if LONG else "2GB", threads=3 - threads)
    assert (tmp_path / "out.counts").read_bytes() == (tmp_path / "other.counts").read_bytes()
    open_counts(tmp_path / "out.counts").check()
