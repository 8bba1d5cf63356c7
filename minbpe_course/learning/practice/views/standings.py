"""Show a leaderboard: HTML in a notebook, plain text everywhere else.

    #  name     vocabulary  bytes/token  dearest  speed
    1  ▸ mine          512         1.71     4.2×    0.6×
    –  gpt2         50,257         2.02     5.1×   12.4×

Names are untrusted: control characters and HTML are escaped, and a name cannot change the text direction of its
neighbours. The learner's own line has a sign, not only a colour. All entries are of the same texts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from minbpe_course.learning.practice.leaderboard import MOST_IDS, Entry
from minbpe_course.learning.practice.views.verdicts import CODE, View, visible

HEADS = ("#", "name", "vocabulary", "bytes/token", "dearest", "speed")
NO_PLACE = "–"
OWN = "▸"
_RIGHT = "padding:2px 5px;border:none;text-align:right"
_LEFT = "padding:2px 5px;border:none;text-align:left"


@dataclass(frozen=True, repr=False)
class BoardView(View):
    """Entries of ``practice.leaderboard``, best first; those over the budget come last and have no place.

    own : names that get the sign. caption, notes : above and below.
    """

    entries: Iterable[Entry]
    own: Collection[str] = ()
    caption: str = ""
    notes: Sequence[str] = ()

    def _rows(self) -> Iterator[tuple[str, ...]]:
        ranked = sorted(self.entries, key=lambda each: (each.ids > MOST_IDS, -each.bytes_per_token, each.name))
        for place, entry in enumerate(ranked, start=1):
            name = f"{OWN} {entry.name}" if entry.name in self.own else entry.name
            numbers = f"{entry.bytes_per_token:.2f}", f"{entry.dearest:.1f}×", f"{entry.speed:,.1f}×"
            yield NO_PLACE if entry.ids > MOST_IDS else str(place), _line(name), f"{entry.ids:,}", *numbers

    def _lines(self) -> Iterator[str]:
        if self.caption:
            yield _line(self.caption)
        rows = [HEADS, *self._rows()]
        widths = [max(map(len, column)) for column in zip(*rows)]
        for place, name, *numbers in rows:
            right = [number.rjust(width) for number, width in zip(numbers, widths[2:])]
            yield "  ".join([place.rjust(widths[0]), name.ljust(widths[1]), *right])
        yield from (f"note: {_line(note)}" for note in self.notes)

    def _parts(self) -> Iterator[str]:
        yield '<table style="border-collapse:collapse;border:none;background:transparent;margin:4px 0">'
        if self.caption:
            yield f'<caption style="{_LEFT};font-weight:bold;color:inherit">{escape(_line(self.caption))}</caption>'
        heads = [f'<th scope="col" style="{_LEFT if head == "name" else _RIGHT}">{head}</th>' for head in HEADS]
        yield f'<thead><tr style="background:transparent">{"".join(heads)}</tr></thead><tbody>'
        for place, name, *numbers in self._rows():
            weight = "bold" if name.startswith(OWN) else "normal"
            place, *numbers = (f'<td style="{_RIGHT};{CODE}">{number}</td>' for number in (place, *numbers))
            named = f'<th scope="row" style="{_LEFT};font-weight:inherit"><bdi>{escape(name)}</bdi></th>'
            cells = "".join([place, named, *numbers])
            yield f'<tr style="background:transparent;font-weight:{weight}">{cells}</tr>'
        yield "</tbody></table>"
        yield from (f'<div style="opacity:.75;font-size:90%">{escape(_line(note))}</div>' for note in self.notes)


def _line(text: str) -> str:
    return visible(text).replace("\n", "\\n")
