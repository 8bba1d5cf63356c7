"""Differences with their intervals, in panels with one axis: which of them can be told from 0?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.ticker import NullFormatter, NullLocator

from minbpe_course.learning.charts import INK, finish, line_style, name_places, new_panels, plain_label

Difference = tuple[float, float, float]
Row = tuple[float, float, float, float]  # x, the difference, and the ends of its interval
SPREAD = 1.07  # between neighbours with one x, which stand side by side on the logarithmic axis


def draw_differences(
    panels: Mapping[str, Mapping[str, Mapping[str, Difference]]], title: str, xlabel: str, better: str = ""
) -> None:
    """Draw ``panels[panel][series][row]``, a difference and the ends of its interval, with a line at 0.

    better : what a row left of the line is, such as "fewer bits"; it is written above the axis.

    >>> draw_differences({"clean": {"600": {"dropout": (-0.02, -0.09, 0.03)}}}, "Minus BPE", "bits per byte")
    """
    rows = list(next(iter(next(iter(panels.values())).values())))
    number = max(map(len, panels.values()))
    figure, every = new_panels(len(panels), (8.4, 1.5 + 0.24 * len(rows) * (number + 0.4)), sharex=True)
    for axes, (panel, series) in zip(every, panels.items()):
        axes.axvline(0, color=INK, linewidth=1.2)
        for place, (name, found) in enumerate(series.items()):
            style = line_style(place) | {"linestyle": "none"}
            at = [row + (place - (number - 1) / 2) * 0.3 for row in range(len(rows))]
            for height, row in zip(at, rows):
                _, low, high = found[row]
                axes.plot([low, high], [height] * 2, color=style["color"], linewidth=2.4, marker="|", markersize=8)
            axes.plot([found[row][0] for row in rows], at, label=plain_label(name), markersize=6, **style)
        axes.set(title=panel, xlabel=xlabel)
        axes.grid(axis="y", visible=False)
        name_places(axes.yaxis, rows)
        axes.set_ylim(len(rows) - 0.5, -0.5)
    figure.legend(*every[0].get_legend_handles_labels(), loc="lower center", ncols=number, bbox_to_anchor=(0.5, -0.06))
    figure.suptitle(f"{title}{f' (left: {better})' if better else ''}")
    finish(figure)


def draw_differences_by_size(
    panels: Mapping[str, Mapping[str, Sequence[Row]]], title: str, xlabel: str, ylabel: str
) -> None:
    """Draw each difference as a mark with a bar for its interval, and a line where both methods are equal.

    panels : ``panels[kind][name]`` has rows (x, difference, low, high); every panel has the same names. Rows with one
    x, such as those of several seeds, are drawn side by side.

    >>> rows = [(500, -0.2, -0.3, -0.1), (500, -0.1, -0.2, 0.0), (1000, 0.1, 0.0, 0.2)]
    >>> draw_differences_by_size({"code": {"bits": rows}}, "New minus old", "pieces", "difference")
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
