"""Measure a server that encodes in threads: python -m benchmarks.server [--seconds S] [--rate R] [--threads N]

This course, tiktoken and tokenizers each run in separate processes, which ``server_process`` measures: the memory with
one encoding, the peak with N threads and three encodings, the time to the first ids on one and on eight threads with
kernels on disk, and R requests a second for S seconds. Requests are calls in the same process. Ids are compared first.
This needs Linux, where a process can read its memory.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.contestants.hugging_face import tokenizer_file
from benchmarks.server_process import NAMES
from minbpe_course import use_bundled_vocabularies
from minbpe_course.corpus.texts import course_text

WHO = ("ours", "tiktoken", "tokenizers")
FIRST_THREADS = 8
STARTS = 5  # how many processes are started for each first request


def requests(number: int = 500) -> list[str]:
    """Return texts of 10 to 2,000 characters, the same on every run; short ones are the most frequent."""
    text, chance = course_text(), random.Random(1)
    made = []
    for _ in range(number):
        begin = chance.randrange(len(text) - 2000)
        # White space at the end is split in another way in a tokenizer.json.
        made.append("Q: " + text[begin : begin + int(10 * 200 ** chance.random())].strip())
    return made


def measured(measure: str, who: str, folder: Path, texts: list[str], **options: float) -> Any:
    """Return what a new process measured. Raises RuntimeError with its last line if it failed."""
    asked = {"measure": measure, "who": who, "folder": str(folder), "texts": texts, **options}
    child = subprocess.run(
        [sys.executable, "-m", "benchmarks.server_process"],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ | {"RAYON_NUM_THREADS": "1"},
        cwd=Path(__file__).resolve().parents[1],
        check=False,
    )
    if child.returncode:
        raise RuntimeError((child.stderr.strip().splitlines() or ["it ended early"])[-1])
    return json.loads(child.stdout.splitlines()[-1])


def values(who: str, folder: Path, texts: list[str], threads: int, rate: int, seconds: float) -> dict[str, str]:
    """Return the cells of a contestant's column, by the titles of the lines."""
    starts = {number: [] for number in (1, FIRST_THREADS)}
    for number in [*starts] * STARTS:
        starts[number].append(1000 * measured("first", who, folder, texts, threads=number))
    alone, many = map(statistics.median, starts.values())
    load = measured("load", who, folder, texts, threads=threads, rate=rate, seconds=seconds)
    return {
        "memory with one encoding, MB": f"{measured('base', who, folder, texts):.0f}",
        f"peak with {threads} threads and {len(NAMES)} encodings, MB": (
            f"{measured('peak', who, folder, texts, threads=threads):.0f}"
        ),
        "first ids on 1 thread, ms": f"{alone:.0f}",
        f"first ids on {FIRST_THREADS} threads, ms": f"{many:.0f}",
        f"times as long on {FIRST_THREADS} threads": f"{many / alone:.1f}",
        f"requests a second, of {rate:,}": f"{load['rate']:,.0f}",
        "median latency, µs": f"{load['median']:.0f}",
        "99 % of latencies, µs": f"{load['most']:.0f}",
        f"memory over {seconds:g} s, MB": " ".join(f"{each:.0f}" for each in load["memory"]),
    }


def table(columns: dict[str, dict[str, str]]) -> list[str]:
    """Return the lines of a Markdown table, a column for each contestant.

    >>> table({"ours": {"memory, MB": "1"}, "tiktoken": {"memory, MB": "2"}})
    ['| | ours | tiktoken |', '|---|---|---|', '| memory, MB | 1 | 2 |']
    """
    titles = list(next(iter(columns.values())))
    rows = [["", *columns], *([title, *(column[title] for column in columns.values())] for title in titles)]
    shown = ["| " + " | ".join(row) + " |" for row in rows]
    return [shown[0].replace("|  |", "| |"), "|---" * (len(columns) + 1) + "|", *shown[1:]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.server")
    parser.add_argument("--seconds", type=float, default=60, help="how long the requests last")
    parser.add_argument("--rate", type=int, default=1000, help="requests a second")
    parser.add_argument("--threads", type=int, default=40)
    args = parser.parse_args()
    use_bundled_vocabularies()
    texts = requests()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for encoding in NAMES:
            tokenizer_file(folder, encoding)
        answers = {who: measured("ids", who, folder, texts) for who in WHO}
        if len(set(answers.values())) > 1:
            raise SystemExit(f"the ids differ, so nothing is timed: {answers}")
        columns = {who: values(who, folder, texts, args.threads, args.rate, args.seconds) for who in WHO}
    print("\n".join(table(columns)))


if __name__ == "__main__":
    main()
