"""Show a verdict: HTML in a notebook, plain text in a terminal and for a screen reader.

    ✗ not yet · 02.merge · Merge a pair · 0 of 2 points
      Right so far: 3 of 4 kinds of cases. Not yet: overlapping pairs (4 of 12 wrong)
      given   merge([1, 1, 1], (1, 1), 2)
      yours   [2, 2]
      wanted  [2, 1]
                  ^ at index 1: 2, wanted 1
      hint    In 1 1 1 there is one pair to merge, not two.
      next    hint("02.merge") for a step of help

The state is a word and a sign, never colour alone. Text keeps the colour of the page, so it is legible on dark pages
too. Output of the learner's code is escaped, and control characters and lone surrogates are made visible. The first
difference of two texts is marked, if a mark helps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from minbpe_course.learning.practice.views.differences import Span, marks

# Sign, and background of the badge: dark enough for white letters, and distinguishable for the colour-blind.
STATES: Mapping[str, tuple[str, str]] = {
    "done": ("✓", "#007a59"),
    "not yet": ("✗", "#b34700"),
    "not started": ("○", "#4d5a66"),
}
WINDOW = 72  # characters of a value on one line of a terminal
LONGEST_LINE = 200  # of a value on several lines; a terminal folds it
MOST_ROWS = 40  # of all tables in a call
MOST_CATEGORIES = 3
MOST_LINES = 8  # of printed output, and of one value, in plain text
CODE = "font-family:var(--jp-code-font-family,monospace);font-size:13px;line-height:1.5"
MARK = (
    "background:rgba(230,159,0,.35);color:inherit;border-radius:2px;"
    "text-decoration:underline 2px #d55e00;text-underline-offset:3px"
)
SOFT = "background:rgba(128,128,128,.16);color:inherit;border-radius:3px;padding:1px 5px"
PLAIN = "background:transparent;color:inherit;margin:4px 0 0 0;padding:0;white-space:pre-wrap"
_LABEL = "text-align:right;vertical-align:baseline;padding:1px 10px 1px 0;opacity:.75;white-space:nowrap"
_VALUE = f"text-align:left;vertical-align:baseline;padding:1px 0;{CODE};white-space:pre-wrap;overflow-wrap:anywhere"


class View:
    """Something that ``print`` writes as lines of text, and a notebook draws as HTML."""

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return "".join(self._parts())

    def _lines(self) -> Iterator[str]:
        raise NotImplementedError

    def _parts(self) -> Iterator[str]:
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class VerdictView(View):
    """One verdict and the facts shown with it; ``print`` writes the text, a notebook draws the HTML.

    verdict : a ``checks.exercise.Verdict``.
    title : of the exercise.
    following : the next steps, as (words, code) pairs; either may be empty.
    printed : output of the learner's code during the check; it is folded.
    notes : remarks that do not concern the answer.
    """

    verdict: Any
    title: str = ""
    following: tuple[tuple[str, str], ...] = ()
    printed: str = ""
    notes: tuple[str, ...] = ()

    def _lines(self) -> Iterator[str]:
        verdict = self.verdict
        sign, _ = STATES[verdict.state]
        yield " · ".join([f"{sign} {verdict.state}", *_heading(self)])
        summary = visible(_summary(verdict))
        if summary:
            yield f"  {summary}"
        yield from _compared(verdict)
        said = [("note", verdict.note), ("hint", verdict.hint if verdict.state != "done" else "")]
        said += [("next", f"{words.removeprefix('Next: ')} {code}".strip()) for words, code in self.following]
        for label, text in said:
            if text:
                first, *more = visible(text).split("\n")
                yield f"  {label:<8}{first}"
                yield from (f"  {'':<8}{line}" for line in more)
        yield from (f"  {line}" for line in printed_lines(self.printed))
        yield from (f"  note    {visible(note)}" for note in self.notes)

    def _parts(self) -> Iterator[str]:
        verdict = self.verdict
        _, colour = STATES[verdict.state]
        label = escape(", ".join([verdict.state, *_heading(self)]))
        yield f'<div role="group" aria-label="{label}" style="{frame(colour)}">'
        yield f'<div style="margin-bottom:4px">{badge(verdict.state)} '
        yield " <span style='opacity:.5'>·</span> ".join(f"<span>{escape(part)}</span>" for part in _heading(self))
        yield "</div>"
        summary = escape(visible(_summary(verdict)))
        if summary:
            yield f'<div style="opacity:.85">{summary}</div>'
        yield from _table(verdict)
        if verdict.note:
            yield f'<div style="margin-top:4px">{escape(visible(verdict.note))}</div>'
        if verdict.hint and verdict.state != "done":
            yield f'<div style="margin-top:6px"><b>Hint.</b> {prose_html(verdict.hint)}</div>'
        for words, code in self.following:
            typed = f' <code style="{CODE};{SOFT}">{escape(code)}</code>' if code else ""
            yield f'<div style="margin-top:6px">{escape(visible(words))}{typed}</div>'
        if self.printed:
            title = '<summary style="cursor:pointer">printed while it was checked</summary>'
            yield f'<details style="margin-top:6px">{title}'
            yield f'<pre style="{CODE};{PLAIN};max-height:16em;overflow:auto">{escape(visible(self.printed))}</pre>'
            yield "</details>"
        for note in self.notes:
            yield f'<div style="margin-top:6px;opacity:.75;font-size:90%">{escape(visible(note))}</div>'
        yield "</div>"


def visible(text: str) -> str:
    r"""Return text that can be printed anywhere: line breaks stay, every other invisible character is written out.

    >>> visible("a\tb\x1b[31m\ud800\u202ec")
    'a\\tb\\x1b[31m\\ud800\\u202ec'
    """
    return "".join(
        each if each.isprintable() or each == "\n" else each.encode("unicode_escape").decode("ascii") for each in text
    )


# ---- Both forms


def _points(points: float, out_of: float) -> str:
    return f"{points:g} of {out_of:g} point{'' if out_of == 1 else 's'}"


def _heading(view: VerdictView) -> list[str]:
    verdict = view.verdict
    return [part for part in (verdict.key, visible(view.title), _points(verdict.points, verdict.out_of)) if part]


def _summary(verdict: Any) -> str:
    """Return how many kinds of cases are right, and which are not: the one that is shown, then what fails most."""
    total, failed = sum(verdict.tried.values()), sum(verdict.failures.values())
    if verdict.counted == "cases" and verdict.state == "done":
        return f"All {total:,} cases are right." if total > 1 else ""
    if verdict.counted == "cases" and (total < 2 or not failed):
        return str(verdict.category)
    if verdict.counted == "cases" and failed == total:
        return f"All {total:,} cases fail. The smallest: {verdict.category}"
    if verdict.mistake == "rejects-right" or not failed:
        return ""
    kinds = sorted(verdict.failures, key=lambda each: (each != verdict.category, -verdict.failures[each], each))
    named, more, right = kinds[:MOST_CATEGORIES], len(kinds) - MOST_CATEGORIES, len(verdict.tried) - len(kinds)
    if verdict.counted == "implementations":
        beginning = "Not caught yet: "
        named = [f"one that {each}" for each in named]
    else:
        beginning = f"Right so far: {right} of {len(verdict.tried)} kinds of cases. " * (right > 0) + "Not yet: "
        named = [f"{each} ({verdict.failures[each]:,} of {verdict.tried.get(each, 0):,} wrong)" for each in named]
    return beginning + "; ".join([*named, *([f"and {more} more"] if more > 0 else [])])


def _rows(verdict: Any) -> list[tuple[str, str]]:
    """Return (label, text) of the values to compare."""
    blank = verdict.state == "not started" and not verdict.yours
    if blank and not verdict.wanted and len(verdict.given) > WINDOW:
        return []  # a long call alone does not explain the task
    rows = [("example" if blank else "given", verdict.given), ("yours", verdict.yours), ("wanted", verdict.wanted)]
    return [(label, visible(text)) for label, text in rows if text]


def _spans(verdict: Any) -> dict[str, Span | None]:
    yours, wanted = marks(visible(verdict.yours), visible(verdict.wanted), visible(verdict.difference))
    return {"yours": yours, "wanted": wanted}


# ---- Text


def printed_lines(printed: str) -> Iterator[str]:
    """Yield what the learner's code printed while it was checked, under a title; no line if that is nothing."""
    if not printed:
        return
    yield "printed while it was checked:"
    lines = visible(printed.rstrip("\n")).split("\n")
    yield from (f"  {line}" for line in lines[:MOST_LINES])
    if len(lines) > MOST_LINES:
        yield f"  … and {len(lines) - MOST_LINES:,} more lines"


def _compared(verdict: Any) -> Iterator[str]:
    spans = _spans(verdict)
    # A long value is cut to the part around the difference; if only one side is marked, the other is cut there too.
    place = next((span[0] for span in spans.values() if span), None)
    below = ""
    for label, text in _rows(verdict):
        span = spans.get(label)
        if "\n" in text:
            first, *more = _table_lines(text, span)
        elif place is None or label not in spans:
            first, *more = _folded(text)
        else:
            shown, moved = _window(text, span[0] if span else place)
            first, more = shown, []
            if label == "wanted" and span is not None:
                below = " " * (span[0] + moved) + "^" * max(1, min(span[1] - span[0], WINDOW)) + " "
        yield f"  {label:<8}{first}"
        yield from (f"  {'':<8}{line}" for line in more)
    if verdict.difference:
        yield f"  {'':<8}{below}{visible(verdict.difference)}"


def _table_lines(text: str, span: Span | None) -> list[str]:
    """Return the lines of a table, the marked row with an arrow after it."""
    lines, marked = text.split("\n"), text.count("\n", 0, span[0]) if span else None
    lines = [line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…" for line in lines]
    if marked is not None:
        lines[marked] += "   <--"
    return lines if len(lines) <= MOST_ROWS else [*lines[: MOST_ROWS - 1], "…"]


def _folded(text: str) -> list[str]:
    """Return a long text on several lines, cut after spaces if possible."""
    lines = []
    while len(text) > WINDOW:
        end = text.rfind(" ", WINDOW // 2, WINDOW) + 1 or WINDOW
        lines.append(text[:end])
        text = text[end:]
    lines.append(text)
    return lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], "…"]


def _window(text: str, at: int) -> tuple[str, int]:
    """Return the part of a long text around a position, and the offset of that position in it."""
    if len(text) <= WINDOW:
        return text, 0
    start = max(0, at - WINDOW // 2)
    part = text[start : start + WINDOW]
    return f"{'…' * (start > 0)}{part}{'…' * (start + WINDOW < len(text))}", (start > 0) - start


# ---- HTML


def frame(colour: str) -> str:
    """Return the style of a box whose left edge has a colour."""
    return (
        f"border-left:5px solid {colour};padding:6px 12px;margin:2px 0;max-width:60em;"
        "background:rgba(128,128,128,.06);border-radius:3px;line-height:1.45"
    )


def badge(state: str) -> str:
    """Return the HTML of a state: its sign and its word, white on a dark colour."""
    sign, colour = STATES[state]
    return (
        f'<span style="background:{colour};color:#fff;border-radius:3px;padding:1px 8px;font-weight:bold;'
        f'white-space:nowrap"><span aria-hidden="true">{sign}</span> {escape(state)}</span>'
    )


def _table(verdict: Any) -> Iterator[str]:
    rows = _rows(verdict)
    if not rows:
        return
    spans = _spans(verdict)
    # Without the stripes and the centred cells of JupyterLab, which make two values harder to compare.
    yield '<table style="border-collapse:collapse;border:none;margin:6px 0 2px 0;background:transparent">'
    for label, text in rows:
        yield (
            f'<tr style="background:transparent"><th scope="row" style="{_LABEL};font-weight:normal">{label}</th>'
            f'<td style="{_VALUE}">{_marked(text, spans.get(label))}</td></tr>'
        )
    if verdict.difference:
        yield (
            f'<tr style="background:transparent"><td></td><td style="{_VALUE};opacity:.85">'
            f"{escape(visible(verdict.difference))}</td></tr>"
        )
    yield "</table>"


def _marked(text: str, span: Span | None) -> str:
    if span is None:
        return escape(text)
    start, stop = span
    return f'{escape(text[:start])}<mark style="{MARK}">{escape(text[start:stop])}</mark>{escape(text[stop:])}'


def prose_html(text: str) -> str:
    """Return text as HTML: escaped, with line breaks, indentation, and backquoted text as code.

    >>> prose_html("a < b\\nc")
    'a &lt; b<br>c'
    """
    made = re.sub(r"`([^`\n]+)`", rf'<code style="{CODE};{SOFT}">\1</code>', escape(visible(text)))
    made = re.sub(r"(?m)^ +", lambda found: "&nbsp;" * len(found[0]), made)
    return made.replace("\n", "<br>")
