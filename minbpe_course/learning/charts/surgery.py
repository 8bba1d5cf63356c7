"""Charts of lesson 17: losses after surgery, the parameters of a model by purpose, and the cost of pruning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from minbpe_course.learning.charts import INK, PALETTE, bar_style, finish, line_style, new_axes, new_panels, plain_label


class Curve(NamedTuple):
    """One line: places, values, and how far each value is uncertain in either direction (or None)."""

    x: Sequence[float]
    y: Sequence[float]
    either_way: Sequence[float] | None = None


def draw_curves(
    curves: Mapping[str, Curve], title: str, xlabel: str, ylabel: str, level: tuple[str, float] | None = None
) -> None:
    """Draw lines, with bars of uncertainty where there are some, and if wanted a level line with its name.

    >>> draw_curves({"mean": Curve([0, 5], [2.5, 2.4], [0.01, 0.02])}, "After surgery", "steps", "bits per byte")
    """
    wide = len(curves) > 1
    figure, axes = new_axes(title, xlabel, ylabel, size=(6.7, 2.5) if wide else (4.4, 2.2))
    span = max(max(curve.x) for curve in curves.values())
    for number, (name, curve) in enumerate(curves.items()):
        # Shifted sideways, because overlapping error bars cannot be read.
        aside = 0.006 * span * number if curve.either_way is not None else 0.0
        x = [place + aside for place in curve.x]
        axes.errorbar(x, curve.y, curve.either_way, label=name, capsize=3, elinewidth=1, **line_style(number))
    if level is not None:
        axes.axhline(level[1], color=INK, linewidth=1, linestyle=(0, (2, 2)), label=level[0])
    if wide:
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    finish(figure)


def draw_parameters(rows: Mapping[str, Mapping[str, int]], title: str) -> None:
    """Draw one bar for each model, cut into the purposes of its parameters, with the share of the first part.

    >>> draw_parameters({"small": {"vocabulary": 40, "the rest": 85}}, "Where the numbers are")
    """
    largest = max(sum(parts.values()) for parts in rows.values())
    unit, name = (1e6, "millions of parameters") if largest > 1e6 else (1e3, "thousands of parameters")
    figure, axes = new_axes(title, name, "", size=(6.8, 1.4 + 0.32 * len(rows)))
    left = np.zeros(len(rows))
    for number, part in enumerate(next(iter(rows.values()))):
        values = np.array([parts[part] for parts in rows.values()]) / unit
        axes.barh(range(len(rows)), values, left=left, height=0.62, label=part, **bar_style(number))
        left += values
    for place, (end, parts) in enumerate(zip(left, rows.values())):
        first, count = next(iter(parts.items()))
        axes.annotate(f"{count / sum(parts.values()):.0%} {first}", (end, place), (5, 0), textcoords="offset points",
                      va="center", fontsize=9)  # fmt: skip
    axes.set_xlim(0, 1.22 * max(left))
    axes.set_yticks(range(len(rows)), [plain_label(row) for row in rows])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_title(title, pad=28)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.01, 1.0), ncols=4, borderaxespad=0.2)
    finish(figure)


def draw_logits(values: Sequence[float], marks: Mapping[str, float], title: str) -> None:
    """Draw the distribution of logits, and a named line at each of a few positions.

    >>> draw_logits([-3.0, -2.5, 1.0], {"zero": 0.0, "the mean": -1.5}, "Logits")
    """
    figure, axes = new_axes(title, "logit", "old tokens, at all places", size=(6.8, 3.0))
    counts, _, _ = axes.hist(values, bins=60, color=PALETTE[4])
    highest = float(np.max(counts))
    axes.set_ylim(0, highest * (1.1 + 0.12 * len(marks)))  # the names are above the bars
    for number, (name, place) in enumerate(marks.items()):
        style = line_style((0, 3, 2)[number % 3])
        axes.axvline(place, color=style["color"], linestyle=style["linestyle"], linewidth=2)
        height = (1.0 + 0.12 * (len(marks) - number)) * highest
        right = place > np.mean(axes.get_xlim())
        axes.annotate(plain_label(name), (place, height), (-6 if right else 6, 0), textcoords="offset points",
                      ha="right" if right else "left", va="center", fontsize=9)  # fmt: skip
    finish(figure)


def draw_pruning(
    dropped: Sequence[int], losses: Mapping[str, Sequence[float]], parameters: Sequence[int], free: int, title: str
) -> None:
    """Draw the loss (above) and the numbers of the model (below) over how many tokens were dropped.

    free : how many can be dropped without loss; a line marks it.

    >>> draw_pruning([0, 9, 20], {"at once": [2.5, 2.5, 2.7]}, [76_000, 75_000, 74_000], 9, "Pruning")
    """
    figure, (above, below) = new_panels(2, 1, (6.4, 4.0), sharex=True, height_ratios=(2, 1))
    for number, (name, values) in enumerate(losses.items()):
        above.plot(dropped, values, label=name, **line_style(number))
    below.plot(dropped, np.asarray(parameters) / 1000, **line_style(2))
    for axes in (above, below):
        axes.axvline(free, color=INK, linewidth=1, linestyle=(0, (2, 2)))
    unused = f" {free} tokens that\n this text never uses"
    above.annotate(unused, (free, 1), xycoords=("data", "axes fraction"), va="top", fontsize=9)
    above.set_title(title)
    above.set_ylabel("bits per byte")
    below.set_ylabel("parameters\n(thousands)")
    below.set_xlabel("tokens dropped")
    above.legend(loc="center left")
    finish(figure)
