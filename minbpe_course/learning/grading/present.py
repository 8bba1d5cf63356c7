"""The marks of a class as they count now: the grader's points, a teacher's later words, and the penalty for lateness.

    gradebook: marks of the present class --of the questions asked now--> times their points --a teacher's word--> Row

Every report and table is made from these rows, so all of them say the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from minbpe_course.learning.grading.gradebook import Gradebook, Kept, Learner, Word
from minbpe_course.learning.grading.marking import BY_HAND, NO_CELL
from minbpe_course.learning.judge.exercise import Exercise, Verdict

NOT_HANDED_IN = "not handed in"
TO_BE_MARKED = "to be marked by hand"
CHANGED = "the answer has changed since these points were given"


@dataclass(frozen=True)
class Row:
    """A learner, and the marks of the questions in their order.

    late : how many days after it was due each answer was handed in. share : of its points that a day costs.
    undated : whether the date of an answer is unknown, so that it may have been late.
    """

    learner: Learner
    marks: tuple[Kept, ...]
    late: tuple[int, ...] = ()
    share: float = 0.0
    undated: bool = False

    @property
    def handed_in(self) -> str:
        """When the newest of the answers that count was handed in, as far as it is known."""
        return max((one.handed_in for one in self.marks), default="") or self.learner.timestamp

    @property
    def days_late(self) -> int:
        """How many days late the latest answer is."""
        return max(self.late, default=0)

    @property
    def penalty(self) -> float:
        """The points that lateness costs."""
        return round(sum(one.mark.points * min(1, days * self.share) for one, days in zip(self.marks, self.late)), 6)

    @property
    def points(self) -> float:
        """The points of all marks, less the penalty."""
        return round(sum(one.mark.points for one in self.marks) - self.penalty, 6)

    @property
    def out_of(self) -> float:
        """The points that there are."""
        return round(sum(one.mark.out_of for one in self.marks), 6)

    def of_lesson(self, lesson: str) -> Row:
        """Return the row for the questions of one lesson alone."""
        here = [at for at, one in enumerate(self.marks) if one.lesson == lesson]
        late = tuple(self.late[at] for at in here) if self.late else ()
        return Row(self.learner, tuple(self.marks[at] for at in here), late, self.share)

    def missing(self) -> str:
        """Return the reason for a missing score, or ""."""
        if open := {one.mark.reason == BY_HAND for one in self.marks if one.mark.state == "not graded"}:
            return TO_BE_MARKED if all(open) else "not graded"
        marks = [one.mark for one in self.marks]
        if not all(NO_CELL in mark.notes for mark in marks):
            return ""
        # Points by hand are a total once they say something about every question.
        return NOT_HANDED_IN if any(mark.state == "not started" for mark in marks) or not marks else ""


@dataclass(frozen=True)
class Present:
    """The class as it counts now.

    exercises : those that are asked, by key, in order, with the points that they give now. lessons : the name of the
    notebook of each.
    due : when answers are late. late_penalty : the share of their points that each day begun after it costs.
    """

    gradebook: Gradebook
    exercises: Mapping[str, Exercise]
    lessons: Mapping[str, str]
    due: datetime | None = None
    late_penalty: float = 0.0

    def rows(self) -> list[Row]:
        """Return a row for each learner of the class, in the order of their ids."""
        words = self.gradebook.words()
        return [self._row(learner, words) for learner in self.gradebook.learners()]

    def row(self, id: str) -> Row:
        """Return the row of one learner. Raises GradingProblem for an unknown id."""
        return self._row(self.gradebook.learner(id), self.gradebook.words())

    def _row(self, learner: Learner, words: Mapping[tuple[str, str], Word]) -> Row:
        by_key = {one.mark.key: one for one in self.gradebook.marks(learner.id)}
        theirs = tuple(
            _present(by_key.get(key) or self._absent(learner, exercise), exercise, words.get((learner.id, key)))
            for key, exercise in self.exercises.items()
        )
        late = tuple(days_late(one.handed_in, self.due) for one in theirs)
        undated = self.due is not None and any(one.begun and not one.handed_in for one in theirs)
        return Row(learner, theirs, late, self.late_penalty, undated)

    def _absent(self, learner: Learner, exercise: Exercise) -> Kept:
        """Return the mark of a question that was not asked when the learner was graded."""
        made = Verdict(exercise.key, "not started", 0, exercise.points, notes=(NO_CELL,))
        if self.lessons[exercise.key] in learner.worked:
            why = "it was not asked when this learner was graded; grade again"
            made = Verdict(exercise.key, "not graded", 0, exercise.points, reason=why)
        return Kept(made, "none")


def _present(kept: Kept, exercise: Exercise, word: Word | None) -> Kept:
    """Return a mark with the points of the assignment, and with what a teacher said about it."""
    mark = kept.mark if kept.mark.out_of == exercise.points else kept.mark.worth(exercise.points)
    if word is None:
        return replace(kept, mark=mark)
    said = f": {word.comment}" if word.comment else ""
    if word.points is None:
        return replace(kept, mark=replace(mark, notes=(*mark.notes, f"{word.who} said{said}") if said else mark.notes))
    graded = mark.state != "not graded" and NO_CELL not in mark.notes
    before = f"; the grader gave {mark.points:g}" * graded
    points = min(word.points, mark.out_of)
    notes = (*mark.notes, f"{word.who} gave {points:g} of {mark.out_of:g} points{before}{said}")
    if kept.answer != word.answer:
        notes = (*notes, CHANGED)
    given = replace(mark, points=points, state="not yet", notes=notes, reason="")
    return replace(kept, mark=replace(given, state="done") if points >= mark.out_of else given)


def days_late(handed_in: str, due: datetime | None) -> int:
    """Return how many days after its due date an answer was handed in, each day begun as one; 0 if that is not known.

    >>> from datetime import timezone
    >>> days_late("2026-10-14T00:00:01+00:00", datetime(2026, 10, 13, tzinfo=timezone.utc))
    2
    """
    if due is None or not handed_in:
        return 0
    return max(0, math.ceil((datetime.fromisoformat(handed_in) - due) / timedelta(days=1)))
