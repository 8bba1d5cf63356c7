"""Show a leaderboard: HTML in a notebook, plain text everywhere else.

    #  name     vocabulary  bytes/token  compression  fairness  speed   score
    1  ▸ mine          512         1.71         0.34      0.57   0.61   49.2

Names are untrusted: control characters and HTML are escaped, and a name cannot change the text direction of its
neighbours. The learner's own line has a sign, not only a colour. All entries are of one corpus.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from minbpe_course.learning.practice.views.verdicts import CODE, visible

HEADS = ("#", "name", "vocabulary", "bytes/token", "compression", "fairness", "speed", "score")
OWN = "▸"
_CELL = "padding:2px 5px;border:none;text-align:right"
# Where a head may be broken in a narrow window.
_BREAKS = {
    "vocabulary": "vocab&shy;ulary",
    "bytes/token": "bytes/<wbr>token",
    "compression": "com&shy;pres&shy;sion",
    "fairness": "fair&shy;ness",
}


@dataclass(frozen=True, repr=False)
class BoardView:
    """Entries, best first.

    entries : of ``practice.leaderboard``. own : names that get the sign. caption, notes : above and below.
    """

    entries: Sequence[Any]
    own: Collection[str] = ()
    caption: str = ""
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        rows = [HEADS, *self._rows()]
        widths = [max(len(row[at]) for row in rows) for at in range(len(HEADS))]
        lines = [visible(self.caption)] if self.caption else []
        for row in rows:
            cells = [
                cell.ljust(width) if at == 1 else cell.rjust(width) for at, (cell, width) in enumerate(zip(row, widths))
            ]
            lines.append("  ".join(cells).rstrip())
        return "\n".join([*lines, *(f"note: {visible(note)}" for note in self.notes)])

    def _rows(self) -> list[tuple[str, ...]]:
        rows = []
        for place, entry in enumerate(self.entries, start=1):
            size = f"{round(2**entry.bits):,}" if entry.bits < 40 else f"2^{entry.bits:.0f}"
            numbers = (
                f"{each:.2f}" for each in (entry.bytes_per_token, entry.compression, entry.fairness, entry.speed_share)
            )
            name = f"{OWN} {_named(entry.name)}" if entry.name in self.own else _named(entry.name)
            rows.append((str(place), name, size, *numbers, f"{entry.score:.1f}"))
        return rows

    def _repr_html_(self) -> str:
        parts = ['<table style="border-collapse:collapse;border:none;background:transparent;margin:4px 0">']
        if self.caption:
            caption = escape(visible(self.caption))
            parts.append(
                f'<caption style="text-align:left;font-weight:bold;padding:2px 5px;color:inherit">{caption}</caption>'
            )
        heads = "".join(
            f'<th scope="col" style="{_cell(at)};font-weight:bold">{_BREAKS.get(head, head)}</th>'
            for at, head in enumerate(HEADS)
        )
        parts.append(f'<thead><tr style="background:transparent">{heads}</tr></thead><tbody>')
        for entry, row in zip(self.entries, self._rows()):
            weight = "font-weight:bold;" if entry.name in self.own else ""
            cells = "".join(
                f'<th scope="row" style="{_cell(at)};{weight or "font-weight:normal;"}"><bdi>{escape(cell)}</bdi></th>'
                if at == 1
                else f'<td style="{_cell(at)};{CODE};{weight}">{escape(cell)}</td>'
                for at, cell in enumerate(row)
            )
            parts.append(f'<tr style="background:transparent">{cells}</tr>')
        parts.append("</tbody></table>")
        parts += [f'<div style="opacity:.75;font-size:90%">{escape(visible(note))}</div>' for note in self.notes]
        return "".join(parts)


def _named(name: str) -> str:
    return visible(name).replace("\n", "\\n")


def _cell(at: int) -> str:
    return _CELL.replace("right", "left") if at == 1 else _CELL
