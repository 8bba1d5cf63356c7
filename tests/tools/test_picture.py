"""The picture of the README is what the tokenizers give today, can be read, and the README's numbers are measured."""

from __future__ import annotations

import re

import pytest

from tests.shared.page_blocks import ROOT
from tools.picture import FOLDER, THEMES, picture

README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULTS = (ROOT / "benchmarks" / "results.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", THEMES)
def test_the_stored_picture_is_todays(name: str) -> None:
    stored = (FOLDER / f"tokens-{name}.svg").read_text(encoding="utf-8")
    assert stored == picture(THEMES[name]), "draw it again: python -m tools.picture"


def measured() -> set[tuple[str, ...]]:
    """(work, text, other library, result) of every row of the last measurement."""
    rows, heading = set(), ""
    for line in RESULTS.splitlines():
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        cells = tuple(cell.strip() for cell in line.strip("|").split("|"))
        if heading == "The bars" and len(cells) == 7:
            rows.add((*cells[:3], cells[5]))
        elif line.startswith("|") and len(cells) >= 6:
            rows.add((heading, cells[0], cells[3], cells[5]))
    return rows


def test_the_numbers_of_the_readme_are_those_of_the_last_measurement() -> None:
    section = README.partition("## The numbers")[2].partition("\n## ")[0]
    quoted = [
        tuple(cell.strip() for cell in line.strip("|").split("|"))
        for line in section.splitlines()
        if re.match(r"\| .*\dx", line)
    ]
    assert len(quoted) >= 5
    assert [row for row in quoted if row[-1].startswith("0.")], "where another library is faster"
    assert [row for row in quoted if row not in measured()] == [], "copy them anew from benchmarks/results.md"
    command = re.search(r"`(make [\w-]+)`", RESULTS)
    assert command is not None
    assert f"the last run of `{command.group(1)}`" in section.replace("\n", " ")
