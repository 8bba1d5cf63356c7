"""The page of one learner: the state of every question, and the hints for the next steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from minbpe_course.checks.exercise import Exercise, Verdict
from minbpe_course.grading.gradebook import Kept, Learner
from minbpe_course.grading.reports.page import chip, css, in_order, legend, number, page, rows_of, state_bar, text


def learner_page(learner: Learner, kept: Sequence[Kept], exercises: Mapping[str, Exercise]) -> str:
    """Return the HTML page of one learner. ``exercises`` are those of the marks, by key.

    >>> mark = Verdict("02.merge", "done", 2, 2)
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
    ]
    if learner.problems:
        items = "".join(f"<li>{text(problem)}</li>" for problem in learner.problems)
        parts.append(f'<div class="note"><strong>About the files</strong><ul>{items}</ul></div>')
    lesson = None
    by_key = {one.mark.key: one.mark for one in kept}
    for key in in_order(by_key, exercises):
        if key.partition(".")[0] != lesson:
            lesson = key.partition(".")[0]
            parts.append(f"<h2>Lesson {text(lesson)}</h2>")
        parts.append(_question(by_key[key], exercises.get(key)))
    rungs = sorted({one.sandbox for one in kept})
    parts.append(
        f"<footer>Graded by minbpe-course; answers ran in the sandbox {text(', '.join(rungs) or 'none')}. "
        "Some cases are hidden: if one of those fails, only its kind is named.</footer>"
    )
    return page(f"{learner.name}: {number(points)} of {number(out_of)} points", "\n".join(filter(None, parts)))


def _question(mark: Verdict, exercise: Exercise | None) -> str:
    head = (
        f'<div class="head">{chip(mark.state)}<h3><code>{text(mark.key)}</code> '
        f"{text(exercise.title if exercise else '')}</h3>"
        f'<span class="points">{number(mark.points)} of {number(mark.out_of)} points</span></div>'
    )
    listed = "".join(
        f"<dt>{label}</dt><dd><pre>{text(value)}</pre></dd>" if label in ("given", "yours", "wanted") else
        f"<dt>{label}</dt><dd>{text(value)}</dd>"
        for label, value in rows_of(mark)
    )  # fmt: skip
    return f'<section class="question {css(mark.state)}">{head}{f"<dl>{listed}</dl>" if listed else ""}</section>'
