"""Plant faults in the package, one at a time, and print how many of them the tests notice.

    python -m tools.mutants                          25 faults in each group of packages
    python -m tools.mutants --only formats --number 5 --seed 2
    python -m tools.mutants --record                 record anew which test executes which line, after tests changed
    python -m tools.mutants --root FOLDER            measure the tests of another checkout

The first run makes the record, in ``build/mutants``: it runs the tests of ``make test`` once, without the lessons. Then
each fault runs in a copy of the tree, with only those tests that execute its line, until the first one fails. A fault
that makes them hang is noticed, too. Kernels are tested without compiling first, then compiled.

Not every fault that is missed is a hole: some change nothing that can be observed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from tools.mutants.faults import Fault, choose_faults
from tools.mutants.record import Record, record
from tools.mutants.trial import TIMEOUT, Workshop, import_libraries

ROOT = Path(__file__).resolve().parents[2]
GROUPS = {
    "reference": ("reference/**/*.py",),
    "kernels": ("kernels/**/*.py",),
    "engines": ("engines/**/*.py",),
    "formats": ("formats/**/*.py",),
    "tokenizers": ("tokenizers/**/*.py",),
    "counting": ("counting/**/*.py",),
    "text": ("text/**/*.py", "splitting/**/*.py"),
    "checks": ("learning/judge/*.py",),
    "submissions": ("learning/submissions/**/*.py", "learning/grading/**/*.py"),
}

_workshop: Workshop


def _files(root: Path, group: str) -> list[Path]:
    return sorted(path for pattern in GROUPS[group] for path in (root / "minbpe_course").glob(pattern))


def _prepare(root: Path, folder: Path, seconds: float) -> None:
    global _workshop
    _workshop = Workshop(root, Record(root, folder), seconds)


def _examine(fault: Fault) -> tuple[str, float]:
    started = time.monotonic()
    return _workshop.examine(fault), time.monotonic() - started


def _close(_: int) -> None:
    _workshop.close()
    time.sleep(1)


def _trials(faults: list[tuple[str, Fault]], root: Path, folder: Path, options: argparse.Namespace) -> Iterator:
    """Yield the group of each fault, the fault, and what noticed it, in the order in which the trials end."""
    import_libraries()
    given = (root, folder, options.seconds)
    with ProcessPoolExecutor(options.processes, get_context("fork"), _prepare, given) as workers:
        running = {workers.submit(_examine, fault): (group, fault) for group, fault in faults}
        for done in as_completed(running):
            yield *running[done], *done.result()
        list(workers.map(_close, range(options.processes)))


def main() -> int:
    """Measure what the options name, and print it."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="for other faults")
    parser.add_argument("--only", choices=GROUPS, action="append", help="one group of packages")
    parser.add_argument("--number", type=int, default=25, help="faults in each group")
    parser.add_argument("--seconds", type=float, default=20, help="recorded time of the tests that a fault may run")
    parser.add_argument("--processes", type=int, default=2, help="trials at the same time")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to measure")
    parser.add_argument("--folder", type=Path, help="the record, by default build/mutants of the checkout")
    parser.add_argument("--record", action="store_true", help="make the record anew")
    options = parser.parse_args()
    root = options.root.resolve()
    folder = (options.folder or root / "build/mutants").resolve()
    groups = options.only or list(GROUPS)
    # The tests without compiling are the last part of a record.
    if options.record or not any(folder.glob("plain/times-*.json")):
        packages = [root / "minbpe_course" / each.partition("*")[0] for each in sum(GROUPS.values(), ())]
        record(root, folder, packages, options.processes)
    faults = [
        (group, fault)
        for group in groups
        for fault in choose_faults(root, _files(root, group), options.number, options.seed)
    ]
    table = {group: {"faults": 0, "noticed": 0, TIMEOUT: 0} for group in groups}
    missed: dict[str, list[str]] = {group: [] for group in groups}
    for group, fault, noticed, seconds in _trials(faults, root, folder, options):
        print(f"{seconds:5.1f} s  {fault}  [{noticed or 'MISSED'}]", file=sys.stderr, flush=True)
        table[group]["faults"] += 1
        table[group]["noticed"] += bool(noticed)
        table[group][TIMEOUT] += noticed == TIMEOUT
        if not noticed:
            missed[group].append(str(fault))
    print(f"{'group':12}  faults  noticed  of these by a timeout   (seed {options.seed})")
    for group, row in table.items():
        print(f"{group:12}  {row['faults']:6}  {row['noticed']:7}  {row[TIMEOUT]:20}")
    for group, faults_missed in missed.items():
        if faults_missed:
            print(f"\nnot noticed in {group}:")
            print("\n".join(f"  {fault}" for fault in sorted(faults_missed)))
    return 0


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
