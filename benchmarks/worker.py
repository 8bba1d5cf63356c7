"""One process that runs races, in one environment and with one number of threads: started by ``places``, not by hand.

It reads what to do from standard input as JSON, and writes a line of JSON for each thing that it knows:

    {"versions": {...}}            first
    {"start": 3}                   before row 3, so that whoever reads knows which row ended a process that died
    {"row": 3, "seconds": {...}, "absent": {...}, "amount": {...}}
    {"row": 4, "wrong": "..."}     our answer was another one
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks import texts
from benchmarks.contestants import WORKS, Job
from benchmarks.contestants.decoding import IDS
from benchmarks.harness import LEAST_SECONDS, NotAvailable, WrongAnswer, race
from benchmarks.rows import ROWS, Row

PROGRAMS = (
    "numpy", "numba", "tiktoken", "tokenizers", "quicktok-v1", "rs_bpe", "ffbpe", "rustbpe", "sentencepiece",
)  # fmt: skip


def main() -> None:
    wanted = json.load(sys.stdin)
    say(versions=versions())
    for number in wanted["rows"]:
        say(start=number)
        say(row=number, **run(ROWS[number], Path(wanted["folder"]), wanted["mode"], wanted.get("rounds")))


def say(**facts: Any) -> None:
    """Write one line, at once."""
    print(json.dumps(facts), flush=True)


def versions() -> dict[str, str]:
    """What is installed here, of all that takes part."""
    found = {}
    for name in PROGRAMS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def job_of(row: Row, folder: Path, mode: str) -> Job:
    """What the row asks for, with its text."""
    text = texts.load(folder, row.text, row.size(mode))
    documents = texts.documents(text, row.characters, row.most[mode == "full"]) if row.characters else []
    return Job(text, documents, row.vocabulary, row.vocab_size, row.threads, folder)


def amount(row: Row, job: Job) -> dict[str, float]:
    """How much work one run is, in whatever the unit of the row counts."""
    size = sum(len(text.encode("utf-8")) for text in job.documents) if job.documents else len(job.data)
    return {"bytes": size, "documents": len(job.documents), "ids": IDS}


def run(row: Row, folder: Path, mode: str, rounds: int | None = None) -> dict[str, Any]:
    """Run the race of one row and return what is to be said about it."""
    job = job_of(row, folder, mode)
    makers = WORKS[row.work]
    names = dict.fromkeys((row.truth, row.ours, *row.peers))
    began, worked = time.perf_counter(), time.process_time()
    try:
        result = race(
            {name: (lambda name=name: makers[name](job)) for name in names},
            truth=row.truth,
            ours=[name for name in names if name.startswith("ours")],
            untimed=set(names) - {row.ours, *row.peers},
            rounds=rounds or row.rounds,
            least_seconds=LEAST_SECONDS,
        )
    except (WrongAnswer, NotAvailable) as problem:
        return {"wrong": str(problem)}
    busy = (time.process_time() - worked) / (time.perf_counter() - began)
    return {"seconds": result.seconds, "absent": result.absent, "amount": amount(row, job), "busy": round(busy, 2)}


if __name__ == "__main__":
    main()
