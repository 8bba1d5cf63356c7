r"""The two HTML reports: the page of one learner, and the teacher's page about the class.

A page is one file without scripts, loads nothing, and can be read in light and dark mode and on paper. Names and
answers come from learners, so every text goes through ``text``. The page's content security policy forbids scripts and
connections as well, in case one text does not.
"""

from __future__ import annotations

import html
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import mean, median
from urllib.parse import quote

from minbpe_course.files import read_whole
from minbpe_course.learning.grading.gradebook import Kept, Learner
from minbpe_course.learning.grading.marking import BY_HAND, NO_CELL, STILL_BLANK
from minbpe_course.learning.grading.present import NOT_HANDED_IN, Row
from minbpe_course.learning.judge.exercise import Exercise, Verdict
from minbpe_course.learning.judge.exercise_files import lesson_order
from minbpe_course.learning.judge.right_helpers import about_helpers

STATES = {"done": "✔", "not yet": "◐", "not started": "○", "not graded": "!"}
OURS = "This could not be graded, perhaps because the cells above it take too long. Your teacher can grade it again."
THEIRS = "Your teacher still has to mark this."
# Control characters and characters that are not seen or change the direction of writing; line breaks and tabs stay.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
CATEGORIES_SHOWN = 6
MISTAKES_SHOWN = 4
LINES_SHOWN = 200
NO_KNOWN_MISTAKE = "no known mistake"
LINES_OF_ONE = 6
NAMES_SHOWN = 40
EXAMPLES_SHOWN = 3
EQUAL_SHOWN = 100
MOST_ALIKE = 5  # equal answers that are listed in a small class, also when they are most of it
SOURCE_SHOWN, SOURCE_LINES = 8_000, 300
Answers = Mapping[str, Sequence[tuple[Learner, Kept]]]  # by the key of the question


def page(title: str, body: str) -> str:
    """Return a whole HTML page. ``title`` is a plain text, ``body`` is HTML whose texts went through ``text``."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="robots" content="noindex">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{text(title)}</title>\n<style>\n{_style()}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


@cache
def _style() -> str:
    return read_whole(Path(__file__).with_name("report.css")).decode("utf-8").replace("\r\n", "\n")


def text(value: object) -> str:
    r"""Return any text as HTML that shows it and does nothing else.

    >>> text('<b title="x">\x1b\u202e')
    '&lt;b title=&quot;x&quot;&gt;\\x1b\\u202e'
    """
    return html.escape(_UNSEEN.sub(lambda match: _named(ord(match[0])), str(value)), quote=True)


def _named(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def rows_of(mark: Verdict) -> list[tuple[str, str]]:
    """Return what a learner reads about one mark, as (label, plain text) rows without empty ones.

    >>> rows_of(Verdict("02.merge", "not yet", 0, 2, "overlapping pairs", hidden=True))
    [('kind of case', 'overlapping pairs, hidden'), ('hint', 'no known mistake')]
    """
    category = mark.category + (", hidden" if mark.category and mark.hidden else "")
    rows = [
        # The reason is for the teacher, and may hold any text.
        ("", "" if mark.state != "not graded" else THEIRS if mark.reason == BY_HAND else OURS),
        ("given", mark.given),
        ("wanted", mark.wanted),
        ("kind of case", category),
        ("hint", mark.hint or NO_KNOWN_MISTAKE * mark.hidden),
        ("fix first", ", ".join(mark.helpers)),
        ("result", mark.note.replace(about_helpers(mark.helpers), "").strip() if mark.helpers else mark.note),
        *(("note", note) for note in mark.notes),
    ]
    return [(label, value) for label, value in rows if value]


def chip(state: str) -> str:
    """Return the sign and the word for a state."""
    return f'<span class="chip {css(state)}">{STATES[state]} {text(state)}</span>'


def css(state: str) -> str:
    """Return the CSS class of a state, "not-yet"."""
    return state.replace(" ", "-")


def number(value: float) -> str:
    """Return points without needless zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def unfinished(marks: Iterable[Kept]) -> list[str]:
    """Return a sentence for the answers that could not be graded, and one for those that a teacher has to mark."""
    open = [one.mark for one in marks if one.mark.state == "not graded"]
    failed = [mark.key for mark in open if mark.reason != BY_HAND]
    by_hand = [mark.key for mark in open if mark.reason == BY_HAND]
    said = [f"Not graded: {', '.join(failed)}. The score lacks their points."] if failed else []
    return said + ([f"To be marked by hand: {', '.join(by_hand)}."] if by_hand else [])


def rungs_of(kept: Iterable[Kept]) -> str:
    """Return the names of the sandboxes in which these answers ran."""
    return ", ".join(sorted({one.sandbox for one in kept})) or "none"


def link(learner: Learner, key: str = "") -> str:
    """Return a link from the summary to a learner's report, or to one question in it."""
    place = f"#{quote(key, safe='')}" if key else ""
    return f'<a href="{quote(learner.folder, safe="")}/report.html{place}">{text(learner.name)}</a>'


def folded(kept: Kept, title: str) -> str:
    """Return the text of an answer, folded, and cut if it is long; "" if nothing was handed in.

    >>> folded(Kept(Verdict("02.merge", "done", 2, 2), "plain", "x = '</script>'"), "Your answer")[:65]
    '<details><summary>Your answer, 1 line</summary><pre tabindex="0">'
    """
    if kept.text is None:
        return ""
    whole = kept.text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    shown = "\n".join(whole[:SOURCE_SHOWN].split("\n")[:SOURCE_LINES])
    lines = whole.count("\n") + 1
    size = f"{kept.length:,} characters" if len(kept.text) < kept.length else f"{lines} line{'s' * (lines > 1)}"
    cut = f'<p class="small soft">Only the first {len(shown):,} characters are shown.</p>' if shown != whole else ""
    return f'<details><summary>{text(title)}, {size}</summary><pre tabindex="0">{text(shown)}</pre>{cut}</details>'


# ----------------------------------------------------------------------------------------------------
# Pictures


def state_bar(counts: Mapping[str, int]) -> str:
    """Return one stacked bar of states, with the counts as text for screen readers."""
    total = sum(counts.values()) or 1
    parts = [(state, counts.get(state, 0)) for state in STATES if counts.get(state, 0)]
    said = ", ".join(f"{count} {state}" for state, count in parts)
    bars = "".join(f'<i class="{css(state)}" style="width:{100 * count / total:.2f}%"></i>' for state, count in parts)
    return f'<div class="bar" role="img" aria-label="{text(said)}" title="{text(said)}">{bars}</div>'


def legend() -> str:
    """Return what the colours of the states mean."""
    entries = "".join(f'<span><i class="{css(state)}"></i>{text(state)}</span>' for state in STATES)
    return f'<div class="legend">{entries}</div>'


def bars(rows: Sequence[tuple[str, int]], of: int) -> str:
    """Return a bar for each of these groups of learners, with their number at its end."""
    drawn = "".join(
        f'<span>{text(name)}</span><span class="track">'
        f'<i class="not-yet" style="width:{100 * count / max(of, 1):.1f}%"></i></span>'
        f'<span class="soft">{count} of {of}</span>'
        for name, count in rows
    )
    return f'<div class="cases">{drawn}</div>' if rows else ""


def spread(shares: Sequence[float]) -> str:
    """Return bars of how many learners reached which tenth of the points; ``shares`` are numbers from 0 to 1."""
    reached = Counter(min(max(int(share * 10), 0), 10) for share in shares)
    labels = [f"{10 * at}–{10 * at + 9} %" for at in range(10)] + ["100 %"]
    return bars([(label, reached[at]) for at, label in enumerate(labels)], len(shares))


# ----------------------------------------------------------------------------------------------------
# The page of a learner


def learner_page(row: Row, exercises: Mapping[str, Exercise]) -> str:
    """Return the HTML page of one learner. ``exercises`` are those of the marks, by key."""
    learner, kept, out_of = row.learner, row.marks, number(row.out_of)
    points = "–" if row.missing() == NOT_HANDED_IN else number(row.points)
    counts: Counter[str] = Counter(one.mark.state for one in kept)
    parts = [
        f"<h1>{text(learner.name)}</h1>",
        f'<p class="soft">{text(learner.id)}</p>' if learner.name != learner.id else "",
        f'<div class="facts"><div><div class="total">{points}</div>of {out_of} points</div>'
        f'<div><div class="total">{counts["done"]}</div>of {len(kept)} questions done</div></div>',
        state_bar(counts),
        legend(),
    ]
    if said := " ".join(unfinished(kept)):
        parts.append(f'<div class="note"><strong>The points are not final.</strong> {text(said)}</div>')
    if row.days_late:
        parts.append(f'<div class="note"><strong>{text(lateness(row))}</strong></div>')
    if learner.problems:
        items = "".join(f"<li>{text(problem)}</li>" for problem in learner.problems)
        parts.append(f'<div class="note"><strong>About the files</strong><ul>{items}</ul></div>')
    lesson = None
    for one in kept:
        if one.lesson != lesson:
            lesson = one.lesson
            parts.append(f"<h2>{_lesson(lesson)}</h2>")
        parts.append(_answered(one, exercises[one.mark.key]))
    parts.append(
        f"<footer>Graded by minbpe-course; answers ran in the sandbox {text(rungs_of(kept))}. "
        "Some cases are hidden: if one of those fails, only its kind is named.</footer>"
    )
    return page(f"{learner.name}: {points} of {out_of} points", "\n".join(filter(None, parts)))


def _lesson(lesson: str) -> str:
    return text(f"Lesson {lesson}" if lesson.isdigit() else lesson)


def _answered(kept: Kept, exercise: Exercise) -> str:
    mark = kept.mark
    head = (
        f'<div class="head">{chip(mark.state)}<h3><code>{text(mark.key)}</code> '
        f"{text(exercise.title)}</h3>"
        f'<span class="points">{number(mark.points)} of {number(mark.out_of)} points</span></div>'
    )
    listed = "".join(f"<dt>{label}</dt><dd>{_row(label, value, mark)}</dd>" for label, value in rows_of(mark))
    body = (f"<dl>{listed}</dl>" if listed else "") + folded(kept, "Your answer")
    return f'<section id="{text(mark.key)}" class="question {css(mark.state)}">{head}{body}</section>'


def _row(label: str, value: str, mark: Verdict) -> str:
    if label == "fix first":
        keys = [f'<a href="#{quote(key, safe="")}"><code>{text(key)}</code></a>' for key in mark.helpers]
        right = (
            "is not right yet, so the course's took its"
            if len(keys) == 1
            else "are not right yet, so the course's took their"
        )
        return f"{' and '.join(keys)}: your answer{'s' * (len(keys) > 1)} there {right} place here."
    return f"<pre>{text(value)}</pre>" if label in ("given", "wanted") else text(value)


# ----------------------------------------------------------------------------------------------------
# The page of a class, counted from the gradebook: all its learners, not only those of the last run


def summary_page(
    rows: Sequence[Row],
    exercises: Mapping[str, Exercise],
    name: str,
    *,
    sandbox: str,
    guarantees: str = "",
    refusals: Sequence[Sequence[str]] = (),
    left_out: Sequence[str] = (),
) -> str:
    """Return the HTML page of a class: its learners, its questions, the cases that fail most, and what needs a look.

    exercises : those of the marks, by key. name : of what is asked. sandbox, guarantees : the rung of this run and its
    promises. refusals : files without an owner that were not read, and why. left_out : sentences about work that was
    not graded.
    """
    shares = [row.points / row.out_of for row in rows if row.out_of and not row.missing()]
    answers = answers_in(rows, exercises)
    states: Counter[str] = Counter(one.mark.state for row in rows for one in row.marks)
    by_hand = sum(one.mark.reason == BY_HAND for row in rows for one in row.marks)
    failed = states["not graded"] - by_hand
    notes = [f"Answers not graded: {failed}. Their scores are empty: run the same command again."] if failed else []
    notes += [f"To be marked by hand: {by_hand}, each with --set, or all with --set-from."] if by_hand else []
    people = "1 learner" if len(rows) == 1 else f"{len(rows)} learners"
    body = [
        f"<h1>{text(name)}: {people}, {len(answers)} questions</h1>",
        f'<p class="soft">Answers ran in the sandbox <strong>{text(sandbox)}</strong>: {text(guarantees)}</p>',
        *(f'<div class="note"><strong>{text(note)}</strong></div>' for note in [*notes, *left_out]),
        _facts(shares, states),
        "<h2>Learners</h2>",
        _table(rows),
        _attention(rows, refusals),
        "<h2>How the class is spread</h2>",
        spread(shares),
        "<h2>Question by question</h2>",
        legend(),
        *(_question(answered, exercises[key]) for key, answered in answers.items()),
        _equal_answers(answers),
        "<footer>Made by minbpe-course from gradebook.sqlite in this folder. Points for a spreadsheet: grades.csv."
        "</footer>",
    ]
    return page(f"{name}: {people}, summary", "\n".join(filter(None, body)))


def answers_in(rows: Sequence[Row], exercises: Collection[str]) -> Answers:
    """Return the answers of a class to each question, in the order of the exercises."""
    answers: dict[str, list[tuple[Learner, Kept]]] = {key: [] for key in exercises}
    for row in rows:
        for one in row.marks:
            answers[one.mark.key].append((row.learner, one))
    return {key: answered for key, answered in answers.items() if answered}


def _facts(shares: Sequence[float], states: Counter[str]) -> str:
    every = sum(states.values())
    facts = [
        (f"{100 * mean(shares):.0f} %" if shares else "–", "of the points on average"),
        (f"{100 * median(shares):.0f} %" if shares else "–", "for the learner in the middle"),
        (f"{100 * states['done'] / every:.0f} %" if every else "–", "of all questions done"),
        (str(sum(share >= 1 for share in shares)), "with full marks"),
    ]
    listed = "".join(f'<div><div class="total">{value}</div>{text(name)}</div>' for value, name in facts)
    return f'<div class="facts">{listed}</div>'


def _question(answered: Sequence[tuple[Learner, Kept]], exercise: Exercise) -> str:
    marks = [one.mark for _, one in answered]
    wrong = [(learner, one) for learner, one in answered if one.mark.state == "not yet"]
    states: Counter[str] = Counter(mark.state for mark in marks)
    failed = Counter(name for _, one in wrong for name, count in one.mark.failures.items() if count)
    mistakes = Counter(one.mark.mistake for _, one in wrong if one.mark.mistake)
    counts = " · ".join(f"{states[state]} {state}" for state in STATES if states[state])
    average = mean([mark.points for mark in marks if mark.state != "not graded" and NO_CELL not in mark.notes] or [0])
    named = ", ".join(f"{text(name)} ({count})" for name, count in mistakes.most_common(MISTAKES_SHOWN))
    parts = [
        f'<section id="{text(exercise.key)}" class="question {css(states.most_common(1)[0][0])}">'
        f'<div class="head"><h3><code>{text(exercise.key)}</code> '
        f"{text(exercise.title)}</h3>"
        f'<span class="points">{number(average)} of {number(exercise.points)} points on average</span></div>'
        f'<p class="small soft">{text(counts)}</p>{state_bar(states)}'
    ]
    if failed:
        parts.append(
            '<p class="small soft" style="margin-top:.9rem">Cases that fail, by the learners they fail for</p>'
        )
        parts.append(bars(failed.most_common(CATEGORIES_SHOWN), len(marks)))
    if named:
        parts.append(f'<p class="small"><span class="soft">Recognised mistakes:</span> {named}</p>')
    if wrong:
        names = _names(wrong, exercise.key)
        parts.append(f"<details><summary>Not yet: {len(wrong)}</summary><p>{names}</p></details>")
    new = [(learner, one) for learner, one in wrong if not one.mark.mistake and one.text is not None]
    parts += [folded(one, f"No recognised mistake: {learner.name}") for learner, one in new[:EXAMPLES_SHOWN]]
    return "".join([*parts, "</section>"])


def _names(answered: Sequence[tuple[Learner, Kept]], key: str) -> str:
    more = len(answered) - NAMES_SHOWN
    named = ", ".join(link(learner, key) for learner, _ in answered[:NAMES_SHOWN])
    return named + (f" and {more} more" if more > 0 else "")


def _attention(rows: Sequence[Row], refusals: Sequence[Sequence[str]]) -> str:
    ours = [f"<code>{text(path)}</code> {text(why)}" for path, why in refusals[:LINES_SHOWN]]
    lines: list[str] = []
    for row in rows:
        learner, who = row.learner, link(row.learner)
        theirs, failed = [f"{who}: {text(problem)}" for problem in learner.problems], []
        for one in row.marks:
            key = f"<code>{text(one.mark.key)}</code>"
            if one.mark.state == "not graded":
                failed.append(f"{who}, {key} {chip('not graded')} {text(one.mark.reason)}")
            notes = [note for note in one.mark.notes if note not in (NO_CELL, STILL_BLANK)]
            theirs += [f"{link(learner, one.mark.key)}, {key}: {text(note)}" for note in notes]
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


def equal_answers(answered: Sequence[tuple[Learner, Kept]]) -> list[list[tuple[Learner, Kept]]]:
    """Return the groups of equal answers to one question, with their learners, the largest group first.

    Answers that the gradebook has no shape for are left out, as are those that most of the class wrote.
    """
    alike: dict[str, list[tuple[Learner, Kept]]] = defaultdict(list)
    for learner, one in answered:
        if one.shape:
            alike[one.shape].append((learner, one))
    most = max(MOST_ALIKE, sum(one.text is not None for _, one in answered) // 2)
    return sorted((group for group in alike.values() if 2 <= len(group) <= most), key=len, reverse=True)


def _equal_answers(answers: Answers) -> str:
    rows = []
    for key, group in ((key, group) for key, answered in answers.items() for group in equal_answers(answered)):
        same = len({one.text for _, one in group}) == 1
        rows.append(
            f"<tr><td><code>{text(key)}</code></td><td>{_names(group, key)}</td><td>"
            f"{'every character' if same else 'all but names, comments or spaces'}</td>"
            f"<td>{folded(group[0][1], 'The answer' if same else 'One of them')}</td></tr>"
        )
    if not rows:
        return ""
    more = f'<p class="small soft">and {len(rows) - EQUAL_SHOWN} more groups</p>' if len(rows) > EQUAL_SHOWN else ""
    return (
        '<h2>Equal answers</h2><p class="small soft">Answers to one question that differ in nothing but names, '
        "comments and spaces. Short answers are left out, and so is what most of the class wrote. Learners may come to "
        "the same answer by themselves, or from the same lecture: judge yourself.</p>"
        '<div class="wide"><table class="equal"><thead><tr><th>Question</th><th>Learners</th><th>Equal in</th>'
        f"<th>Answer</th></tr></thead><tbody>{''.join(rows[:EQUAL_SHOWN])}</tbody></table></div>{more}"
    )


def _table(rows: Sequence[Row]) -> str:
    lessons = sorted({one.lesson for row in rows for one in row.marks}, key=lesson_order)
    head = "".join(f'<th class="n">{_lesson(lesson)}</th>' for lesson in lessons)
    listed = []
    for row in rows:
        cells = "".join(_score(row.of_lesson(lesson)) for lesson in lessons)
        share = f"{100 * row.points / row.out_of:.0f} %" if row.out_of and not row.missing() else ""
        late = f"{row.days_late} day{'s' * (row.days_late > 1)}" if row.days_late else "not known" * row.undated
        id, name = row.learner.id, row.learner.name
        who = link(row.learner) + (f' <span class="small soft">{text(id)}</span>' if id != name else "")
        listed.append(
            f'<tr><td class="name">{who}</td>{cells}{_score(row)}'
            f'<td class="n">{share}</td><td class="n">{late}</td></tr>'
        )
    return (
        f'<div class="wide"><table><thead><tr><th>Learner</th>{head}<th class="n">Points</th>'
        f'<th class="n">Share</th><th class="n">Late</th></tr>'
        f"</thead><tbody>{''.join(listed)}</tbody></table></div>"
    )


def _score(row: Row) -> str:
    """Return the table cell of these marks: their points, or the reason why points are missing."""
    return f'<td class="n">{text(row.missing()) or f"{number(row.points)} of {number(row.out_of)}"}</td>'


def lateness(row: Row) -> str:
    """Return in words how late the work was, and what that costs; "" if it was in time."""
    if not row.days_late:
        return ""
    lost = f", which costs {number(row.penalty)} point{'s' * (row.penalty != 1)}" if row.penalty else ""
    return f"Handed in late, by up to {row.days_late} day{'s' * (row.days_late > 1)}{lost}."
