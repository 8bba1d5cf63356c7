"""The words of each stored picture: they are there, short, and say more than the frame of the picture."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from minbpe_course.learning.charts.description import LONGEST
from tests.shared.page_blocks import ROOT

LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def words_of_pictures(lesson: Path) -> Iterator[str]:
    for cell in nbformat.read(lesson, as_version=4).cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                yield output.metadata.get("image/png", {}).get("alt", "")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_each_stored_picture_has_words_of_its_own(lesson: Path) -> None:
    found = list(words_of_pictures(lesson))
    for words in found:
        assert 20 < len(words) <= LONGEST, words
        # A title alone says nothing about what is drawn.
        assert re.search(r"\d|: ", words.partition(". ")[2]), words
        # One value repeated is the width of boxes, not what they show: "Bars: 0.34, 0, 0, 0.34".
        assert not re.search(r"\bBars: ([-.\d]+)(?:, (?:\1|0)){3}", words), words
    assert len(set(found)) == len(found), "two pictures with the same words"


@pytest.mark.parametrize("lesson", [path for path in LESSONS if path.name[:2] < "09"], ids=lambda path: path.stem)
def test_no_two_curves_of_a_picture_have_the_same_words(lesson: Path) -> None:
    """Where each goes from 0 to 13, the values between or their places must differ."""
    for words in words_of_pictures(lesson):
        for panel in re.split(r"\. (?=[A-Z])", words):
            courses = Counter(re.findall(r": (from [-\d.,e]+ to [-\d.,e]+)(?=\. |\.$)", f"{panel}."))
            assert not [course for course, times in courses.items() if times > 1], words
