"""Bars, the chart of numbers by name."""

from __future__ import annotations

from collections.abc import Mapping

from minbpe_course.learning.charts import bar_style, finish, legend_beside, name_places, new_axes
from minbpe_course.learning.charts.description import short_number


def grouped_bars(numbers: Mapping[str, Mapping[str, float]], title: str, xlabel: str, *, log: bool = False) -> None:
    """Draw ``numbers[group][name]`` as horizontal bars, a group below the other, all with the same names.

    log : make the axis logarithmic.

    >>> grouped_bars({"a b": {"exact": 0.75, "drawn": 0.7}, "ab": {"exact": 0.25, "drawn": 0.3}}, "Two cuts", "share")
    """
    names = list(next(iter(numbers.values())))
    figure, axes = new_axes(title, xlabel, size=(8.4, 1.0 + 0.21 * len(numbers) * (len(names) + 0.6)))
    thick = 0.84 / len(names)
    for number, name in enumerate(names):
        places = [group + (number - (len(names) - 1) / 2) * thick for group in range(len(numbers))]
        bars = axes.barh(places, [row[name] for row in numbers.values()], thick, label=name, **bar_style(number))
        axes.bar_label(bars, fmt=short_number, fontsize=8, padding=2)
    name_places(axes.yaxis, numbers)
    axes.invert_yaxis()
    axes.margins(x=0.12)  # for the numbers
    axes.xaxis.set_major_formatter("{x:,g}")
    if log:
        axes.set(xscale="log", xlim=(min(min(row.values()) for row in numbers.values()) / 3, None))
    axes.grid(visible=False, axis="y")
    if len(names) > 1:
        legend_beside(axes)
    finish(figure)
