"""Differences between two methods with their intervals, a panel for each kind of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minbpe_course.learning.charts import INK, finish, line_style, new_panels

Row = tuple[float, float, float, float]  # x, the difference, and the ends of its interval
SPREAD = 0.09  # between measurements at one x, as a share of the distance to the next


def draw_differences(
    panels: Mapping[str, Mapping[str, Sequence[Row]]], title: str, xlabel: str, ylabel: str
) -> None:
    """Draw each difference as a mark with a bar for its interval, and a line where both methods are equal.

    panels : ``panels[kind][name]`` has rows (x, difference, low, high). Each different x gets the same room; rows with
    one x, such as those of several seeds, are drawn next to each other.

    >>> rows = [(500, -0.2, -0.3, -0.1), (500, -0.1, -0.2, 0.0), (1000, 0.1, 0.0, 0.2)]
    >>> draw_differences({"code": {"bits": rows}}, "New minus old", "pieces", "difference")
    """
    figure, every = new_panels(len(panels), (9.0, 3.9), sharey=True)
    for axes, (kind, series) in zip(every, panels.items()):
        sizes = sorted({x for rows in series.values() for x, *_ in rows})
        room = {x: max(sum(row[0] == x for row in rows) for rows in series.values()) for x in sizes}
        axes.axhline(0, color=INK, linewidth=1)
        for number, (name, rows) in enumerate(series.items()):
            style = line_style(number) | {"linestyle": "none"}
            seen = dict.fromkeys(sizes, 0)
            places = []
            for x, *_ in rows:
                column = number * room[x] + seen[x]
                places.append(sizes.index(x) + SPREAD * (column - (len(series) * room[x] - 1) / 2))
                seen[x] += 1
            _, values, low, high = zip(*rows)
            axes.plot(places, values, label=name, markersize=5, **style)
            axes.vlines(places, low, high, color=style["color"], linewidth=1.6)
        axes.set_xticks(range(len(sizes)), [f"{x:,.0f}" for x in sizes])
        axes.set(title=kind, xlabel=xlabel, xlim=(-0.5, len(sizes) - 0.5))
    every[0].set_ylabel(ylabel)
    figure.suptitle(title)
    every[0].figure.legend(
        *every[0].get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0.02), ncols=len(series)
    )
    finish(figure)
