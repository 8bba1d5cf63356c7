"""Read figures: the texts in them, and whether all of them are inside."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure


def texts(axes: Axes) -> list[str]:
    """Return the texts of a chart that are not empty."""
    return [text.get_text() for text in axes.texts if text.get_text()]


def legend(axes: Axes) -> list[str]:
    """Return the labels in the legend."""
    return [text.get_text() for text in axes.get_legend().get_texts()]


def is_inside(figure: Figure, margin: float = 0) -> bool:
    """Return whether every text and every label of a legend is inside the figure, up to a margin in pixels."""
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    found = [text for axes in figure.axes for text in axes.texts if text.get_text()]
    found += [text for axes in figure.axes if axes.get_legend() for text in axes.get_legend().get_texts()]
    boxes = [text.get_window_extent(renderer) for text in found]
    (left, bottom), (right, top) = figure.bbox.min - margin, figure.bbox.max + margin
    return all(left <= box.x0 and box.x1 <= right and bottom <= box.y0 and box.y1 <= top for box in boxes)
