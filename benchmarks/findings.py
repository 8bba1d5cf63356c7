"""Store and load the numbers of one run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks import lines
from benchmarks.curves import CURVES
from benchmarks.lines import Line
from benchmarks.memory import MEASURES
from benchmarks.rows import ROWS

Numbered = dict[int, dict[str, Any]]


@dataclass
class Findings:
    """Results by the index of their row, curve or measure, and the texts, versions and load they were measured with."""

    command: str
    rounds: int = 5
    races: Numbered = field(default_factory=dict)
    grown: Numbered = field(default_factory=dict)
    memory: Numbered = field(default_factory=dict)
    startup: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    texts: dict[str, dict[str, object]] = field(default_factory=dict)
    load: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[Line]:
        """Yield the table lines of all results, in the order of the definitions."""
        for at in sorted(self.races):
            yield from lines.of_row(ROWS[at], self.races[at])
        for at in sorted(self.grown):
            yield from lines.of_curve(CURVES[at], self.grown[at])
        for at in sorted(self.memory):
            yield from lines.of_memory(MEASURES[at], self.memory[at])
        if self.startup:
            yield from lines.of_startup(self.startup)

    def wrong(self) -> list[str]:
        """Return a message for each wrong answer of this course."""
        results = [*self.races.values(), *self.grown.values()]
        return [result["wrong"] for result in results if "wrong" in result]

    def to_json(self) -> bytes:
        """Return the numbers as JSON."""
        return json.dumps(asdict(self)).encode("utf-8")

    @classmethod
    def from_json(cls, data: bytes) -> Findings:
        """Read the output of ``to_json``. JSON keys are strings, so the indices are converted back to int."""
        found = json.loads(data)
        for name in ("races", "grown", "memory"):
            found[name] = {int(at): result for at, result in found[name].items()}
        return cls(**found)
