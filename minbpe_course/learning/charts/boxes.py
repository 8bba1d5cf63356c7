"""Rows of boxes with texts, the chart of tokens, bytes and pieces of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from minbpe_course.learning.charts import draw_box, new_axes, plain_label
from minbpe_course.showing import visible

Box = tuple[str, float, Mapping[str, Any]]  # text, width, look
Row = tuple[str, float, Sequence[Box], str]  # text on the left, begin of the first box, boxes, text on the right

GREY: Mapping[str, Any] = {"fill": "#f0f0f0"}
BARE: Mapping[str, Any] = {"edge": "none"}


def new_rows(rows: Sequence[Row], title: str, unit: float = 0.45, keys: Sequence[Artist] = ()) -> tuple[Figure, Axes]:
    """Return a figure with rows of boxes, the first one at y = 0 and the others below it.

    unit : the width of a box of width 1 in inches; less if the rows need more than the width of a page. keys :
    the entries of the legend below the rows.

    >>> figure, axes = new_rows([("two", 0, [token_box(b"ab"), token_box(b"c")], "ids")], "A row")
    """
    begin = min(start for _, start, _, _ in rows)
    end = max(start + sum(width for _, width, _ in boxes) for _, start, boxes, _ in rows)
    left = 0.08 * max(len(text) for text, _, _, _ in rows)
    right = 0.08 * max(len(text) for _, _, _, text in rows)
    # Not narrower than its title and its legend.
    least = max(left + 0.11 * len(title), 0.08 * sum(len(str(key.get_label())) + 8 for key in keys) + 0.7)
    width = max(min(10.4, left + unit * (end - begin) + right + 0.6), least + 0.3)
    figure, axes = new_axes(title, size=(width, 0.55 * len(rows) + 0.5 + 0.3 * bool(keys)))
    # Names and notes are left and right of the axes, which become narrower when the figure is laid out.
    beside_axes: Any = {"va": "center", "transform": axes.get_yaxis_transform()}
    for y, (name, x, boxes, note) in enumerate(rows):
        axes.text(0, y, plain_label(f"{name} "), ha="right", **beside_axes)
        for text, width, look in boxes:
            letters = max(map(len, plain_label(text).split("\n")))
            font: dict[str, Any] = {"family": "monospace", "fontsize": 10 if letters <= 3 * width else 7, **look}
            draw_box(axes, (x + 0.04, y - 0.37), width - 0.08, 0.74, text, **font)
            x += width
        axes.text(1, y, plain_label(f"  {note}"), ha="left", **beside_axes)
    axes.set(xlim=(begin, end), ylim=(len(rows) - 0.5, -0.5))
    axes.axis("off")
    if keys:
        axes.legend(handles=keys, loc="upper left", bbox_to_anchor=(0, 0), ncols=len(keys), fontsize=9)
    return figure, axes


def token_box(token: bytes, look: Mapping[str, Any] = GREY) -> Box:
    """Return a box that is as wide as a token has bytes.

    >>> token_box(b" a", BARE)
    ('·a', 2, {'edge': 'none'})
    """
    return visible(token), len(token), look


def text_box(text: str, look: Mapping[str, Any], letters: int = 0) -> Box:
    """Return a box that is as wide as its text, or as a text of so many letters.

    >>> text_box("1234", BARE)
    ('1234', 2.0, {'edge': 'none'})
    """
    return text, 0.4 * max(letters, len(plain_label(text))) + 0.4, look
