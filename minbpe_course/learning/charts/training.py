"""Charts of lesson 07: the words that a merge changes, outdated heap entries, and speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from minbpe_course.learning.charts import INK, PALETTE, bar_style, finish, new_axes, plain_label


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
    look: dict[str, Any]
    for row, (_, stored, true) in enumerate(entries):
        if stored is None:
            look, label = {"color": PALETTE[3], "hatch": "xxx"}, f"{true:,}, and the heap has no entry for it"
        elif stored != true:
            look, label = {"color": PALETTE[1], "hatch": "///"}, f"{true:,}, but {stored:,} is stored"
        else:
            look, label = {"color": PALETTE[0], "hatch": ""}, f"{true:,}"
        axes.barh(row, true, height=0.7, edgecolor="white", linewidth=0, **look)
        if stored is not None:
            axes.barh(row, stored, height=0.7, facecolor="none", edgecolor=INK, linewidth=1.2)
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
    """Show how long each way takes as bars, with the number and how many times as fast as the first one it is.

    The axis is logarithmic where the longest is more than ten times the shortest.

    >>> draw_ladder({"recounting": 4.0, "a heap": 0.2}, "Two rungs")
    """
    figure, axes = new_axes(title, "seconds", size=(8, 0.44 * len(seconds) + 1.1))
    first, longest, shortest = next(iter(seconds.values())), max(seconds.values()), min(seconds.values())
    wide = longest > 10 * shortest
    left = shortest / 3 if wide else 0.0
    for row, taken in enumerate(seconds.values()):
        axes.barh(row, taken - left, left=left, height=0.72, **bar_style(row))
        label = f"  {_readable(taken)}" + (f"    {_times(first / taken)} times as fast" if row else "")
        axes.text(taken, row, label, va="center", ha="left", fontsize=9)
    axes.set_yticks(range(len(seconds)), [plain_label(name) for name in seconds])
    axes.invert_yaxis()
    if wide:
        axes.set_xscale("log")
    axes.set_xlim(left, longest * (24 if wide else 1.5))
    axes.grid(axis="y", visible=False)
    finish(figure)


def _readable(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.5 else f"{seconds * 1000:.3g} ms"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 9.5 else f"{ratio:.1f}"
