"""The reports in a real browser, light and dark: nothing runs, nothing is loaded, and everybody can read them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from minbpe_course.learning.grading.gradebook import Gradebook, Kept
from minbpe_course.learning.grading.present import Present
from minbpe_course.learning.grading.reports.writing import write_class
from minbpe_course.learning.judge.exercise import Verdict
from minbpe_course.learning.judge.right_helpers import about_helpers
from minbpe_course.learning.submissions.layouts import Owner
from tests.shared.browser import serious_faults
from tests.shared.submission_cases import exercise

pytestmark = [pytest.mark.slow, pytest.mark.browser]

EXERCISES = {key: exercise(key) for key in ("02.double", "02.triple")}
MERGE = """def double(numbers):
    found = []
    for number in numbers:
        if number > 10:
            found.append(number)
        else:
            found.append(2 * number)
    return found
"""
HOSTILE = (
    "</pre></script><script>alert(1)</script><img src=x onerror=alert(2)>\n\u202eabc\u05d0\u05d1\u0627\0\n"
    + "x" * 200_000
)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of eight with equal, wrong, hostile and missing answers."""
    folder = tmp_path_factory.mktemp("reports")
    helper = Verdict("02.triple", "done", 3, 3, note=about_helpers(("02.double",)), helpers=("02.double",))
    with Gradebook(folder, "a seed for the tests") as book:
        for number, name in enumerate(["ada", "bob", "eve", "dan", "fay", "gus", "hal", "ivy"]):
            book.enrol(Owner(name, name.title(), "Lovelace"), "", ["02.ipynb is empty"] if name == "eve" else [])
            mark = Verdict(
                *("02.double", "not yet", 0, 2, "large numbers", "double([4, 12])", "[8, 12]", "[8, 24]", "at index 1"),
                *("Large numbers count too.", "skips-large", {"large numbers": 5}, {"large numbers": 9, "empty": 1}),
                note="46 further cases were not tried", notes=("looks at other frames (sys._getframe in line 3)",),
            )  # fmt: skip
            source, shape = MERGE.replace("found", f"found{number % 2}"), "equal"
            if number > 3:
                mark, source, shape = Verdict("02.double", "done", 2, 2), f"{MERGE}# {number}\n", ""
            if name == "ivy":
                source = HOSTILE
            for one in (mark, helper):
                book.keep(name, Kept(one, "bubblewrap", source, shape))
        asked = SimpleNamespace(
            file=None,
            questions=(),
            titles=["T"],
            exercises=EXERCISES,
            present=lambda book: Present(book, EXERCISES, {}),
        )
        write_class(folder, asked, book, {"sandbox": "bubblewrap", "guarantees": "The answers see no files."})
    return folder


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["summary.html", "ada/report.html", "ivy/report.html"])
def test_a_report_opens_quietly_and_everybody_can_read_it(new_tab, reports: Path, name: str, dark: bool) -> None:
    tab = new_tab(dark=dark)
    tab.page.goto((reports / name).as_uri())
    for details in tab.page.locator("details").all():
        details.locator("summary").click()
    tab.expect_quiet()
    assert serious_faults(tab.page) == []
    assert tab.page.evaluate("() => document.scripts.length + document.images.length") == 0
    assert tab.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_the_links_of_the_class_lead_to_the_question_of_a_learner(new_tab, reports: Path) -> None:
    tab = new_tab()
    tab.page.goto((reports / "summary.html").as_uri())
    tab.page.locator("details", has_text="Not yet").first.locator("summary").click()
    tab.page.locator("details a", has_text="Bob").first.click()
    assert tab.page.url.endswith("/bob/report.html#02.double")
    tab.page.locator("a", has_text="02.double").first.click()
    assert tab.page.locator("section:target h3").inner_text().startswith("02.double")
    tab.expect_quiet()
