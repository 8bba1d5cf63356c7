"""Differences between two methods with their intervals, a panel for each kind of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.ticker import NullFormatter, NullLocator

from minbpe_course.learning.charts import INK, finish, line_style, new_panels

Row = tuple[float, float, float, float]  # x, the difference, and the ends of its interval
SPREAD = 1.07  # between neighbours with one x, which stand side by side on the logarithmic axis


def draw_differences(panels: Mapping[str, Mapping[str, Sequence[Row]]], title: str, xlabel: str, ylabel: str) -> None:
    """Draw each difference as a mark with a bar for its interval, and a line where both methods are equal.

    panels : ``panels[kind][name]`` has rows (x, difference, low, high); every panel has the same names. Rows with one
    x, such as those of several seeds, are drawn side by side.

    >>> rows = [(500, -0.2, -0.3, -0.1), (500, -0.1, -0.2, 0.0), (1000, 0.1, 0.0, 0.2)]
    >>> draw_differences({"code": {"bits": rows}}, "New minus old", "pieces", "difference")
    """
    figure, every = new_panels(len(panels), (9.0, 3.9), sharey=True)
    for axes, (kind, series) in zip(every, panels.items()):
        sizes = sorted({x for rows in series.values() for x, *_ in rows})
        columns = {x: [(name, at) for name, rows in series.items() for at, row in enumerate(rows) if row[0] == x]
                   for x in sizes}  # fmt: skip
        axes.axhline(0, color=INK, linewidth=1.4)
        for number, (name, rows) in enumerate(series.items()):
            style = line_style(number) | {"linestyle": "none"}
            sides = [columns[x].index((name, at)) - (len(columns[x]) - 1) / 2 for at, (x, *_) in enumerate(rows)]
            places = [x * SPREAD**side for (x, *_), side in zip(rows, sides)]
            _, values, low, high = zip(*rows)
            axes.plot(places, values, label=name, markersize=5, **style)
            axes.vlines(places, low, high, color=style["color"], linewidth=1.6)
        axes.set(title=kind, xlabel=xlabel, xscale="log", xlim=(sizes[0] / 1.5, sizes[-1] * 1.5))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xticks(sizes, [f"{x:,.0f}" for x in sizes])
    every[0].set_ylabel(ylabel)
    figure.suptitle(title)
    handles, names = every[0].get_legend_handles_labels()
    if len(names) > 1:
        figure.legend(handles, names, loc="upper center", bbox_to_anchor=(0.5, 0.02), ncols=len(names))
    finish(figure)
