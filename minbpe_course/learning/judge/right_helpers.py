"""Judge an answer without the mistakes of the answers that it builds on.

``learn_merges`` may call the learner's own ``count_pairs``. If that is wrong, it has cost its points already, so the
answer that calls it is judged a second time with a right one. The right one is found by its name, so it also replaces
an answer that is missing, misspelt, or cannot be read. If it changes the verdict, the learner's helper is the cause:
the second verdict counts, and names the helper in ``helpers`` and in its note.

The right ones are the answers in the files of the exercises.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.answer_code import answer_code
from minbpe_course.learning.judge.callers import InProcess, run_case
from minbpe_course.learning.judge.equality import agree
from minbpe_course.learning.judge.exercise import Exercise, Verdict
from minbpe_course.learning.judge.judge import judge
from minbpe_course.learning.judge.names_in_code import compiled, needed


def helpers_of(exercise: Exercise, lesson: str | None = None) -> tuple[Exercise, ...]:
    """Return the earlier exercises of a lesson that have a right answer here which may be used.

    lesson : an earlier one; default: that of the exercise, up to the exercise. A test gets no right answer at all, and
    no question an answer that is right for it as well: calling a helper must not be all of an answer.

    >>> "02.merge" in [one.key for one in helpers_of(catalogue.find("02.train_merges"))]
    True
    >>> helpers_of(catalogue.find("02.test_merge"))
    ()
    """
    lesson = lesson or exercise.lesson
    asked = catalogue.exercises(lesson) if lesson in catalogue.lessons() and exercise.kind != "test" else ()
    if lesson == exercise.lesson:
        keys = [one.key for one in asked]
        asked = asked[: keys.index(exercise.key)] if exercise.key in keys else ()
    return tuple(
        one
        for one in asked
        if one.answer is not None
        and one.kind != "test"
        and (one.entry != exercise.entry or one.lesson != exercise.lesson)
        and not _answers_both(one, exercise)
    )


def named_in(exercise: Exercise, cells: Iterable[str], tool: str) -> tuple[Exercise, ...]:
    """Return the earlier exercises that cells name to a tool and whose right answers may be used for an exercise.

    tool : "mine", which takes the name of an answer, or "working", which takes a key. They may be exercises of an
    earlier lesson of the same author; of two with one name the later one is taken.

    >>> [one.key for one in named_in(catalogue.find("03.split_words"), ['merge = mine("merge")'], "mine")]
    ['02.merge']
    """
    call = re.compile(rf"\b{tool}\s{{0,9}}\(\s{{0,99}}[\"']([\w.]{{1,99}})[\"']")
    named = {name for cell in cells if tool in cell for name in call.findall(cell)}
    if not named or catalogue.known(exercise.key) is None:
        return ()
    found: dict[str, Exercise] = {}
    lessons = catalogue.collection_of(exercise.key).lessons()
    for lesson in lessons[: lessons.index(exercise.lesson) + 1]:
        if any(named & _names_of(one) for one in catalogue.exercises(lesson)):
            found |= {one.entry: one for one in helpers_of(exercise, lesson) if named & _names_of(one)}
    return tuple(found.values())


def _names_of(exercise: Exercise) -> set[str]:
    """Return the names by which a notebook asks for an answer: its keys, its name, and both for its class."""
    return {exercise.entry, f"{exercise.lesson}.{exercise.entry}", *exercise.keys}


@lru_cache(maxsize=1000)
def _answers_both(helper: Exercise, exercise: Exercise) -> bool:
    """Tell whether the right answer to one exercise is worth points for another."""
    right, wanted = helper.wanted, exercise.wanted
    if right is None:
        return False
    if wanted and not all(agree(run_case(wanted, case), run_case(right, case)) for case in exercise.shown):
        return False  # which takes a hundredth of the time
    return judge(exercise, InProcess(right)).points > 0


def right_cells(exercise: Exercise, helpers: Sequence[Exercise]) -> tuple[str, ...]:
    """Return the code that defines right answers to some exercises of one lesson that ``helpers_of`` returns.

    These are the given code and the answers up to the last of them, in order, since they may call each other. The
    exercise itself may be one of them, but not where answers are graded.
    """
    if not helpers:
        return ()
    asked = catalogue.exercises(helpers[0].lesson)
    wanted = {*helpers, *helpers_of(exercise, helpers[0].lesson)}
    last = max(map(asked.index, helpers))
    codes = [answer_code(one) for one in asked[: last + 1] if one in wanted]
    cells = dict.fromkeys(source for code in codes for source in (code.given, code.answer) if source)
    return (*of_earlier_lessons(helpers[0], cells), *cells)


def of_earlier_lessons(exercise: Exercise, cells: Iterable[str]) -> tuple[str, ...]:
    """Return the answers of earlier lessons of the course on which cells of a lesson build, in their order."""
    if exercise.lesson not in catalogue.COURSE.lessons():
        return ()
    earlier = [one for one in catalogue.COURSE.exercises_before(exercise.lesson) if one.answer is not None]
    found: dict[str, tuple[int, str]] = {}
    waiting = list(cells)
    seen: set[str] = set()
    while waiting:
        names = needed(*compiled(waiting.pop(), ast.PyCF_ONLY_AST).body) - seen
        seen |= names
        for at, one in enumerate(earlier):
            if one.entry in names and catalogue.is_blank(one):
                code = answer_code(one)
                for source in filter(None, (code.given, code.answer)):
                    found.setdefault(f"{one.entry} {source}", (at, source))
                    waiting.append(source)
    return tuple(source for _, source in sorted(found.values(), key=lambda one: one[0]))


def without_foreign_mistakes(
    exercise: Exercise,
    verdict: Verdict,
    names: Collection[str],
    judged_with: Callable[[tuple[Exercise, ...]], Verdict],
) -> Verdict:
    """Return the verdict that counts: the one with right helpers if the learner's own helpers spoil the answer.

    names : the names that the answer takes from other cells.
    judged_with : judges the answer again, with right answers to these exercises in place of the learner's.
    """
    helpers = () if verdict.done else tuple(one for one in helpers_of(exercise) if one.entry in names)
    if not helpers:
        return verdict
    better = judged_with(helpers)
    if _score(better) == _score(verdict) or better.points < verdict.points:
        return verdict
    if len(helpers) > 1:
        # Name the one helper that makes the difference, where there is one.
        for helper in helpers:
            if _score(judged_with((helper,))) == _score(better):
                helpers = (helper,)
                break
    keys = tuple(one.key for one in helpers)
    return replace(better, note=f"{better.note} {about_helpers(keys)}".strip(), helpers=keys)


def about_helpers(keys: Collection[str]) -> str:
    """Return the sentence of the note of a verdict about earlier answers that are wrong.

    >>> about_helpers(["02.merge"])
    "Your merge (exercise 02.merge) is not right yet: fix it first. Here the course's took the place of yours."
    """
    named = " and ".join(f"{key.partition('.')[2]} (exercise {key})" for key in keys)
    verb, them = ("is", "it") if len(keys) == 1 else ("are", "them")
    return f"Your {named} {verb} not right yet: fix {them} first. Here the course's took the place of yours."


def _score(verdict: Verdict) -> tuple[object, ...]:
    return verdict.state, verdict.points, verdict.failures
