"""Measure counting in bounded memory: the peak, the cost, and whether the counts stay the same."""

from __future__ import annotations

import string
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import memory
from minbpe_course import count_words, warm_up

# Copies with rotated letters. To the counter they look like other languages with as many new words.
VARIANTS = 5


def variants(folder: str, threads: int) -> dict[str, Any]:
    """Write the text five times, each time with its Latin letters rotated by another number; return the bytes.

    The result is several times as large as the downloaded corpus. It keeps producing new words, and its word lengths
    and frequencies are those of the real text.
    """
    small, large = string.ascii_lowercase, string.ascii_uppercase
    with Path(folder, "all.txt").open("rb") as file, Path(folder, "five.txt").open("wb") as out:
        for number in range(VARIANTS):
            moved = "".join(letters[5 * number :] + letters[: 5 * number] for letters in (small, large))
            table = bytes.maketrans((small + large).encode("ascii"), moved.encode("ascii"))
            file.seek(0)
            while data := file.read(1 << 24):
                out.write(data.translate(table))
        return {"bytes": out.tell()}


def counted(folder: str, name: str, budget: str | None, size: int, threads: int) -> dict[str, Any]:
    """Count ``size`` bytes into a counts file; return wall seconds, the peak of the whole process and the SHA-256."""
    warm_up()
    path = Path(folder, name)
    with tempfile.TemporaryDirectory(dir=folder) as room:
        if 0 < size < path.stat().st_size:
            path = beginning_of(path, size, Path(room, "text.txt"))
        before = memory.forget_peak()
        began, worked = time.perf_counter(), time.process_time()
        counts = count_words(path, memory=budget, output=Path(room, "out.counts"), num_threads=threads)
        return {
            "seconds": time.perf_counter() - began,
            "worked": time.process_time() - worked,
            "before": before,
            "peak": memory.now("VmHWM"),
            "sha256": counts.sha256 if isinstance(counts.sha256, str) else counts.sha256.hex(),
            "distinct": len(counts),
            "bytes": path.stat().st_size,
            "written": Path(room, "out.counts").stat().st_size,
        }


def beginning_of(path: Path, size: int, out: Path) -> Path:
    """Copy the first ``size`` bytes and the rest of the last line."""
    with path.open("rb") as file, out.open("wb") as copy:
        left = size
        while data := file.read(min(1 << 24, left)):
            copy.write(data)
            left -= len(data)
        copy.write(file.readline())
    return out
