"""The teacher's page: the results of a class by question and learner, the cases that fail most, and what needs a look.

Everything is counted from the gradebook, so the page covers all its learners, not only those of the last run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import mean, median

from minbpe_course.checks.exercise import Exercise
from minbpe_course.grading.archives import Refusal
from minbpe_course.grading.gradebook import Kept, Learner
from minbpe_course.grading.marking import NO_CELL, STILL_BLANK
from minbpe_course.grading.reports.page import (
    STATES,
    category_bars,
    chip,
    css,
    histogram,
    in_order,
    legend,
    link,
    number,
    page,
    state_bar,
    text,
)

CATEGORIES_SHOWN = 6
HARDEST_SHOWN = 5
MISTAKES_SHOWN = 4
LINES_SHOWN = 200
LINES_OF_ONE = 6

Marks = Mapping[str, Sequence[Kept]]


def summary_page(
    learners: Sequence[Learner],
    kept: Marks,
    exercises: Mapping[str, Exercise],
    *,
    sandbox: str,
    guarantees: str = "",
    refusals: Sequence[Refusal] = (),
) -> str:
    """Return the HTML page of a class.

    kept : the marks by learner. exercises : those of the marks, by key. sandbox, guarantees : the rung of this run and
    its promises. refusals : files without an owner that were not read.

    >>> from minbpe_course.checks.exercise import Verdict
    >>> mark = Kept(Verdict("02.merge", "done", 2, 2), "", "", "bubblewrap", 1)
    >>> "1 learner" in summary_page([Learner("ada", "ada")], {"ada": [mark]}, {}, sandbox="bubblewrap")
    True
    """
    totals = {learner.id: _total(kept.get(learner.id, ())) for learner in learners}
    shares = [points / out_of for points, out_of in totals.values() if out_of]
    by_key: dict[str, list[Kept]] = defaultdict(list)
    for marks in kept.values():
        for one in marks:
            by_key[one.mark.key].append(one)
    people = "1 learner" if len(learners) == 1 else f"{len(learners)} learners"
    body = [
        f"<h1>{people}, {len(by_key)} questions</h1>",
        f'<p class="soft">Answers ran in the sandbox <strong>{text(sandbox)}</strong>: {text(guarantees)}</p>',
        _facts(shares, by_key),
        "<h2>How the class is spread</h2>",
        histogram(shares),
        "<h2>Question by question</h2>",
        legend(),
        _hardest(by_key),
        *(_question(key, by_key[key], exercises.get(key)) for key in in_order(by_key, exercises)),
        _attention(learners, kept, refusals),
        "<h2>Learners</h2>",
        _table(learners, kept, totals),
        "<footer>Made by minbpe-course from gradebook.sqlite in this folder. Points for a spreadsheet: grades.csv."
        "</footer>",
    ]
    return page(f"{people}: summary", "\n".join(filter(None, body)))


def _total(marks: Sequence[Kept]) -> tuple[float, float]:
    return sum(one.mark.points for one in marks), sum(one.mark.out_of for one in marks)


def _facts(shares: Sequence[float], by_key: Mapping[str, Sequence[Kept]]) -> str:
    every = [one.mark for marks in by_key.values() for one in marks]
    done = sum(mark.state == "done" for mark in every)
    facts = [
        (f"{100 * mean(shares):.0f} %" if shares else "–", "of the points on average"),
        (f"{100 * median(shares):.0f} %" if shares else "–", "for the learner in the middle"),
        (f"{100 * done / len(every):.0f} %" if every else "–", "of all questions done"),
        (str(sum(share >= 1 for share in shares)), "with full marks"),
    ]
    listed = "".join(f'<div><div class="total">{value}</div>{text(name)}</div>' for value, name in facts)
    return f'<div class="facts">{listed}</div>'


def _hardest(by_key: Mapping[str, Sequence[Kept]]) -> str:
    done = {key: sum(one.mark.state == "done" for one in marks) for key, marks in by_key.items()}
    worst = sorted((key for key in by_key if done[key] < len(by_key[key])), key=lambda key: done[key])[:HARDEST_SHOWN]
    named = ", ".join(
        f'<a href="#{text(key)}"><code>{text(key)}</code></a> ({done[key]} of {len(by_key[key])})' for key in worst
    )
    return f'<p><span class="soft">Done by the fewest:</span> {named}</p>' if named else ""


def _question(key: str, marks: Sequence[Kept], exercise: Exercise | None) -> str:
    states: Counter[str] = Counter(one.mark.state for one in marks)
    failed: Counter[str] = Counter()
    mistakes: Counter[str] = Counter()
    for one in marks:
        if one.mark.state == "not yet":
            failed.update(name for name, count in one.mark.failures.items() if count)
            mistakes[one.mark.mistake] += 1
    mistakes.pop("", None)
    counts = " · ".join(f"{states[state]} {state}" for state in STATES if states[state])
    average = mean(one.mark.points for one in marks)
    worth = exercise.points if exercise else marks[0].mark.out_of
    named = ", ".join(f"{text(name)} ({count})" for name, count in mistakes.most_common(MISTAKES_SHOWN))
    parts = [
        f'<section id="{text(key)}" class="question {css(states.most_common(1)[0][0])}">'
        f'<div class="head"><h3><code>{text(key)}</code> '
        f"{text(exercise.title if exercise else '')}</h3>"
        f'<span class="points">{number(average)} of {number(worth)} points on average</span></div>'
        f'<p class="small soft">{text(counts)}</p>{state_bar(states)}'
    ]
    if failed:
        parts.append(
            '<p class="small soft" style="margin-top:.9rem">Cases that fail, by the learners they fail for</p>'
        )
        parts.append(category_bars(failed.most_common(CATEGORIES_SHOWN), len(marks)))
    if named:
        parts.append(f'<p class="small"><span class="soft">Recognised mistakes:</span> {named}</p>')
    return "".join([*parts, "</section>"])


def _attention(learners: Sequence[Learner], kept: Marks, refusals: Sequence[Refusal]) -> str:
    ours = [f"<code>{text(one.path)}</code> {text(one.why)}" for one in refusals[:LINES_SHOWN]]
    lines: list[str] = []
    for learner in learners:
        who = f'<a href="{link(learner.folder)}">{text(learner.name)}</a>'
        theirs, failed = [f"{who}: {text(problem)}" for problem in learner.problems], []
        for one in kept.get(learner.id, ()):
            key = f"<code>{text(one.mark.key)}</code>"
            if one.mark.state == "not graded":
                failed.append(f"{who}, {key} {chip('not graded')} {text(one.mark.reason)}")
            notes = [note for note in one.mark.notes if note not in (NO_CELL, STILL_BLANK)]
            theirs += [f"{who}, {key}: {text(note)}" for note in notes]
        # One learner's lines must not push the others' off the page; failures of the grader come first.
        left = len(theirs) - LINES_OF_ONE
        ours += failed
        lines += theirs[:LINES_OF_ONE] + ([f"{who}: {left} more lines, in the report"] if left > 0 else [])
    lines = ours + lines
    if not lines:
        return ""
    more = f"<li>and {len(lines) - LINES_SHOWN} more, in gradebook.sqlite</li>" if len(lines) > LINES_SHOWN else ""
    items = "".join(f"<li>{line}</li>" for line in lines[:LINES_SHOWN])
    return f'<h2>Worth a look</h2><div class="note"><ul>{items}{more}</ul></div>'


def _table(learners: Sequence[Learner], kept: Marks, totals: Mapping[str, tuple[float, float]]) -> str:
    lessons = sorted({one.mark.key.partition(".")[0] for marks in kept.values() for one in marks})
    head = "".join(f'<th class="n">Lesson {text(lesson)}</th>' for lesson in lessons)
    rows = []
    for learner in learners:
        cells = []
        for lesson in lessons:
            points, out_of = _total([one for one in kept.get(learner.id, ()) if one.mark.key.startswith(lesson + ".")])
            cells.append(f'<td class="n">{f"{number(points)} of {number(out_of)}" if out_of else "–"}</td>')
        points, out_of = totals[learner.id]
        share = f"{100 * points / out_of:.0f} %" if out_of else ""
        rows.append(
            f'<tr><td class="name"><a href="{link(learner.folder)}">{text(learner.name)}</a></td>{"".join(cells)}'
            f'<td class="n">{number(points)} of {number(out_of)}</td><td class="n">{share}</td></tr>'
        )
    return (
        f'<div class="wide"><table><thead><tr><th>Learner</th>{head}<th class="n">Points</th>'
        f'<th class="n">Share</th></tr>'
        f"</thead><tbody>{''.join(rows)}</tbody></table></div>"
    )
