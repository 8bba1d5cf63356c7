"""Charts of lesson 16: cuts of numbers, glitch tokens."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.patches import Patch

from minbpe_course.learning.charts import (
    INK,
    MARKERS,
    PALETTE,
    draw_box,
    finish,
    house_style,
    new_axes,
    new_panels,
    pale_style,
    plain_label,
)

# From light to dark, so that the map can be read without colours: a darker number is cut into more parts.
_CUTS = {
    "one token": "#F3E9C6",
    "three digits, then one": "#7CC4EC",
    "two digits first": "#D99A2B",
    "one digit first": "#0A6A9E",
    "three tokens or more": "#7A1F3D",
}
_A_ROW = 100


def kind_of_cut(lengths: Sequence[int]) -> str:
    """Name how a number is cut, from the lengths of its tokens.

    >>> kind_of_cut([4]), kind_of_cut([1, 3]), kind_of_cut([1, 1, 1])
    ('one token', 'one digit first', 'three tokens or more')
    """
    if len(lengths) == 1:
        return "one token"
    if len(lengths) > 2:
        return "three tokens or more"
    return {1: "one digit first", 2: "two digits first"}.get(lengths[0], "three digits, then one")


def draw_integers(cuts: Mapping[str, Sequence[Sequence[int]]], title: str) -> None:
    """Draw a map of the integers from 0 on for each tokenizer, a hundred to a row; darker means more parts.

    cuts : name -> for each integer the lengths of its tokens, in digits.

    >>> draw_integers({"digits": [[1] * len(str(n)) for n in range(1000)]}, "Cut into digits")
    """
    house_style()
    figure = plt.figure(figsize=(3.9 * len(cuts), 5.4))
    # The row below the maps is for the legend: tight_layout makes room for axes, not for legends of a figure.
    grid = figure.add_gridspec(2, len(cuts), height_ratios=(7, 1))
    names = list(_CUTS)
    counts: list[Counter[str]] = []
    for number, (name, lengths) in enumerate(cuts.items()):
        axes = figure.add_subplot(grid[0, number])
        kinds = [kind_of_cut(one) for one in lengths]
        counts.append(Counter(kinds))
        rows = math.ceil(len(kinds) / _A_ROW)
        values = np.full(rows * _A_ROW, np.nan)
        values[: len(kinds)] = [names.index(kind) for kind in kinds]
        colours, norm = ListedColormap(list(_CUTS.values())), BoundaryNorm(range(len(names) + 1), len(names))
        picture, extent = values.reshape(rows, _A_ROW), (0, _A_ROW, rows * _A_ROW, 0)
        axes.imshow(picture, cmap=colours, norm=norm, extent=extent, aspect="auto", interpolation="nearest")
        axes.set_title(name)
        axes.set_xlabel("its last two digits")
        axes.set_ylabel("the number" if number == 0 else "")
        axes.grid(visible=False)
    marks = [
        Patch(facecolor=colour, edgecolor=INK, label=f"{kind}: {' / '.join(f'{one[kind]:,}' for one in counts)}")
        for kind, colour in _CUTS.items()
    ]
    below = figure.add_subplot(grid[1, :])
    below.axis("off")
    below.legend(handles=marks, loc="center", ncols=3 if len(cuts) > 1 else 1, fontsize=9)
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    finish(figure)


def draw_places(sums: Mapping[str, Sequence[Sequence[str]]], title: str) -> None:
    """Draw sums as one writes them by hand, with aligned digits and a box around every token.

    sums : label -> the two numbers and their sum, each as the digits of its tokens.

    >>> draw_places({"from the left": [["999"], ["1"], ["100", "0"]]}, "A carry moves every border")
    """
    figure, panels = new_panels(1, len(sums), (2.75 * len(sums), 2.1))
    widest = max(len("".join(row)) for rows in sums.values() for row in rows)
    for axes, (label, rows) in zip(panels, sums.items()):
        for line, (sign, tokens) in enumerate(zip(("", "+", "="), rows)):
            _number(axes, -line, tokens)
            axes.text(-widest - 0.7, -line, sign, ha="center", va="center", fontsize=13)
        axes.plot((-widest - 0.9, 0.1), (-1.5, -1.5), color=INK, linewidth=1.2)
        axes.set_title(label, fontsize=10)
        axes.set_xlim(-widest - 1.1, 0.3)
        axes.set_ylim(-2.6, 0.6)
        axes.axis("off")
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    finish(figure)


def _number(axes: Axes, height: float, tokens: Sequence[str]) -> None:
    left = -len("".join(tokens))
    for number, token in enumerate(tokens):
        corner, width = (left + 0.06, height - 0.4), len(token) - 0.12
        draw_box(axes, corner, width, 0.8, linewidth=1.3, **pale_style(number % 2))
        for at, digit in enumerate(token):
            axes.text(left + at + 0.5, height, digit, ha="center", va="center", fontsize=12, color="black")
        left += len(token)


def draw_untrained(
    seen: Sequence[int],
    scores: Sequence[float],
    known: Sequence[int],
    title: str,
    ylabel: str,
    names: Mapping[int, str],
) -> None:
    """Draw one mark for each token: how often it was seen, and its score.

    seen, scores : one entry for each id. known : ids that can never be seen. names : id -> label of the tokens to name.

    >>> draw_untrained([0, 5, 0], [0.1, 0.9, 0.2], [2], "A model of three tokens", "distance", {0: "glitch"})
    """
    figure, axes = new_axes(title, "times seen in training", ylabel, size=(7.4, 3.5))
    groups = {
        "seen": [at for at, times in enumerate(seen) if times],
        "never seen": [at for at, times in enumerate(seen) if not times and at not in known],
        "can never be seen": list(known),
    }
    # Tokens that were never seen would overlap at 0, so their ids spread them a little.
    across = [times or 0.38 + 0.03 * (at % 9) for at, times in enumerate(seen)]
    for style, (label, ids) in zip((0, 3, 4), groups.items()):
        look: dict[str, Any] = {"s": 16, "color": PALETTE[style], "marker": MARKERS[style], "alpha": 0.7}
        places, heights = [across[at] for at in ids], [scores[at] for at in ids]
        axes.scatter(places, heights, linewidths=0, label=f"{label} ({len(ids)})", zorder=3, **look)
    axes.set_xscale("log")
    ticks = [1, 10, 100, 1000]
    axes.set_xticks([0.5, *ticks], ["0", *map(str, ticks)])
    axes.xaxis.set_minor_locator(plt.NullLocator())
    for step, (at, label) in enumerate(names.items()):
        arrow = {"arrowstyle": "-", "color": INK, "linewidth": 0.7}
        place, aside = (across[at], scores[at]), (0.02, 0.94 - 0.08 * step)
        axes.annotate(plain_label(label), place, aside, textcoords="axes fraction", fontsize=8, arrowprops=arrow)
    axes.legend(loc="lower right")
    finish(figure)
