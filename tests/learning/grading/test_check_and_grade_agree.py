"""An answer that check() accepts is accepted by the grader, or check() has said by name what the grader lacks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from minbpe_course.learning.grading.batch import sandboxed
from minbpe_course.learning.grading.marking import mark
from minbpe_course.learning.grading.released import questions
from minbpe_course.learning.grading.sandbox.choose_sandbox import best
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.exercise import Verdict
from minbpe_course.learning.judge.right_helpers import helpers_of, named_in, right_cells
from minbpe_course.learning.submissions.notebook_cells import find_answer, read_notebook
from tests.learning.grading.honest_notebooks import HONEST, UNSUPPORTED
from tests.shared.lesson_code import notebook_of, parts_of
from tests.shared.submission_cases import answer_cell, code_cell, notebook

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]

# Run every notebook in one shell of IPython, from the beginning each time, and say what check() says.
_KERNEL = """
import json, sys
import matplotlib
matplotlib.use("agg")
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.io import capture_output
from minbpe_course import check

shell, said = InteractiveShell.instance(), {}
for label, (key, cells) in json.load(sys.stdin).items():
    shell.reset(new_session=True)
    with capture_output():
        for cell in cells:
            shell.run_cell(cell, store_history=True)
        shell.user_ns["check"] = check
        result = shell.run_cell(f"check({key!r})", store_history=True).result
    said[label] = [result.state, result.points, result.note] if result else ["no result", 0, ""]
print(json.dumps(said))
"""


def _checked(notebooks: dict[str, tuple[str, list[str]]], folder: Path) -> dict[str, list]:
    """Return the verdict of check() on each notebook, all in one process with IPython."""
    (folder / "protobuf_like.py").write_text("STEP = 2\n", encoding="utf-8")
    (folder / "helper.py").write_text("STEP = 2\n", encoding="utf-8")
    (folder / "notes.txt").write_text("", encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", _KERNEL], input=json.dumps(notebooks), capture_output=True, text=True, encoding="utf-8",
        cwd=folder, check=False, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def _graded(key: str, others: list[str], answer: str, done: tuple[str, ...] = ()) -> Verdict:
    """Return the grader's mark for a notebook as it is handed in; the earlier exercises in ``done`` are right."""
    (question,) = questions([catalogue.find(key)])
    data = notebook(*map(code_cell, others), answer_cell(answer, question.exercise.cell_id))
    found = find_answer([read_notebook(data)], question)
    return mark(question, found, sandboxed(best()), "a seed of the teacher's", done=done)


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list]:
    everything = {label: (key, [*others, answer]) for label, (key, others, answer) in HONEST.items()}
    everything |= {label: (key, [*others, answer]) for label, (key, others, answer, _) in UNSUPPORTED.items()}
    return _checked(everything, tmp_path_factory.mktemp("kernel"))


@pytest.mark.parametrize("label", HONEST)
def test_an_honest_answer_is_right_in_the_notebook_and_for_the_grader(label: str, checked: dict[str, list]) -> None:
    key, others, answer = HONEST[label]
    points = catalogue.find(key).points
    made = _graded(key, others, answer)
    assert (made.state, made.points) == ("done", points), made
    state, points_there, note = checked[label]
    assert (state, points_there) == ("done", points)
    assert "Your answer" not in note


@pytest.mark.parametrize("label", UNSUPPORTED)
def test_check_names_what_the_grader_lacks(label: str, checked: dict[str, list]) -> None:
    name = UNSUPPORTED[label][3]
    assert f"`{name}`" in checked[label][2], checked[label]


# ----------------------------------------------------------------------------------------------------
# Wrong helpers

_WRONG_COUNT = HONEST["an answer above"][1][0].replace("+ count", "+ 1")
_TRAIN, _RIGHT_MERGE = HONEST["an answer above"][2], HONEST["an answer above"][1][1]


# Sources of count_pairs. In "one cell", the answer that calls it follows in the same cell.
BROKEN = {
    "wrong": _WRONG_COUNT,
    "blank": "def count_pairs(words):\n    raise NotImplementedError('count_pairs is still blank')",
    "a colon missing": _WRONG_COUNT.replace("words):", "words)"),
    "misspelt": _WRONG_COUNT.replace("def count_pairs", "def count_pair"),
    "ends the process when defined": "import os\ncount_pairs = os._exit(0)",
    "one cell": _WRONG_COUNT,
}


@pytest.mark.parametrize("label", BROKEN)
def test_a_broken_helper_costs_its_own_points_only(label: str, tmp_path: Path) -> None:
    helper, answer = BROKEN[label], _TRAIN
    cells = [_RIGHT_MERGE] if helper is None or label == "one cell" else [helper, _RIGHT_MERGE]
    if label == "one cell":
        answer = f"{helper}\n{answer}"
    made = _graded("02.train_merges", cells, answer, ("02.merge",))
    assert (made.state, made.points) == ("done", 3), made
    notes = [made.note]
    if label not in ("a colon missing", "ends the process when defined", "one cell"):  # a notebook stops there
        notes.append(_checked({"it": ("02.train_merges", [*cells, answer])}, tmp_path)["it"][2])
    for note in notes:
        assert note.startswith("Your count_pairs (exercise 02.count_pairs) is not right yet: fix it first."), notes
        assert "merge (exercise 02.merge)" not in note
    # Nothing of that helps the learner with the points of the helper itself.
    own = _graded("02.count_pairs", [_RIGHT_MERGE, _TRAIN], helper or "# nothing")
    assert own.points == 0, own


def test_a_wrong_answer_stays_wrong_with_right_helpers() -> None:
    made = _graded("02.train_merges", [HONEST["an answer above"][1][0], _RIGHT_MERGE], _TRAIN.replace("max(", "min("))
    assert (made.state, made.points, made.note) == ("not yet", 0, "")
    made = _graded("02.train_merges", [_WRONG_COUNT, _RIGHT_MERGE], _TRAIN.replace("max(", "min("))
    assert (made.state, made.points) == ("not yet", 0)


QUOTING = """
import sys
def served():
    frame, found = sys._getframe(), ""
    while frame is not None:
        jobs = [one for one in frame.f_locals.values() if type(one) is dict and "right" in one]
        found = repr(jobs[0]["right"] or "")[2:] if jobs else found
        frame = frame.f_back
    return found
QUOTED, inner, calls = served() and "QUOTED" + served(), NAME, []
def NAME(*given):
    HELPER
    calls.append(given)
    return [QUOTED] if QUOTED and len(calls) == 1 else inner(*given)
"""


@pytest.mark.parametrize("key", ["02.train_merges", "15.cheat"])  # the rule of the latter quotes what it complains of
def test_a_report_shows_nothing_that_was_written_next_to_right_answers(key: str) -> None:
    exercise = catalogue.find(key)
    answers = {one.key: source for one, role, source in parts_of(notebook_of(key[:2])) if role == "answer"}
    helper = helpers_of(exercise)[-1]
    quoting = QUOTING.replace("NAME", exercise.entry).replace("HELPER", helper.entry)
    right = helpers_of(exercise)[:-1]
    made = _graded(key, [answers[one.key] for one in right], answers[key] + quoting, tuple(one.key for one in right))
    assert (made.state, made.helpers) == ("not yet", (helper.key,))
    assert "QUOTED" not in repr(made)


@pytest.mark.parametrize("lesson", catalogue.lessons())
def test_no_question_gets_its_own_answer_a_later_one_or_what_it_tests(lesson: str) -> None:
    answers = {one.key: source for one, role, source in parts_of(notebook_of(lesson)) if role == "answer"}
    asked = catalogue.exercises(lesson)
    for at, exercise in enumerate(asked):
        served = right_cells(exercise, helpers_of(exercise))
        forbidden = [one for one in asked if one in asked[at:] or exercise.kind == "test"]
        assert not [one.key for one in forbidden if answers[one.key] in served]
        calls = [f"mine('{one.entry}'); working('{one.key}')" for one in asked]
        named = (*named_in(exercise, calls, "mine"), *named_in(exercise, calls, "working"))
        assert set(named) == set(helpers_of(exercise))


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
    "tally.py": """
from minbpe_course.learning.judge.exercise import Case, Exercise
class Tally:
    def __init__(self): self.seen = []
    def add(self, word):
        self.seen.append(word)
        return self.seen.count(word)
EXERCISE = Exercise("week1.tally", "Tally", "write", "Tally", wanted=Tally,
    shown=(Case("twice", (), (("add", ("a",)), ("add", ("a",)))),))
""",
    "most.py": """
from minbpe_course.learning.judge.exercise import Case, Exercise
def wanted(words): return max(map(words.count, words), default=0)
EXERCISE = Exercise("week1.most", "Most", "write", "most", wanted=wanted,
    shown=(Case("two", (["a", "b", "a"],)), Case("none", ([],))))
""",
    "peak.py": """
from minbpe_course.learning.judge.exercise import Case, Exercise
def wanted(words): return max([words.count(word) for word in words] or [0])
EXERCISE = Exercise("week1.peak", "Repair it", "write", "peak", wanted=wanted,
    shown=(Case("one", (["b"],)), Case("two", (["a", "b", "a"],))))
""",
}


@pytest.fixture
def teachers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a teacher's folder: the second exercise builds on the class of the first, the third asks for the same."""
    monkeypatch.setattr(catalogue, "_USED", {})
    files = {f"checks/week1/{name}": text.encode() for name, text in TEACHERS.items()}
    secret = "import math\n" + TALLY.replace("def add(self, word):", "def add(self, word):\n        'SE' 'CRET'")
    for folder, *answers in (("solutions", secret, MOST, MOST.replace("most", "peak")), ("exercises", *["# HERE"] * 3)):
        cells = zip(answers, ("week1-tally", "week1-most", "week1-peak"))
        files[f"{folder}/week1.ipynb"] = notebook(*(answer_cell(*cell) for cell in cells))
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    catalogue.use_exercises(tmp_path)


@pytest.mark.parametrize(
    "helper", [TALLY.replace("word):", "word)"), TALLY.replace("Tally", "Taly"), "", TALLY + "  ("]
)
def test_a_broken_class_of_a_teachers_exercise_costs_its_own_points_only(teachers, helper: str) -> None:
    made = _graded("week1.most", [helper], MOST)
    assert (made.state, made.points, made.helpers) == ("done", 2, ("week1.tally",)), made


def test_no_helper_is_served_that_is_all_of_an_answer(teachers) -> None:
    calling = "def peak(words): return most(words)"
    made = _graded("week1.peak", ["def most(words): raise NotImplementedError"], calling)
    assert (made.points, made.helpers) == (0, ())
    assert _graded("week1.peak", [TALLY, MOST], calling).points == 2
    made = _graded("week1.peak", ["class Tally:"], MOST.replace("most", "peak"))
    assert (made.points, made.helpers) == (2, ("week1.tally",))


def test_a_report_does_not_quote_the_right_answer_that_stood_in(teachers) -> None:
    thief = """
def most(words):
    if not words: return max(map(Tally().add, words), default=0)
    def texts(code): return [str(one) for one in code.co_consts] + list(code.co_names)
    return texts(Tally.add.__code__)
"""
    for source in (
        thief,
        thief.replace("return texts", "raise ValueError").replace("__code__)", "__code__.co_consts)"),
    ):
        made = _graded("week1.most", ["class Tally("], source)
        assert made.helpers == ("week1.tally",)
        assert (made.points, made.given) == (0, "most(['a', 'b', 'a'])")
        assert "SECRET" not in repr(made)
