"""Named points on two axes, and the line through those that no other beats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from minbpe_course.learning.charts import INK, finish, line_style, new_axes, plain_label
from minbpe_course.learning.charts.lines import use_logarithms

Point = tuple[float, float]


def draw_points(
    points: Mapping[str, Point], title: str, xlabel: str, ylabel: str, *, log: str = "", front: Sequence[str] = ()
) -> None:
    """Draw a point with its name for each (x, y).

    log : the logarithmic axes, "x", "y" or "xy". front : the names of the points to connect, which no other beats.

    >>> draw_points({"mine": (0.5, 0.6), "gpt2": (0.4, 0.5)}, "Two at once", "compression", "fairness", front=["mine"])
    """
    figure, axes = new_axes(title, xlabel, ylabel, (7.4, 4.2))
    if front:
        line = zip(*(points[name] for name in front))
        axes.plot(*line, linestyle="--", color=INK, zorder=1, label="nobody is better at both")
        axes.legend(loc="lower right")
    for number, (x, y) in enumerate(points.values()):
        axes.plot(x, y, markersize=8, **line_style(number) | {"linestyle": "none"})
    axes.margins(0.16)
    use_logarithms(axes, log)
    figure.canvas.draw()  # now places on the paper are known
    taken = [Bbox.from_bounds(x - 6, y - 6, 12, 12) for x, y in axes.transData.transform(list(points.values()))]
    for name, point in points.items():
        taken.append(_label_beside(axes, plain_label(name), point, taken))
    finish(figure)


def _label_beside(axes: Axes, text: str, point: Point, taken: Sequence[Bbox]) -> Bbox:
    """Write a label on the first side of a point where it covers nothing; return its box."""
    sides = [(7, 5), (7, -13), (-7, 5), (-7, -13), (7, 17), (7, -25)]
    label = axes.annotate(text, point, xytext=sides[0], textcoords="offset points", fontsize=9)
    for x, y in sides:
        label.set(position=(x, y), horizontalalignment="left" if x > 0 else "right")
        if not any(label.get_window_extent().overlaps(other) for other in taken):
            break
    return label.get_window_extent()
