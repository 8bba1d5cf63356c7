"""A class graded with answers run in this process: which marks are kept, and which are made again."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from minbpe_course.errors import GradingProblem, TooLargeToRead, UnreadableSubmission, UnusablePath
from minbpe_course.learning.grading import batch
from minbpe_course.learning.grading.batch import Done, fingerprint, grade
from minbpe_course.learning.grading.gradebook import Gradebook
from minbpe_course.learning.grading.marking import NO_CELL, mark
from minbpe_course.learning.grading.present import Present
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.callers import InProcess
from minbpe_course.learning.judge.exercise import Mistake, Outcome
from minbpe_course.learning.submissions.archives import Member
from minbpe_course.learning.submissions.intake import Submission
from minbpe_course.learning.submissions.layouts import Owner
from minbpe_course.learning.submissions.notebook_cells import Answer, Cell, Question, find_answer, read_notebook
from tests.shared.submission_cases import Local, answer_cell, code_cell, double, marks_in, notebook, question

pytestmark = pytest.mark.sandbox

SEED = "a seed for the tests"
RIGHT = "def double(n):\n    return n + n"
WRONG_LATER = "def double(n):\n    return n + n if n < 10 else 0"
WRONG = "def double(n):\n    return n"


@contextmanager
def in_process(asked: Question, answer: Answer, helpers: object = ()) -> Iterator[InProcess]:
    """Run an answer here: these are the tests' own answers."""
    names: dict[str, object] = {}
    exec(answer.source or "", names)
    yield Local(names[asked.exercise.entry])


def changed(**fields: object) -> Question:
    """Return the question with another exercise."""
    return Question(dataclasses.replace(question().exercise, **fields), question().blank)


def submission(name: str, *sources: str) -> Submission:
    data = notebook(*(answer_cell(source, f"02-{entry(source)}") for source in sources))
    return Submission(Owner(name), (Member(f"{name}/02.ipynb", len(data), lambda: data),))


def entry(source: str) -> str:
    return source.partition("def ")[2].partition("(")[0]


def graded(folder: Path, submissions: list[Submission], **changed) -> Done:
    settings = {"questions": [question()], "rules": ["r"], "open_caller": in_process, "jobs": 2} | changed
    with Gradebook(folder, SEED) as book:
        questions, rules = settings.pop("questions"), settings.pop("rules")
        return grade(submissions, questions, rules, book, SEED, sandbox="none", **settings)


def states(folder: Path) -> dict[str, str]:
    with Gradebook(folder, SEED) as book:
        return {f"{name} {kept.mark.key}": kept.mark.state for name, kept in marks_in(book)}


def test_a_class_is_graded_and_a_second_run_has_nothing_to_do(tmp_path: Path) -> None:
    work = [submission("ada", RIGHT), submission("bob", WRONG), submission("eve", question().blank), submission("dan")]
    finished: list[str] = []
    first = graded(tmp_path, work, finished=finished.append)
    assert (first.learners, first.marked, first.kept) == (4, 4, 0)
    assert sorted(finished) == ["ada", "bob", "dan", "eve"]
    wanted = {"ada": "done", "bob": "not yet", "dan": "not started", "eve": "not started"}
    assert states(tmp_path) == {f"{name} 02.double": state for name, state in wanted.items()}
    second = graded(tmp_path, work, open_caller=no_process)
    assert (second.learners, second.marked, second.kept) == (4, 0, 4)
    # An untouched answer never starts a process.
    graded(tmp_path / "untouched", work[2:], open_caller=no_process)
    assert set(states(tmp_path / "untouched").values()) == {"not started"}


def test_the_text_of_an_answer_is_kept_with_its_mark(tmp_path: Path) -> None:
    peeking = "import sys\n" + RIGHT.replace("return", "sys._getframe(1)\n    return")
    work = [submission("ada", RIGHT), submission("bob", peeking), submission("eve", question().blank)]
    graded(tmp_path, work)
    with Gradebook(tmp_path, SEED) as book:
        ada, bob, eve = (kept for _, kept in marks_in(book))
    assert (ada.text, ada.length, ada.mark.notes) == (RIGHT, len(RIGHT), ())
    assert eve.text is None
    # A look outside is a remark, and costs nothing.
    assert (bob.mark.state, bob.mark.points) == ("done", 2)
    assert bob.mark.notes == ("looks at other frames (sys._getframe in line 3)",)


def no_process(asked: Question, answer: Answer, helpers: object) -> InProcess:
    raise AssertionError("a process was started")


def test_only_what_has_changed_is_graded_again(tmp_path: Path) -> None:
    two = [question("02.double"), question("02.triple")]
    triple = "def triple(n):\n    return n + n"
    run: list[str] = []

    @contextmanager
    def counting(asked: Question, answer: Answer, helpers: object) -> Iterator[InProcess]:
        run.append(asked.exercise.key)
        with in_process(asked, answer) as caller:
            yield caller

    settings = {"questions": two, "rules": ["r", "r"], "open_caller": counting}
    graded(tmp_path, [submission("ada", RIGHT, triple), submission("bob", RIGHT)], **settings)
    assert sorted(run) == ["02.double", "02.double", "02.triple"]
    run.clear()
    # The cells above are part of what an answer is made of, so both answers of ada's are new.
    graded(tmp_path, [submission("ada", WRONG, triple), submission("bob", RIGHT)], **settings)
    assert sorted(run) == ["02.double", "02.triple"]
    assert states(tmp_path)["ada 02.double"] == "not yet"
    run.clear()
    graded(tmp_path, [submission("bob", RIGHT)], **(settings | {"rules": ["changed", "r"]}))
    assert run == ["02.double"]
    assert states(tmp_path)["ada 02.double"] == "not yet"


def test_a_lesson_that_is_not_in_this_hand_in_keeps_its_marks(tmp_path: Path) -> None:
    two = {"questions": [question("02.double"), question("03.triple")], "rules": ["r", "r"]}
    graded(tmp_path, [submission("ada", RIGHT)], **two)
    data = notebook(answer_cell("def triple(n):\n    return 2 * n", "03-triple"))
    graded(tmp_path, [Submission(Owner("ada"), (Member("ada/03.ipynb", 9, lambda: data),))], **two)
    assert states(tmp_path) == {"ada 02.double": "done", "ada 03.triple": "done"}


def test_who_is_not_in_this_hand_in_has_no_points_for_what_is_asked_now(tmp_path: Path) -> None:
    graded(tmp_path, [submission("ada", RIGHT)])
    graded(tmp_path, [submission("bob", RIGHT)], questions=[question("02.double"), question("03.triple")], rules="rr")
    exercises = {key: question(key).exercise for key in ("02.double", "03.triple")}
    with Gradebook(tmp_path, SEED) as book:
        double, asked = (one.mark for one in Present(book, exercises, dict.fromkeys(exercises, "03")).row("ada").marks)
        book.enrol(Owner("ada"), "", (), worked=["03"])
        again = Present(book, exercises, dict.fromkeys(exercises, "03")).row("ada").marks[1].mark
    assert double.done
    assert (asked.state, asked.points, asked.out_of, asked.notes) == ("not started", 0, 2, (NO_CELL,))
    assert again.reason == "it was not asked when this learner was graded; grade again"


def test_a_blank_notebook_keeps_the_marks_of_an_earlier_one(tmp_path: Path) -> None:
    for source, state in ((question().blank, "not started"), (RIGHT, "done"), (question().blank, "done")):
        graded(tmp_path, [submission("ada", source)])
        assert states(tmp_path) == {"ada 02.double": state}
    graded(tmp_path, [submission("ada", WRONG)])
    assert states(tmp_path) == {"ada 02.double": "not yet"}


def broken(problem: BaseException) -> Callable[[], bytes]:
    def read() -> bytes:
        raise problem

    return read


@pytest.mark.parametrize("problem", [UnreadableSubmission("damaged"), MemoryError(), ValueError("odd")])
def test_a_submission_that_cannot_be_read_does_not_affect_others(tmp_path: Path, problem) -> None:
    bad = Submission(Owner("bad"), (Member("bad/02.ipynb", 9, broken(problem)),))
    done = graded(tmp_path, [submission("ada", RIGHT), bad, submission("zoe", RIGHT)])
    assert done.learners == 3
    assert states(tmp_path)["zoe 02.double"] == "done"
    with Gradebook(tmp_path, SEED) as book:
        assert book.learner("bad").problems


def test_a_failure_of_the_grader_is_not_graded_and_tried_again(tmp_path: Path) -> None:
    def failing(asked: Question, answer: Answer, helpers: object) -> InProcess:
        raise OSError("no more processes")

    work = [submission("ada", RIGHT), submission("bob", question().blank)]
    graded(tmp_path, work, open_caller=failing)
    with Gradebook(tmp_path, SEED) as book:
        (kept,) = book.marks("ada")
        assert (kept.mark.state, kept.mark.reason) == ("not graded", "OSError: no more processes")
    assert graded(tmp_path, work).marked == 1
    assert states(tmp_path)["ada 02.double"] == "done"


def test_a_failure_of_the_grader_is_tried_once_more(tmp_path: Path) -> None:
    tries: list[int] = []

    @contextmanager
    def failing_once(asked: Question, answer: Answer, helpers: object):
        with in_process(asked, answer, helpers) as caller:
            tries.append(1)
            caller.notes = ((0, len(tries), "raised KeyError"),)
            if len(tries) == 1:
                caller.call = killed
            yield caller

    def killed(case: object) -> Outcome:
        raise GradingProblem("the process of the answer was killed from outside")

    graded(tmp_path, [submission("ada", WRONG)], open_caller=failing_once)
    assert (states(tmp_path)["ada 02.double"], len(tries)) == ("not yet", 2)
    # The second process may know from the first one what the drawn cases are.
    with Gradebook(tmp_path, SEED) as book:
        assert book.marks("ada")[0].mark.notes == ("cell 1, line 1, raised KeyError",)


@pytest.mark.parametrize(
    "problem",
    [UnusablePath("02.ipynb cannot be read: Too many open files"), MemoryError(), TooLargeToRead("more than 128 MB")],
)
def test_a_notebook_that_cannot_be_read_here_is_not_graded_until_it_can(tmp_path: Path, problem) -> None:
    bad = Submission(Owner("ada"), (Member("ada/02.ipynb", 9, broken(problem)),))
    for _ in range(2):
        graded(tmp_path, [bad, submission("zoe", RIGHT)])
        assert states(tmp_path) == {"ada 02.double": "not graded", "zoe 02.double": "done"}
    graded(tmp_path, [submission("ada", RIGHT)])
    assert states(tmp_path)["ada 02.double"] == "done"
    # A damaged one is the learner's.
    graded(tmp_path / "2", [Submission(Owner("ada"), (Member("a.ipynb", 9, lambda: b"{"),))])
    assert states(tmp_path / "2") == {"ada 02.double": "not started"}


def test_wanted_values_are_computed_once_per_class(tmp_path: Path) -> None:
    calls: list[int] = []

    def counted(number: int) -> int:
        calls.append(number)
        return double(number)

    asked = changed(wanted=counted)
    graded(tmp_path, [submission(f"learner{n}", RIGHT) for n in range(12)], questions=[asked])
    assert len(calls) == 4  # one shown case and three drawn ones


def test_an_error_that_stops_the_batch_is_raised_and_marks_stay(tmp_path: Path) -> None:
    def full(name: str) -> None:
        raise OSError(f"no space left for {name}")

    with pytest.raises(OSError, match="no space left"):
        graded(tmp_path, [submission(f"learner{n:02}", RIGHT) for n in range(30)], finished=full, jobs=1)
    assert 1 <= len(states(tmp_path)) < 30


# ----------------------------------------------------------------------------------------------------
# Reports about hidden cases


def test_the_rules_of_a_design_do_not_quote_an_answer_that_quotes_a_secret_text() -> None:
    asked = changed(kind="design", wanted=None, levels=((1, 2),), measure=lambda cases, answers: (0, answers[-1]))
    source = "def double(n):\n    return 'LEAK' + repr(n)"
    made = mark(asked, Answer(source, handed_in=True), in_process, SEED)
    assert (made.state, made.points, made.mistake) == ("not yet", 0, "not allowed")
    assert "LEAK" not in repr(made)
    assert "check() in the notebook says which" in made.hint
    assert "LEAK" in mark(asked, Answer(source, handed_in=True), in_process, SEED, reveal=True).hint


def test_the_hint_of_a_known_mistake_survives_on_hidden_cases() -> None:
    known = Mistake("zero-for-large", "Large numbers count too.", like=lambda n: n + n if n < 10 else 0)
    asked = changed(mistakes=(known,))
    made = mark(asked, Answer(WRONG_LATER), in_process, SEED)
    assert (made.mistake, made.hint) == ("zero-for-large", "Large numbers count too.")


def test_a_shortcut_gets_a_remark_and_costs_nothing() -> None:
    asked = changed(avoid=("zip(",))
    made = mark(asked, Answer(RIGHT + "\n# zip(\nlist(zip())"), in_process, SEED)
    assert (made.state, made.points) == ("done", made.out_of)
    assert made.note.startswith("It uses `zip(`, which")
    assert mark(asked, Answer(RIGHT + "\n# zip("), in_process, SEED).note == ""


def test_an_exercise_that_cannot_draw_its_cases_is_not_graded() -> None:
    made = mark(changed(drawn=lambda random: 1 // 0), Answer(RIGHT), in_process, SEED)
    assert (made.state, made.points) == ("not graded", 0)
    assert made.reason.startswith("ZeroDivisionError")


def test_answers_that_could_get_another_mark_have_another_fingerprint() -> None:
    b, c, bc = (Cell("", source) for source in ("b", "c", "bc"))
    answers = [
        *(Answer(None), Answer(""), Answer("a"), Answer("a", ("b",)), Answer("ab"), Answer("a", (), (b, c))),
        *(Answer("a", (), (bc,)), Answer("\ud800"), Answer("a", (), (b,)), Answer("a", ("b",), (c,))),
        Answer("a", notes=("b",)),
    ]
    exercise = catalogue.find("03.split_words")
    assert len({fingerprint(answer, exercise) for answer in answers}) == len(answers)


def test_cells_below_the_check_are_not_part_of_an_answer_and_what_mine_gives_is(monkeypatch) -> None:
    exercise = catalogue.find("03.split_words")
    cells = ['merge = mine("merge")', "def split_words(text, pattern): ...", 'check("03.split_words", split_words)']

    def made(*below: str) -> str:
        data = notebook(*map(code_cell, (*cells, *below)))
        return fingerprint(find_answer([read_notebook(data)], Question(exercise, "")), exercise)

    assert made() == made("print(split_words)", "x = 1")
    before = made()
    cells[0] += "\nx = 1"
    assert made() != before
    before = made()
    monkeypatch.setattr(batch, "right_cells", lambda *asked: ("another right answer",))
    assert made() != before
