"""Charts of lessons 02 and 04: a word shrinking merge by merge, diverging tie-break rules, trees of merges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from minbpe_course.learning.charts import (
    INK,
    PALE,
    PALETTE,
    draw_token,
    finish,
    new_axes,
    new_panels,
    pale_style,
    plain_label,
)
from minbpe_course.reference.recovery import MergeTree
from minbpe_course.showing import visible

_PLAIN: dict[str, Any] = {"fill": "#ececec", "hatch": ""}


def draw_merge_steps(rows: Sequence[tuple[str, Sequence[bytes]]], title: str) -> None:
    """Show a text after each step: one row for each ``(what happened, tokens)``, a box for each token.

    A box is as wide as its token has bytes, so the rows stay aligned. Single bytes are grey; each longer token has one
    colour wherever it occurs, and is written in its box.

    >>> draw_merge_steps([("start", [b"a", b"a", b"b"]), ("a + a", [b"aa", b"b"])], "two rows")
    """
    length = sum(map(len, rows[0][1]))
    widest = max(len(label) for label, _ in rows)
    size = min(10.5, 0.5 * length + 0.075 * widest + 1.6), 0.62 * len(rows) + 0.5
    figure, axes = new_axes(title, size=size)
    looks: dict[bytes, dict[str, Any]] = {}
    for row, (label, tokens) in enumerate(rows):
        axes.text(-0.35, -row, plain_label(label), ha="right", va="center")
        axes.text(length + 0.35, -row, f"{len(tokens)} ids", ha="left", va="center")
        x = 0
        for token in tokens:
            look = looks.setdefault(token, pale_style(len(looks))) if len(token) > 1 else _PLAIN
            draw_token(axes, x, -row, token, **look)
            x += len(token)
    axes.set_xlim(-0.17 * widest - 0.6, length + 2.4)
    axes.set_ylim(-len(rows) + 0.45, 0.6)
    axes.axis("off")
    finish(figure)


_SAME, _MOVED = "same token, same merge", "same token, learned at a different merge"
_OTHER = "a token the first rule never learns"


def draw_divergence(tokens: Mapping[str, Sequence[bytes]]) -> None:
    """Draw where rules diverge from the first one: a bar for each merge, low where they agree, tall where they differ.

    ``tokens`` maps the name of a rule to its tokens in the order learned; all rules made the same number of merges.

    >>> draw_divergence({"first": [b"ab", b"cd"], "other": [b"cd", b"ab"], "third": [b"ab", b"xy"]})
    """
    names = list(tokens)
    base = list(tokens[names[0]])
    figure, panels = new_panels(len(names) - 1, 1, (10, 1.15 * (len(names) - 1) + 1.1), sharex=True)
    for panel, name in zip(panels, names[1:]):
        _divergence_row(panel, base, tokens[name])
        panel.set_ylabel(plain_label(name).replace("-", "-\n"), rotation=0, ha="right", va="center")
    panels[0].set_title(f"Merge by merge, compared with {names[0]}", pad=26)
    style = {"fontsize": 9, "borderaxespad": 0.2, "handlelength": 1.2, "columnspacing": 1.2}
    panels[0].legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, **style)
    panels[-1].set_xlabel("merge")
    finish(figure)


def _divergence_row(axes: Axes, base: Sequence[bytes], tokens: Sequence[bytes]) -> None:
    known = set(base)
    kinds = [_SAME if a == b else _MOVED if b in known else _OTHER for a, b in zip(base, tokens)]
    looks = {_SAME: (0.3, INK), _MOVED: (0.62, PALETTE[4]), _OTHER: (1.0, PALETTE[3])}
    for kind, (height, colour) in looks.items():
        places = [at + 1 for at, this in enumerate(kinds) if this == kind]
        axes.bar(places, [height] * len(places), width=1.0, color=colour, label=kind, linewidth=0)
    axes.set_xlim(0.5, len(base) + 0.5)
    axes.set_ylim(0, 1.08)
    axes.set_yticks([])
    axes.grid(visible=False)


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
    axes.text(x, y, label, ha="center", va="center", fontsize=9, linespacing=1.25, color="black", bbox=box,
              zorder=2)  # fmt: skip
    return x, y
