"""The record of what the code does today, and the comparison with it.

    python -m tools.golden                      make the record again, show what changed, write it
    python -m tools.golden --check              only compare; the exit status is 1 when something differs
    python -m tools.golden --only ids           one part

``tools/golden/<part>.py`` makes one part, ``tests/golden/<part>.txt`` is what is stored. A part is a module with

    lines() -> list[str]                        its lines, the same in every run
    sections() -> list[str], lines(section)     the same in sections, each of which is one test

A part compares our results with an outside witness (tiktoken, sentencepiece, tokenizers, a plain reference) before it
returns them, and raises ``Difference`` where they are not the same. So nothing is recorded that a witness contradicts.
"""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path

# In this order; `texts` first, because a change there changes the ids of everything.
PARTS = ("texts", "ids", "merges", "files", "signatures", "transcripts", "verdicts")
STORED = Path(__file__).parents[2] / "tests" / "golden"


class Difference(AssertionError):
    """Our result is not the witness's."""


def sections(part: str) -> list[str]:
    """Return the names of the sections of a part; a part without sections has one, without a name."""
    module = importlib.import_module(f"tools.golden.{part}")
    return list(module.sections()) if hasattr(module, "sections") else [""]


def made(part: str, section: str = "") -> list[str]:
    """Make the lines of a section anew. Raises Difference when a witness does not agree."""
    module = importlib.import_module(f"tools.golden.{part}")
    lines = list(module.lines(section) if section else module.lines())
    if not all(line and not line.startswith("[") and "\n" not in line for line in lines):
        raise ValueError(f"a line of {part} {section} is empty, begins with '[', or is more than one line")
    return lines


def stored(part: str) -> dict[str, list[str]]:
    """Return the stored lines of a part by section."""
    path, found = STORED / f"{part}.txt", dict[str, list[str]]()
    section = ""
    for line in path.read_text(encoding="utf-8").split("\n") if path.exists() else []:
        if line.startswith("["):
            section = line[1:-1]
        elif line:
            found.setdefault(section, []).append(line)
    return found


def write(part: str, lines: dict[str, list[str]]) -> None:
    """Store the lines of a part."""
    blocks = [([f"[{section}]"] if section else []) + own for section, own in lines.items()]
    text = "\n\n".join("\n".join(block) for block in blocks) + "\n"
    (STORED / f"{part}.txt").write_text(text, encoding="utf-8", newline="\n")


def difference(old: list[str], new: list[str]) -> list[str]:
    """Return what changed: ``- stored`` and ``+ made now``, nothing where both are the same."""
    changes = difflib.ndiff(old, new, charjunk=None)
    return [line for line in changes if line[0] in "-+"]
