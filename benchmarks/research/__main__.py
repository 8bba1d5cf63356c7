"""Make the stored results again, or compare: ``python -m benchmarks.research [--only 15] [--check]``."""

from __future__ import annotations

import argparse
import json
import os
import pkgutil
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from multiprocessing import get_context

import benchmarks.research
from benchmarks.research.computing import computed
from minbpe_course.files import read_whole, write_whole
from minbpe_course.learning.practice.measured import FOLDER, results_file

LARGEST = 1_000_000  # bytes of all results together


def texts_of_this_python() -> str:
    """Return a fingerprint of the standard library's texts: the results hold for one version of Python."""
    from minbpe_course.corpus.texts import pydoc_topics, python_source

    return sha256((pydoc_topics() + python_source(20_000_000)).encode("utf-8")).hexdigest()[:16]


def main(given: Sequence[str] | None = None) -> int:
    """Compute and store the results. With --check store nothing, and return 1 if one differs."""
    known = [one.name[-2:] for one in pkgutil.iter_modules(benchmarks.research.__path__) if one.name[-2:].isdigit()]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.research", description=__doc__)
    parser.add_argument(
        "--only", metavar="NN", nargs="+", choices=known, default=known, help=f"only these lessons: {', '.join(known)}"
    )
    parser.add_argument("--check", action="store_true", help="compare with what is stored, and store nothing")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(given)
    texts = texts_of_this_python()
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # read when a new process imports NumPy
    differ = []
    with ProcessPoolExecutor(options.processes, mp_context=get_context("spawn")) as pool:
        for lesson, (found, seconds) in zip(options.only, pool.map(computed, options.only)):
            path = results_file(lesson)
            stored = json.loads(read_whole(path)) if path.exists() else {"texts": texts, "results": None}
            if stored["results"] != found:
                differ.append(lesson)
            other = "" if stored["texts"] == texts else " (what is stored was made from another Python's library)"
            print(f"{lesson}: {'differs' if lesson in differ else 'equal'}{other}, {seconds:.0f} s", flush=True)
            if not options.check:
                FOLDER.mkdir(exist_ok=True)
                whole = json.dumps({"texts": texts, "results": found}, indent=1, ensure_ascii=False) + "\n"
                write_whole(path, whole.encode("utf-8"))
    size = sum(path.stat().st_size for path in FOLDER.glob("research_*.json"))
    print(f"{size:,} bytes of results; at most {LARGEST:,}")
    return int(bool(options.check and differ) or size > LARGEST)


if __name__ == "__main__":
    sys.exit(main())
