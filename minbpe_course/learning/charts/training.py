"""Charts of lesson 07: the words that a merge changes, outdated heap entries, and speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.colors import ListedColormap

from minbpe_course.learning.charts import INK, PALETTE, bar_style, finish, new_axes, plain_label
from minbpe_course.learning.charts.description import short_number


def draw_touched(changed: Sequence[Sequence[int]], words: int) -> None:
    """Show which of the first ``words`` words each merge changes: a mark for each, merges from left to right.

    ``changed`` has one list of word numbers for each merge. Every word has its own row of the picture, so the share of
    it that is marked is the share of words that change.

    >>> draw_touched([[0, 3], [1]], 5)
    """
    shown = np.zeros((words, len(changed)), dtype=bool)
    for merge, places in enumerate(changed):
        shown[[place for place in places if place < words], merge] = True
    figure, axes = new_axes("Each mark is a word that a merge has changed", "merge", "word", size=(8, 3.8))
    looks = ListedColormap(["none", PALETTE[0]])
    extent = (0.5, len(changed) + 0.5, words + 0.5, 0.5)
    axes.imshow(shown, cmap=looks, vmin=0, vmax=1, extent=extent, aspect="auto", interpolation="nearest")
    axes.grid(visible=False)
    finish(figure)


def draw_heap(entries: Sequence[tuple[str, int | None, int]]) -> None:
    """Show the best pairs and what a heap has stored of them: ``(pair, stored count, true count)``, None for no entry.

    The filled bar is the true count, the outline the stored one. Outdated entries and lost pairs are hatched.

    >>> draw_heap([("i n", 80, 80), ("h e", 90, 12), ("t h", None, 9)])
    """
    title = "What is true (filled) and what the heap has stored (outline)"
    figure, axes = new_axes(title, "count of the pair", size=(8, 0.34 * len(entries) + 1.2))
    widest = max(max(stored or 0, true) for _, stored, true in entries)
    for row, (_, stored, true) in enumerate(entries):
        style, label = bar_style(0), f"{true:,}"
        if stored is None:
            style, label = bar_style(3), f"{true:,}, and the heap has no entry for it"
        elif stored != true:
            style, label = bar_style(1), f"{true:,}, but {stored:,} is stored"
        axes.barh(row, true, height=0.7, **style)
        axes.barh(row, stored or 0, height=0.7, facecolor="none", edgecolor=INK, linewidth=1.2)
        axes.text(max(stored or 0, true) + widest / 80, row, label, va="center", ha="left", fontsize=9)
    axes.set_yticks(range(len(entries)), [plain_label(pair) for pair, _, _ in entries], family="monospace")
    axes.invert_yaxis()
    axes.set_xlim(0, 1.45 * widest)
    axes.grid(visible=False)
    finish(figure)


def slopes(sizes: Sequence[float], values: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return the power with which each row of values grows: the slope of the straight line that fits it best when both
    axes are logarithmic, to two digits.

    >>> slopes([10, 20, 40], {"in proportion": [3, 6, 12], "quadratic": [5, 20, 80]})
    {'in proportion': 1.0, 'quadratic': 2.0}
    """
    found = {name: np.polyfit(np.log(sizes), np.log(row), 1)[0] for name, row in values.items()}
    return {name: round(float(slope), 2) for name, slope in found.items()}


def draw_ladder(seconds: Mapping[str, float], title: str) -> None:
    """Show the seconds of each way on a logarithmic axis, and how many times as fast as the first it is.

    >>> draw_ladder({"recounting": 4.0, "a heap": 0.2}, "Two rungs")
    """
    figure, axes = new_axes(title, "seconds", size=(8, 0.44 * len(seconds) + 1.1))
    first, left = next(iter(seconds.values())), min(seconds.values()) / 3
    for row, taken in enumerate(seconds.values()):
        axes.barh(row, taken - left, left=left, height=0.72, **bar_style(row))
        faster = f"    {short_number(first / taken)} times as fast" if row else ""
        axes.text(taken, row, f"  {taken:.2g} s{faster}", va="center", ha="left", fontsize=9)
    axes.set_yticks(range(len(seconds)), [plain_label(name) for name in seconds])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(left, 24 * max(seconds.values()))
    axes.grid(axis="y", visible=False)
    finish(figure)
