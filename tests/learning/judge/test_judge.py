"""The judge: the states of a verdict, the mistake that is named, and the points.

``tests/golden`` has the verdicts on the known answers to every exercise, right, blank and wrong ones.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from minbpe_course.learning.grading.marking import for_report
from minbpe_course.learning.judge import judge as module
from minbpe_course.learning.judge.callers import InProcess
from minbpe_course.learning.judge.choose_hint import NO_RETURN, Failure, Failures
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, Mutant, Outcome
from minbpe_course.learning.judge.judge import RUNS, cases_of, judge
from tests.shared.remote_answers import opened

pytestmark = pytest.mark.medium


def _drawn(random: Random) -> Iterator[Case]:
    for length in range(1, 20):
        yield Case("long lists", ([random.randrange(1000) for _ in range(length)],))


TOTAL = Exercise(
    "00.total", "Total", "write", "total", 1, 1, 3, ("nudge", "pseudocode", "pointer"),
    wanted=sum,
    shown=(Case("nothing", ([],)), Case("short lists", ([1, 2],)), Case("short lists", ([5],))),
    drawn=_drawn,
    mistakes=(
        Mistake("counts", "You count.", like=len),
        Mistake("text", "No text.", when=lambda case, outcome, wanted: outcome.value[0] == "x"),
    ),
)  # fmt: skip


def verdict(function: Any, exercise: Exercise = TOTAL, **options: Any) -> Any:
    return judge(exercise, InProcess(function, exercise.subject), **options)


def broken(numbers: list[int]) -> int:
    raise KeyError(numbers[0])


@pytest.mark.parametrize(
    ("label", "function", "state", "mistake"),
    [
        ("ellipsis", lambda numbers: ..., "not started", ""),
        ("mistake seen in the case", lambda numbers: "x", "not yet", "text"),
        ("raises", broken, "not yet", "raised"),
        ("returns None", lambda numbers: None, "not yet", "returned None"),
        ("another type", lambda numbers: [sum(numbers)], "not yet", "wrong type"),
        ("truth for a number", lambda numbers: bool(sum(numbers)), "not yet", "wrong type"),
        ("an object", lambda numbers: object(), "not yet", "refused"),
        ("nearly", lambda numbers: sum(numbers) + (len(numbers) > 1), "not yet", ""),
        ("equal to everything", lambda numbers: type("E", (), {"__eq__": lambda a, b: True})(), "not yet", "refused"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_states_and_mistakes(label: str, function: Any, state: str, mistake: str) -> None:
    result = verdict(function)
    assert (result.state, result.mistake) == (state, mistake), result
    assert result.points == 0
    assert bool(result.hint) == bool(mistake), "a hint belongs to a recognised mistake"


def test_the_smallest_failing_case_is_shown() -> None:
    result = verdict(lambda numbers: sum(numbers) if len(numbers) < 2 else 0)
    assert (result.given, result.yours, result.wanted) == ("total([1, 2])", "0", "3")
    assert result.failures == {"short lists": 1, "long lists": 18}
    assert result.tried == {"nothing": 1, "short lists": 2, "long lists": 19}


def test_the_smallest_case_is_shown_whether_it_was_drawn_or_not() -> None:
    exercise = replace(TOTAL, shown=(Case("short lists", ([10**9, 10**9],)),))
    assert verdict(lambda numbers: -1, exercise).given.count(",") == 0, "a drawn case with one number"
    # With secret values only a shown case can be shown.
    assert verdict(lambda numbers: -1, exercise, reveal=False).given == "total([1000000000, 1000000000])"


def test_heavy_answers_are_not_kept() -> None:
    failures = Failures(True, Counter())
    for number in range(9):
        failures.add(Failure(Case(f"kind {number}", ()), Outcome("value", 0), None, True, size=number, weight=900_000))
    assert [one.size for one in failures] == [0, 1]
    assert failures.of_largest_category()[0].size == 0


# ----------------------------------------------------------------------------------------------------
# No diagnosis without recognition


def _long_ones(case: Case, outcome: Outcome, wanted: Any) -> bool:
    return len(case.args[0]) > 15


def test_a_condition_must_hold_on_most_failures() -> None:
    exercise = replace(TOTAL, mistakes=(Mistake("long", "Too long.", when=_long_ones),))
    assert verdict(lambda numbers: 0 if len(numbers) > 15 else sum(numbers), exercise).mistake == "long"
    found = verdict(lambda numbers: 0, exercise)
    assert (found.mistake, found.hint, found.given) == ("", "", "total([5])")
    # One other failure does not hide the mistake, and the case that is shown is one that the hint explains.
    found = verdict(lambda numbers: 0 if len(numbers) > 15 or numbers == [5] else sum(numbers), exercise)
    assert found.mistake == "long"
    assert found.given.count(",") == 15


def test_the_kind_that_fails_most_decides_where_others_do_not_fail() -> None:
    """An answer with several mistakes gets the hint for one of them; one that is wrong everywhere gets none."""
    cases = [Case(f"{kind:03b}", ([kind, number],)) for kind in (1, 2, 3, 4) for number in range(kind + 2)]
    mistake = Mistake("four", "4?", when=lambda case, outcome, wanted: case.args[0][0] == 4)
    exercise = replace(TOTAL, shown=tuple(cases), drawn=None, mistakes=(mistake,))
    assert verdict(lambda numbers: sum(numbers) if numbers[0] == 1 else -1, exercise).mistake == "four"
    assert verdict(lambda numbers: -1, exercise).mistake == ""
    assert verdict(lambda numbers: sum(numbers) if numbers[0] in (1, 4) else -1, exercise).mistake == ""


def test_an_example_must_be_right_where_the_learner_is() -> None:
    """One failing case, on which a wrong answer happens to say the same, is no evidence for that answer."""
    exercise = replace(TOTAL, mistakes=(Mistake("always 0", "Add.", like=lambda numbers: 0),))
    assert verdict(lambda numbers: 0, exercise).mistake == "always 0"
    assert verdict(lambda numbers: sum(numbers) if numbers != [1, 2] else 0, exercise).mistake == ""


def test_a_condition_decides_where_there_is_an_example_too() -> None:
    both = Mistake("low", "Too low.", like=len, when=lambda case, outcome, wanted: outcome.value < wanted)
    exercise = replace(TOTAL, mistakes=(both,))
    assert verdict(lambda numbers: sum(numbers) - 1, exercise).mistake == "low"
    assert verdict(lambda numbers: sum(numbers) + 1, exercise).mistake == ""


@pytest.mark.parametrize(("right", "mistake"), [(None, ""), (0, "returned None")])
def test_none_is_no_slip_where_it_is_a_right_answer(right: Any, mistake: str) -> None:
    exercise = replace(TOTAL, wanted=lambda numbers: sum(numbers) if numbers else right, mistakes=())
    found = verdict(lambda numbers: None, exercise)
    assert (found.mistake, found.yours) == (mistake, "None")


class Sums:
    """Adds numbers; ``clear`` returns nothing."""

    def __init__(self) -> None:
        self.sum = 0

    def add(self, number: int) -> int:
        self.sum += number
        return self.sum

    def clear(self) -> None:
        self.sum = 0


def test_a_method_that_returns_none_is_named() -> None:
    scripts = [(("add", (n,)), ("clear", ()), ("add", (n + 1,))) for n in range(3)]
    cases = tuple(Case("sums", (), script) for script in scripts)
    exercise = replace(TOTAL, wanted=Sums, shown=cases, drawn=None, mistakes=())
    silent = type("Silent", (Sums,), {"add": lambda self, number: None})
    found = verdict(silent, exercise)
    assert (found.mistake, found.hint) == ("returned None", f"`add` returns None here. {NO_RETURN}")
    eager = type("Eager", (Sums,), {"add": lambda self, number: number + 1})
    assert verdict(eager, exercise).mistake == "", "clear may return None"


def test_a_kind_that_is_right_elsewhere_is_no_wrong_type() -> None:
    exercise = replace(TOTAL, wanted=lambda numbers: numbers or "nothing", mistakes=())
    assert verdict(lambda numbers: "nothing", exercise).mistake == ""
    assert verdict(lambda numbers: b"nothing", exercise).mistake == "wrong type"
    accepted = replace(TOTAL, wanted=None, mistakes=(), accept=lambda case, yours: None if case.args[0] else "a number")
    assert verdict(lambda numbers: None, accepted).mistake == "", "None was accepted for another case"


def test_where_several_answers_are_right_one_is_shown_of_a_case_that_may_be() -> None:
    several = replace(
        TOTAL, mistakes=(), accept=lambda case, yours: None if yours == sum(*case.args) else f"not {yours}"
    )
    for reveal in (True, False):
        found = judge(several, InProcess(lambda numbers: -1), reveal=reveal)
        assert (found.given, found.wanted, found.note) == ("total([])", "not -1", "One right answer: 0")
        made = for_report(several, found)
        assert (made.wanted, made.note) == ("", "One right answer: 0"), "the rule's own words may quote the answer"
        late = judge(several, InProcess(lambda numbers: -1 if len(numbers) > 3 else sum(numbers)), reveal=reveal)
        assert bool(late.note) is reveal


def test_a_secret_case_is_named_by_its_category_only() -> None:
    def fails_late(numbers: list[int]) -> int:
        if len(numbers) > 3:
            raise ValueError(f"secret {numbers}")
        return sum(numbers)

    shown, hidden = verdict(fails_late, seed="s"), verdict(fails_late, seed="s", reveal=False)
    assert "secret" in shown.hint
    assert shown.given.startswith("total([")
    assert hidden.hidden
    assert hidden.category == "long lists"
    assert "secret" not in repr(hidden)
    assert (hidden.given, hidden.yours, hidden.wanted, hidden.difference) == ("", "", "", "")


def test_the_seed_decides_the_drawn_cases_and_nothing_else() -> None:
    same, again, other = (cases_of(TOTAL, seed) for seed in ("a", "a", "b"))
    assert [one.case for one in same] == [one.case for one in again]
    assert [one.case for one in same if one.drawn] != [one.case for one in other if one.drawn]
    assert [one.case for one in same if not one.drawn] == [one.case for one in other if not one.drawn]
    assert cases_of(replace(TOTAL, key="00.other"), "a")[-1] != same[-1]


def test_a_wanted_exception_must_be_raised() -> None:
    def strict(numbers: list[int]) -> int:
        if not numbers:
            raise ValueError("nothing")
        return sum(numbers)

    class Own(ValueError):
        pass

    def own(numbers: list[int]) -> int:
        return strict(numbers) if numbers else raise_it(Own())

    def other(numbers: list[int]) -> int:
        return strict(numbers) if numbers else raise_it(TypeError())

    def raise_it(error: Exception) -> int:
        raise error

    exercise = replace(TOTAL, wanted=strict, mistakes=())
    assert verdict(own, exercise).done
    assert verdict(sum, exercise).mistake == "no error"
    assert verdict(sum, exercise).wanted == "ValueError, in your own words"
    assert verdict(other, exercise).mistake == "raised"
    assert "should raise ValueError, and your code raises TypeError" in verdict(other, exercise).hint


def test_an_answer_with_the_bug_of_the_notebook_has_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "code_to_repair", lambda exercise: len)
    exercise = replace(TOTAL, kind="repair", mistakes=())
    result = verdict(len, exercise)
    assert (result.state, result.mistake, result.given) == ("not started", "untouched", "total([5])")
    assert (result.hint, result.note) == ("", module.UNTOUCHED)
    assert verdict(lambda numbers: len(numbers) + 1, exercise).state == "not yet"
    assert verdict(sum, exercise).done


class Dying:
    """A caller whose process dies at every call but the first ones."""

    def __init__(self, alive: int) -> None:
        self.left = alive
        self.calls = 0

    def call(self, case: Case) -> Outcome:
        self.calls += 1
        self.left -= 1
        return Outcome("value", sum(case.args[0])) if self.left >= 0 else Outcome("lost")

    def try_test(self, implementation: str) -> Outcome:
        raise AssertionError("never asked")


def test_a_process_that_keeps_dying_is_given_up() -> None:
    dying = Dying(alive=5)
    result = judge(TOTAL, dying)
    assert (result.state, result.mistake) == ("not yet", "lost")
    assert dying.calls == 5 + module.GIVEN_UP
    assert "15 further cases" in result.note


@pytest.mark.parametrize("value", [None, 5, "x", [1], {"a": 1}, b"", [[[]]]])
def test_rules_of_an_exercise_meet_any_value(value: Any) -> None:
    careless = replace(
        TOTAL,
        wanted=None,
        accept=lambda case, yours: None if yours["a"]["b"] > 3 else "more",
        mistakes=(Mistake("m", "h", when=lambda case, outcome, wanted: outcome.value.nothing),),
    )
    assert verdict(lambda numbers: value, careless).state == "not yet"
    measured = replace(
        TOTAL, kind="design", wanted=None, measure=lambda cases, answers: (sum(len(a["x"]) for a in answers), None),
        levels=((1e9, 3),),
    )  # fmt: skip
    result = verdict(lambda numbers: value, measured)
    assert (result.points, result.mistake) == (0, "not allowed")


def test_far_more_than_a_right_answer_is_refused_before_any_rule_sees_it() -> None:
    seen: list[int] = []
    looking = replace(
        TOTAL,
        wanted=None,
        accept=lambda case, yours: seen.append(len(yours)),
        mistakes=(Mistake("m", "h", when=lambda case, outcome, wanted: bool(seen.append(len(outcome.value)))),),
    )
    for value in ("x" * 100_000, [0] * 100_000, {n: n for n in range(50_000)}, [["x" * 5_000] * 5] * 5):
        result = verdict(lambda numbers, value=value: value, looking)
        assert (result.state, result.mistake, seen) == ("not yet", "refused", [])
        assert "far larger" in result.hint
    assert verdict(lambda numbers: "x" * module.ROOM, looking).done
    # Where much is given, much may come back.
    given = replace(looking, shown=(Case("much", ([0] * 100_000,)),), drawn=None)
    assert verdict(lambda numbers: numbers * 10, given).done


DESIGN = replace(
    TOTAL, kind="design", wanted=None, drawn=None, mistakes=(), unit="bytes", levels=((10, 3), (20, 1)),
    accept=lambda case, yours: None if isinstance(yours, int) else "a number",
    measure=lambda cases, answers: (float(sum(answers)), "It cheats." if min(answers) < 0 else None),
)  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "state", "points", "mistake", "note"),
    [
        (3, "done", 3, "", "reaches 9 bytes"),
        (5, "not yet", 1, "below the level", "10 bytes would give 3 of 3 points"),
        (50, "not yet", 0, "below the level", "20 bytes would give 1 of 3 points"),
        (-1, "not yet", 0, "not allowed", ""),
        ("5", "not yet", 0, "", ""),
    ],
)
def test_a_design_is_worth_its_level(answer: Any, state: str, points: int, mistake: str, note: str) -> None:
    result = verdict(lambda numbers: answer, DESIGN)
    assert (result.state, result.points, result.mistake) == (state, points, mistake)
    assert note in result.note


@pytest.mark.parametrize("answer", [10**400, -(10**400), 1 << 63], ids=["large", "negative", "64 bits"])
def test_a_metric_is_a_number_that_every_report_can_hold(answer: int) -> None:
    result = verdict(lambda numbers: answer, replace(DESIGN, measure=lambda cases, answers: (sum(answers), None)))
    assert (result.state, type(result.metric)) == ("not yet", float)


def test_more_can_be_better() -> None:
    rising = replace(DESIGN, smaller_is_better=False, levels=((100, 3), (20, 1)))
    assert [verdict(lambda numbers, n=n: n, rising).points for n in (1, 10, 40)] == [0, 1, 3]


TESTING = replace(
    TOTAL, kind="test", entry="test_total", subject="total", points=5, wanted=None, drawn=None, shown=(),
    right=("def total(n): return sum(n)", "total = sum"),
    mutants=tuple(
        Mutant(name, f"def total(n): return {body}", category)
        for name, body, category in [
            ("first", "sum(n[1:])", "forgets the first"),
            ("last", "sum(n[:-1])", "forgets the last"),
            ("empty", "sum(n) if n else 1", "is wrong for nothing"),
        ]
    ),
)  # fmt: skip


def whole_test(total: Any) -> None:
    assert total([]) == 0
    assert total([1, 2, 4]) == 7


TURN = itertools.count()


def chance(total: Any) -> None:
    whole_test(total) if next(TURN) % 3 else None


@pytest.mark.parametrize(
    ("label", "function", "state", "points", "mistake"),
    [
        ("returns something", lambda total: whole_test(total) or object(), "done", 5, ""),
        ("always fails", lambda total: 1 / 0, "not yet", 0, "rejects-right"),
        ("depends on chance", chance, "not yet", 0, "inconsistent"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_a_test_is_worth_what_it_catches(label: str, function: Any, state: str, points: int, mistake: str) -> None:
    result = verdict(function, TESTING)
    assert (result.state, result.points, result.mistake) == (state, points, mistake), result


def test_the_line_of_an_assert_without_a_message_is_quoted() -> None:
    def test_total(total):
        if total([1, 1]) != 3:
            raise AssertionError  # pytest puts words into every assert of this file

    assert (
        "AssertionError: raise AssertionError  # pytest puts words"
        in judge(TESTING, InProcess(test_total, "total")).hint
    )


def test_the_order_of_implementations_changes_every_time() -> None:
    class Noting:
        def __init__(self) -> None:
            self.order: list[str] = []

        def try_test(self, implementation: str) -> Outcome:
            self.order.append(implementation)
            return Outcome("value")

    callers = [Noting() for _ in range(40)]
    for caller in callers:
        judge(TESTING, caller, "one seed")
        # Runs on one implementation follow each other: their number must not tell the right ones from the wrong ones.
        assert [len(list(run)) for _, run in itertools.groupby(caller.order)] == [RUNS] * 5
    firsts = {caller.order[0] for caller in callers}
    assert len(firsts) > 1
    assert len({tuple(caller.order) for caller in callers}) > 2


ONE_AFTER_ANOTHER = {
    "rejects right ones and ends": (["raised", "value", "lost", "raised", "raised"], "lost"),
    "rejects right ones and some wrong ones": (["raised", "value", "value", "raised", "value"], "rejects-right"),
    "is not sure": (["value", "value", "sometimes", "raised", "raised"], "inconsistent"),
    "does not end, and more": (["raised", "too slow", "lost", "sometimes", "raised"], "too slow"),
}


@pytest.mark.parametrize("label", ONE_AFTER_ANOTHER)
def test_the_verdict_on_a_test_does_not_depend_on_the_order(label: str) -> None:
    states, mistake = ONE_AFTER_ANOTHER[label]
    sources = [*TESTING.right, *(mutant.source for mutant in TESTING.mutants)]

    class Fixed:
        turn = 0

        def try_test(self, implementation: str) -> Outcome:
            state = states[sources.index(implementation)]
            self.turn += 1
            return Outcome(["value", "raised"][self.turn % 2] if state == "sometimes" else state, error="E")

    verdicts = {replace(judge(TESTING, Fixed(), "seed"), seconds=0.0).mistake for _ in range(30)}
    assert verdicts == {mistake}


# ----------------------------------------------------------------------------------------------------
# The notebook and the grader agree about a test that keeps something

KEPT = {
    "in a global variable": """
seen = {}
def test_total(total): assert seen.setdefault("a", total([1, 2])) == total([1, 2])
""",
    "in a closure": """
def made():
    seen = {}
    def test_total(total): assert seen.setdefault("a", total([1, 2])) == total([1, 2])
    return test_total
test_total = made()
""",
    "in a number": """
turns = 0
def test_total(total):
    global turns
    turns += 1
    assert turns <= 3
""",
}


@pytest.mark.parametrize("label", KEPT)
def test_nothing_is_kept_from_one_implementation_to_the_next(label: str) -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(KEPT[label], space)
    here = judge(TESTING, InProcess(space["test_total"], "total"))
    with opened(KEPT[label], entry="test_total", subject="total") as caller:
        there = judge(TESTING, caller)
    assert (here.points, here.mistake) == (there.points, there.mistake) == (0, "misses:first")


def test_too_many_cases_are_an_error_of_the_exercise() -> None:
    endless = replace(TOTAL, key="00.endless", drawn=lambda random: (Case("", ([1],)) for _ in itertools.count()))
    with pytest.raises(ValueError, match=r"00\.endless draws more than"):
        verdict(sum, endless)
