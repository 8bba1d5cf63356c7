"""Charts of lessons 02 and 04: a word shrinking merge by merge, trees of merges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from minbpe_course.learning.charts import INK, PALE, finish, new_axes, pale_styles, plain_label
from minbpe_course.learning.charts.boxes import GREY, new_rows, token_box
from minbpe_course.reference.recovery import MergeTree
from minbpe_course.showing import visible


def draw_merge_steps(rows: Sequence[tuple[str, Sequence[bytes]]], title: str) -> None:
    """Show a text after each step: one row for each ``(what happened, tokens)``, a box for each token.

    A box is as wide as its token has bytes, so the rows stay aligned. Single bytes are grey; each longer token has one
    colour wherever it occurs, and is written in its box.

    >>> draw_merge_steps([("start", [b"a", b"a", b"b"]), ("a + a", [b"aa", b"b"])], "two rows")
    """
    looks = pale_styles(token for _, tokens in rows for token in tokens if len(token) > 1)
    boxes = [[token_box(token, looks.get(token, GREY)) for token in tokens] for _, tokens in rows]
    shown = [(label, 0, row, f"{len(row)} ids") for (label, _), row in zip(rows, boxes)]
    finish(new_rows(shown, title)[0])


def draw_merge_forest(trees: Sequence[MergeTree], title: str) -> None:
    """Draw how each token was merged: bytes at the bottom, a box with an id for each merge, the token at the top.

    Readable up to about twenty bytes in all.

    >>> he = MergeTree(b"he", 256, (MergeTree(b"h", 104), MergeTree(b"e", 101)))
    >>> draw_merge_forest([he], "how 'he' was merged")
    """
    width = sum(len(tree.token) for tree in trees) + 0.6 * (len(trees) - 1)
    height = max(map(_height, trees))
    figure, axes = new_axes(title, size=(min(11.0, 1.6 + 0.72 * width), 1.3 + 0.72 * height))
    axes.axis("off")
    left = 0.0
    for tree in trees:
        _grow(axes, tree, left, root=True)
        left += len(tree.token) + 0.6
    axes.set_xlim(-0.7, width - 0.3)
    axes.set_ylim(-0.55, height + 0.55)
    finish(figure)


def _height(tree: MergeTree) -> int:
    return 1 + max(map(_height, tree.parts)) if tree.parts else 0


def _grow(axes: Axes, tree: MergeTree, left: float, root: bool = False) -> tuple[float, float]:
    """Draw a tree whose first byte is at x = left; return the position of its root."""
    y = float(_height(tree))
    places, at = [], left
    for part in tree.parts:
        places.append(_grow(axes, part, at))
        at += len(part.token)
    x = float(np.mean([place[0] for place in places])) if places else left
    for number, place in enumerate(places):
        # A solid line to the left part, a dashed one to the right part.
        axes.plot([place[0], x], [place[1], y], color=INK, linewidth=1.2, linestyle=("-", "--")[number], zorder=1)
    fill = PALE[1] if root else PALE[0] if tree.parts else "#eeeeee"
    box = {"boxstyle": "round,pad=0.25", "facecolor": fill, "edgecolor": INK, "linewidth": 0.8}
    label = f"{plain_label(visible(tree.token))}\n{tree.token_id}"
    axes.text(x, y, label, ha="center", va="center", fontsize=9, linespacing=1.25, color="black", bbox=box, zorder=2)
    return x, y
