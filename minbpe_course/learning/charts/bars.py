"""Charts of numbers by name: bars, and rows of markers or intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from minbpe_course.learning.charts import (
    FAINT,
    INK,
    MARKERS,
    PALETTE,
    bar_style,
    finish,
    legend_beside,
    line_style,
    name_places,
    new_axes,
    plain_label,
)
from minbpe_course.learning.charts.description import short_number
from minbpe_course.showing import visible


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


def draw_intervals(
    rows: Mapping[str, tuple[float, tuple[float, float]]], title: str, xlabel: str, base: float | None = None
) -> None:
    """Draw a value with the interval around it in each row. base : where to draw a line, such as at no difference.

    >>> draw_intervals({"mine": (4.2, (4.1, 4.4))}, "How sure", "bytes per token")
    """
    figure, axes = new_axes(title, xlabel, size=(8, 0.46 * len(rows) + 1.2))
    # These draw nothing; the description of the picture says the values with their names.
    ends = {"measured": 0, "lower limit": 1, "upper limit": 2}
    for name, at in ends.items():
        axes.plot([(value, *both)[at] for value, both in rows.values()], range(len(rows)), linestyle="none", label=name)
    if base is not None:
        axes.axvline(base, color=INK, linewidth=1.2)
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


def draw_entropies(text: bytes, entropies: Sequence[float], threshold: float, title: str) -> None:
    """Draw a bar of entropy for each byte, with a line at the threshold; a byte above it has another colour and hatch.

    >>> draw_entropies(b"the", [5.0, 2.0, 1.0], 2.5, "Where patches begin")
    """
    figure, axes = new_axes(
        title, "the byte that comes next", "entropy in bits", size=(max(4.0, 0.34 * len(text)), 2.9)
    )
    above = [number > threshold for number in entropies]
    for begins, number, hatch in ((True, 3, "///"), (False, 4, "")):
        places = [place for place, each in enumerate(above) if each is begins]
        axes.bar(
            places,
            [entropies[place] for place in places],
            label="begins a patch" if begins else "goes on",
            **bar_style(number) | {"hatch": hatch},
        )
    axes.axhline(threshold, color=INK, linewidth=1, linestyle=(0, (2, 2)), label=f"threshold {threshold:g}")
    name_places(axes.xaxis, (visible(bytes([byte])) for byte in text))
    axes.grid(axis="x", visible=False)
    legend_beside(axes)
    finish(figure)
