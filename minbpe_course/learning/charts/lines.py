"""Named lines, the chart of most measurements in the lessons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter

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
) -> None:
    """Draw a line for each name through its points: (x, y), or (x, y, how uncertain y is in either direction).

    log : the logarithmic axes, "x", "y" or "xy". joined : False for the points alone. least : mark the smallest value
    of each line. front : a wide pale line through the points that no other beats with a smaller x and a larger y.

    >>> draw_lines({"heap": [(10, 21), (20, 44)], "array": [(10, 100), (20, 400)]}, "Work", "merges", "looks", log="xy")
    """
    figure, axes = new_axes(title, xlabel, ylabel, size=(8.4, 3.6))
    every = {name: list(points) for name, points in lines.items()}
    if front:
        points = {point: (point[0], point[1]) for line in every.values() for point in line}
        axes.plot(*zip(*pareto_front(points)), color=FAINT, linewidth=9, solid_capstyle="round", label="beaten by none")
    for number, (name, line) in enumerate(every.items()):
        x, y, *uncertain = zip(*line)
        style = line_style(number) | ({} if joined else {"linestyle": "none"})
        axes.plot(x, y, label=plain_label(name), markevery=max(1, len(x) // 10) if joined else 1, **style)
        for width in uncertain:
            axes.fill_between(x, np.subtract(y, width), np.add(y, width), color=style["color"], alpha=0.2, linewidth=0)
        if least:
            at, lowest = min(zip(x, y), key=lambda point: point[1])
            axes.plot(at, lowest, marker="o", markersize=14, fillstyle="none", color=INK)
            axes.annotate(f"{at:,}", (at, lowest), (0, 10), textcoords="offset points", ha="center")
    use_logarithms(axes, log)
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
