"""Measure this course beside others, and write the page and the pictures: ``python -m benchmarks``.

Run it with the Python of the environment that holds the other programs; ``make bench`` makes that and the second one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import charts, lines, memory, report, startup, texts
from benchmarks.curves import CHARACTERS, CURVES, SIZE
from benchmarks.lines import Line
from benchmarks.memory import MEASURES
from benchmarks.places import ROOT, Place, Task, run_tasks
from benchmarks.rows import FULL, QUICK, ROWS
from minbpe_course import warm_up
from minbpe_course.files import write_whole

START = "start-up"


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="smaller texts, no slow rows: under three minutes")
    parser.add_argument("--only", default="", help="only what has this in its section or title")
    parser.add_argument("--rounds", type=int, help="rounds of every race; the rows say 5")
    parser.add_argument("--next", help="the Python of the environment with tokenizers 1.0")
    parser.add_argument("--out", type=Path, help="folder for results.md and pictures: benchmarks/, or build/benchmarks/"
                        " for a run that is quick or leaves something out")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="say what there is to measure, and measure nothing")
    return parser.parse_args(given)


class Run:
    """One run: what is wanted, and what has been found."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.mode = QUICK if options.quick else FULL
        self.races: dict[int, dict[str, Any]] = {}
        self.grown: dict[int, dict[str, Any]] = {}
        self.memory: dict[int, dict[str, Any]] = {}
        self.startup: dict[str, Any] | None = None
        self.versions: dict[str, dict[str, str]] = {}
        self.next_python = options.next or _next_python()

    def wants(self, *names: str) -> bool:
        """Whether --only lets this through."""
        return self.options.only.lower() in " | ".join(names).lower()

    def rows(self) -> list[int]:
        """The rows of this run."""
        return [
            at for at, row in enumerate(ROWS) if row.size(self.mode) and self.wants(row.section, row.title(), row.ours)
        ]

    def curves(self) -> list[int]:
        """The curves of this run."""
        return [
            at for at, curve in enumerate(CURVES) if curve.points(self.mode) and self.wants(curve.section, curve.title)
        ]

    def measures(self) -> list[int]:
        """The measurements of memory of this run."""
        chosen = enumerate(MEASURES)
        return [at for at, each in chosen if each.sizes[self.mode == FULL] and self.wants(each.section, each.title)]

    def texts(self) -> dict[str, int]:
        """Which texts are needed, and how much of each."""
        wanted = {"course": 1_000_000}
        sizes = [(ROWS[at].text, ROWS[at].size(self.mode)) for at in self.rows()]
        sizes += [(MEASURES[at].text, MEASURES[at].sizes[self.mode == FULL]) for at in self.measures()]
        for at in self.curves():
            if CURVES[at].along != CHARACTERS:
                most = max(CURVES[at].points(self.mode)) if CURVES[at].along == SIZE else 10_000_000
                sizes.append((CURVES[at].text, most))
        for name, size in sizes:
            wanted[name] = max(size, wanted.get(name, 0))
        return wanted

    def measure(self, folder: Path) -> None:
        """Do everything, saying what is being done."""
        request = {"folder": str(folder), "mode": self.mode, "rounds": self.options.rounds}
        for place, threads in (("peers", 1), ("next", 1), ("peers", 2), ("next", 2)):
            tasks: list[Task] = [
                ("row", at) for at in self.rows() if (ROWS[at].place, ROWS[at].threads) == (place, threads)
            ]
            if (place, threads) == ("peers", 1):
                tasks += [("curve", at) for at in self.curves()]
            python = sys.executable if place == "peers" else self.next_python
            if python is None:
                for task in tasks:
                    self.hear(task, {"lost": "no environment with tokenizers 1.0; make bench makes it"})
            elif tasks:
                found = run_tasks(Place(python, threads), tasks, request, self.hear)
                self.versions.setdefault(place, {}).update(found)
        for at in self.measures():
            self.memory[at] = memory.run(MEASURES[at], folder, self.mode)
            self.tell(lines.of_memory(MEASURES[at], self.memory[at]))
        if self.wants("Start-up"):
            self.startup = startup.run(folder, self.next_python, 1 if self.mode == QUICK else 3)
            self.tell(lines.of_startup(self.startup))

    def hear(self, task: Task, result: dict[str, Any]) -> None:
        """Keep a result, and say it."""
        kind, at = task
        if kind == "row":
            self.races[at] = result
            self.tell(lines.of_row(ROWS[at], result))
        else:
            self.grown[at] = result
            self.tell(lines.of_curve(CURVES[at], result))

    def tell(self, found: Any) -> None:
        """One line for each line of the tables, as it comes."""
        for line in found:
            said = (line.section, line.title, line.ours, line.our_value, line.against, line.result, line.verdict)
            print(" | ".join(filter(None, said)), flush=True)

    def lines(self) -> list[Line]:
        """Everything that was found, in the order of the definitions."""
        found = [line for at in sorted(self.races) for line in lines.of_row(ROWS[at], self.races[at])]
        found += [line for at in sorted(self.grown) for line in lines.of_curve(CURVES[at], self.grown[at])]
        found += [line for at in sorted(self.memory) for line in lines.of_memory(MEASURES[at], self.memory[at])]
        return found + (list(lines.of_startup(self.startup)) if self.startup else [])


def _next_python() -> str | None:
    beside = Path(sys.prefix).resolve().parent / ".venv-bench-next"
    places = (beside / "bin" / "python", beside / "Scripts" / "python.exe")
    return next((str(place) for place in places if place.exists()), None)


def main(given: Sequence[str] | None = None) -> int:
    """Run, write and say where; 1 when an answer of ours was wrong."""
    options = arguments(given)
    run = Run(options)
    if options.list:
        for at in run.rows():
            print(f"{ROWS[at].section} | {ROWS[at].title()} | {ROWS[at].ours} | {', '.join(ROWS[at].peers)}")
        for each in [*map(CURVES.__getitem__, run.curves()), *map(MEASURES.__getitem__, run.measures())]:
            print(f"{each.section} | {each.title} | {', '.join(each.who)}")
        return 0
    whole = not (options.quick or options.only)
    out = options.out or ROOT / ("benchmarks" if whole else "build/benchmarks")
    out.mkdir(parents=True, exist_ok=True)
    began, load = time.perf_counter(), [report.load_average()]
    print(f"compiling kernels, or loading them: {warm_up():.1f} s", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        facts = texts.store(Path(folder), run.texts())
        print(f"texts are ready after {time.perf_counter() - began:.0f} s", flush=True)
        run.measure(Path(folder))
    load.append(report.load_average())
    pictures = charts.draw_all(out, ROWS, run.races, CURVES, run.grown)
    page = report.page(
        run.lines(),
        command="make bench" if whole else "make bench-quick" if not options.only else f"... --only {options.only!r}",
        rounds=options.rounds or 5,
        versions=run.versions,
        texts=facts,
        pictures=pictures,
        load=load,
    )
    path = write_whole(out / "results.md", page.encode("utf-8"))
    print(f"{path} after {time.perf_counter() - began:.0f} s")
    return 0 if report.measured(run.races) and report.measured(run.grown) else 1


if __name__ == "__main__":
    sys.exit(main())
