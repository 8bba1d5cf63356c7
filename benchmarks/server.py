"""Measure a server that encodes in threads: python -m benchmarks.server [--seconds S]

This course, tiktoken and tokenizers each run in separate processes, which ``server_process`` measures: the memory with
one encoding, the peak with forty threads and three encodings, the time to the first ids on one and on eight threads
with kernels on disk, and 1,000 requests a second for S seconds (60). Requests are calls in the same process. Ids are
compared first. This needs Linux, where a process can read its memory.
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
from benchmarks.server_process import NAMES, RATE, THREADS
from minbpe_course import use_bundled_vocabularies
from minbpe_course.corpus.texts import course_text

WHO = ("ours", "tiktoken", "tokenizers")
MANY = 8  # threads of which each waits for its first ids
STARTS = 5  # how many processes are started for each first request


def requests(number: int = 500) -> list[str]:
    """Return texts of up to 2,000 characters, the same on every run; short ones are the most frequent."""
    text, chance = course_text(), random.Random(1)
    made = []
    for _ in range(number):
        begin = chance.randrange(len(text) - 2000)
        # White space at the end is split in another way in a tokenizer.json.
        made.append("Q: " + text[begin : begin + int(10 * 200 ** chance.random())].strip())
    return made


def measured(measure: str, about: dict[str, Any], **options: float) -> Any:
    """Return what a new process measured. Raises RuntimeError with its last line if it failed."""
    child = subprocess.run(
        [sys.executable, "-m", "benchmarks.server_process"],
        input=json.dumps([measure, about, options]),
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ | {"RAYON_NUM_THREADS": "1"},
        check=False,
    )
    if child.returncode:
        raise RuntimeError((child.stderr.strip().splitlines() or ["it ended early"])[-1])
    return json.loads(child.stdout.splitlines()[-1])


def column(about: dict[str, Any], seconds: float) -> dict[str, str]:
    """Return the cells of a contestant's column, by the titles of the lines."""
    starts = [[measured("first", about, threads=threads) for threads in (1, MANY)] for _ in range(STARTS)]
    alone, many = map(statistics.median, zip(*starts))
    load = measured("load", about, seconds=seconds)
    return {
        "memory with one encoding, MB": f"{measured('base', about):.0f}",
        f"peak with {THREADS} threads and {len(NAMES)} encodings, MB": f"{measured('peak', about):.0f}",
        "first ids on 1 thread, ms": f"{1000 * alone:.0f}",
        f"first ids on {MANY} threads, ms": f"{1000 * many:.0f}",
        f"times as long on {MANY} threads": f"{many / alone:.1f}",
        f"requests a second, of {RATE:,}": f"{load['rate']:,.0f}",
        "median latency, µs": f"{load['median']:.0f}",
        "99 % of latencies, µs": f"{load['most']:.0f}",
        f"memory over {seconds:g} s, MB": " ".join(f"{each:.0f}" for each in load["memory"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.server")
    parser.add_argument("--seconds", type=float, default=60, help="how long the requests last")
    seconds = parser.parse_args().seconds
    use_bundled_vocabularies()
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            tokenizer_file(Path(folder), name)
        servers = [{"who": who, "folder": folder, "texts": requests()} for who in WHO]
        answers = [measured("ids", each) for each in servers]
        if len(set(answers)) > 1:
            raise SystemExit(f"the ids differ, so nothing is timed: {dict(zip(WHO, answers))}")
        columns = [column(each, seconds) for each in servers]
    print(f"| | {' | '.join(WHO)} |", "|---" * (len(WHO) + 1) + "|", sep="\n")
    for title in columns[0]:
        print(f"| {title} | {' | '.join(each[title] for each in columns)} |")


if __name__ == "__main__":
    main()
