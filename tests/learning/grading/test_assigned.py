"""Which lessons are graded without ``--only``, and how the others are reported."""

from __future__ import annotations

import pytest

from minbpe_course.learning.grading.handed_in import assigned, handed_in, lesson_of, remarks
from minbpe_course.learning.grading.released import all_released, questions
from minbpe_course.learning.submissions.notebook_cells import read_notebook
from tests.shared.lesson_code import EXERCISES, ROOT, SOLUTIONS
from tests.shared.submission_cases import code_cell, notebook

# label, the lessons in which each learner worked, those that are graded
CLASSES = [
    ("one learner with two lessons", ["23"], "23"),
    ("one of two works in another lesson, too", ["2", "23"], "2"),
    ("two work in different lessons", ["2", "3"], "23"),
    ("one of many works in all lessons", ["2", "2", "123456"], "2"),
    ("most have two lessons", ["23", "23", "2"], "23"),
    ("blank ones do not vote", ["2", "", "", "", "3", "2"], "2"),
    ("nobody works", ["", ""], ""),
]


@pytest.mark.parametrize(("label", "worked", "wanted"), CLASSES, ids=[label for label, *_ in CLASSES])
def test_a_stray_notebook_changes_no_total(label: str, worked: list[str], wanted: str) -> None:
    for votes in (worked, worked[::-1]):
        counted = assigned([set(one) for one in votes])
        assert counted.lessons == set(wanted), label
        assert set(counted.left_out()) == set("".join(worked)) - set(wanted)


def test_a_class_that_has_only_blank_notebooks_is_graded_on_those_that_most_handed_in() -> None:
    counted = assigned([set(), set()], [{"2"}, {"1", "2", "3"}])
    assert (counted.lessons, counted.left_out()) == ({"2"}, [])


@pytest.fixture(scope="module")
def known():
    return questions(all_released())


def of(path, name: str, known):
    return handed_in(read_notebook(path.read_bytes(), name), known)


def test_a_notebook_is_known_by_what_is_in_it(known) -> None:
    blank = of(EXERCISES / "02_naive_bpe.ipynb", "x.ipynb", known)
    assert (blank.handed, blank.worked) == ({"02_naive_bpe"}, set())
    done = of(SOLUTIONS / "02_naive_bpe.ipynb", "x.ipynb", known)
    assert (done.handed, done.worked) == ({"02_naive_bpe"}, {"02_naive_bpe"})
    homework = notebook(code_cell('use_exercises("..")'), code_cell("def initials(name): return name[0]"))
    # A teacher's exercise may define a name of the course's, but has another key.
    teachers = notebook(code_cell("def merge(ids): return ids"), code_cell('check("week1.merge", merge)'))
    names = {lesson_of(question) for question in known}
    looked = [
        of(ROOT / "notebooks" / "02_naive_bpe.ipynb", "a/02_naive_bpe.ipynb", known),
        of(SOLUTIONS / "03_regex_splitting.ipynb", "b/02_naive_bpe.ipynb", known),
        of(SOLUTIONS / "03_regex_splitting.ipynb", "c/03_regex_splitting.ipynb", known),
        of(EXERCISES / "03_regex_splitting.ipynb", "d/03_regex_splitting.ipynb", known),
        handed_in(read_notebook(homework, "e/week1.ipynb"), known),
        handed_in(read_notebook(notebook(code_cell("print(1)")), "f/plot.ipynb"), known),
        handed_in(read_notebook(teachers, "h/02_naive_bpe.ipynb"), known),
        of(SOLUTIONS / "02_naive_bpe.ipynb", "g/02_naive_bpe.ipynb", known),
    ]
    said = remarks(looked, {"02_naive_bpe"}, names, only=False)
    wanted = ["is the lesson 02_naive_bpe, not its exercises", "has the exercises of 03_regex_splitting", "too few"]
    wanted += ["--exercises FOLDER", "has no answer to an exercise", "--exercises FOLDER"]
    assert [line[0] for line in said] == ["a", "b", "c", "e", "f", "h"]
    for line, words in zip(said, wanted):
        assert words in line
    # A teacher who names the lessons knows of the others.
    assert [line[0] for line in remarks(looked, {"02_naive_bpe"}, names, only=True)] == ["a", "b", "e", "f", "h"]
