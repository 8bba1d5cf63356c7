"""The page ``docs/architecture.md``: its levels are those of the architecture test, and what it names exists."""

from __future__ import annotations

import re

import pytest

from tests.project.test_architecture import LEVELS, PACKAGE

pytestmark = pytest.mark.slow

PAGE = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
FILES = sorted(set(re.findall(r"`((?:\w+/)+\w+\.(?:py|md))`", PAGE)))
STEPS = re.findall(r"^\| \d+ \| `([\w/.]+\.py)` \| `([\w.]+)`", PAGE, re.MULTILINE)


def test_levels_are_those_of_the_test() -> None:
    rows = re.findall(r"^\| (\d+) \| ((?:`\w+`(?:, )?)+) \|", PAGE, re.MULTILINE)
    named = {name: int(level) for level, names in rows for name in re.findall(r"`(\w+)`", names) if name in LEVELS}
    assert named == {name: level for name, level in LEVELS.items() if not name.startswith("__")}


@pytest.mark.parametrize("file", FILES)
def test_files_exist(file: str) -> None:
    assert any((folder / file).is_file() for folder in (PACKAGE, PACKAGE.parent)), file


@pytest.mark.parametrize(("file", "function"), STEPS)
def test_functions_exist(file: str, function: str) -> None:
    source = (PACKAGE / file).read_text(encoding="utf-8")
    for name in function.split("."):
        assert re.search(rf"\b(?:def|class) {name}\b|^{name} = ", source, re.MULTILINE), (file, name)
