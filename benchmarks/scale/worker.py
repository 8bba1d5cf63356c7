"""Do one measurement in a separate process. ``run`` starts this process; do not run it by hand.

It reads the task from standard input as JSON and writes one line of JSON. A process seldom returns memory to the
system, and thread pools read their number of threads only once. A new process for each measurement keeps one from
disturbing the next.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import traceback
from typing import Any

from benchmarks.places import ROOT, Place

# The modules that contain measurements.
HOMES = ("counting", "budgets", "merging", "cluster", "peers")
LONGEST = 900  # seconds


def run(measurement: str, /, *, threads: int = 1, **asked: Any) -> dict[str, Any]:
    """Do one measurement in a new process; return {"lost": why} if it fails or takes too long."""
    place = Place(sys.executable, threads)
    try:
        child = subprocess.run(
            [place.python, "-m", "benchmarks.scale.worker"],
            input=json.dumps({"name": measurement, "asked": {**asked, "threads": threads}}),
            cwd=ROOT, env=place.environment(), capture_output=True, text=True, encoding="utf-8", check=False,
            timeout=LONGEST,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"lost": f"no end after {LONGEST} s"}
    answers = [line for line in child.stdout.splitlines() if line.startswith('{"answer"')]
    if answers:
        found: dict[str, Any] = json.loads(answers[-1])["answer"]
        return found
    said = child.stderr.strip().splitlines()[-1:]
    return {"lost": (said or [f"the process ended with {child.returncode}"])[0][:200]}


def main() -> None:
    wanted = json.load(sys.stdin)
    home, function = wanted["name"].split(".")
    assert home in HOMES
    try:
        answer = getattr(importlib.import_module(f"benchmarks.scale.{home}"), function)(**wanted["asked"])
    except (ImportError, MemoryError, OSError) as problem:
        traceback.print_exc()
        answer = {"lost": f"{type(problem).__name__}: {problem}"[:200]}
    print(json.dumps({"answer": answer}), flush=True)


if __name__ == "__main__":
    # Workers of a cluster import this file again, but only the first process must run main().
    main()
