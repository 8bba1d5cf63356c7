"""Charts of lesson 03: words coloured by the alternative that matched them, patterns as railroads, counts as bars.

``show_alternatives`` returns a view that a notebook draws as HTML, because the words may be in any script; the other
functions draw with matplotlib and show at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path

from minbpe_course.learning.charts import INK, PALETTE, draw_bars, finish, ink_on, new_axes, plain_label
from minbpe_course.showing import visible

# Pale enough for black text. Besides its colour each alternative has a number and its own kind of line.
_FILLS = ("#f1d7e5", "#cfe8f8", "#fbe3b3", "#bfe6da", "#e4e0f7", "#e6e6e6", "#fbd5c5", "#f9f3b0", "#d7ecd0", "#dfe7ef")
_LINES = ("solid", "dashed", "dotted", "double")

# The three published patterns, for ``railroad``: alternative -> (content, how often).
_BREAKS = r"\r \n"
_PREFIX, _CONTRACTION = ("prefix", "?"), ("contraction", "?")
_SPACES = {
    "all but the last white space": [("white space", "+"), ("not before a word", "!")],
    "white space": [("white space", "+")],
}
TRACKS: Mapping[str, Mapping[str, Sequence[tuple[str, str]]]] = {
    "gpt2": {
        "contraction": [("'", "1"), ("s t d m ll ve re", "1")],
        "letters": [("space", "?"), ("letter", "+")],
        "numbers": [("space", "?"), ("number", "+")],
        "others": [("space", "?"), ("other", "+")],
        **_SPACES,
    },
    "cl100k": {
        "contraction, any case": [("'", "1"), ("s t d m ll ve re", "1")],
        "letters": [(rf"not letter, number, {_BREAKS}", "?"), ("letter", "+")],
        "numbers": [("number", "{1,3}")],
        "others": [("space", "?"), ("other", "+"), (_BREAKS, "*")],
        "through the last line break": [("white space", "*"), (_BREAKS, "1")],
        **_SPACES,
    },
    "o200k letters": {
        "end in lower case": [_PREFIX, ("upper either mark", "*"), ("lower either mark", "+"), _CONTRACTION],
        "in upper case": [_PREFIX, ("upper either mark", "+"), ("lower either mark", "*"), _CONTRACTION],
    },
}

_BOX = "display:inline-block;color:#111;padding:1px 4px;margin:2px 1px;border-radius:3px;white-space:pre"
_TEXT = 'style="font-family:monospace;font-size:15px;line-height:1.5"'


@dataclass(frozen=True, repr=False)
class AlternativesView:
    """Words and the alternative of each; a notebook draws it, ``print`` writes it as text.

    >>> show_alternatives([("Hi", "letters"), (" ", "space"), (" you", "letters")], ["letters", "space"])
    |Hi|·|·you|
     1  2 1
    1 letters  2 space
    """

    words: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    title: str | None = None

    def __repr__(self) -> str:
        shown = [visible(word) for word, _ in self.words]
        marks = [f"{self._number(name):<{len(word)}}" for word, (_, name) in zip(shown, self.words)]
        legend = "  ".join(f"{number} {name}" for number, name in enumerate(self.names, 1) if self._used(name))
        lines = ["|" + "".join(f"{word}|" for word in shown), (" " + " ".join(marks)).rstrip(), legend]
        return "\n".join(lines if self.title is None else [self.title, *lines])

    def _repr_html_(self) -> str:
        parts = [] if self.title is None else [f'<div style="font-weight:bold">{escape(self.title)}</div>']
        parts.append(f"<div {_TEXT}>")
        for word, name in self.words:
            mark = f'<br><span style="font-size:10px;color:#333">{self._number(name)}</span>'
            parts.append(self._box(name, escape(visible(word)) + mark, f"{name}: {word!r}"))
            if word.endswith("\n"):
                parts.append("<br>")
        parts.append('</div><div style="font-size:13px;margin-top:6px">')
        for number, name in enumerate(self.names, 1):
            if self._used(name):
                parts.append(self._box(name, f"{number} {escape(name)}", name) + " ")
        return "".join(parts) + "</div>"

    def _box(self, name: str, inside: str, hover: str) -> str:
        at = self._number(name) - 1
        return (
            f'<bdi title="{escape(hover)}" style="{_BOX};text-align:center;line-height:1.2;'
            f"background:{_FILLS[at % len(_FILLS)]};border-bottom:3px {_LINES[at % len(_LINES)]} "
            f'{PALETTE[at % len(PALETTE)]}">{inside}</bdi>'
        )

    def _number(self, name: str) -> int:
        return self.names.index(name) + 1

    def _used(self, name: str) -> bool:
        return any(name == other for _, other in self.words)


def show_alternatives(
    words: Iterable[tuple[str, str]], names: Sequence[str], title: str | None = None
) -> AlternativesView:
    """Draw words coloured by alternative.

    words : (word, name of the alternative that matched it) in the order of the text. names : all names in the order in
    which the pattern tries them; only those that occur get into the legend.
    """
    return AlternativesView(tuple(words), tuple(names), title)


def railroad(tracks: Mapping[str, Sequence[tuple[str, str]]], title: str) -> None:
    """Draw a pattern as tracks from left to right, the first alternative on top.

    tracks : name of the alternative -> its stations, each (what is matched, how often), as in TRACKS. How often is
    "1", "?" (a way around it), "+" (a way back), "*" (both), "{1,3}" (a way back, counted), "!" (look ahead: dashed).
    """
    widths = {name: sum(_width(text) + 0.9 for text, _ in stations) for name, stations in tracks.items()}
    left, right = 0.4, max(widths.values()) + 0.9
    figure, axes = new_axes(title, size=(9.4, 0.3 + 0.72 * len(tracks)))
    for row, (name, stations) in enumerate(tracks.items()):
        x = left
        axes.text(left - 0.35, -row, f"{row + 1}  {name}", ha="right", va="center", fontsize=9.5)
        for text, how in stations:
            axes.plot([x, x + 0.45], [-row, -row], color=INK, linewidth=1.4)
            x += 0.45
            _station(axes, x, -row, text, how)
            axes.plot([x + _width(text), x + _width(text) + 0.45], [-row, -row], color=INK, linewidth=1.4)
            x += _width(text) + 0.45
        axes.plot([x, right], [-row, -row], color=INK, linewidth=1.4)
    for x in (left, right):
        axes.plot([x, x], [0, 1 - len(tracks)], color=INK, linewidth=2.4, solid_capstyle="round")
    axes.set(xlim=(left - 0.6 - 0.17 * max(map(len, tracks)), right + 0.3), ylim=(0.6 - len(tracks), 0.55))
    axes.axis("off")
    finish(figure)


def _width(text: str) -> float:
    return 0.35 + 0.21 * len(text)


def _station(axes: Axes, x: float, y: float, text: str, how: str) -> None:
    wide = _width(text)
    fill = {"!": "none", "1": "#fbe3b3"}.get(how, "#cfe8f8")
    style = "dashed" if how == "!" else "solid"
    look: dict[str, Any] = {"facecolor": fill, "edgecolor": PALETTE[0], "ls": style}
    axes.add_patch(FancyBboxPatch((x, y - 0.17), wide, 0.34, "round,pad=0.02,rounding_size=0.08", **look))
    axes.text(x + wide / 2, y - 0.01, text, ha="center", va="center", fontsize=9, family="DejaVu Sans Mono",
              color=ink_on(fill))  # fmt: skip
    if how in ("?", "*"):
        _arc(axes, x - 0.25, x + wide + 0.25, y, 0.36, PALETTE[3])
    if how in ("+", "*") or how.startswith("{"):
        _arc(axes, x - 0.12, x + wide + 0.12, y, -0.36, PALETTE[2])
    if how.startswith("{"):
        axes.text(x + wide + 0.2, y - 0.3, how, ha="left", va="center", fontsize=8.5)


def _arc(axes: Axes, begin: float, end: float, y: float, height: float, color: str) -> None:
    """A way around a station (upwards) or back before it (downwards), with an arrow head in its middle."""
    middle, top = (begin + end) / 2, y + height * 0.8
    points = [(begin, y), (begin + 0.02, y + height), (begin + 0.3, top), (middle, top)]
    points += [(end - 0.3, top), (end - 0.02, y + height), (end, y)]
    path = Path(points, [Path.MOVETO] + [Path.CURVE4] * 6)
    axes.add_patch(PathPatch(path, facecolor="none", edgecolor=color, lw=1.4))
    axes.plot([middle], [top], marker=">" if height > 0 else "<", color=color, markersize=4.5)


def grouped_bars(counts: Mapping[str, Mapping[str, int]], title: str, ylabel: str) -> None:
    """Draw ``counts[group][series]`` as bars side by side, each with its number above; groups have the same series."""
    series = list(next(iter(counts.values())))
    figure, axes = new_axes(title, "", ylabel, size=(8.0, 3.6))
    for bars in draw_bars(axes, {name: [row[name] for row in counts.values()] for name in series}, 0.84):
        axes.bar_label(bars, fmt="{:,.0f}", fontsize=8, padding=1)
    axes.set_xticks(range(len(counts)), [plain_label(group) for group in counts])
    axes.grid(visible=False, axis="x")
    axes.set_ylim(0, 1.28 * max(max(row.values()) for row in counts.values()))
    axes.legend(ncols=len(series), loc="upper left", fontsize=9)
    finish(figure)
