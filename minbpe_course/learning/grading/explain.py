"""Explain a mark to the teacher: run the answer again on the same cases, and show the case that fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from minbpe_course.errors import InvalidOption
from minbpe_course.learning.grading.afterwards import at
from minbpe_course.learning.grading.asked import Asked
from minbpe_course.learning.grading.batch import fingerprint
from minbpe_course.learning.grading.gradebook import Gradebook
from minbpe_course.learning.grading.handed_in import handed_in
from minbpe_course.learning.grading.mark_rules import rules_of
from minbpe_course.learning.grading.marking import OpenCaller, mark
from minbpe_course.learning.judge.exercise import Verdict
from minbpe_course.learning.submissions.intake import Submission
from minbpe_course.learning.submissions.notebook_cells import find_answer


def explain(
    gradebook: Gradebook,
    asked: Asked,
    submissions: Sequence[Submission],
    learner: str,
    key: str,
    seed: str,
    open_caller: OpenCaller,
) -> str:
    """Return what the gradebook says about a mark, and what happens when the answer runs again; nothing is stored.

    The text quotes the answer, and the hidden case that fails: it is not for learners.

    Raises GradingProblem, and InvalidOption for a key, or a learner who is not in this delivery.
    """
    learner = gradebook.learner(learner).id
    now = at(gradebook, asked, learner, key)
    kept = {one.mark.key: one for one in gradebook.marks(learner)}
    submission = next((one for one in submissions if one.owner.id == learner), None)
    if submission is None:
        raise InvalidOption(f"{learner} is not in this delivery. Name the folder or the zip with the answer.")
    question = next(one for one in asked.questions if one.exercise.key == key)
    looked = [(notebook, handed_in(notebook, asked.known)) for notebook in submission.read().notebooks]
    answer = find_answer([notebook for notebook, one in looked if not (one.lesson or one.elsewhere)], question)
    lines = [f"{learner}, {key}: {now.state}, {now.points:g} of {now.out_of:g} points"]
    lines += [f"  {said}" for said in (*now.notes, now.reason) if said]
    if question.exercise.kind == "written":
        return "\n".join([*lines, "The answer:", answer.source or "none"])
    before = kept.get(key)
    if before is not None and before.answer != fingerprint(answer, question.exercise):
        lines.append("This is not the answer that was graded: the learner has changed it since, or it is elsewhere.")
    if before is not None and before.rules != rules_of([question])[0]:
        lines.append("The exercise has changed since it was graded.")
    right = {one.mark.key for one in kept.values() if one.mark.done}
    again = mark(question, answer, open_caller, seed, reveal=True, done=right).worth(now.out_of)
    lines.append(f"Run again: {again.state}, {again.points:g} of {again.out_of:g} points")
    return "\n".join([*lines, *_rows(again)])


def _rows(verdict: Verdict) -> Iterator[str]:
    of = verdict.tried
    rows = [
        ("given", verdict.given),
        ("wanted", verdict.wanted),
        ("returned", verdict.yours),
        ("difference", verdict.difference),
        ("kind of case", verdict.category),
        ("fails", ", ".join(f"{count} of {of.get(name, count)} {name}" for name, count in verdict.failures.items())),
        ("mistake", verdict.mistake),
        ("hint", verdict.hint),
        ("fix first", ", ".join(verdict.helpers)),
        ("result", verdict.note),
        ("reason", verdict.reason),
        *(("note", note) for note in verdict.notes),
    ]
    yield from (f"  {label:<14}{value}" for label, value in rows if value)
