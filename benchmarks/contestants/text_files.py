"""Encode a large text file to a file of ids: uint32, one after the other.

The file has the documents of the job several times, each time in another order: a gigabyte from a smaller text.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.contestants import newer
from benchmarks.contestants.encoding import our_encoding
from benchmarks.contestants.job import Job, offered
from benchmarks.speed import Contestant

COPIES = 8


def text_file(job: Job) -> Path:
    """Return the path of the file, and write it if it does not exist yet."""
    path = job.folder / f"copies-{len(job.documents)}.txt"
    if not path.exists():
        documents, order = list(job.documents), random.Random(0)
        with path.open("w", encoding="utf-8", newline="") as file:
            for _ in range(COPIES):
                order.shuffle(documents)
                file.writelines(f"{document}\n" for document in documents)
    return path


def _without(target: Path) -> None:
    """Delete a file, and let the system write what others left to write, so that no contestant waits for that."""
    target.unlink(missing_ok=True)
    if hasattr(os, "sync"):
        os.sync()


def _ours(job: Job) -> Contestant:
    encode = offered(our_encoding(job.vocabulary), "encode_files")
    source, target = text_file(job), job.folder / "ours.npy"
    return Contestant(
        lambda _: encode(source, target, specials="none", num_threads=job.threads)[0],
        prepare=lambda: _without(target),
        answer=np.array,
    )


def _gigatoken_array(job: Job) -> Callable[[], np.ndarray]:
    encode, source = newer.opened("gigatoken", job).encode_files, [str(text_file(job))]
    return lambda: newer.parts(encode(source, parallel=job.threads > 1))[0]


def _gigatoken(job: Job) -> Contestant:
    encode, target = _gigatoken_array(job), job.folder / "gigatoken.ids"

    def run(_: object) -> Path:
        encode().tofile(target)
        return target

    return Contestant(
        run,
        prepare=lambda: _without(target),
        answer=lambda path: np.fromfile(path, dtype=np.uint32),
    )


def _gigatoken_in_memory(job: Job) -> Contestant:
    encode, target = _gigatoken_array(job), job.folder / "gigatoken.ids"
    return Contestant(lambda _: encode(), prepare=lambda: _without(target))


MAKERS: dict[str, Callable[[Job], Contestant]] = {
    "ours, to a file": _ours,
    "gigatoken, to a file": _gigatoken,
    "gigatoken, only to memory": _gigatoken_in_memory,
}
