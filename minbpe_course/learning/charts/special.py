"""Charts of lesson 05: a conversation as a ribbon of tokens, and the matrix of allowed and disallowed tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from minbpe_course.learning.charts import INK, draw_box, finish, hide_frame, new_axes, plain_label
from minbpe_course.showing import visible

_ROW_LENGTH = 88  # characters of a monospaced row, boxes and gaps included
# Pale fills of Okabe and Ito's colours, each with its own hatch. A special token also has a thick border.
_AUTHORS = ("frame", "system", "user", "assistant")  # the same look in every ribbon
_FILLS = ("#dcecf7", "#fdeccc", "#d3eee5", "#f4dfeb", "#eeeeee")
_HATCHES = ("", "////", "....", "xxxx", "----")


def draw_ribbon(
    tokens: Sequence[bytes | str],
    kinds: Sequence[str],
    *,
    special: Sequence[bool],
    trained: Sequence[bool] | None = None,
    title: str = "",
) -> None:
    """Draw tokens one after the other, filled by kind, special ones in a thick border, trained ones underlined.

    tokens, kinds, special, trained : one entry for each token; a kind is its author: frame, system, user,
        assistant, which look the same in every ribbon, or one other.

    >>> draw_ribbon([b"<|start|>", b"hi"], ["frame", "user"], special=[True, False], title="A turn")
    """
    rows = _rows([visible(token) for token in tokens])
    figure, axes = new_axes("", size=(10, 0.95 + 0.46 * (rows[-1][1] + 1 if rows else 1)))
    axes.axis("off")
    order = list(dict.fromkeys([*_AUTHORS, *kinds]))
    for number, (start, row, text) in enumerate(rows):
        style = order.index(kinds[number]) % len(_FILLS)
        _token_box(axes, start, row, text, style, special[number])
        if trained is not None and trained[number]:
            line = (start + 0.15, start + len(text) + 0.65)
            axes.plot(line, (-row - 0.49, -row - 0.49), color=INK, linewidth=2.6, solid_capstyle="butt")

    marks: list[Patch | plt.Line2D] = [
        Patch(facecolor=_FILLS[at % len(_FILLS)], hatch=_HATCHES[at % len(_FILLS)], edgecolor=INK, label=kind)
        for at, kind in enumerate(order)
        if kind in kinds
    ]
    marks.append(Patch(facecolor="none", edgecolor=INK, linewidth=2, label="special token"))
    if trained is not None:
        marks.append(plt.Line2D([], [], color=INK, linewidth=2.6, label="counts toward the loss"))
    axes.legend(handles=marks, loc="lower left", bbox_to_anchor=(-0.005, 1.0), ncols=len(marks), fontsize=9)
    axes.set_title(title, pad=30)
    axes.set_xlim(-0.4, _ROW_LENGTH + 1)
    axes.set_ylim(-(rows[-1][1] if rows else 0) - 0.65, 0.6)
    finish(figure)


def who_wrote(tokens: Sequence[bytes], parts: Sequence[tuple[str, str, bool]]) -> list[str]:
    """Return the author of each token: the one of its first byte.

    tokens : all tokens of a text. parts : (author, text, is it a special token) of that text.

    >>> who_wrote([b"<|end|>", b"hi", b"!"], [("frame", "<|end|>", True), ("user", "hi!", False)])
    ['frame', 'user', 'user']
    """
    authors = [author for author, text, _ in parts for _ in text.encode("utf-8")]
    starts = accumulate(map(len, tokens), initial=0)
    return [authors[start] for start, _ in zip(starts, tokens)]


def draw_matrix(cells: Mapping[tuple[str, str], str], *, rows: str, columns: str, title: str = "") -> None:
    """Draw a table of outcomes: ``cells[row, column]`` is a word or two, equal words look equal. At most five words.

    rows, columns : the names of the labels on the left and at the top.

    >>> draw_matrix({("none", "all"): "raises", ("all", "all"): "special"}, rows="allowed", columns="disallowed")
    """
    left = list(dict.fromkeys(row for row, _ in cells))
    top = list(dict.fromkeys(column for _, column in cells))
    words = list(dict.fromkeys(cells.values()))
    figure, axes = new_axes("", size=(1.7 + 1.75 * len(top), 1.1 + 0.52 * len(left)))
    for (row, column), word in cells.items():
        x, y, style = top.index(column), left.index(row), words.index(word) % len(_FILLS)
        draw_box(axes, (x + 0.01, y + 0.03), 0.98, 0.94, fill=_FILLS[style], hatch=_HATCHES[style], edge="none")
        axes.text(x + 0.5, y + 0.5, word, ha="center", va="center", fontsize=11, color="black", bbox=_PLATE)
    axes.set_xlim(0, len(top))
    axes.set_ylim(len(left), 0)
    axes.set_xticks([x + 0.5 for x in range(len(top))], [plain_label(label) for label in top])
    axes.set_yticks([y + 0.5 for y in range(len(left))], [plain_label(label) for label in left])
    axes.tick_params(labelfontfamily="monospace", labeltop=True, labelbottom=False)
    axes.xaxis.set_label_position("top")
    axes.set_xlabel(columns, labelpad=8)
    axes.set_ylabel(rows, labelpad=8)
    hide_frame(axes)
    axes.set_title(title, pad=12)
    finish(figure)


_PLATE = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "none", "alpha": 0.9}


def _rows(texts: Sequence[str]) -> list[tuple[float, int, str]]:
    """Return (start, row, text) of every box; a text of more than 40 characters is shortened."""
    placed, start, row = [], 0.0, 0
    for text in texts:
        shown = plain_label(text if len(text) <= 40 else text[:39] + "…")
        if start and start + len(shown) + 1 > _ROW_LENGTH:
            start, row = 0.0, row + 1
        placed.append((start, row, shown))
        start += len(shown) + 1.05
    return placed


def _token_box(axes: Axes, start: float, row: int, text: str, style: int, special: bool) -> None:
    frame: dict[str, Any] = {"linewidth": 2.0} if special else {"linewidth": 0.7}
    look: dict[str, Any] = {"fill": _FILLS[style], "hatch": _HATCHES[style], "hatch_colour": "#ffffff", **frame}
    draw_box(axes, (start, -row - 0.36), len(text) + 0.8, 0.72, **look)
    plate = _PLATE | {"boxstyle": "square,pad=0.06", "alpha": 0.8}
    middle = start + len(text) / 2 + 0.4
    axes.text(middle, -row, text, ha="center", va="center", family="monospace", fontsize=9.5, color="black",
              bbox=plate)  # fmt: skip
