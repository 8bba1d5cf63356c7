"""Show progress: a bar for each lesson, a line for each exercise; HTML in a notebook, text everywhere else.

lesson 02   ✓✓✗○○○   2 of 6 done   5 of 14 points
  ✓ 02.count_pairs      Count the pairs         2 of 2 points   1 hint
  ✗ 02.merge            Merge a pair            0 of 2 points
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from minbpe_course.learning.practice.views.verdicts import CODE, STATES, View


@dataclass(frozen=True)
class Item:
    """One exercise and its state."""

    key: str
    title: str
    kind: str
    state: str
    points: float
    out_of: float
    difficulty: int
    hints: int


@dataclass(frozen=True)
class Lesson:
    """The exercises of one lesson."""

    number: str
    items: tuple[Item, ...]

    @property
    def done(self) -> int:
        """Return the number of exercises that are done."""
        return sum(item.state == "done" for item in self.items)

    @property
    def points(self) -> float:
        """Return the points earned so far."""
        return sum(item.points for item in self.items)

    @property
    def out_of(self) -> float:
        """Return the points that can be earned."""
        return sum(item.out_of for item in self.items)

    def summary(self) -> str:
        """Return the progress in a few words."""
        return f"{self.done} of {len(self.items)} done, {self.points:g} of {self.out_of:g} points"


@dataclass(frozen=True, repr=False)
class ProgressView(View):
    """The progress of some lessons; ``print`` writes it, a notebook draws it.

    >>> ProgressView((Lesson("02", (Item("02.merge", "Merge", "write", "done", 2, 2, 2, 1),)),))
    lesson 02  ✓  1 of 1 done, 2 of 2 points
      ✓ 02.merge  Merge  2 of 2 points, 1 hint
    """

    lessons: tuple[Lesson, ...]
    notes: tuple[str, ...] = ()

    def _lines(self) -> Iterator[str]:
        items = [item for lesson in self.lessons for item in lesson.items]
        keys = max((len(item.key) for item in items), default=0)
        titles = max((len(item.title) for item in items), default=0)
        for lesson in self.lessons:
            signs = "".join(STATES[item.state][0] for item in lesson.items)
            yield f"lesson {lesson.number}  {signs}  {lesson.summary()}"
            for item in lesson.items:
                sign = STATES[item.state][0]
                yield f"  {sign} {item.key:<{keys}}  {item.title:<{titles}}  {_earned(item)}"
        if len(self.lessons) > 1:
            yield f"together  {_together(self.lessons)}"
        yield from (f"note  {note}" for note in self.notes)

    def _parts(self) -> Iterator[str]:
        yield '<div style="max-width:60em;line-height:1.45">'
        for lesson in self.lessons:
            yield from _lesson_html(lesson)
        if len(self.lessons) > 1:
            yield f'<div style="margin-top:8px"><b>Together</b> {escape(_together(self.lessons))}</div>'
        for note in self.notes:
            yield f'<div style="margin-top:6px;opacity:.75;font-size:90%">{escape(note)}</div>'
        yield "</div>"


def _earned(item: Item) -> str:
    hints = f", {item.hints} hint{'' if item.hints == 1 else 's'}" if item.hints else ""
    return f"{item.points:g} of {item.out_of} point{'' if item.out_of == 1 else 's'}{hints}"


def _together(lessons: tuple[Lesson, ...]) -> str:
    return Lesson("", tuple(item for lesson in lessons for item in lesson.items)).summary()


def _lesson_html(lesson: Lesson) -> Iterator[str]:
    # A finished or unstarted lesson is one line; a lesson in progress shows its exercises.
    begun = any(item.state != "not started" for item in lesson.items)
    opened = " open" if begun and lesson.done < len(lesson.items) else ""
    yield f'<details{opened} style="margin:4px 0"><summary style="cursor:pointer">'
    yield f"<b>Lesson {escape(lesson.number)}</b> "
    yield f'<span role="img" aria-label="{escape(lesson.summary())}" style="white-space:nowrap">'
    for item in lesson.items:
        sign, colour = STATES[item.state]
        # The width is proportional to the points, so that the bar shows the points of the lesson.
        begun = item.state != "not started"
        look = f"background:{colour};color:#fff;border-color:{colour}" if begun else "color:inherit;opacity:.75"
        yield (
            f'<span title="{escape(f"{item.key} {item.title}: {item.state}")}" style="display:inline-block;'
            f"box-sizing:border-box;width:{14 + 8 * min(item.out_of, 10)}px;text-align:center;margin-right:2px;"
            f'border:1px solid rgb(128,128,128);border-radius:3px;font-size:11px;line-height:16px;{look}">{sign}</span>'
        )
    yield f'</span> <span style="opacity:.85">{escape(lesson.summary())}</span></summary>'
    yield '<table style="border-collapse:collapse;border:none;margin:2px 0 6px 14px;background:transparent">'
    for item in lesson.items:
        sign, colour = STATES[item.state]
        cell = "text-align:left;padding:1px 12px 1px 0;vertical-align:baseline"
        dots = "●" * item.difficulty + "○" * (5 - item.difficulty)
        yield (
            '<tr style="background:transparent">'
            f'<td style="{cell};white-space:nowrap"><span aria-hidden="true">{sign}</span> {escape(item.state)}</td>'
            f'<td style="{cell};{CODE}">{escape(item.key)}</td><td style="{cell}">{escape(item.title)}</td>'
            f'<td style="{cell};opacity:.8;white-space:nowrap">{escape(item.kind)}</td>'
            f'<td style="{cell};opacity:.8;white-space:nowrap" aria-label="difficulty {item.difficulty} of 5">'
            f"{dots}</td>"
            f'<td style="{cell};white-space:nowrap">{escape(_earned(item))}</td></tr>'
        )
    yield "</table></details>"
