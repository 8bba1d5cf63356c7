"""Run races in one environment and with one number of threads. ``places`` starts this process; do not run it by hand.

It reads its tasks from standard input as JSON, and writes a line of JSON for each result:

    {"versions": {...}}                        always the first line
    {"start": ["row", 3]}                      tells the reader which task crashed the process
    {"task": ["row", 3], "seconds": {...}, "absent": {...}, "amount": {...}}
    {"task": ["row", 4], "wrong": "..."}       this course gave a different answer
    {"task": ["curve", 0], "sizes": [...], "seconds": {...}}
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks import curves, texts
from benchmarks.contestants import WORKS, Job
from benchmarks.contestants.decoding import IDS
from benchmarks.curves import CURVES
from benchmarks.rows import FULL, ROWS, Row
from benchmarks.speed import LEAST_SECONDS, WrongAnswer, clock_for, race

PROGRAMS = (
    "numpy", "numba", "tiktoken", "tokenizers", "quicktok-v1", "rs_bpe", "ffbpe", "rustbpe", "sentencepiece",
    "gigatoken", "fastokens", "splintr-rs", "kitoken", "snaptokens", "basetenkenizer", "tuetoken", "gigabpe",
)  # fmt: skip


def main() -> None:
    wanted = json.load(sys.stdin)
    say(versions=versions())
    folder, mode, rounds = Path(wanted["folder"]), wanted["mode"], wanted.get("rounds")
    for kind, number in wanted["tasks"]:
        say(start=[kind, number])
        try:
            if kind == "row":
                found = run(ROWS[number], folder, mode, rounds)
            else:
                found = curves.run(CURVES[number], folder, mode, rounds)
        except WrongAnswer as problem:
            found = {"wrong": str(problem)}
        say(task=[kind, number], **found)


def say(**facts: Any) -> None:
    """Write one line of JSON and flush it."""
    print(json.dumps(facts), flush=True)


def versions() -> dict[str, str]:
    """Return the versions of the contestants that are installed here."""
    found = {}
    for name in PROGRAMS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def job_of(row: Row, folder: Path, mode: str) -> Job:
    """Return the job of a row, with its text."""
    text = texts.load(folder, row.text, row.size(mode))
    characters = row.characters
    if row.size_of_document:
        characters = max(1, round(row.size_of_document * len(text) / len(text.encode("utf-8"))))
    documents = texts.documents(text, characters, row.most[mode == FULL]) if characters else []
    return Job(text, documents, row.vocabulary, row.vocab_size, row.threads, folder)


def amount(row: Row, job: Job) -> dict[str, float]:
    """Return the amount of work in one run: bytes, documents and ids."""
    size = sum(len(text.encode("utf-8")) for text in job.documents) if job.documents else len(job.data)
    return {"bytes": size, "documents": len(job.documents), "ids": IDS}


def run(
    row: Row, folder: Path, mode: str, rounds: int | None = None, least_seconds: float = LEAST_SECONDS
) -> dict[str, Any]:
    """Run the race of one row and return its result."""
    job = job_of(row, folder, mode)
    makers = WORKS[row.work]
    names = dict.fromkeys((row.truth, row.ours, *row.peers))
    began, worked = time.perf_counter(), time.process_time()
    result = race(
        {name: partial(makers[name], job) for name in names},
        truth=row.truth,
        ours=[name for name in names if name.startswith("ours")],
        untimed=set(names) - {row.ours, *row.peers},
        rounds=rounds or row.rounds,
        least_seconds=least_seconds,
        clock=clock_for(row.threads),
    )
    busy = (time.process_time() - worked) / (time.perf_counter() - began)
    return {"seconds": result.seconds, "absent": result.absent, "amount": amount(row, job), "busy": round(busy, 2)}


if __name__ == "__main__":
    main()
