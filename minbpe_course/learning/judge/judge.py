"""The one judge of the notebook's instant check and of the grader.

    judge(exercise, caller)                             the shown cases, then cases drawn from the practice seed
    judge(exercise, caller, seed, reveal=False)         drawn from the teacher's secret, whose values are not shown

The caller runs the learner's code and returns plain values. The wanted answers are computed here, from the reference,
and never reach the process of the learner's code.

An exercise is done or it is not: a constant answer must not collect points for easy cases. Two kinds give part of the
points: "design" by the level that its metric reaches, and "test" by the wrong implementations that it catches, provided
that it accepts every right one each time.

An answer may be any plain value of a megabyte, and the rules of the exercises run in this process. So an answer far
larger than a right one is refused before any rule sees it, and only a dozen failures are kept.
"""

from __future__ import annotations

import hmac
import math
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random, SystemRandom
from typing import Any

from minbpe_course.learning.judge.answer_code import code_to_repair
from minbpe_course.learning.judge.callers import run_case
from minbpe_course.learning.judge.choose_hint import Failure, Failures, call_text, explain, wanted_text
from minbpe_course.learning.judge.equality import agree, kind_of, same, shortened
from minbpe_course.learning.judge.exercise import Caller, Case, Exercise, Mutant, Outcome, Verdict
from minbpe_course.learning.judge.plain_values import MOST_ITEMS
from minbpe_course.learning.judge.value_sizes import weight

PRACTICE_SEED = "practice"
MOST_CASES = 400  # of one exercise; a generator that never ends is a bug of the exercise
GIVEN_UP = 2  # lost processes after which the remaining cases are not tried
ROOM, TIMES = 10_000, 20  # an answer may weigh ROOM, plus TIMES the weight of its input and of the wanted answer
LONGEST_COMPLAINT = 500
PASSED_TRIED = 16  # cases that do not fail, on which a known mistake is tried
UNTOUCHED = "This does what the code did as it was handed out; the case shows what is wrong with it."
RUNS = 3  # of a test on each implementation: a test that guesses would have to guess alike each time

RIGHT = Mutant("right", "", "a right implementation")


@dataclass(frozen=True)
class PreparedCase:
    """A case, the outcome of the reference, whether it was drawn, the size of both, and the weight of an answer."""

    case: Case
    wanted: Outcome | None
    drawn: bool
    size: int = 0
    room: int = ROOM


def judge(exercise: Exercise, caller: Caller, seed: str = PRACTICE_SEED, *, reveal: bool = True) -> Verdict:
    """Try an answer and return the verdict.

    seed : determines the drawn cases. reveal : whether a verdict may show the values of a drawn case.

    >>> from minbpe_course.learning.judge.callers import InProcess
    >>> from minbpe_course.learning.judge.catalogue import find
    >>> judge(find("02.merge"), InProcess(lambda ids, pair, new_id: ids)).mistake
    'nothing-merged'
    """
    if exercise.kind == "test":
        return _judge_test(exercise, caller)
    tried: Counter[str] = Counter()
    failures = Failures(reveal, tried)
    answers: list[Outcome] = []
    passed: list[PreparedCase] = []
    seconds, lost, given_up = 0.0, 0, ""
    planted = code_to_repair(exercise)
    cases = cases_of(exercise, seed)
    kinds = {kind_of(one.wanted.value) for one in cases if one.wanted and one.wanted.state == "value"}
    for one in cases:
        outcome, weighed = _bounded(caller.call(one.case), one.room)
        seconds, lost = seconds + outcome.seconds, lost + (outcome.state == "lost")
        if outcome.state == "blank" and not tried:
            wanted = wanted_text(one.wanted) if one.wanted else ""
            return exercise.verdict("not started", given=call_text(exercise.entry, one.case), wanted=wanted)
        tried[one.case.category] += 1
        if planted is not None and not agree(run_case(planted, one.case), outcome):
            planted = None
        complaint = _complaint(exercise, one, outcome)
        if complaint is None and outcome.changed:
            complaint = "the same answer, and the arguments as they were"
        if complaint is None:
            passed.append(one)
            if outcome.state == "value":
                kinds.add(kind_of(outcome.value))
            if exercise.measure is not None and not failures:
                answers.append(outcome)
            continue
        failures.add(Failure(one.case, outcome, one.wanted, one.drawn, complaint, one.size, weighed))
        if outcome.state == "too slow" or lost >= GIVEN_UP:
            left = len(cases) - tried.total()
            given_up = f"{left} further case{'s were' if left != 1 else ' was'} not tried" if left else ""
            break
    if not failures:
        return _measured(exercise, cases, answers, dict(tried), seconds)

    def passes(answer: Callable[..., Any]) -> float:
        some = passed[:: len(passed) // PASSED_TRIED + 1]
        outcomes = [(one, run_case(answer, one.case)) for one in some]
        right = sum(_complaint(exercise, one, outcome) is None and not outcome.changed for one, outcome in outcomes)
        return right / len(some) if some else 1.0

    verdict = explain(exercise, failures, kinds, passes)
    if planted is not None:
        verdict = replace(verdict, state="not started", mistake="untouched", hint="")
        given_up = " ".join(filter(None, [UNTOUCHED, given_up]))
    note = ". ".join(filter(None, [verdict.note, given_up]))
    return replace(verdict, failures=dict(failures.counts), tried=dict(tried), note=note, seconds=seconds)


def cases_of(exercise: Exercise, seed: str) -> tuple[PreparedCase, ...]:
    """Return the shown and the drawn cases with the wanted outcomes, computed once for each exercise and seed.

    >>> from minbpe_course.learning.judge.catalogue import find
    >>> cases_of(find("02.merge"), "a")[0].wanted.state
    'value'
    """
    with _LOCK:  # so that threads that ask at the same time draw the cases once
        return _cases_of(exercise, seed)


_LOCK = threading.RLock()


@lru_cache(maxsize=256)
def _cases_of(exercise: Exercise, seed: str) -> tuple[PreparedCase, ...]:
    cases = [(case, False) for case in exercise.shown]
    for case in exercise.drawn(Random(secret(exercise.key, seed))) if exercise.drawn else ():
        cases.append((case, True))
        if len(cases) > MOST_CASES:
            raise ValueError(f"{exercise.key} draws more than {MOST_CASES} cases")
    return tuple(_prepared(exercise, case, drawn) for case, drawn in cases)


def _prepared(exercise: Exercise, case: Case, drawn: bool) -> PreparedCase:
    case = replace(case, watched=exercise.keeps_input)
    wanted = run_case(exercise.wanted, case) if exercise.wanted else None
    around = [case.args, case.script, wanted.value if wanted else None]
    room = ROOM + TIMES * weight(around, MOST_ITEMS)
    return PreparedCase(case, wanted, drawn, len(repr(around)), room)


def secret(key: str, seed: str) -> int:
    """Return the seed from which one exercise draws its cases: HMAC-SHA256 of the key under the seed.

    >>> secret("02.merge", "a") == secret("02.train", "a")
    False
    """
    return int.from_bytes(hmac.digest(seed.encode("utf-8", "surrogatepass"), key.encode("utf-8"), "sha256"), "big")


def _bounded(outcome: Outcome, room: int) -> tuple[Outcome, int]:
    """Return the outcome and the weight of its value; a value that is too large is replaced by a refusal."""
    weighed = weight(outcome.value, room) if outcome.state == "value" else 0
    if weighed <= room:
        return outcome, weighed
    message = "the answer is far larger than a right one can be"
    return Outcome("refused", error="NotPlain", message=message, seconds=outcome.seconds), 0


def _complaint(exercise: Exercise, one: PreparedCase, outcome: Outcome) -> str | None:
    """Return None for a right answer, else what is wrong with it, which may be an empty text."""
    if one.wanted is not None and one.wanted.state == "raised":
        return None if outcome.state == "raised" and one.wanted.error in outcome.bases else ""
    if outcome.state != "value":
        return ""
    if exercise.accept is not None:
        try:
            complaint = exercise.accept(one.case, outcome.value)
            return complaint if complaint is None else shortened(complaint, LONGEST_COMPLAINT)
        except Exception:  # the answer may be any value, also one that the rule does not expect
            return "an answer of the kind that is asked for"
    if one.wanted is None:  # a design without a reference: its metric decides
        return None
    return None if same(outcome.value, one.wanted.value) else ""


# ----------------------------------------------------------------------------------------------------
# Designs: a metric and its levels


def _measured(
    exercise: Exercise, cases: Iterable[PreparedCase], answers: list[Outcome], tried: dict[str, int], seconds: float
) -> Verdict:
    if exercise.measure is None:
        return exercise.verdict("done", exercise.points, tried=tried, seconds=seconds)
    try:
        metric, complaint = exercise.measure(tuple(one.case for one in cases), [outcome.value for outcome in answers])
        metric = float(metric)  # not an integer that no report and no file can hold
    except Exception:  # as in _complaint
        metric, complaint = math.nan, "Your answers are of a kind that cannot be measured. What should be returned?"
    if complaint is not None:
        return exercise.verdict(
            "not yet", tried=tried, hint=shortened(complaint, LONGEST_COMPLAINT), mistake="not allowed",
            metric=metric, seconds=seconds,
        )  # fmt: skip
    points, next_level = 0, ""
    for bound, worth in exercise.levels:
        if metric <= bound if exercise.smaller_is_better else metric >= bound:
            points = worth
            break
        next_level = f"{bound:g} {exercise.unit} would give {worth} of {exercise.points} points".replace("  ", " ")
    note = f"your design reaches {metric:.4g} {exercise.unit}".rstrip() + (f"; {next_level}" if next_level else "")
    verdict = exercise.verdict("done", points, tried=tried, metric=metric, note=note, seconds=seconds)
    return verdict if points == exercise.points else replace(verdict, state="not yet", mistake="below the level")


# ----------------------------------------------------------------------------------------------------
# Tests that the learner writes


def _judge_test(exercise: Exercise, caller: Caller) -> Verdict:
    """Run the learner's test several times on each implementation, right and wrong ones in a random order.

    The order does not depend on the seed, or a test could count its way to the right ones. The verdict does not depend
    on the order: of several faults, the same one is always named.
    """
    results: list[tuple[Mutant, list[Outcome]]]
    results = [(replace(RIGHT, source=source), []) for source in exercise.right]
    results += [(one, []) for one in exercise.mutants]
    seconds = 0.0
    for implementation, runs in SystemRandom().sample(results, len(results)):
        for _ in range(RUNS):
            outcome = caller.try_test(implementation.source)
            seconds += outcome.seconds
            if outcome.state == "blank":
                return exercise.verdict("not started")
            runs.append(outcome)
            if outcome.state == "too slow":
                hint = "Your test did not come to an end."
                return exercise.verdict("not yet", mistake="too slow", hint=hint, seconds=seconds)
            if outcome.state != "value" and (_is_right(implementation) or outcome.state != "raised"):
                break
    return replace(_of_runs(exercise, results), seconds=seconds)


def _is_right(implementation: Mutant) -> bool:
    return implementation.name == RIGHT.name


def _of_runs(exercise: Exercise, results: list[tuple[Mutant, list[Outcome]]]) -> Verdict:
    """Return the verdict on a test from its runs on each implementation, the right ones first."""
    for _, (*_, outcome) in results:
        if outcome.state not in ("value", "raised"):
            lost = outcome.state == "lost"
            what = "ended the process it ran in" if lost else f"could not be run: {outcome.message}"
            return exercise.verdict("not yet", mistake=outcome.state, hint=f"Your test {what}.")
    for mutant, (*_, outcome) in results:
        if _is_right(mutant) and outcome.state == "raised":
            said = f"{outcome.error}: {outcome.message}".rstrip(": ")
            hint = f"Your test rejects a {exercise.subject} that is right. It said: {said}"
            one = {RIGHT.category: 1}
            return exercise.verdict(
                "not yet",
                category=RIGHT.category,
                yours=said,
                mistake="rejects-right",
                hint=hint,
                failures=one,
                tried=one,
            )
    if any(len({outcome.state for outcome in runs}) > 1 for _, runs in results):
        hint = f"Your test accepts and rejects the very same {exercise.subject}. A test must not depend on chance."
        return exercise.verdict("not yet", mistake="inconsistent", hint=hint)
    survivors = [mutant for mutant, runs in results if not _is_right(mutant) and runs[0].state != "raised"]
    number = len(exercise.mutants)
    caught = number - len(survivors)
    tried = dict(Counter(mutant.category for mutant in exercise.mutants))
    note = f"your test catches {caught} of {number} wrong implementations"
    if not survivors:
        return exercise.verdict("done", exercise.points, tried=tried, note=note)
    first = survivors[0]
    hint = f"A wrong {exercise.subject} passes your test: it {first.category}. Which calls would show that?"
    return exercise.verdict(
        "not yet", exercise.points // 2 if 2 * caught >= number else 0, category=first.category, hint=hint,
        mistake=f"misses:{first.name}", note=note, tried=tried,
        failures=dict(Counter(mutant.category for mutant in survivors)),
    )  # fmt: skip
