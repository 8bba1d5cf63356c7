"""Differences from a base with their intervals, in panels with one axis: which of them can be told from 0?"""

from __future__ import annotations

from collections.abc import Mapping

from minbpe_course.learning.charts import INK, finish, line_style, name_places, new_panels, plain_label

Difference = tuple[float, float, float]


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
