"""The chart of lesson 03: patterns as railroads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from minbpe_course.learning.charts import INK, PALE, PALETTE, finish, ink_on, new_axes

# The three published patterns, for ``railroad``: alternative -> (content, how often).
_BREAKS = r"\r \n"
_PREFIX, _CONTRACTION = ("prefix", "?"), ("contraction", "?")
_SPACES = {
    "all but the last whitespace": [("whitespace", "+"), ("not before a word", "!")],
    "whitespace": [("whitespace", "+")],
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
        "through the last line break": [("whitespace", "*"), (_BREAKS, "1")],
        **_SPACES,
    },
    "o200k letters": {
        "end in lower case": [_PREFIX, ("upper either mark", "*"), ("lower either mark", "+"), _CONTRACTION],
        "in upper case": [_PREFIX, ("upper either mark", "+"), ("lower either mark", "*"), _CONTRACTION],
    },
}


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
    fill = {"!": "none", "1": PALE[1]}.get(how, PALE[0])
    style = "dashed" if how == "!" else "solid"
    look: dict[str, Any] = {"facecolor": fill, "edgecolor": PALETTE[0], "ls": style}
    axes.add_patch(FancyBboxPatch((x, y - 0.17), wide, 0.34, "round,pad=0.02,rounding_size=0.08", **look))
    axes.text(
        x + wide / 2,
        y - 0.01,
        text,
        ha="center",
        va="center",
        fontsize=9,
        family="DejaVu Sans Mono",
        color=ink_on(fill),
    )
    if how in ("?", "*"):
        _arc(axes, x - 0.25, x + wide + 0.25, y, 0.36, PALETTE[3])
    if how in ("+", "*") or how.startswith("{"):
        _arc(axes, x - 0.12, x + wide + 0.12, y, -0.36, PALETTE[2])
    if how.startswith("{"):
        axes.text(x + wide + 0.2, y - 0.3, how, ha="left", va="center", fontsize=8.5)


def _arc(axes: Axes, begin: float, end: float, y: float, height: float, color: str) -> None:
    """Draw a way around a station (upwards), or back before it (downwards)."""
    bend = f"arc3,rad={-2.4 * abs(height) / (end - begin):.3f}"
    look = {"arrowstyle": "-|>", "connectionstyle": bend, "color": color, "lw": 1.4, "shrinkA": 0, "shrinkB": 0}
    head, tail = (end, begin) if height > 0 else (begin, end)
    axes.annotate("", (head, y), (tail, y), arrowprops=look)
