"""Charts of lesson 17: the parameters of a model by purpose, and logits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from minbpe_course.learning.charts import PALETTE, finish, line_style, new_axes, plain_label


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
