"""What counting takes of memory, as the operating system sees it, in a process of its own.

The worst corpus for a table of words is one of which nearly every word is new. A short one always; ones ten times as
large as budgets of 64 and 256 MB with MINBPE_COURSE_LONG_TESTS=1.
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

LONG = bool(os.environ.get("MINBPE_COURSE_LONG_TESTS"))
ROOT = Path(__file__).resolve().parents[2]
LETTERS = 15

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads what Linux says of a process")

PROGRAM = """
import json, sys
from pathlib import Path
from minbpe_course import count_words
source, output, memory, checkpoint, threads = sys.argv[1:]

def told(name):
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name)]
    return 1024 * int(line.split()[1])

# Kernels are loaded before, as they are in every program that counts a second time.
count_words([Path(source).with_name("small.txt")], output=output + ".small", memory=memory, num_threads=int(threads))
Path("/proc/self/clear_refs").write_text("5")
before = told("VmRSS:")
options = dict(memory=memory, num_threads=int(threads), checkpoint=checkpoint or None)
made = count_words([Path(source)], output=output, **options)
print(json.dumps([before, told("VmHWM:"), len(made), made.occurrences, made.bytes]))
"""


def write_words(path: Path, size: int, new: float, seed: int) -> tuple[int, int]:
    """Write about ``size`` bytes of words, the share ``new`` of which stand there once; return distinct and all words.

    Each is a blank and LETTERS letters, which spell a number in an order that looks like none.
    """
    chance = np.random.default_rng(seed)
    total = size // (LETTERS + 1)
    once, begin = 0, 0
    often = np.arange(1000)
    with path.open("wb") as file:
        while begin < total:
            number = min(1 << 18, total - begin)
            fresh = chance.random(number) < new
            count = int(fresh.sum())
            values = np.empty(number, dtype=np.uint64)
            # Odd factors permute the numbers below a power of two, so none comes twice.
            values[fresh] = (np.arange(once, once + count, dtype=np.uint64) + 1000) * np.uint64(0x9E3779B97F4A7C15)
            values[~fresh] = chance.choice(often, number - count)
            once += count
            spelled = np.empty((number, LETTERS + 1), dtype=np.uint8)
            spelled[:, 0] = 32
            for at in range(LETTERS):
                spelled[:, at + 1] = 97 + (values % np.uint64(26)).astype(np.uint8)
                values //= np.uint64(26)
            file.write(spelled.tobytes())
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


CASES = [(64, 24_000_000, 1.0, 1)]
if LONG:
    CASES = [
        (64, 640_000_000, 1.0, 1),
        (64, 640_000_000, 0.3, 2),
        (256, 2_560_000_000, 0.5, 2),
        (32, 320_000_000, 1.0, 1),
    ]


@pytest.mark.parametrize(("megabytes", "size", "new", "threads"), CASES)
def test_counting_stays_in_its_budget(megabytes: int, size: int, new: float, threads: int, tmp_path: Path) -> None:
    source, budget = tmp_path / "corpus.txt", megabytes * 1_000_000
    (tmp_path / "small.txt").write_text("low lower lowest", encoding="utf-8")
    distinct, words = write_words(source, size, new, seed=megabytes)
    made = measured(source, tmp_path / "out.counts", f"{megabytes}MB", str(tmp_path / "work"), threads)
    before, peak, *counted = made
    print(f"{megabytes} MB, {size / 1e6:.0f} MB of text: {before / 1e6:.0f} MB before, {peak / 1e6:.0f} MB at most")
    assert counted == [distinct, words, words * (LETTERS + 1)]
    # Numba and its compiler take more than the smallest budgets by themselves, so it is what comes to it that counts.
    assert peak - before < 1.2 * budget
    if before < budget / 2:
        assert peak < 1.2 * budget
    # In memory for the short one, with another budget and another number of threads for those that are too long.
    other = "1GB" if LONG else "2GB"
    measured(source, tmp_path / "other.counts", other, threads=3 - threads)
    assert (tmp_path / "out.counts").read_bytes() == (tmp_path / "other.counts").read_bytes()
    open_counts(tmp_path / "out.counts").check()
