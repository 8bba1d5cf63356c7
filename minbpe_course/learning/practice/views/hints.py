"""Show the hints of an exercise: the steps seen so far, the newest last. A lesson that they name is a link to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import quote

from minbpe_course.learning.practice.views.verdicts import CODE, SOFT, View, frame, prose_html, visible

_COLOUR = "#0072b2"


def _code(text: str) -> str:
    return f'<pre style="{CODE};{SOFT};overflow:auto;padding:6px">{escape(visible(text))}</pre>'


def _with_links(html: str) -> str:
    """Turn "Lesson 02" into a link, if the lesson is where ``minbpe-course learn`` puts it, beside this notebook."""

    def link(found: re.Match[str]) -> str:
        lessons = sorted(Path("..", "notebooks").glob(f"{found[1]}_*.ipynb"))
        return f'<a href="../notebooks/{quote(lessons[0].name)}">{found[0]}</a>' if lessons else found[0]

    return re.sub(r"\bLesson (\d\d)\b", link, html)


@dataclass(frozen=True, repr=False)
class HintView(View):
    """The first ``shown`` of the steps, each a (name, text); ``print`` writes them, a notebook draws them.

    >>> HintView("02.merge", "Merge a pair", (("a nudge", "Walk."), ("the lesson", "Lesson 02.")), 1)
    hint 1 of 2 · 02.merge · Merge a pair
      a nudge     Walk.
      more        hint("02.merge")
    """

    key: str
    title: str
    steps: tuple[tuple[str, str], ...]
    shown: int
    notes: tuple[str, ...] = ()

    def _heading(self) -> str:
        return f"hint {self.shown} of {len(self.steps)} · {self.key} · {self.title}"

    def _lines(self) -> Iterator[str]:
        yield self._heading()
        for name, text in self.steps[: self.shown]:
            first, *more = text.split("\n")
            yield f"  {name:<12}{first}"
            yield from (f"  {'':<12}{line}" for line in more)
        if self.shown < len(self.steps):
            yield f'  more        hint("{self.key}")'
        yield from (f"  note        {note}" for note in self.notes)

    def _parts(self) -> Iterator[str]:
        yield f'<div role="group" aria-label="{escape(self._heading())}" style="{frame(_COLOUR)}">'
        yield f'<div style="opacity:.85;margin-bottom:4px">{escape(self._heading())}</div>'
        for number, (name, text) in enumerate(self.steps[: self.shown], start=1):
            newest = number == self.shown
            yield (
                f'<div style="margin:6px 0;{"" if newest else "opacity:.75"}"><b>{escape(name.capitalize())}.</b> '
                f"{_code(text) if name == 'an answer' else _with_links(prose_html(text))}</div>"
            )
        if self.shown < len(self.steps):
            yield (
                '<div style="margin-top:6px;opacity:.85">Still stuck? '
                f'<code style="{CODE};{SOFT}">hint(&quot;{escape(self.key)}&quot;)</code></div>'
            )
        for note in self.notes:
            yield f'<div style="margin-top:6px;opacity:.75;font-size:90%">{escape(note)}</div>'
        yield "</div>"
