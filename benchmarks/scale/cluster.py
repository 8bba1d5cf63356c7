"""Counting on a Dask cluster of this machine: two workers beside one, and beside the same work without Dask."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.scale.budgets import beginning_of
from benchmarks.scale.counting import raced
from minbpe_course import count_words, warm_up


def workers(folder: str, size: int, rounds: int, threads: int) -> dict[str, Any]:
    """Wall seconds of one worker, of two, and of two threads without Dask, in turn; all give the same file."""
    from distributed import Client, LocalCluster

    warm_up()
    with tempfile.TemporaryDirectory(dir=folder) as name:
        room, path = Path(name), Path(folder, "all.txt")
        if size < path.stat().st_size:
            path = beginning_of(path, size, room / "text.txt")
        options: dict[str, Any] = {
            "threads_per_worker": 1, "processes": True, "host": "127.0.0.1", "dashboard_address": None,
        }  # fmt: skip
        with (
            LocalCluster(n_workers=1, **options) as one,
            LocalCluster(n_workers=2, **options) as two,
            Client(one) as first,
            Client(two) as second,
        ):
            runs: dict[str, Callable[[], str]] = {
                "1 worker": lambda: counts_of(path, room, engine=first),
                "2 workers": lambda: counts_of(path, room, engine=second),
                "1 thread": lambda: counts_of(path, room, num_threads=1),
                "2 threads": lambda: counts_of(path, room, num_threads=2),
            }
            digests = {who: run() for who, run in runs.items()}
            seconds = raced(runs, rounds, time.perf_counter)
    return {"seconds": seconds, "bytes": size, "same": len(set(digests.values())) == 1}


def counts_of(path: Path, room: Path, **how: Any) -> str:
    """Count a file into a counts file; returns its hash."""
    return str(count_words(path, output=room / "out.counts", **how).sha256)
