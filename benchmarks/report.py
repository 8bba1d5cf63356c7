"""Write the results page: the machine, the targets, the pictures, and then every table."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.findings import Findings
from benchmarks.lines import Line

ABOUT = """# This course compared with others

`{command}`. A contestant that gives a different answer is not timed. All contestants of a row run in one process, in
turn, for at least {rounds} rounds in a rotating order. A ratio is the median of the per-round ratios, with the
smallest and the largest in parentheses; above 1 means that this course is faster. Unless a table says otherwise, a
contestant runs on one thread and is measured in processor time; runs on several threads are measured in wall-clock
time. Speeds differ between machines, and over time on a shared one, so compare ratios.
"""


def page(found: Findings, pictures: Mapping[str, str]) -> str:
    """Return the whole page; ``pictures`` maps each file name to a description."""
    lines = list(found.lines())
    parts = [ABOUT.format(command=found.command, rounds=found.rounds), _machine(found), _bars(lines)]
    parts += [f"![{shown}]({name})" for name, shown in pictures.items()]
    for section in dict.fromkeys(line.section for line in lines):
        parts.append(_section(section, [line for line in lines if line.section == section]))
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table without its empty columns.

    >>> print(table(["a", "b", "c"], [["1", "", "x|y"], ["2", "", ""]]))
    | a | c |
    |---|---|
    | 1 | x\\|y |
    | 2 |  |
    """
    kept = [at for at in range(len(head)) if any(row[at] for row in rows)]
    lines = [[head[at] for at in kept], *([_cell(row[at]) for at in kept] for row in rows)]
    written = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([written[0], "|" + "---|" * len(kept), *written[1:]])


def _cell(text: str) -> str:
    # A message of another library may contain anything, including private paths.
    text = re.sub(r"(?:/[\w.+-]+){2,}/", ".../", text)
    return re.sub(r"\s+", " ", text.replace("|", "\\|")).strip()[:200]


def _bars(lines: Sequence[Line]) -> str:
    rows = [
        [line.section, line.title, line.against, line.minimum, line.aim, line.result, line.verdict]
        for line in lines
        if line.verdict
    ]
    head = ["work", "on what", "against", "minimum", "aim", "measured", "reached"]
    return "## The bars\n\n" + (table(head, rows) if rows else "No row of this run has a bar.")


def _section(name: str, lines: Sequence[Line]) -> str:
    rows = [
        [
            line.title, line.ours, line.our_value, line.against, line.their_value, line.result,
            " / ".join(filter(None, (line.minimum, line.aim))), line.verdict,
        ]
        for line in lines
    ]  # fmt: skip
    return f"## {name}\n\n" + table(
        ["what", "ours", "speed", "compared with", "its speed", "result", "bar", "reached"], rows
    )


def _machine(found: Findings) -> str:
    python = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {processor()}"
    said = [f"{python}, {os.cpu_count()} cores."]
    for place, versions in found.versions.items():
        listed = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
        said.append(f'Environment "{place}": {listed}.')
    sizes = [
        f"{name} {int(str(facts['bytes'])) / 1e6:.2f} MB ({facts['sha256']})" for name, facts in found.texts.items()
    ]
    said.append(f"Texts, with the first digits of their SHA-256: {', '.join(sizes)}.")
    said.append(f"Load average at the beginning and at the end: {' · '.join(found.load)}.")
    return "\n".join(f"- {line}" for line in said)


def processor() -> str:
    """Return the model name of the processor."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        found = None
    return found.group(1).strip() if found else platform.processor() or "an unnamed processor"


def load_average() -> str:
    """Return the load averages of the last 1, 5 and 15 minutes, or "unknown" where the system has none."""
    try:
        return ", ".join(f"{value:.1f}" for value in os.getloadavg())
    except (AttributeError, OSError):
        return "unknown"
