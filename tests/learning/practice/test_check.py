"""check(): quick, patient with slips, silent about what is printed, and never the one that stops a notebook."""

from __future__ import annotations

import collections
import json
import signal
import sys
import threading
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from minbpe_course.errors import InvalidAnswer, UnknownExercise
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake
from minbpe_course.learning.practice import check as room
from minbpe_course.learning.practice.check import CheckResult, check
from minbpe_course.reference.pairs import merge
from tests.shared.lesson_code import lesson_names, notebook_of

pytestmark = pytest.mark.medium

needs_timers = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this system")


def kept(record: Path) -> dict[str, dict[str, object]]:
    return json.loads(record.read_text(encoding="utf-8"))["exercises"] if record.exists() else {}


# ----------------------------------------------------------------------------------------------------
# Three states


def test_not_started_not_yet_done(record: Path) -> None:
    def blank(ids, pair, new_id):
        raise NotImplementedError("merge is still blank")

    first = check("02.merge", blank)
    assert (first.verdict.state, first.verdict.points, bool(first)) == ("not started", 0, False)
    assert "Write merge, run its cell, then check again" in repr(first)
    assert not record.exists(), "nothing to remember"

    second = check("02.merge", lambda ids, pair, new_id: list(ids))
    assert (second.verdict.state, bool(second)) == ("not yet", False)
    assert "Change merge" in repr(second)
    assert 'hint("02.merge")' in repr(second)
    assert kept(record)["02.merge"]["state"] == "not yet"

    third = check("02.merge", merge)
    assert (third.verdict.state, third.verdict.points, bool(third)) == ("done", 2, True)
    assert "hint" not in repr(third)
    assert kept(record)["02.merge"] == {"state": "done", "points": 2, "hints": 0}


def test_a_done_exercise_stays_done(record: Path) -> None:
    check("02.merge", merge)
    assert not check("02.merge", lambda ids, pair, new_id: list(ids))
    assert kept(record)["02.merge"]["state"] == "done"


def test_a_shortcut_gets_a_remark() -> None:
    def utf8_decode(data):
        return data.decode("utf-8", "replace")

    result = check("01.utf8_decode", utf8_decode)
    assert (result.state, result.points) == ("done", result.out_of)
    assert "It uses `.decode(`, which this exercise asks to do without" in repr(result)
    assert "It uses" not in repr(check("01.utf8_decode", lesson_names(notebook_of("01"))["utf8_decode"]))
    # A wrong answer gets no remark, and neither does one whose source is unknown.
    assert "It uses" not in repr(check("01.utf8_decode", lambda data: data.decode("latin-1")))
    names: dict[str, Any] = {}
    exec("def utf8_decode(data):\n    return data.decode('utf-8', 'replace')", names)
    assert check("01.utf8_decode", names["utf8_decode"]).note == ""


# ----------------------------------------------------------------------------------------------------
# Arguments of check


def test_the_answer_is_found_by_its_name() -> None:
    names = {"check": check, "merge": merge}
    exec("result = check('02.merge')", names)
    assert names["result"].verdict.done
    exec("result = check('02.train_merges')", names)
    assert names["result"].verdict.state == "not started"
    assert "There is no learn_merges here yet" in repr(names["result"])


SLIPS = [
    ("a key that there is not", lambda: check("02.merg", merge), UnknownExercise, "Near it: 02.merge"),
    ("a number as key", lambda: check(2, merge), InvalidAnswer, "the key of the exercise, and this is an int"),
    (
        "the answer called",
        lambda: check("02.merge", merge([1], (1, 1), 2)),
        InvalidAnswer,
        "given a list: .*parentheses",
    ),
    ("None", lambda: check("02.merge", None), InvalidAnswer, "was given None: what merge returned"),
    ("a class", lambda: check("02.merge", dict), InvalidAnswer, "given the class dict"),
]


@pytest.mark.parametrize(("slip", "error", "words"), [slip[1:] for slip in SLIPS], ids=[slip[0] for slip in SLIPS])
def test_a_slip_says_what_to_type(slip, error, words) -> None:
    with pytest.raises(error, match=words) as raised:
        slip()
    # A notebook shows the message, not our own code.
    assert raised.value._render_traceback_() == [f"{error.__name__}: {raised.value}"]


# ----------------------------------------------------------------------------------------------------
# Side effects of an answer


@pytest.mark.filterwarnings("ignore:an honest warning")
def test_output_is_caught_and_shown_folded(capsys) -> None:
    def noisy(ids, pair, new_id):
        print("I see", ids)
        print("progress", file=sys.stderr)
        warnings.warn("an honest warning", stacklevel=1)
        return merge(ids, pair, new_id)

    result = check("02.merge", noisy)
    assert result, "a warning costs nothing"
    assert capsys.readouterr() == ("", "")
    assert "I see" in result.printed
    assert "progress" in result.printed
    assert "<details" in result._repr_html_()


def test_a_flood_of_output_is_cut() -> None:
    def flood(ids, pair, new_id):
        print("x" * 1_000_000)
        return merge(ids, pair, new_id)

    result = check("02.merge", flood)
    assert result
    assert len(result.printed) < 2 * room.MOST_PRINTED
    assert "more characters" in result.printed


@pytest.mark.parametrize(
    "error", [SystemExit, RecursionError, AssertionError, StopIteration], ids=lambda error: error.__name__
)
def test_no_exception_of_an_answer_comes_out(error: type[BaseException]) -> None:
    def answer(ids, pair, new_id):
        raise error

    assert check("02.merge", answer).verdict.mistake == "raised"


def test_only_the_interrupt_of_the_learner_comes_out() -> None:
    def answer(ids, pair, new_id):
        raise KeyboardInterrupt

    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        check("02.merge", answer)
    assert signal.getsignal(signal.SIGINT) is handler


# ----------------------------------------------------------------------------------------------------
# Time


def forever(ids, pair, new_id):
    while True:
        pass


def stubborn(ids, pair, new_id):
    """Catch every exception that stops it, and continue."""
    caught = 0
    while caught < 3:
        try:
            while True:
                pass
        except BaseException:
            caught += 1
    while True:
        pass


@needs_timers
@pytest.mark.parametrize("answer", [forever, stubborn])
def test_an_endless_loop_is_cut(answer, monkeypatch) -> None:
    monkeypatch.setattr(room, "LONGEST_CALL", 0.3)
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 60)
        result = check("02.merge", answer)
        assert result.verdict.mistake == "too slow"
        # Whoever had set an alarm still has it.
        left, _ = signal.getitimer(signal.ITIMER_REAL)
        assert 0 < left <= 60
        assert rung == []
        signal.raise_signal(signal.SIGALRM)
        assert rung == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@needs_timers
def test_only_the_time_that_an_answer_computes_counts_at_first(monkeypatch) -> None:
    monkeypatch.setattr(room, "LONGEST_CALL", 0.05)
    waits = iter([0.2])

    def waiting(ids, pair, new_id):
        time.sleep(next(waits, 0))  # as on a busy machine: the clock runs and the answer waits
        return merge(ids, pair, new_id)

    monkeypatch.setattr(room, "PATIENCE", 1e6)
    assert check("02.merge", waiting).verdict.done
    monkeypatch.setattr(room, "PATIENCE", 2.0)
    assert check("02.merge", lambda *_: time.sleep(60)).verdict.mistake == "too slow"


@needs_timers
def test_a_check_that_hangs_on_an_answer_is_cut_as_well(monkeypatch) -> None:
    monkeypatch.setattr(room, "LONGEST_CALL", 0.2)
    monkeypatch.setattr(room, "LONGEST_CHECK", 0.2)

    def look_for_ever(case, answer):
        while True:
            pass

    hanging = Exercise(
        "02.hang", "Hang", "write", "hang", 3, 10, 2, ("a", "b", "c"), shown=(Case("one", (1,)),), accept=look_for_ever,
    )  # fmt: skip
    verdict, _ = room.judged(hanging, lambda n: n)
    assert (verdict.state, verdict.mistake) == ("not yet", "too slow")
    # A known mistake that never ends on some case is merely not recognised.
    odd = replace(catalogue.find("02.merge"), mistakes=(Mistake("endless", "never", like=forever),))
    verdict, _ = room.judged(odd, lambda ids, pair, new_id: 0)
    assert (verdict.state, verdict.mistake) == ("not yet", "wrong type")


@needs_timers
def test_limits_inside_limits() -> None:
    assert room.cut_after(60, lambda: room.cut_after(0.05, lambda: forever(0, 0, 0)) or "inner") == "inner"
    # The inner limit of a day does not put off the outer one.
    assert room.cut_after(0.05, lambda: room.cut_after(86_400, lambda: forever(0, 0, 0)) or forever(0, 0, 0)) is None
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_in_another_thread_there_is_no_timer_and_no_harm() -> None:
    results: list[CheckResult] = []
    thread = threading.Thread(target=lambda: results.append(check("02.merge", merge)))
    thread.start()
    thread.join()
    assert results[0]


# ----------------------------------------------------------------------------------------------------
# Classes


COUNTER = Exercise(
    "02.counter", "Count", "write", "Tally", 2, 10, 2, ("a", "b", "c"), wanted=collections.Counter,
    shown=(Case("letters", ("aab",), (("most_common", (1,)),)),),
)  # fmt: skip


def test_a_class_is_made_and_its_methods_are_called(monkeypatch) -> None:
    monkeypatch.setattr(catalogue, "find", lambda key: COUNTER)
    monkeypatch.setattr(catalogue, "exercises", lambda lesson=None: (COUNTER,))
    monkeypatch.setattr(catalogue, "is_blank", lambda exercise: False)
    assert check("02.counter", collections.Counter)
    wrong = check("02.counter", dict)
    assert wrong.verdict.state == "not yet"
    with pytest.raises(InvalidAnswer, match="wants the class itself"):
        check("02.counter", collections.Counter("aab").most_common(1))


def test_an_inherited_method_is_not_started_unless_it_is_right() -> None:
    given = [catalogue.find("04.GPT4Tokenizer.encode").answer, catalogue.find("05.MyTokenizer.encode").answer]
    GPT4Tokenizer, right = given

    class MyTokenizer(GPT4Tokenizer):
        def __init__(self, pattern):
            super().__init__(pattern)
            self.special_tokens = {}

    result = check("05.MyTokenizer", MyTokenizer)
    assert {one.state for one in result} == {"not started"}
    assert "MyTokenizer(" in result[0].given
    assert "○ register_special_tokens" in repr(result)

    # The first wrong method that was written is drawn; inherited methods that are right are done.
    MyTokenizer.encode = lambda self, text, allowed_special="none_raise": []
    MyTokenizer.decode = right.decode
    result = check("05.MyTokenizer", MyTokenizer)
    states = {one.key.rpartition(".")[2]: one.state for one in result}
    assert states == {
        "register_special_tokens": "not started", "from_ranks": "not started", "train": "not started",
        "encode": "not yet", "decode": "done",
    }  # fmt: skip
    assert "not yet · 05.MyTokenizer.encode" in repr(result)

    class Helpful:
        def encode(self, text, allowed_special="none_raise"):
            return []

    written_apart = type("MyTokenizer", (Helpful, GPT4Tokenizer), {"decode": right.decode})
    assert check("05.MyTokenizer.encode", written_apart).state == "not yet", "a class of this lesson defines it"
    inherited = type("MyTokenizer", (right,), {"name": "mine"})
    assert check("05.MyTokenizer.decode", inherited).state == "done"


def test_a_method_in_a_class_that_extends_the_one_of_its_name_is_written() -> None:
    earlier = catalogue.find("04.GPT4Tokenizer.encode").answer
    lacking = type("GPT4Tokenizer", (earlier,), {"cache": None})
    assert check("09.GPT4Tokenizer.encode_word", lacking).state == "not started"
    wrong = type("GPT4Tokenizer", (earlier,), {"encode_word": lambda self, word: []})
    assert check("09.GPT4Tokenizer.encode_word", wrong).state == "not yet"
