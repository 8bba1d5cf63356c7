"""Read figures: their numbers, their texts, and whether all of these are inside and can be read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

HOSTILE = "中$x$\u202e\x00 \U0001f469\u200d\U0001f4bb"


def texts(axes: Axes) -> list[str]:
    """Return the texts of a chart that are not empty."""
    return [text.get_text() for text in axes.texts if text.get_text()]


def numbers(axes: Axes) -> dict[str, Any]:
    """Return for each named line its x and its y, and for each row of bars its values ("" : without a name)."""
    found: dict[str, Any] = {line.get_label(): [list(each) for each in line.get_data()] for line in axes.get_lines()}
    found |= {bars.get_label(): list(bars.datavalues) for bars in axes.containers if hasattr(bars, "datavalues")}
    return {"" if name.startswith("_container") else name: each for name, each in found.items() if name[:6] != "_child"}


def differ_without_colour(artists: Iterable[Any]) -> bool:
    """Return whether all lines differ in marker and dash, or all bars in their hatch."""
    looks = [
        (each.get_marker(), each.get_linestyle()) if hasattr(each, "get_marker") else each.get_hatch() or ""
        for each in artists
    ]
    return len(set(looks)) == len(looks)


def is_inside(figure: Figure, margin: float = 0) -> bool:
    """Return whether all titles, texts and labels of legends are inside the figure, up to a margin in pixels."""
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    found = [text for axes in figure.axes for text in axes.get_children() if isinstance(text, Text) and text.get_text()]
    found += [text for axes in figure.axes if axes.get_legend() for text in axes.get_legend().get_texts()]
    boxes = [text.get_window_extent(renderer) for text in found]
    (left, bottom), (right, top) = figure.bbox.min - margin, figure.bbox.max + margin
    return all(left <= box.x0 and box.x1 <= right and bottom <= box.y0 and box.y1 <= top for box in boxes)


def follows_the_page(figure: Figure) -> bool:
    """Return whether the background is transparent, and no black or white ink is drawn on it.

    A smooth edge shows it: where ink ends on the page, and not on a fill, its pixels are partly transparent.
    """
    *colour, alpha = np.moveaxis(np.asarray(figure.canvas.buffer_rgba()), -1, 0)  # type: ignore[attr-defined]
    smooth = (alpha > 40) & (alpha < 215)
    black, white = np.max(colour, axis=0) < 60, np.min(colour, axis=0) > 250
    return alpha[0, 0] == 0 and int(np.sum(smooth & (black | white))) < 10
