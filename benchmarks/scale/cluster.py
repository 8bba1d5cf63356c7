"""Measure counting on a local Dask cluster: two workers compared with one, and with the same work without Dask.

Only one cluster exists at a time. The idle processes of a second cluster would slow down two workers but not one.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.scale.budgets import beginning_of
from minbpe_course import count_words, warm_up


def workers(folder: str, size: int, rounds: int, threads: int) -> dict[str, Any]:
    """Return the wall seconds of one and two workers, and of one and two threads without Dask; compare their files."""
    warm_up()
    with tempfile.TemporaryDirectory(dir=folder) as name:
        room, path = Path(name), Path(folder, "all.txt")
        if size < path.stat().st_size:
            path = beginning_of(path, size, room / "text.txt")
        runs: dict[str, Callable[[], tuple[float, str]]] = {
            "1 worker": partial(by_workers, 1, path, room),
            "2 workers": partial(by_workers, 2, path, room),
            "1 thread": partial(second_time, path, room, num_threads=1),
            "2 threads": partial(second_time, path, room, num_threads=2),
        }
        seconds: dict[str, list[float]] = {who: [] for who in runs}
        digests = set()
        order = list(runs)
        for _ in range(rounds):
            for who in order:
                took, digest = runs[who]()
                seconds[who].append(took)
                digests.add(digest)
            order.append(order.pop(0))
    return {"seconds": seconds, "bytes": size, "same": len(digests) == 1}


def by_workers(number: int, path: Path, room: Path) -> tuple[float, str]:
    """Run ``second_time`` on a new cluster of ``number`` workers, which is closed afterwards."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=number, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        return second_time(path, room, engine=client)


def second_time(path: Path, room: Path, **how: Any) -> tuple[float, str]:
    """Count a file twice into a counts file; return the seconds of the second time and the hash of the result.

    The first time is not measured, because new processes still have to load kernels and allocate memory.
    """
    count_words(path, output=room / "out.counts", **how)
    began = time.perf_counter()
    made = count_words(path, output=room / "out.counts", **how)
    return time.perf_counter() - began, str(made.sha256)
