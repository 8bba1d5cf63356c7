"""The chart of lesson 00: the place of a tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch

from minbpe_course.learning.charts import INK, PALE, draw_box, finish, new_axes, pale_style
from minbpe_course.showing import visible

_ROW = 6.4  # height of one token's row


def draw_pipeline(tokens: Sequence[bytes | str], ids: Sequence[int], vocab_size: int) -> None:
    """Draw the path of a text: cut into ``tokens``, replaced by ``ids``, looked up as rows of numbers, and back.

    Good for up to about eight tokens. The numbers in the rows are random: only a trained model has real ones.

    >>> draw_pipeline([b"tea", b" time"], [15, 27], vocab_size=300)
    """
    top = _ROW * len(tokens)
    middle = top / 2
    figure, axes = new_axes("", size=(10, 2.0 + 0.42 * len(tokens)))
    axes.axis("off")

    draw_box(axes, (0, top + 12), 22, 11, "the tokenizer's\nown training text", fill=PALE[0])
    _arrow(axes, (22.5, top + 17.5), (29.5, top + 17.5))
    axes.text(26, top + 24, "learned once, before the model", ha="center", va="bottom", fontsize=9)
    draw_box(axes, (30, top + 12), 22, 11, f"vocabulary:\n{vocab_size:,} tokens", fill=PALE[2])

    draw_box(axes, (0, middle - 5), 16, 10, "text", fill=PALE[0])
    _arrow(axes, (16.5, middle), (51.5, middle), "encode")
    numbers = np.random.default_rng(0).random((len(tokens), 7))
    axes.imshow(numbers, cmap="gray", vmin=-0.2, vmax=1.2, extent=(96, 115, 0, top), aspect="auto")
    for row, (token, token_id) in enumerate(zip(reversed(tokens), reversed(ids), strict=True)):
        y = row * _ROW + 0.4
        draw_box(axes, (52, y), 18, _ROW - 0.8, visible(token), family="monospace", **pale_style(row % 2))
        axes.text(83, y + _ROW / 2 - 0.4, f"{token_id}", ha="right", va="center", family="monospace")
    for x, name in ((61, "tokens"), (81, "ids"), (105.5, "rows of numbers")):
        axes.text(x, top + 1, name, ha="center", fontsize=9)
    _arrow(axes, (84.5, middle), (95.5, middle), "look up")
    _arrow(axes, (115.5, middle), (120.5, middle))
    draw_box(axes, (121, middle - 9), 14, 18, "the\nlanguage\nmodel", fill=PALE[1])
    _arrow(axes, (135.5, middle), (140.5, middle))
    draw_box(axes, (141, middle - 6), 10, 12, "one\nmore\nid", fill=PALE[2])

    below = min(-6.0, middle - 15)
    # Both directions use the vocabulary.
    _arrow(axes, (46, top + 11.5), (46, middle + 0.5), style="--")
    _arrow(axes, (46, middle - 0.5), (46, below + 0.5), style="--")
    axes.plot([146, 146, 8], [middle - 6.5, below, below], color=INK, linewidth=1.3, linestyle="--")
    _arrow(axes, (8, below), (8, middle - 5.5), style="--")
    axes.text(77, below - 1.2, "decode: its bytes are appended to the text", ha="center", va="top", fontsize=9)
    axes.set_xlim(-1, 152)
    axes.set_ylim(below - 6, top + 29)
    finish(figure)


_ARROW: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 13, "color": INK, "linewidth": 1.3}


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], label: str = "", style: str = "-") -> None:
    axes.add_patch(FancyArrowPatch(start, end, linestyle=style, shrinkA=0, shrinkB=0, **_ARROW))
    if label:
        axes.text((start[0] + end[0]) / 2, start[1] - 1.6, label, ha="center", va="top", fontsize=9)
