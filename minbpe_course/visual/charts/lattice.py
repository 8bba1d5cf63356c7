"""The pictures of lesson 10: a walk through a trie bit by bit, a lattice and its best path, how often each segmentation
is drawn, and what pruning costs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from minbpe_course.visual.charts import PALETTE, bar_style, finish, house_style, line_style, new_axes, plain_label
from minbpe_course.visual.tokens import visible

_LINE, _QUIET = "#444444", "#8a8a8a"
_PLATE: dict[str, Any] = {"boxstyle": "square,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 1.0}

# The four parts of a unit, from the highest bit: how many bits, their name, fill and hatch.
_PARTS = (
    (22, "offset to the children", "#cfe8f8", ""),
    (1, "is the offset times 256?", "#f1d7e5", "\\\\\\\\"),
    (1, "does a key end here?", "#fbe3b3", "////"),
    (8, "label: the byte that leads here", "#bfe6da", ""),
)


def draw_trie_walk(steps: Sequence[tuple[int, int, int]], result: str, title: str, *, legend: bool = True) -> None:
    """Show the units that a key visits in a double-array trie, one row of 32 bits for each byte of the key.

    steps : (byte, the place looked at, the unit found there), in order · result : what stands under the last row ·
    legend : say what the colours mean, once for several walks.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> draw_trie_walk([(0x61, 97, 0x00000561), (0x62, 103, 0x00000962)], "a key ends here", "two bytes")
    """
    house_style()
    figure, axes = plt.subplots(figsize=(10, 0.52 * len(steps) + (1.75 if legend else 1.05)))
    for row, (byte, place, unit) in enumerate(steps):
        axes.text(-0.5, -row, f"byte {byte:02X}: unit {place:,}", ha="right", va="center")
        column = 0
        for width, _, fill, hatch in _PARTS:
            box = (column, -row - 0.36), width, 0.72
            axes.add_patch(Rectangle(*box, facecolor=fill, hatch=hatch, edgecolor="#bbbbbb", linewidth=0))
            axes.add_patch(Rectangle(*box, fill=False, edgecolor=_LINE, linewidth=1.0))
            column += width
        for at, bit in enumerate(f"{unit:032b}"):
            axes.text(at + 0.5, -row, bit, ha="center", va="center", family="monospace", fontsize=9)
        sign = "✓" if unit & 0x800000FF == byte else "✗"
        axes.text(32.5, -row, f"{unit & 0xFF:02X} {sign}", ha="left", va="center")
    axes.text(-0.5, -len(steps), plain_label(result), ha="left", va="center")
    axes.set_xlim(-9.5, 36)
    axes.set_ylim(-len(steps) - 0.5, 0.6)
    axes.axis("off")
    axes.set_title(title)
    keys = [Patch(facecolor=fill, hatch=hatch, edgecolor=_LINE, label=name) for _, name, fill, hatch in _PARTS]
    if legend:
        axes.legend(handles=keys, ncols=2, loc="upper left", bbox_to_anchor=(0.16, -0.02), fontsize=9)
    finish(figure)


def draw_lattice(
    text: str, weights: Mapping[tuple[int, int], float], best: Collection[tuple[int, int]], title: str
) -> None:
    """Show the pieces of a text as arcs between the places where it may be cut.

    weights : (begin, end) of each piece in the text -> a number written at its arc · best : the arcs of a path, drawn
    thick. A piece of one character is a straight line, a longer one an arc above it.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> draw_lattice("ab", {(0, 1): -2.0, (1, 2): -3.0, (0, 2): -4.5}, [(0, 2)], "two ways")
    """
    house_style()
    longest = max((end - begin for begin, end in weights), default=1)
    figure, axes = plt.subplots(figsize=(min(10.0, 1.15 * len(text) + 0.8), 0.62 * longest + 1.3))
    for (begin, end), weight in sorted(weights.items(), key=lambda arc: (arc[0] in best, arc[0])):
        # From below: quiet arcs, their labels, the best path, its labels.
        style: dict[str, Any] = {"color": _QUIET, "linewidth": 1.0, "zorder": 1}
        if (begin, end) in best:
            style = {"color": PALETTE[0], "linewidth": 3.4, "zorder": 3}
        # Parabolas: where they come down they are far from what is written above the next place.
        turn = np.linspace(-1, 1, 60)
        middle, height = (begin + end) / 2, _height(begin, end)
        axes.plot(middle + (end - begin) / 2 * turn, height * (1 - turn**2), **style)
        label = f"{plain_label(visible(text[begin:end]))}\n{weight:.2f}"
        where = height if height else -0.36
        weightier = "bold" if (begin, end) in best else "normal"
        font: dict[str, Any] = {"fontsize": 9, "fontweight": weightier, "zorder": style["zorder"] + 1}
        axes.text(middle, where, label, ha="center", va="center", bbox=_PLATE, **font)
    axes.plot(range(len(text) + 1), [0] * (len(text) + 1), "o", color="black", markersize=7, zorder=5)
    for place in range(len(text) + 1):
        axes.text(place, -0.78, f"{place}", ha="center", va="center", color=_LINE, fontsize=9)
    axes.set_xlim(-0.3, len(text) + 0.3)
    axes.set_ylim(-1.0, _height(0, longest) + 0.5)
    axes.axis("off")
    axes.set_title(title)
    finish(figure)


def _height(begin: int, end: int) -> float:
    return 0.95 * (end - begin - 1)


def draw_shares(shares: Mapping[str, Mapping[str, float]], title: str, xlabel: str = "share of all draws") -> None:
    """Show horizontal bars, a group for each segmentation and a bar in it for each source of numbers.

    shares : name of a source -> segmentation -> number; the first source says which segmentations are shown, in its
    order, and what another source lacks counts as 0.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> draw_shares({"exact": {"a b": 0.75, "ab": 0.25}, "drawn": {"a b": 0.7, "ab": 0.3}}, "two ways to cut")
    """
    rows = list(next(iter(shares.values())))
    figure, axes = new_axes(title, xlabel, size=(8.6, 1.1 + 0.22 * len(rows) * (len(shares) + 0.6)))
    height = 0.84 / len(shares)
    for number, (name, values) in enumerate(shares.items()):
        places = [row + (number - (len(shares) - 1) / 2) * height for row in range(len(rows))]
        numbers = [values.get(row, 0.0) for row in rows]
        axes.barh(places, numbers, height, label=plain_label(name), **bar_style(number))
    axes.set_yticks(range(len(rows)), [plain_label(row) for row in rows])
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.legend(loc="lower right")
    finish(figure)


def draw_pruning(rounds: Iterable[tuple[str, int, float]], title: str) -> None:
    """Show bits for each character against the number of pieces, step by step: one sign where pieces were dropped,
    another where probabilities were estimated again.

    rounds : (what was done, pieces afterwards, bits a character afterwards); what was done is "estimate" or "prune", or
    how it began.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> draw_pruning([("estimate", 100, 2.0), ("prune", 75, 2.3), ("estimate", 75, 2.2)], "one round")
    """
    steps = list(rounds)
    figure, axes = new_axes(title, "pieces left", "bits for one character", size=(8.6, 3.8))
    axes.plot([size for _, size, _ in steps], [bits for _, _, bits in steps], color=_QUIET, linewidth=1.2, zorder=1)
    for number, kind in enumerate(dict.fromkeys(kind for kind, _, _ in steps)):
        at = [(size, bits) for own, size, bits in steps if own == kind]
        style = line_style(number) | {"linestyle": ""}
        axes.plot([size for size, _ in at], [bits for _, bits in at], label=plain_label(kind), zorder=2, **style)
    _falling(axes, [size for _, size, _ in steps])
    axes.legend(loc="upper center")
    finish(figure)


def _falling(axes: Axes, sizes: Sequence[int]) -> None:
    """Let the sizes fall from left to right, as training does, each written once, unless another stands in its way."""
    axes.set_xscale("log")
    axes.minorticks_off()
    shown: list[int] = []
    for size in sorted(set(sizes)):
        if not shown or size > 1.07 * shown[-1]:
            shown.append(size)
    axes.set_xticks(shown, [f"{size:,}" for size in shown], rotation=45, ha="right")
    axes.invert_xaxis()
