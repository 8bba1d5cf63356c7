"""The questions that a class is asked, from an assignment or from lessons, with their points and their due date.

The gradebook stores where they come from (``Asked.stored``), so its reports can be made again without options.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from minbpe_course.errors import ExercisesProblem
from minbpe_course.learning.assignments.assignment import Assignment, read_assignment
from minbpe_course.learning.grading import released
from minbpe_course.learning.grading.gradebook import Gradebook
from minbpe_course.learning.grading.handed_in import lesson_of
from minbpe_course.learning.grading.present import Present
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.catalogue import OF_LESSON, is_blank
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.submissions.notebook_cells import Question

ABOUT = "asked"  # its name in the gradebook


@dataclass(frozen=True)
class Asked:
    """Where the questions come from: lessons and keys of exercises, or the file of an assignment.

    folders : of a teacher's exercises. due : ISO 8601, in place of that of the assignment, or "".
    """

    names: tuple[str, ...] = ()
    assignment: str = ""
    folders: tuple[str, ...] = ()
    due: str = ""

    @cached_property
    def file(self) -> Assignment | None:
        """The assignment. Raises MissingFile, ExercisesProblem."""
        return read_assignment(Path(self.assignment)) if self.assignment else None

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The questions, in order. Raises UnknownExercise, ExercisesProblem, and the errors of ``file``."""
        for folder in self.folders:
            catalogue.add_collection(folder, "--exercises homework")
        if self.file is not None:
            return released.questions_of(self.file)
        return released.questions(catalogue.chosen(self.names))

    @cached_property
    def known(self) -> tuple[Question, ...]:
        """The questions of all notebooks that were handed out; they recognise work that is not asked for."""
        asked = self.questions if self.file is not None else ()
        with suppress(ExercisesProblem) if self.questions else nullcontext():
            return (*asked, *released.questions(released.all_released()))
        return self.questions

    @cached_property
    def exercises(self) -> dict[str, Exercise]:
        """The exercises by key, in order, with the points that they give now."""
        asked = self.file.questions if self.file is not None else [one.exercise for one in self.questions]
        return {one.key: one for one in asked}

    @property
    def titles(self) -> list[str]:
        """The title of the assignment, if there is one, and the names of the notebooks that are asked for."""
        notebooks = ", ".join(dict.fromkeys(map(lesson_of, self.questions)))
        return [self.file.title, notebooks] if self.file is not None else [notebooks]

    def present(self, gradebook: Gradebook) -> Present:
        """Return the class as it counts now."""
        file = self.file
        due = datetime.fromisoformat(self.due) if self.due else None
        lessons = {question.exercise.key: lesson_of(question) for question in self.questions}
        if file is None:
            return Present(gradebook, self.exercises, lessons, due)
        return Present(gradebook, self.exercises, lessons, due or file.due, file.late_penalty)

    def stored(self) -> str:
        """Return the text that ``restored`` takes."""
        return json.dumps(asdict(self))


def restored(text: str) -> Asked:
    """Return what ``stored`` wrote.

    >>> restored(Asked(("02",), due="2026-10-12T00:00:00+00:00").stored()).names
    ('02',)
    """
    said = json.loads(text)
    return Asked(tuple(said["names"]), said["assignment"], tuple(said["folders"]), said["due"])


def the_lesson(votes: Iterable[Collection[str]], questions: Sequence[Question]) -> tuple[str, ...]:
    """Return the lesson that all learners handed in, () if they handed in no lesson.

    votes : the names of the notebooks of each learner. questions : of all lessons.

    Raises ExercisesProblem, which says what to type, if there are several: the teacher must say which one is assigned.
    """
    counts = Counter(name for one in votes for name in one)
    lessons = {
        lesson_of(one): f"{OF_LESSON if is_blank(one.exercise) else ''}{one.exercise.lesson}" for one in questions
    }
    if len({lessons[name] for name in counts}) > 1:
        listed = ", ".join(f"{count} in {name}" for name, count in counts.most_common(9))
        often = lessons[counts.most_common(1)[0][0]]
        every = " ".join(dict.fromkeys(lessons[name] for name in sorted(counts)[:9]))
        raise ExercisesProblem(
            f"learners worked in different lessons: {listed}. Say what is assigned: --only {often}, or --only {every}, "
            "or --assignment hw1.toml (docs/teaching.md shows such a file)."
        )
    return tuple(dict.fromkeys(lessons[name] for name in counts))
