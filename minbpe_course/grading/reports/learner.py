"""The page of one learner: what is done, what is not yet, and what to look at next.

A failure on hidden cases names its category and no more. What went wrong on the grader's own side is told in a sentence
without details; those are on the teacher's page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from minbpe_course.checks.exercise import Exercise
from minbpe_course.grading.gradebook import Kept, Learner
from minbpe_course.grading.marking import Mark
from minbpe_course.grading.reports.page import chip, css, in_order, number, page, text
from minbpe_course.grading.reports.pictures import legend, state_bar

OURS = "The grader itself failed here. Your teacher can see why; it will be graded again."


def learner_page(learner: Learner, kept: Sequence[Kept], exercises: Mapping[str, Exercise]) -> str:
    """Return the HTML page of one learner. ``exercises`` are those of the marks, by key.

    >>> mark = Mark("02.merge", "done", 2, 2)
    >>> "2 of 2 points" in learner_page(Learner("ada", "ada"), [Kept(mark, "", "", "bubblewrap", 1)], {})
    True
    """
    points, out_of = sum(one.mark.points for one in kept), sum(one.mark.out_of for one in kept)
    counts: Counter[str] = Counter(one.mark.state for one in kept)
    parts = [
        f"<h1>{text(learner.name)}</h1>",
        f'<p class="soft">{text(learner.id)}</p>' if learner.name != learner.id else "",
        f'<div class="facts"><div><div class="total">{number(points)}</div>of {number(out_of)} points</div>'
        f'<div><div class="total">{counts["done"]}</div>of {len(kept)} questions done</div></div>',
        state_bar(counts),
        legend(),
        _problems(learner),
    ]
    lesson = None
    by_key = {one.mark.key: one for one in kept}
    for one in (by_key[key] for key in in_order(by_key, exercises)):
        if one.mark.key.partition(".")[0] != lesson:
            lesson = one.mark.key.partition(".")[0]
            parts.append(f"<h2>Lesson {text(lesson)}</h2>")
        parts.append(_question(one.mark, exercises.get(one.mark.key)))
    rungs = sorted({one.sandbox for one in kept})
    parts.append(
        f"<footer>Graded by minbpe-course; answers ran in the sandbox {text(', '.join(rungs) or 'none')}. "
        "Part of the cases are hidden: of those that fail only the kind is named.</footer>"
    )
    return page(f"{learner.name}: {number(points)} of {number(out_of)} points", "\n".join(filter(None, parts)))


def _problems(learner: Learner) -> str:
    if not learner.problems:
        return ""
    items = "".join(f"<li>{text(problem)}</li>" for problem in learner.problems)
    return f'<div class="note"><strong>About the files</strong><ul>{items}</ul></div>'


def _question(mark: Mark, exercise: Exercise | None) -> str:
    title = exercise.title if exercise else ""
    head = (
        f'<div class="head">{chip(mark.state)}<h3><code>{text(mark.key)}</code> {text(title)}</h3>'
        f'<span class="points">{number(mark.points)} of {number(mark.out_of)} points</span></div>'
    )
    rows = [
        ("given", f"<pre>{text(mark.given)}</pre>" if mark.given else ""),
        ("yours", f"<pre>{text(mark.yours)}</pre>" if mark.yours else ""),
        ("wanted", f"<pre>{text(mark.wanted)}</pre>" if mark.wanted else ""),
        ("difference", text(mark.difference)),
        ("kind of case", text(mark.category) + (", hidden" if mark.hidden else "") if mark.category else ""),
        ("hint", text(mark.hint)),
        ("result", text(mark.note)),
        ("note", "<br>".join(text(note) for note in mark.notes)),
    ]
    if mark.state == "not graded":
        rows = [("", text(OURS))]
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows if value)
    return f'<section class="question {css(mark.state)}">{head}{f"<dl>{listed}</dl>" if listed else ""}</section>'
