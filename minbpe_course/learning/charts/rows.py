"""Charts with a row for each name: numbers with their intervals, and the costs of several tokenizers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from minbpe_course.learning.charts import (
    FAINT,
    INK,
    MARKERS,
    PALETTE,
    finish,
    legend_beside,
    line_style,
    name_places,
    new_axes,
    plain_label,
)


def draw_intervals(rows: Mapping[str, tuple[float, tuple[float, float]]], title: str, xlabel: str) -> None:
    """Draw a value with the interval around it in each row.

    >>> draw_intervals({"mine": (4.2, (4.1, 4.4))}, "How sure", "bytes per token")
    """
    figure, axes = new_axes(title, xlabel, size=(8, 0.46 * len(rows) + 1.2))
    for row, (value, (low, high)) in enumerate(rows.values()):
        colour = PALETTE[row % len(PALETTE)]
        axes.plot([low, high], [row, row], color=colour, linewidth=3, solid_capstyle="butt", marker="|", markersize=11)
        axes.plot([value], [row], color=colour, marker=MARKERS[row % len(MARKERS)], markersize=8)
        axes.text(high, row, f"   {value:.3f}", va="center", ha="left", fontsize=9)
    name_places(axes.yaxis, rows)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.margins(x=0.16)
    axes.grid(axis="y", visible=False)
    finish(figure)


def draw_costs(costs: Mapping[str, Mapping[str, float]], title: str, xlabel: str, base: float = 1.0) -> None:
    """Draw ``costs[tokenizer][language]`` as a row of markers for each language, with a line at ``base``.

    >>> draw_costs({"gpt2": {"en": 1.0, "hi": 10.7}, "mine": {"en": 1.0, "hi": 3.5}}, "Premiums", "times English")
    """
    languages = list(next(iter(costs.values())))
    figure, axes = new_axes(title, xlabel, "", size=(8, 0.36 * len(languages) + 1.4))
    columns = [[of[language] for language in languages] for of in costs.values()]
    axes.hlines(range(len(languages)), np.min(columns, axis=0), np.max(columns, axis=0), color=FAINT, zorder=1)
    for number, (name, paid) in enumerate(zip(costs, columns)):
        style = line_style(number) | {"linestyle": "none"}
        axes.plot(paid, range(len(languages)), markersize=7, label=plain_label(name), **style)
    axes.axvline(base, color=INK, linestyle=":", linewidth=1.4)
    name_places(axes.yaxis, languages)
    axes.set_ylim(len(languages) - 0.5, -0.5)
    legend_beside(axes)
    finish(figure)
