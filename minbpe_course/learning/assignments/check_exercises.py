"""Find what is wrong with exercises, for their authors: one line for each problem, with its place and what to do.

The files of the exercises and the code in the notebooks with answers run in this process.
"""

from __future__ import annotations

import ast
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from minbpe_course.errors import ExercisesProblem, UnknownExercise
from minbpe_course.learning.assignments.release import problems
from minbpe_course.learning.assignments.worthless_answers import worthless_answers
from minbpe_course.learning.judge.answer_code import BLANK, INSTEAD, answer_code
from minbpe_course.learning.judge.callers import InProcess, clock
from minbpe_course.learning.judge.catalogue import COURSE, Collection
from minbpe_course.learning.judge.choose_hint import call_text
from minbpe_course.learning.judge.exercise import ALLOWED_PACKAGES, Exercise, Outcome
from minbpe_course.learning.judge.exercise_files import line_of
from minbpe_course.learning.judge.judge import MOST_CASES, PRACTICE_SEED, cases_of, judge
from minbpe_course.learning.judge.names_in_code import bound
from minbpe_course.learning.judge.right_helpers import of_earlier_lessons

SEEDS = (PRACTICE_SEED, "secret 1", "secret 2")
LONGEST_CHECK = 0.05  # seconds of a right answer; learners check often
SHORTEST_HINT = 15  # characters
# Errors that a reference rarely raises on purpose.
_FAULTS = {"AssertionError", "AttributeError", "ImportError", "ModuleNotFoundError", "NameError", "RecursionError",
           "UnboundLocalError"}  # fmt: skip

Limited = Callable[[Callable[[], Any]], Any]
Problem = tuple[str, str]
"""A text to look for in the file of the exercise, to name its line, and the problem."""


def problems_of(
    collection: Collection, keys: Iterable[str] = (), limited: Limited = lambda work: work()
) -> Iterator[str]:
    """Yield every problem of the exercises with these keys (default: of all), one line each.

    limited : calls a function and returns its result, or None if it stopped it because it took too long.

    Raises UnknownExercise for a key or a lesson that the collection does not have.
    """
    wanted = set(keys)
    for lesson in sorted({key.partition(".")[0] for key in wanted}) or collection.lessons():
        try:
            exercises = collection.exercises(lesson)
            missing = {key for key in wanted if key.startswith(f"{lesson}.")} - {one.key for one in exercises}
            if missing:
                raise UnknownExercise(f"{collection.name} has no exercise {min(missing)!r}.")
            chosen = [one for one in exercises if not wanted or one.key in wanted]
            found = [problem for one in chosen for problem in _of_file(one, collection, limited)]
            yield from dict.fromkeys(found) or problems(collection.contents(lesson), collection)
        except ExercisesProblem as problem:
            yield from str(problem).split("\n")


def _of_file(exercise: Exercise, collection: Collection, limited: Limited) -> Iterator[str]:
    """Yield the problems of the file of an exercise."""
    path = collection.file_of(exercise)
    # The course's mistakes have their examples in tests/learning/exercises/learners_answers.
    teachers = (free_name, examples) if collection != COURSE else ()
    for rule in (*teachers, *RULES, partial(in_notebook, asked=collection.exercises(exercise.lesson))):
        try:
            found = limited(lambda rule=rule: list(rule(exercise)))  # type: ignore[misc]
        except ExercisesProblem as fault:
            yield str(fault)
            return
        except (Exception, SystemExit) as error:  # the author's own code
            frames = traceback.extract_tb(error.__traceback__)
            line = next((frame.lineno for frame in reversed(frames) if Path(frame.filename) == path), None)
            yield f"{path}:{line or line_of(path, 'EXERCISE')}: it stops with {type(error).__name__}: {error}"
            return
        if found is None:
            found = [("EXERCISE", "it was stopped: does every loop of the right and the wrong answers end?")]
        for needle, problem in found:
            yield f"{path}:{line_of(path, needle)}: {exercise.key}: {problem}"
        if found and rule in (complete, cases, reference):
            return  # the other rules would report the same again


# ----------------------------------------------------------------------------------------------------
# Rules for the file of an exercise


def described(exercise: Exercise) -> Iterator[Problem]:
    """Check that the exercise has three hints, and the numbers for its card."""
    for number, hint in enumerate(exercise.hints, 1):
        if len(hint) < SHORTEST_HINT:
            yield (
                "hints=",
                f"hint {number} of 3 is missing or too short. Write a nudge, where to read, and the steps in words.",
            )
    for mistake in exercise.mistakes:
        if mistake.hint in exercise.hints:
            yield (
                f'"{mistake.name}"',
                f"the hint of the mistake {mistake.name!r} is one of the three hints. Write another.",
            )
    for name, most in (("minutes", 90), ("points", 10)):
        value = getattr(exercise, name)
        if not 1 <= value <= most:
            yield f"{name}=", f"its {name} are {value}; use 1 to {most}."


def free_name(exercise: Exercise) -> Iterator[Problem]:
    """Check that no lesson or exercise of the course has the same name."""
    if exercise.lesson in COURSE.lessons():
        yield (
            "EXERCISE",
            f"{exercise.lesson} is a lesson of the course, too, and the two are graded as one. Rename its folder.",
        )
    for other in (one for lesson in COURSE.lessons() for one in COURSE.exercises(lesson)):
        if other.entry == exercise.entry:
            yield "EXERCISE", f"{other.key} of the course has its name, so mine() and keep() may find that. Rename it."


def complete(exercise: Exercise) -> Iterator[Problem]:
    """Check that the exercise has all fields that its kind needs."""
    if BLANK in answer_code(exercise).blank and exercise.kind == "repair":
        yield f"{exercise.entry}(", f"an exercise to repair needs the code with the bug, as comments below {INSTEAD}."
    if exercise.kind == "test" and not (exercise.right and exercise.mutants and exercise.subject):
        yield "EXERCISE", "a test needs subject=, right= and mutants=: what it is run on."
    if exercise.kind == "design":
        points = [points for _, points in exercise.levels]
        if exercise.measure is None or not points:
            yield "EXERCISE", "a design needs measure= and levels=."
        elif points[0] != exercise.points or points != sorted(set(points), reverse=True):
            yield "levels=", f"its levels must begin with all {exercise.points} points and go down."
    if exercise.kind == "test":
        return
    if not exercise.shown:
        yield "EXERCISE", "it needs shown=, the cases that learners see."
    if exercise.drawn is None:
        yield "EXERCISE", "it needs drawn=, the hidden cases: without them an answer can list the shown ones."


def cases(exercise: Exercise) -> Iterator[Problem]:
    """Check that every case has arguments and a category, and that the seed determines the drawn cases."""
    if exercise.kind == "test":
        return
    made = [[*islice(exercise.drawn(Random(1)), MOST_CASES + 1)] if exercise.drawn else [] for _ in range(2)]
    for case in (*exercise.shown, *made[0]):
        if not isinstance(case.args, tuple):
            yield "Case(", f"the arguments {case.args!r} are not a tuple. One argument needs a comma: ({case.args!r},)"
            return
        if not case.category.strip():
            yield (
                "Case(",
                f"the case {call_text(exercise.entry, case)[:80]} has no category. Say what is special about it.",
            )
            return
    if exercise.drawn and not 0 < len(made[0]) <= MOST_CASES:
        yield (
            "drawn=",
            f"drawn yields {'too many cases' if made[0] else 'no case'}. Let it yield some, at most {MOST_CASES}.",
        )
    if repr([(case.args, case.script) for case in made[0]]) != repr([(case.args, case.script) for case in made[1]]):
        yield "drawn=", "the same seed draws other cases the second time. Take all chance from the argument of drawn."


def reference(exercise: Exercise) -> Iterator[Problem]:
    """Check that the reference answers every case; ``in_notebook`` checks that its answers are right."""
    if exercise.wanted is None:
        return
    for seed in SEEDS:
        for one in cases_of(exercise, seed):
            outcome = one.wanted or Outcome("value")
            fault = outcome.error in _FAULTS or (outcome.error == "TypeError" and "argument" in outcome.message)
            if outcome.state not in ("value", "raised") or (outcome.state == "raised" and fault):
                said = f"{outcome.error}: {outcome.message}" if outcome.error else outcome.state
                call = call_text(exercise.entry, one.case)[:200]
                yield "wanted=", f"for {call} the reference gives no answer ({said})."
                return


def mistakes(exercise: Exercise) -> Iterator[Problem]:
    """Check that every known mistake is wrong, and is recognised."""
    for mistake in exercise.mistakes:
        try:
            getattr(mistake.like, "made", bool)()
        except (ValueError, SyntaxError) as error:
            yield f'"{mistake.name}"', f"the edit of the mistake {mistake.name!r} cannot be made: {error}"
            continue
        for seed in SEEDS if mistake.like is not None else ():
            like: Any = mistake.like
            verdict = judge(exercise, InProcess(like, exercise.subject), seed)
            problem = ""
            if verdict.points:
                problem = f"earns {verdict.points:g} points. Add a case on which it is wrong."
            elif verdict.mistake == "untouched":
                problem = "answers like the function with the bug, which is the untouched answer. Remove it."
            elif verdict.mistake != mistake.name:
                seen = f"taken for {verdict.mistake!r}" if verdict.mistake else "not recognised"
                problem = f"is {seen}. Move it up, or add a case that tells the two apart."
            if problem:
                yield f'"{mistake.name}"', f"the mistake {mistake.name!r} {problem}"
                break


def examples(exercise: Exercise) -> Iterator[Problem]:
    """Check that every mistake recognised by a condition has an example, so that the condition has been tried."""
    for mistake in exercise.mistakes:
        if mistake.like is None:
            yield (
                f'"{mistake.name}"',
                f"the mistake {mistake.name!r} has no example. Add like=, a function that makes it.",
            )


def guesses(exercise: Exercise) -> Iterator[Problem]:
    """Check that constants, echoes of the input and tests that test nothing earn no points."""
    for what, caller in worthless_answers(exercise):
        for seed in SEEDS[:2]:
            points = judge(exercise, caller, seed).points
            if points:
                needle = "mutants=" if exercise.kind == "test" else "drawn="
                yield needle, f"{what} earns {points:g} points. Add cases that need different answers."
                return


def speed(exercise: Exercise) -> Iterator[Problem]:
    """Check that judging the reference is quick."""
    if exercise.wanted is not None:
        cases_of(exercise, PRACTICE_SEED)
        times = []
        for _ in range(3):
            begun = clock()
            judge(exercise, InProcess(exercise.wanted))
            times.append(clock() - begun)
        if min(times) > LONGEST_CHECK:
            yield "drawn=", f"a check takes {1000 * min(times):.0f} ms. Draw fewer or smaller cases, for at most 50 ms."


def in_notebook(exercise: Exercise, asked: Sequence[Exercise]) -> Iterator[Problem]:
    """Check that the answer is right in the notebook, next to given code only, and not started when untouched."""
    code = answer_code(exercise)
    taken = {"check", "hint", "progress", "use_exercises", *(one.entry for one in asked if one.entry != exercise.entry)}
    for source in (code.given, code.answer):
        tree = ast.parse(source)
        for name in sorted(taken & {name for statement in tree.body for name in bound(statement)}):
            yield "EXERCISE", f"its code in the notebook redefines {name}, which is there already. Rename one of them."
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or "."] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                top = name.partition(".")[0]
                if top not in sys.stdlib_module_names and top not in (*exercise.packages, *ALLOWED_PACKAGES):
                    yield "import", f"it imports {name}, which the grader does not have. Name it in packages=."
    answer, problem = _defined(exercise, asked, "answer")
    for seed in SEEDS if not problem else ():
        verdict = judge(exercise, InProcess(answer, exercise.subject), seed)
        if verdict.points != exercise.points:
            problem = f"gets {verdict.points:g} of {exercise.points} points: {_why(verdict)}"
            if "NameError" in problem:
                problem = f"stops with {verdict.yours}. Define or import that name in the file, or ask for it earlier."
            break
    if problem:
        yield f"{exercise.entry}(", f"the answer in the notebook {problem}"
        return
    answer, problem = _defined(exercise, asked, "blank")
    verdict = judge(exercise, InProcess(answer, exercise.subject))
    if verdict.points:
        problem = f"earns {verdict.points:g} points. Move the markers around more of it."
    elif verdict.state != "not started" and not problem:
        problem = f"counts as a wrong one ({verdict.mistake or 'wrong'}). Let the first of shown= reach it."
    if problem:
        yield f"{exercise.entry}(", f"the untouched answer {problem}"


def _defined(exercise: Exercise, asked: Sequence[Exercise], form: str) -> tuple[Any, str]:
    """Return what the cells of a notebook up to an answer define as it, or why they do not.

    asked : all exercises of the lesson; the answers above are there, too. form : "answer" or "blank".
    """
    names: dict[str, Any] = {"__name__": "an_answer"}
    codes = [answer_code(one) for one in asked[: asked.index(exercise) + 1]]
    for source in of_earlier_lessons(exercise, [source for code in codes for source in (code.given, code.answer)]):
        exec(compile(source, "<earlier>", "exec", dont_inherit=True), names)
    for one in asked[: asked.index(exercise) + 1]:
        code = answer_code(one)
        for source in (code.given, code.answer if one is not exercise else getattr(code, form)):
            try:
                exec(compile(source, f"<{one.key}>", "exec", dont_inherit=True), names)
            except (Exception, SystemExit) as error:
                if one is exercise:
                    return None, f"cannot be defined: {type(error).__name__}: {error}"
    return names.get(exercise.entry), "" if exercise.entry in names else f"does not define {exercise.entry}."


Rule = Callable[[Exercise], Iterator[Problem]]
RULES: tuple[Rule, ...] = (described, complete, cases, reference, mistakes, guesses, speed)


def _why(verdict: Any) -> str:
    given = verdict.given and f"{verdict.given} gives {verdict.yours}. "
    return f"{given}{verdict.hint} {verdict.note}".strip()[:300] or f"the verdict is {verdict.state!r}."
