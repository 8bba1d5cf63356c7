"""Counting stays within its memory, as the operating system measures it in a separate process.

The worst text for a table of words is one with many new words.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from minbpe_course.counting.counts_file import open_counts

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]

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


def write_words(path: Path) -> tuple[int, int]:
    """Write 1.5 million words, half of which occur once; return distinct and all words."""
    chance = random.Random(64)
    words = [f" {chance.randrange(1000) if number % 2 else number:015}" for number in range(1_500_000)]
    # The pattern cuts digits in threes, and letters not at all.
    path.write_text("".join(words).translate(str.maketrans("0123456789", "abcdefghij")), encoding="utf-8")
    return len(set(words)), len(words)


def measured(source: Path, output: Path, memory: str, checkpoint: str = "", threads: int = 1) -> list[int]:
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(source), str(output), memory, checkpoint, str(threads)],
        capture_output=True, encoding="utf-8", env=os.environ | {"PYTHONPATH": path}, timeout=3000,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return list(json.loads(run.stdout.splitlines()[-1]))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads what Linux reports about a process")
def test_counting_stays_in_its_budget(tmp_path: Path) -> None:
    source, budget = tmp_path / "corpus.txt", 64_000_000
    (tmp_path / "small.txt").write_text("low lower й", encoding="utf-8")
    distinct, words = write_words(source)
    before, peak, *counted = measured(source, tmp_path / "out.counts", "64MB", str(tmp_path / "work"), 2)
    assert counted == [distinct, words, source.stat().st_size]
    # Numba and its compiler alone take more than the smallest budgets, so the growth counts.
    assert peak - before < 1.2 * budget
    if before < budget / 2:
        assert peak < 1.2 * budget
    # The same file in memory, and with another number of threads.
    measured(source, tmp_path / "other.counts", "2GB", threads=1)
    assert (tmp_path / "out.counts").read_bytes() == (tmp_path / "other.counts").read_bytes()
    open_counts(tmp_path / "out.counts").check()
