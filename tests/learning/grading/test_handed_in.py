"""Without ``--only``, the grader finds the lesson itself, and names the notebooks that it leaves out."""

from __future__ import annotations

import pytest

from minbpe_course.learning.grading.handed_in import handed_in, lesson_of, remarks
from minbpe_course.learning.grading.released import all_released, questions
from minbpe_course.learning.submissions.notebook_cells import read_notebook
from tests.shared.lesson_code import EXERCISES, ROOT, SOLUTIONS
from tests.shared.submission_cases import code_cell, notebook


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
        of(ROOT / "notebooks" / "00_start_here.ipynb", "i/00_start_here.ipynb", known),
    ]
    said = remarks(looked, {"02_naive_bpe"}, names)
    wanted = [
        "has the exercises of lesson 02_naive_bpe, which are not graded here",
        "has the exercises of 03_regex_splitting",
    ]
    wanted += ["--exercises FOLDER", "has no answer to an exercise", "--exercises FOLDER"]
    wanted += ["is the lesson 00_start_here, not its exercises"]
    assert [line[0] for line in said] == ["a", "b", "e", "f", "h", "i"]
    for line, words in zip(said, wanted):
        assert words in line
    # Without an answer to what is graded, each notebook is named.
    said = remarks(looked[2:4], {"02_naive_bpe"}, names)
    assert [line.partition("/")[0] for line in said if "which are not graded here" in line] == ["c", "d"]
