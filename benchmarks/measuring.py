"""Run the benchmarks: select the rows, make their texts, and start the measuring processes."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import lines, memory, report, startup, texts
from benchmarks.curves import CHARACTERS, CURVES, SIZE
from benchmarks.findings import Findings
from benchmarks.lines import Line
from benchmarks.memory import MEASURES
from benchmarks.places import Place, Task, run_tasks
from benchmarks.rows import FULL, MB, QUICK, ROWS


@dataclass(frozen=True)
class Wanted:
    """The selection of a run: a mode, and a word that the section, the title or a contestant must contain."""

    mode: str = FULL
    only: str = ""

    def lets(self, *names: str) -> bool:
        """Return whether one of these names contains the selected word."""
        return self.only.lower() in " | ".join(names).lower()

    def rows(self) -> list[int]:
        """Return the indices of the selected rows."""
        chosen = enumerate(ROWS)
        return [
            at
            for at, row in chosen
            if row.size(self.mode) and self.lets(row.section, row.title(), row.ours, *row.peers)
        ]

    def curves(self) -> list[int]:
        """Return the indices of the selected curves."""
        chosen = enumerate(CURVES)
        return [at for at, each in chosen if each.points(self.mode) and self.lets(each.section, each.title)]

    def measures(self) -> list[int]:
        """Return the indices of the selected memory measurements."""
        chosen = enumerate(MEASURES)
        return [at for at, each in chosen if each.sizes[self.mode == FULL] and self.lets(each.section, each.title)]

    def texts(self) -> dict[str, int]:
        """Return the texts that are needed, and how many bytes of each."""
        sizes = [("course", MB)]
        sizes += [(ROWS[at].text, ROWS[at].size(self.mode)) for at in self.rows()]
        sizes += [(MEASURES[at].text, MEASURES[at].sizes[self.mode == FULL]) for at in self.measures()]
        for at in self.curves():
            if CURVES[at].along != CHARACTERS:
                most = max(CURVES[at].points(self.mode)) if CURVES[at].along == SIZE else 10 * MB
                sizes.append((CURVES[at].text, most))
        wanted: dict[str, int] = {}
        for name, size in sizes:
            wanted[name] = max(size, wanted.get(name, 0))
        return wanted


def measure(
    wanted: Wanted,
    command: str,
    *,
    next_python: str | None,
    rounds: int | None = None,
    say: Callable[[str], object] = lambda line: None,
) -> Findings:
    """Run the selected measurements; ``say`` is called with each line as soon as it is known."""
    found = Findings(command, rounds or 5, load=[report.load_average()])

    def tell(known: Iterable[Line]) -> None:
        for line in known:
            said = (line.section, line.title, line.ours, line.our_value, line.against, line.result, line.verdict)
            say(" | ".join(filter(None, said)))

    def hear(task: Task, result: dict[str, Any]) -> None:
        kind, at = task
        (found.races if kind == "row" else found.grown)[at] = result
        tell(lines.of_row(ROWS[at], result) if kind == "row" else lines.of_curve(CURVES[at], result))

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found.texts = texts.store(folder, wanted.texts())
        request = {"folder": name, "mode": wanted.mode, "rounds": rounds}
        for place, threads, tasks in by_place(wanted):
            python = sys.executable if place == "peers" else next_python
            if python is None:
                for task in tasks:
                    hear(task, {"lost": "no environment with tokenizers 1.0; make bench makes it"})
            else:
                found.versions.setdefault(place, {}).update(run_tasks(Place(python, threads), tasks, request, hear))
        for at in wanted.measures():
            found.memory[at] = memory.run(MEASURES[at], folder, wanted.mode)
            tell(lines.of_memory(MEASURES[at], found.memory[at]))
        if wanted.lets(lines.STARTUP):
            found.startup = startup.run(folder, next_python, 1 if wanted.mode == QUICK else 3)
            tell(lines.of_startup(found.startup))
    found.load.append(report.load_average())
    return found


def by_place(wanted: Wanted) -> list[tuple[str, int, list[Task]]]:
    """Return the tasks for each combination of environment and number of threads."""
    tasks: dict[tuple[str, int], list[Task]] = {}
    for at in wanted.rows():
        tasks.setdefault((ROWS[at].place, ROWS[at].threads), []).append(("row", at))
    for at in wanted.curves():
        tasks.setdefault(("peers", 1), []).append(("curve", at))
    ordered = sorted(tasks, key=lambda key: (key[1], key[0] != "peers"))
    return [(place, threads, tasks[place, threads]) for place, threads in ordered]
