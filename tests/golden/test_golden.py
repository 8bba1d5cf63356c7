"""The code does what is recorded. ``python -m tools.golden`` makes the record again."""

from __future__ import annotations

import pytest

from tools import golden

pytestmark = pytest.mark.medium


# The tests of the exercises ask most of what the verdicts record.
SECTIONS = [
    pytest.param(part, section, marks=[pytest.mark.slow] if part == "verdicts" else [])
    for part in golden.PARTS
    for section in golden.sections(part)
]


@pytest.mark.parametrize(("part", "section"), SECTIONS)
def test_the_record_is_what_the_code_does(part: str, section: str) -> None:
    try:
        problems = golden.difference(golden.stored(part).get(section, []), golden.made(part, section))
    except golden.Difference as difference:
        problems = [str(difference)]
    if problems:
        pytest.fail("\n".join([f"{part} [{section}]: - recorded, + made now", *problems]), pytrace=False)


@pytest.mark.parametrize("part", golden.PARTS)
def test_nothing_is_recorded_that_is_not_made(part: str) -> None:
    assert list(golden.stored(part)) == golden.sections(part)
