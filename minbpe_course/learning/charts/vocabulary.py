"""Charts of lesson 04: how tokens were merged, how the bytes were shuffled, and the content of a vocabulary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from minbpe_course.learning.charts import INK, PALETTE, finish, ink_on, new_axes, new_panels, plain_label
from minbpe_course.reference.recovery import MergeTree
from minbpe_course.showing import visible

_LEAF, _BRANCH, _ROOT = "#eeeeee", "#cfe8f8", "#fbe3b3"


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
    fill = _ROOT if root else _BRANCH if tree.parts else _LEAF
    box = {"boxstyle": "round,pad=0.25", "facecolor": fill, "edgecolor": INK, "linewidth": 0.8}
    label = f"{plain_label(visible(tree.token))}\n{tree.token_id}"
    axes.text(x, y, label, ha="center", va="center", fontsize=9, linespacing=1.25, color="black", bbox=box,
              zorder=2)  # fmt: skip
    return x, y


def draw_byte_shuffle(orders: Mapping[str, bytes]) -> None:
    """Draw one 16 x 16 map for each order of the 256 bytes: the field with number i shows the byte that has id i.

    A byte that prints in ASCII is shown as its character, any other in hexadecimal; the colour grows with its value.

    >>> draw_byte_shuffle({"ids in order": bytes(range(256)), "reversed": bytes(range(255, -1, -1))})
    """
    figure, all_axes = new_panels(1, len(orders), (5.0 * len(orders), 5.3))
    for axes, (name, order) in zip(all_axes, orders.items()):
        values = np.frombuffer(order, dtype=np.uint8).reshape(16, 16)
        fills = axes.imshow(values, cmap="cividis", vmin=0, vmax=255).to_rgba(values)
        for place, byte in enumerate(order):
            label = plain_label(chr(byte)) if 0x20 < byte < 0x7F else "space" if byte == 0x20 else f"{byte:02x}"
            row, column = divmod(place, 16)
            shade = ink_on(fills[row, column])
            weight = "bold" if 0x20 < byte < 0x7F else "normal"
            size = 6 if byte == 0x20 else 8
            axes.text(column, row, label, ha="center", va="center", color=shade, fontsize=size, weight=weight)
            if place and byte != order[place - 1] + 1:
                # A frame where the bytes stop being consecutive, so that the breaks do not depend on colour.
                corner = column - 0.5, row - 0.5
                axes.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=PALETTE[3], linewidth=2))
        axes.set_title(name)
        axes.set_xlabel("id modulo 16")
        axes.set_ylabel("first id of the row")
        axes.set_xticks(range(16), [*map(str, range(16))], fontsize=8)
        axes.set_yticks(range(16), [*map(str, range(0, 256, 16))], fontsize=8)
        axes.grid(False)
    finish(figure)
