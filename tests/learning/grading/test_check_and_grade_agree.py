"""An answer that check() accepts is accepted by the grader, or check() has said by name what the grader lacks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from minbpe_course.learning.grading.batch import sandboxed
from minbpe_course.learning.grading.marking import mark
from minbpe_course.learning.grading.released import questions
from minbpe_course.learning.grading.sandbox.base import Limits
from minbpe_course.learning.grading.sandbox.choose_sandbox import best, by_name
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.exercise import Verdict
from minbpe_course.learning.judge.right_helpers import helpers_of, named_in, right_cells
from minbpe_course.learning.submissions.notebook_cells import find_answer, read_notebook
from tests.learning.grading.honest_notebooks import NOTEBOOKS, merge
from tests.learning.grading.hostile.world import rungs
from tests.shared.lesson_code import notebook_of, parts_of
from tests.shared.submission_cases import answer_cell, code_cell, notebook
from tests.shared.teachers_folder import write_exercise

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]

# Run every notebook in a fork of one IPython, in a loop as a kernel does, and say what each exercise's last check said.
_KERNEL = """
import asyncio, json, os, sys
import matplotlib
matplotlib.use("agg")
import numpy, regex
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.io import capture_output
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.practice import check as checking

for key in ("01.utf8_decode", "02.merge", "03.split_words"):
    catalogue.find(key)
shell, said, view = InteractiveShell.instance(), {}, checking.view
sys.stdin, notebooks = open(os.devnull), json.load(sys.stdin)

def viewed(exercise, verdict, *more):
    said[exercise.key] = [verdict.state, verdict.points, verdict.note]
    return view(exercise, verdict, *more)

async def run_all(cells):
    for cell in cells:
        await shell.run_cell_async(cell, store_history=True, transformed_cell=shell.transform_cell(cell))

checking.view = viewed
for label, cells in notebooks.items():
    out, into = os.pipe()
    if not os.fork():
        with capture_output():
            asyncio.run(run_all(cells))
        os.write(into, json.dumps(said).encode())
        os._exit(0)
    os.close(into)
    with open(out, "rb") as pipe:
        notebooks[label] = json.loads(pipe.read() or "{}")
    os.wait()
print(json.dumps(notebooks))
"""
LIMITS = Limits(seconds=0.5)  # a demonstration of a second stands for one that is longer than a call may take


def _checked(notebooks: dict[str, list[str]], folder: Path) -> dict[str, dict[str, list]]:
    """Return what each notebook's own check says about each exercise: state, points and note."""
    if not hasattr(os, "fork"):
        pytest.skip("what one notebook patches must not reach the next")
    (folder / "protobuf_like.py").write_text("STEP = 2\n", encoding="utf-8")
    (folder / "helper.py").write_text("STEP = 2\n", encoding="utf-8")
    (folder / "notes.txt").write_text("", encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", _KERNEL], input=json.dumps(notebooks), capture_output=True, text=True, encoding="utf-8",
        cwd=folder, check=False, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def _graded(key: str, cells: list[str], done: tuple[str, ...] = (), rung: str = "") -> Verdict:
    """Return the grader's mark for a notebook as it is handed in; the earlier exercises in ``done`` are right."""
    (question,) = questions([catalogue.find(key)])
    entry = re.compile(rf"\b(?:def|class) {question.exercise.entry}\b")
    at = next((at for at, cell in enumerate(cells) if entry.search(cell)), len(cells))
    made = [
        answer_cell(cell, question.exercise.cell_id) if at == n else code_cell(cell) for n, cell in enumerate(cells)
    ]
    found = find_answer([read_notebook(notebook(*made))], question)
    sandbox = by_name(rung) if rung else best()
    return mark(question, found, sandboxed(sandbox, LIMITS), "a seed of the teacher's", done=done)


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list]]:
    cells = {label: one.cells for label, one in NOTEBOOKS.items()}
    return _checked(cells, tmp_path_factory.mktemp("kernel"))


@pytest.mark.parametrize("rung", rungs())
@pytest.mark.parametrize("label", [label for label, one in NOTEBOOKS.items() if not one.lacks])
def test_the_mark_of_an_honest_notebook_is_what_its_check_says(label: str, rung: str, checked: dict) -> None:
    notebook = NOTEBOOKS[label]
    if any("ipywidgets" in cell for cell in notebook.cells):
        pytest.importorskip("ipywidgets")
    state, points, note = checked[label][notebook.key]
    assert state == notebook.state, note
    assert "Your answer" not in note
    made = _graded(notebook.key, notebook.cells, rung=rung)
    assert (made.state, made.points) == (state, points), made


@pytest.mark.parametrize("label", [label for label, one in NOTEBOOKS.items() if one.lacks])
def test_check_names_what_the_grader_lacks(label: str, checked: dict) -> None:
    notebook = NOTEBOOKS[label]
    state, _, note = checked[label][notebook.key]
    assert f"`{notebook.lacks}`" in note
    # A warning is right: the grader does something else.
    assert state == "not yet" or _graded(notebook.key, notebook.cells).state != "done"


# ----------------------------------------------------------------------------------------------------
# Wrong helpers

_TRAINING = NOTEBOOKS["answers above"].cells
_COUNT, _TRAIN = (next(cell for cell in _TRAINING if f"def {name}" in cell) for name in ("count_pairs", "learn_merges"))
_WRONG_COUNT = _COUNT.replace("counts.get(pair, 0) + 1", "1")

# The source of the cell of a helper NAME; {right} is a right answer to it.
BROKEN = {
    "wrong": "def NAME(*given):\n    return 2",
    "blank": "def NAME(*given):\n    raise NotImplementedError('NAME is still blank')",
    "deleted": None,
    "misspelt": "def NAMES(*given):\n    return 2",
    "a syntax error": "{right}\n  (",
    "an exception above": "1 / 0\ndef NAME(*given):\n    return 2",
    "an exception when it is called": "def NAME(*given):\n    return given[0][10 ** 9]",
    "no function": "NAME = 2",
    "ends the process when defined": "import os\nNAME = os._exit(0)",
}


@pytest.mark.parametrize("label", BROKEN)
@pytest.mark.parametrize("key", ["02.count_pairs", "05.split_on_special"])
def test_a_mistake_costs_its_points_once(key: str, label: str) -> None:
    helper, cells = catalogue.find(key), []
    for cell in notebook_of(helper.lesson)["cells"]:
        if cell.get("id") == helper.cell_id:
            if BROKEN[label] is None:
                continue
            right = "".join(cell["source"])
            cell = cell | {"source": BROKEN[label].replace("NAME", helper.entry).replace("{right}", right)}
        cells.append(cell)
    read = read_notebook(notebook(*cells))
    lost, right = {}, []
    for question in questions(catalogue.exercises(helper.lesson)):
        made = mark(question, find_answer([read], question), sandboxed(best()), "a seed of the teacher's", done=right)
        lost[made.key] = made.out_of - made.points
        right += [made.key] if made.done else []
    assert lost == {**dict.fromkeys(lost, 0), key: helper.points}


@pytest.mark.parametrize("lesson", ["02", "04"])
def test_only_what_the_learner_wrote_or_was_given_is_noted(lesson: str) -> None:
    """The demonstrations of a lesson fail where the package and its rivals are stand-ins, or missing."""
    (*_, question) = questions(catalogue.exercises(lesson))
    wrong = answer_cell(BROKEN["wrong"].replace("NAME", question.exercise.entry), question.exercise.cell_id)
    cells = [wrong if cell.get("id") == wrong["id"] else cell for cell in notebook_of(lesson)["cells"]]
    own = code_cell("from minbpe_course import BasicTokenizer\nsizes = [one for one in BasicTokenizer()]")
    for added, noted in (([], ()), ([own], ("cell 1, line 2, raised TypeError",))):
        answer = find_answer([read_notebook(notebook(*added, *cells))], question)
        demonstrated = [cell for cell in answer.cells if cell.content in question.around]
        made = mark(question, answer, sandboxed(best()), "a seed of the teacher's")
        assert demonstrated
        assert (made.state, made.notes) == ("not yet", noted)


@pytest.mark.parametrize("helper", [BROKEN["wrong"], BROKEN["blank"], BROKEN["misspelt"], _WRONG_COUNT])
def test_check_and_grader_name_the_helper_that_is_wrong(helper: str, tmp_path: Path) -> None:
    start, *_ = _TRAINING
    cells = [start, helper.replace("NAME", "count_pairs"), merge(), _TRAIN, 'check("02.train_merges", learn_merges)']
    made = _graded("02.train_merges", cells, ("02.merge",))
    there = _checked({"it": cells}, tmp_path)["it"]["02.train_merges"]
    assert ("done", 3) == (made.state, made.points) == tuple(there[:2])
    for note in (made.note, there[2]):
        assert note.startswith("Your count_pairs (exercise 02.count_pairs) is not right yet: fix it first."), note
        assert "merge (exercise 02.merge)" not in note


def test_an_earlier_key_says_what_the_answer_is() -> None:
    train = _TRAIN.replace("learn_merges", "my_training")
    checked = "from minbpe_course import check\ncheck('02.learn_merges', my_training)"
    made = _graded("02.train_merges", [_COUNT, merge(), train, checked])
    assert (made.state, made.points) == ("done", 3)


def test_a_wrong_answer_stays_wrong_with_right_helpers() -> None:
    wrong = _TRAIN.replace("max(", "min(")
    made = _graded("02.train_merges", [_COUNT, merge(), wrong])
    assert (made.state, made.points, made.note) == ("not yet", 0, "")
    made = _graded("02.train_merges", [_WRONG_COUNT, merge(), wrong])
    assert (made.state, made.points) == ("not yet", 0)
    # A broken helper in the cell of the answer that calls it.
    assert _graded("02.train_merges", [merge(), f"{_WRONG_COUNT}\n{_TRAIN}"], ("02.merge",)).points == 3


@pytest.mark.parametrize(
    "lesson",
    [pytest.param(one, marks=[] if one in ("02", "05", "13") else [pytest.mark.slow]) for one in catalogue.lessons()],
)
def test_no_question_gets_its_own_answer_a_later_one_or_what_it_tests(lesson: str) -> None:
    answers = {one.cell_id: source for one, role, source in parts_of(notebook_of(lesson)) if role == "answer"}
    asked = catalogue.exercises(lesson)
    for at, exercise in enumerate(asked):
        served = right_cells(exercise, helpers_of(exercise))
        forbidden = [one for one in asked if one in asked[at:] or exercise.kind == "test"]
        assert not [one.key for one in forbidden if answers[one.cell_id] in served]
        calls = [f"mine('{one.entry}'); working('{one.key}')" for one in asked]
        named = (*named_in(exercise, calls, "mine"), *named_in(exercise, calls, "working"))
        # One method stands for its class. Of an earlier lesson, only what has the name of an exercise here is found.
        assert {one.class_key for one in named if one.lesson == lesson} == {
            one.class_key for one in helpers_of(exercise)
        }
        assert all(one.lesson <= lesson for one in named)


@pytest.mark.parametrize("call", ["mine('split_words')", "working('03.split_words')", "mine('byte_order')"])
def test_mine_and_working_give_neither_the_answer_nor_a_later_one(call: str) -> None:
    cell = f"from minbpe_course.learning import mine, working\ngiven = {call}"
    made = _graded("03.split_words", [cell], "def split_words(text, pattern): return given(text, pattern)")
    assert made.points == 0, made


TALLY = """
class Tally:
    def __init__(self): self.seen = {}
    def add(self, word):
        self.seen[word] = self.seen.get(word, 0) + 1
        return self.seen[word]
"""
MOST = """
def most(words):
    tally = Tally()
    return max(map(tally.add, words), default=0)
"""
TEACHERS = {
    "tally": """
class Tally:
    '''Count.

    The task.
    '''
    def __init__(self): self.seen = []
    def add(self, word):
        self.seen.append(word)
        return self.seen.count(word)
EXERCISE = Exercise("week1.tally", "Tally", "write", "Tally", answer=Tally,
    shown=(Case("twice", (), (("add", ("a",)), ("add", ("a",)))),))
""",
    "most": """
def most(words):
    '''Return how often the most frequent word occurs.

    The task.
    '''
    return max(map(words.count, words), default=0)
EXERCISE = Exercise("week1.most", "Most", "write", answer=most,
    shown=(Case("two", (["a", "b", "a"],)), Case("none", ([],))))
""",
    "peak": """
def peak(words):
    '''Return the same.

    The task.
    '''
    return max([words.count(word) for word in words] or [0])
EXERCISE = Exercise("week1.peak", "Repair it", "write", answer=peak,
    shown=(Case("one", (["b"],)), Case("two", (["a", "b", "a"],))))
""",
    "__init__": "NOTEBOOK = ('tally', 'most', 'peak')",
}


@pytest.fixture
def teachers(tmp_path: Path) -> None:
    """Use a teacher's folder: the second exercise builds on the class of the first, the third asks for the same."""
    for name, text in TEACHERS.items():
        write_exercise(tmp_path, f"week1.{name}", f"from minbpe_course.learning import Case, Exercise\n{text}")
    catalogue.use_exercises(tmp_path)


@pytest.mark.parametrize(
    "helper",
    [
        TALLY.replace("word):", "word)"),
        "",
        TALLY.replace("+ 1", "+ 2"),
        "class Tally:\n    def __init__(self): raise NotImplementedError",
    ],
)
def test_a_broken_class_of_a_teachers_exercise_costs_its_own_points_only(teachers, helper: str) -> None:
    made = _graded("week1.most", [helper, MOST])
    assert (made.state, made.points, made.helpers) == ("done", 2, ("week1.tally",)), made


def test_no_helper_is_served_that_is_all_of_an_answer(teachers) -> None:
    calling = "def peak(words): return most(words)"
    made = _graded("week1.peak", ["def most(words): raise NotImplementedError", calling])
    assert (made.points, made.helpers) == (0, ())
    assert _graded("week1.peak", [TALLY, MOST, calling]).points == 2
    made = _graded("week1.peak", ["class Tally:", MOST.replace("most", "peak")])
    assert (made.points, made.helpers) == (2, ("week1.tally",))
