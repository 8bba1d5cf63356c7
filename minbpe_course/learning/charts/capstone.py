"""Charts of lesson 18: which rules a tokenizer breaks, known and hidden words, and the best in two measures at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from minbpe_course.learning.charts import PALETTE, finish, new_axes, plain_label


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
