"""Compare this course with other libraries, and write the results page and its pictures: ``python -m benchmarks``.

Run it with the Python of the environment that has the other libraries; ``make bench`` creates both environments.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import charts, choosing, report
from benchmarks.curves import CURVES
from benchmarks.findings import Findings
from benchmarks.measuring import Wanted, measure
from benchmarks.memory import MEASURES
from benchmarks.places import ROOT
from benchmarks.rows import FULL, QUICK, ROWS
from minbpe_course import warm_up
from minbpe_course.files import read_whole, write_whole

BUILD = ROOT / "build" / "benchmarks"
NUMBERS = BUILD / "numbers.json"


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Compare this course with other libraries."
    )
    parser.add_argument("--quick", action="store_true", help="smaller texts, no slow rows: under three minutes")
    parser.add_argument(
        "--only", default="", metavar="WORD", help="only what has this in its section, title or contestants"
    )
    parser.add_argument("--rounds", type=int, help="rounds of every race, in place of 5")
    parser.add_argument("--next", metavar="PYTHON", help="the Python of the environment with tokenizers 1.0")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where results.md and the pictures go: benchmarks/,"
                        " or build/benchmarks/ for a run that is quick or leaves something out")  # fmt: skip
    parser.add_argument("--again", action="store_true", help="measure nothing: write the last run's page again")
    parser.add_argument("--list", action="store_true", help="say what there is to measure, and measure nothing")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Run the benchmarks and write the page. Return 1 if this course gave a wrong answer."""
    options = arguments(given)
    wanted = Wanted(QUICK if options.quick else FULL, options.only)
    if options.list:
        print("\n".join(listed(wanted)))
        return 0
    began = time.perf_counter()
    if options.again:
        found = Findings.from_json(read_whole(NUMBERS))
    else:
        print(f"kernels are compiled, or loaded: {warm_up():.1f} s", flush=True)
        found = measure(
            wanted,
            command_line(options),
            next_python=options.next or next_python(),
            rounds=options.rounds,
            say=lambda line: print(line, flush=True),
        )
        BUILD.mkdir(parents=True, exist_ok=True)
        write_whole(NUMBERS, found.to_json())
    whole = not (options.quick or options.only)
    page = write(found, options.out or (ROOT / "benchmarks" if whole else BUILD))
    print(f"{page} after {time.perf_counter() - began:.0f} s")
    return 1 if found.wrong() else 0


def write(found: Findings, folder: Path) -> Path:
    """Write the pictures and the two pages, and return the path of the results."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / choosing.NAME, choosing.page(found).encode("utf-8"))
    pictures = charts.draw_all(folder, ROWS, found.races, CURVES, found.grown)
    return write_whole(folder / "results.md", report.page(found, pictures).encode("utf-8"))


def listed(wanted: Wanted) -> list[str]:
    """Return one line for each measurement that the run would make."""
    rows = [ROWS[at] for at in wanted.rows()]
    found = [f"{row.section} | {row.title()} | {row.ours} | compared with {', '.join(row.peers)}" for row in rows]
    others = [CURVES[at] for at in wanted.curves()] + [MEASURES[at] for at in wanted.measures()]
    return found + [f"{each.section} | {each.title} | {', '.join(each.who)}" for each in others]


def command_line(options: argparse.Namespace) -> str:
    """Return the command that repeats this run."""
    said = ["make bench-quick" if options.quick else "make bench"]
    given = [f'--only "{options.only}"'] * bool(options.only) + [f"--rounds {options.rounds}"] * bool(options.rounds)
    return " ".join(said + [f"ARGS='{' '.join(given)}'"] * bool(given))


def next_python() -> str | None:
    """Return the Python of ``.venv-bench-next`` next to this environment, if it exists."""
    folder = Path(sys.prefix).resolve().parent / ".venv-bench-next"
    places = (folder / "bin" / "python", folder / "Scripts" / "python.exe")
    return next((str(place) for place in places if place.exists()), None)


if __name__ == "__main__":
    sys.exit(main())
