"""Charts of lesson 18: which rules a tokenizer breaks, known and hidden words, and the best in two measures at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from minbpe_course.learning.charts import INK, MARKERS, PALETTE, draw_bars, finish, new_axes, plain_label

Point = tuple[float, float]


def draw_catches(failed: Mapping[str, Collection[str]], rules: Sequence[str], title: str) -> None:
    """Draw a cross where a tokenizer (a row) breaks a rule (a column).

    >>> draw_catches({"strips": {"blanks"}, "fine": set()}, ["blanks", "letters"], "Who is caught by what")
    """
    figure, axes = new_axes(title, size=(3.0 + 0.30 * len(rules), 1.9 + 0.27 * len(failed)))
    table = np.array([[rule in broken for rule in rules] for broken in failed.values()])
    for y, x in np.argwhere(table):
        axes.plot(x, y, marker="X", markersize=9, color=PALETTE[3], markeredgewidth=0)
    for y in np.flatnonzero(~table.any(axis=1)):
        axes.text(-0.4, y, "obeys them all", va="center", fontsize=9)
    axes.set_xticks(range(len(rules)), [plain_label(rule) for rule in rules], rotation=60, ha="right", fontsize=8)
    axes.set_yticks(range(len(failed)), [plain_label(name) for name in failed], fontsize=9)
    axes.set_xlim(-0.6, len(rules) - 0.4)
    axes.set_ylim(len(failed) - 0.4, -0.6)
    finish(figure)


def draw_known_and_hidden(bytes_per_token: Mapping[str, Point], title: str) -> None:
    """Draw two bars for each tokenizer: on known words only, and with made-up words.

    >>> draw_known_and_hidden({"gpt2": (2.5, 2.4)}, "Known and hidden")
    """
    figure, axes = new_axes(title, "", "bytes per token", (7.6, 3.4))
    known, hidden = ([pair[number] for pair in bytes_per_token.values()] for number in range(2))
    series = {"every word is in the course": known, "half the words are made up": hidden}
    for bars in draw_bars(axes, series):
        axes.bar_label(bars, fmt="%.1f", fontsize=9)
    axes.set_xticks(range(len(bytes_per_token)), [plain_label(name) for name in bytes_per_token])
    axes.grid(axis="x", visible=False)
    axes.set_ylim(0, axes.get_ylim()[1] * 1.18)
    axes.legend(loc="upper left", ncols=2)
    finish(figure)


def pareto(points: Mapping[str, Point]) -> list[str]:
    """Return the names that no other beats in both numbers, from left to right; larger is better.

    >>> pareto({"a": (1, 3), "b": (2, 2), "c": (1, 2), "d": (2, 2)})
    ['a', 'b', 'd']
    """
    best = [
        name
        for name, (x, y) in points.items()
        if not any(x1 >= x and y1 >= y and (x1 > x or y1 > y) for x1, y1 in points.values())
    ]
    return sorted(best, key=lambda name: (points[name][0], -points[name][1], name))


def draw_pareto(points: Mapping[str, Point], xlabel: str, ylabel: str, title: str, own: Collection[str] = ()) -> None:
    """Draw tokenizers as points, with a line through those that no other beats in both; own : drawn as stars.

    >>> draw_pareto({"mine": (0.5, 0.6), "gpt2": (0.4, 0.5)}, "compression", "fairness", "Two at once", own={"mine"})
    """
    figure, axes = new_axes(title, xlabel, ylabel, (7.2, 4.2))
    front = [points[name] for name in pareto(points)]
    xs, ys = zip(*front)
    axes.plot(xs, ys, linestyle="--", color=INK, zorder=1, label="nobody is better at both")
    for number, (name, (x, y)) in enumerate(points.items()):
        marker, size = ("*", 15) if name in own else (MARKERS[number % len(MARKERS)], 8)
        axes.plot(x, y, marker=marker, markersize=size, color=PALETTE[number % len(PALETTE)], linestyle="none")
    axes.margins(0.16)
    figure.canvas.draw()  # now places on the paper are known
    taken = [Bbox.from_bounds(x - 6, y - 6, 12, 12) for x, y in axes.transData.transform(list(points.values()))]
    for name, point in points.items():
        taken.append(_label_beside(axes, plain_label(name), point, taken))
    axes.legend(loc="lower right")
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
