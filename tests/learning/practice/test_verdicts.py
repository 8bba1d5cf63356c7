"""A verdict can be read everywhere: on a page, light or dark, in a terminal, without colours, by a screen reader."""

from __future__ import annotations

import re

import pytest

from minbpe_course.learning.judge.exercise import Verdict
from minbpe_course.learning.practice.views.differences import marks
from minbpe_course.learning.practice.views.hints import HintView
from minbpe_course.learning.practice.views.progress import Item, Lesson, ProgressView
from minbpe_course.learning.practice.views.verdicts import STATES, VerdictView
from tests.shared.html import Page, contrast

WRONG = Verdict(
    "02.merge", "not yet", 0, 2, category="overlapping pairs", given="merge([1, 1, 1], (1, 1), 2)", yours="[2, 2]",
    wanted="[2, 1]", difference="at index 1: 2, wanted 1", hint="In `1 1 1` there is one pair.",
    mistake="merges-overlaps", failures={"one place": 1, "overlapping pairs": 4},
    tried={"one place": 1, "overlapping pairs": 12},
)  # fmt: skip
DONE = Verdict("02.merge", "done", 2, 2, hint="", tried={"one place": 40, "overlapping pairs": 12})
BLANK = Verdict("02.merge", "not started", 0, 2, given="merge([1], (1, 1), 2)", wanted="[1]")
HOSTILE = "<script>alert(1)</script> & \"quotes\" 'too' \x1b[31m \ud800 \u202e \x00 \n</div>"


def drawn(view) -> Page:
    return Page(view._repr_html_())


# ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", [WRONG, DONE, BLANK], ids=lambda verdict: verdict.state)
def test_the_state_is_a_word_and_a_sign_in_text_and_html(verdict: Verdict) -> None:
    view = VerdictView(verdict, "Merge a pair")
    sign, _ = STATES[verdict.state]
    assert repr(view).startswith(f"{sign} {verdict.state} · 02.merge · Merge a pair · {verdict.points:g} of 2 points")
    page = drawn(view)
    assert sign in page.text
    assert verdict.state in page.text
    assert page.labels == [f"{verdict.state}, 02.merge, Merge a pair, {verdict.points:g} of 2 points"]


@pytest.mark.parametrize("state", STATES)
def test_the_letters_of_a_state_can_be_read_on_its_colour(state: str) -> None:
    """White on the badge has the contrast that WCAG asks of small letters."""
    assert contrast("#ffffff", STATES[state][1]) >= 4.5


# ----------------------------------------------------------------------------------------------------
# Given, yours, wanted


def test_the_text_lines_up_and_points_at_the_difference() -> None:
    assert repr(VerdictView(WRONG, "Merge a pair", (("Change merge.", 'hint("02.merge")'),))) == (
        "✗ not yet · 02.merge · Merge a pair · 0 of 2 points\n"
        "  Not yet: overlapping pairs (4 of 12 wrong); one place (1 of 1 wrong)\n"
        "  given   merge([1, 1, 1], (1, 1), 2)\n"
        "  yours   [2, 2]\n"
        "  wanted  [2, 1]\n"
        "              ^ at index 1: 2, wanted 1\n"
        "  hint    In `1 1 1` there is one pair.\n"
        '  next    Change merge. hint("02.merge")'
    )


def test_the_page_marks_the_difference_on_both_sides() -> None:
    page = drawn(VerdictView(WRONG))
    assert page.marked == ["2", "1"]
    assert page.text.index("given") < page.text.index("yours") < page.text.index("wanted") < page.text.index("Hint.")


DIFFERENCES = [
    ("in a list", "[1, 22, 3]", "[1, 25, 3]", "at index 1: 22, wanted 25", "22", "25"),
    ("a beginning", "[1, 2]", "[1, 2, 3, 4]", "equal up to the end of yours: 2 items are missing", None, "3, 4"),
    ("too much", "'aab'", "'aa'", "equal up to the end of what is wanted: 1 character too many", "b", None),
    ("what was cut", "[1, 2]", "[1, 2, … 9]", "equal up to the end of yours: 97 items are missing", None, "… 9"),
    ("a word of its list", "['h', 'i']", "['hi']", "at index 0: 'h', wanted 'hi'", "'h'", "'hi'"),
    ("an accent", "'cafe\u0301'", "'cafe\u0300'", "at character 4: x, wanted y", "cafe\u0301", "cafe\u0300"),
    ("in a text", "'Hello'", "'Help'", "at character 3: 'l', wanted 'p'", "Hello", "Help"),
    ("nothing to say", "3", "4", "", None, None),
    ("after a gap", "[1, … 498 items …, 9, 9]", "[1, … 498 items …, 9, 8]", "at index 500: 9, wanted 8", "9", "8"),
    (
        "a row",
        "[( 1, 2),\n (30, 4),\n … 5 rows …\n (5,  6)]",
        "[(1, 2),\n (3, 4),\n … 5 rows …\n (5, 6)]",
        "at index 1: (30, 4), wanted (3, 4)",
        "(30, 4)",
        "(3, 4)",
    ),
    ("a row beside a line", "[(1, 2), (3, 4)]", "[(1, 2),\n (5, 6)]", "at index 1: (3, 4), wanted (5, 6)", None, None),
]


@pytest.mark.parametrize(
    ("yours", "wanted", "difference", "mine", "other"),
    [row[1:] for row in DIFFERENCES],
    ids=[row[0] for row in DIFFERENCES],
)
def test_the_marked_difference(yours: str, wanted: str, difference: str, mine: str | None, other: str | None) -> None:
    found = marks(yours, wanted, difference)
    assert [text[slice(*span)] if span else None for text, span in zip((yours, wanted), found)] == [mine, other]


def test_a_long_value_is_shown_around_its_difference() -> None:
    yours, wanted = (f"[{', '.join(['1000'] * 50)}, {last}, {', '.join(['7'] * 20)}]" for last in (888, 999))
    verdict = Verdict(
        "a.b", "not yet", 0, 1, given="f()", yours=yours, wanted=wanted, difference="at index 50: 888, wanted 999"
    )
    lines = repr(VerdictView(verdict)).splitlines()
    mine, other, below = (next(line for line in lines if part in line) for part in ("yours", "wanted ", "^"))
    assert all(len(line) < 100 for line in lines)
    at = below.index("^")
    assert mine[at : at + 3] == "888"
    assert other[at : at + 3] == "999"
    assert below[at : at + 4] == "^^^ "


def test_a_table_has_a_row_a_line_and_an_arrow_at_the_difference() -> None:
    verdict = Verdict("a.b", "not yet", 0, 1, given="f({'a': 1,\n   'b': 2})", yours="{'a': 1,\n 'b': 2}",
                      wanted="{'a': 1,\n 'b': 3}", difference="at key 'b': 2, wanted 3")  # fmt: skip
    assert repr(VerdictView(verdict)).splitlines()[1:] == [
        "  given   f({'a': 1,",
        "             'b': 2})",
        "  yours   {'a': 1,",
        "           'b': 2}   <--",
        "  wanted  {'a': 1,",
        "           'b': 3}   <--",
        "          at key 'b': 2, wanted 3",
    ]
    assert drawn(VerdictView(verdict)).marked == ["'b': 2", "'b': 3"]


# ----------------------------------------------------------------------------------------------------
# Whatever comes out of a learner's code


def hostile_views():
    verdict = Verdict(
        "02.merge", "not yet", 0, 2, category=HOSTILE, given=HOSTILE, yours=HOSTILE, wanted=HOSTILE[3:],
        difference="at character 0: '<', wanted 'r'", hint=HOSTILE, note=HOSTILE,
        failures={HOSTILE: 1}, tried={HOSTILE: 1},
    )  # fmt: skip
    yield VerdictView(verdict, HOSTILE, ((HOSTILE, "code"),), HOSTILE, (HOSTILE,))
    # Hints and titles are our own, and may speak of tags all the same.
    yield HintView("02.merge", "t", (("<script>", "`<script>` & `c`"),), 1)
    yield ProgressView((Lesson("02", (Item("02.a", "<script>", "<i>", "done", 1, 1, 1, 1),)),))


@pytest.mark.parametrize("view", list(hostile_views()), ids=lambda view: type(view).__name__)
def test_nothing_that_a_learner_prints_becomes_part_of_the_page(view) -> None:
    page = drawn(view)
    assert "script" not in page.tags
    assert "<script>" in page.text
    said = repr(view)
    said.encode("utf-8")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", said)


# ----------------------------------------------------------------------------------------------------
# Hints and progress


SUMMARIES = [
    ("one kind", {"b": 2}, {"a": 5, "b": 3}, "Right so far: 1 of 2 kinds of cases. Not yet: b (2 of 3 wrong)"),
    ("the kind that is shown first", {"a": 3, "b": 2}, {"a": 4, "b": 3},
     "Not yet: b (2 of 3 wrong); a (3 of 4 wrong)"),
    ("then what fails most", {"a": 2, "b": 1, "c": 3, "d": 2}, {"a": 3, "b": 1, "c": 3, "d": 2, "e": 9},
     "Right so far: 1 of 5 kinds of cases. Not yet: b (1 of 1 wrong); c (3 of 3 wrong); a (2 of 3 wrong); and 1 more"),
    ("every case", {"a": 4, "b": 1000}, {"a": 4, "b": 1000}, "All 1,004 cases fail. The smallest: b"),
    ("a single case", {"b": 1}, {"b": 1}, "b"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("failures", "tried", "line"), [row[1:] for row in SUMMARIES], ids=[row[0] for row in SUMMARIES]
)
def test_which_kinds_of_cases_fail(failures: dict[str, int], tried: dict[str, int], line: str) -> None:
    verdict = Verdict("a.b", "not yet", 0, 1, category="b", given="f()", failures=failures, tried=tried)
    assert repr(VerdictView(verdict)).splitlines()[1] == f"  {line}"
    assert line in drawn(VerdictView(verdict)).text


def test_what_a_test_does_not_catch_is_listed() -> None:
    failures = {"does a": 1, "does b": 1}
    verdict = Verdict("a.b", "not yet", 1, 3, category="does b", mistake="misses:b", failures=failures,
                      tried={**failures, "does c": 1}, note="your test catches 1 of 3",
                      counted="implementations")  # fmt: skip
    assert repr(VerdictView(verdict)).splitlines()[1:3] == [
        "  Not caught yet: one that does b; one that does a",
        "  note    your test catches 1 of 3",
    ]


def test_values_of_two_kinds_are_not_compared_letter_by_letter() -> None:
    assert marks("None", "[3, 4]", "yours is None, wanted is a list") == (None, None)
