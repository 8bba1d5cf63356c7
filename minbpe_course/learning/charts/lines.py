"""Lines and points on two axes, the charts of most measurements in the lessons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter
from matplotlib.transforms import Bbox

from minbpe_course.learning.charts import FAINT, INK, finish, legend_beside, line_style, new_axes, plain_label
from minbpe_course.reference.measures import pareto_front


def draw_lines(
    lines: Mapping[str, Iterable[tuple[float, ...]]],
    title: str,
    xlabel: str,
    ylabel: str,
    *,
    log: str = "",
    joined: bool = True,
    least: bool = False,
    front: bool = False,
    xticks: Sequence[float] = (),
) -> None:
    """Draw a line for each name through its points: (x, y), (x, y, how uncertain y is), or (x, y, lower, upper limit).

    log : the logarithmic axes, "x", "y" or "xy". joined : False for the points alone. least : mark the smallest value
    of each line. front : a wide pale line through the points that no other beats with a smaller x and a larger y.
    xticks : the only places with numbers on the x axis, such as those that were measured.

    >>> draw_lines({"heap": [(10, 21), (20, 44)], "array": [(10, 100), (20, 400)]}, "Work", "merges", "looks", log="xy")
    """
    figure, axes = new_axes(title, xlabel, ylabel, size=(8.4, 3.6))
    every = {name: list(points) for name, points in lines.items()}
    if front:
        points = {point: (point[0], point[1]) for line in every.values() for point in line}
        axes.plot(*zip(*pareto_front(points)), color=FAINT, linewidth=9, solid_capstyle="round", label="Pareto front")
    for number, (name, line) in enumerate(every.items()):
        x, y, *uncertain = zip(*line)
        style = line_style(number) | ({} if joined else {"linestyle": "none"})
        axes.plot(x, y, label=plain_label(name), markevery=max(1, len(x) // 10) if joined else 1, **style)
        if uncertain:
            low, high = uncertain if len(uncertain) == 2 else (np.subtract(y, uncertain[0]), np.add(y, uncertain[0]))
            axes.fill_between(x, low, high, color=style["color"], alpha=0.2, linewidth=0)
        if least:
            at, lowest = min(zip(x, y), key=lambda point: point[1])
            axes.plot(at, lowest, marker="o", markersize=14, fillstyle="none", color=INK)
            axes.annotate(f"{at:,}", (at, lowest), (0, 10), textcoords="offset points", ha="center")
    use_logarithms(axes, log)
    if xticks:
        axes.set_xticks(xticks, [f"{place:,g}" for place in xticks])
    if len(every) > 1:
        legend_beside(axes)
    finish(figure)


def use_logarithms(axes: Axes, which: str) -> None:
    """Make the axes "x", "y" or both logarithmic, and write 1,000 instead of a power of ten where there is room."""
    for letter in which:
        axis = axes.xaxis if letter == "x" else axes.yaxis
        # The symmetrical scale has a place for 0.
        axes.set(**{f"{letter}scale": "log" if axis.get_data_interval()[0] > 0 else "symlog"})
        low, high = axis.get_view_interval()
        axis.set_minor_formatter(NullFormatter())
        if low > 1e-3 and high < 1e7:
            axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 500 * low else (1,)))
            axis.set_major_formatter(lambda value, _: f"{value:,g}" if value < 1 else f"{value:,.0f}")


Point = tuple[float, float]


def draw_points(points: Mapping[str, Point], title: str, xlabel: str, ylabel: str, *, log: str = "") -> None:
    """Draw a point with its name for each (x, y).

    log : the logarithmic axes, "x", "y" or "xy".

    >>> draw_points({"mine": (0.5, 0.6), "gpt2": (0.4, 0.5)}, "Two at once", "compression", "fairness")
    """
    figure, axes = new_axes(title, xlabel, ylabel, (7.4, 4.2))
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


def slopes(sizes: Sequence[float], values: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return the power with which each row of values grows: the slope of the straight line that fits it best when both
    axes are logarithmic, to two digits.

    >>> slopes([10, 20, 40], {"in proportion": [3, 6, 12], "quadratic": [5, 20, 80]})
    {'in proportion': 1.0, 'quadratic': 2.0}
    """
    found = {name: np.polyfit(np.log(sizes), np.log(row), 1)[0] for name, row in values.items()}
    return {name: round(float(slope), 2) for name, slope in found.items()}
