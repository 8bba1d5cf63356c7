"""Charts of lesson 05: a conversation as a ribbon of tokens, and the matrix of allowed and disallowed tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from matplotlib import pyplot as plt
from matplotlib.patches import Patch

from minbpe_course.learning.charts import (
    INK,
    draw_box,
    finish,
    hide_frame,
    new_axes,
    pale_keys,
    pale_style,
    plain_label,
)
from minbpe_course.showing import visible

_ROW_LENGTH = 88  # characters of a monospaced row, boxes and gaps included
_LOOKS = {author: pale_style(number) for number, author in enumerate(("frame", "system", "user", "assistant"))}


def draw_ribbon(
    tokens: Sequence[bytes | str],
    authors: Sequence[str],
    *,
    special: Sequence[bool],
    trained: Sequence[bool] | None = None,
    title: str,
) -> None:
    """Draw tokens one after the other, filled by author, special ones in a thick border, trained ones underlined.

    tokens, authors, special, trained : one entry for each token; authors are frame, system, user and assistant.

    >>> draw_ribbon([b"<|start|>", b"hi"], ["frame", "user"], special=[True, False], title="A turn")
    """
    rows = _rows([visible(token) for token in tokens])
    lowest = rows[-1][1]
    figure, axes = new_axes("", size=(10, 1.41 + 0.46 * lowest))
    axes.axis("off")
    for number, (start, row, text) in enumerate(rows):
        look: dict[str, Any] = {**_LOOKS[authors[number]], "linewidth": 2.0 if special[number] else 0.7}
        corner, width = (start, -row - 0.36), len(plain_label(text)) + 0.8
        draw_box(axes, corner, width, 0.72, text, family="monospace", fontsize=9.5, **look)
        if trained is not None and trained[number]:
            line = (start + 0.15, start + width - 0.15)
            axes.plot(line, (-row - 0.49, -row - 0.49), color=INK, linewidth=2.6, solid_capstyle="butt")

    marks: list[Any] = pale_keys({author: look for author, look in _LOOKS.items() if author in authors})
    marks.append(Patch(facecolor="none", edgecolor=INK, linewidth=2, label="special token"))
    if trained is not None:
        marks.append(plt.Line2D([], [], color=INK, linewidth=2.6, label="counts toward the loss"))
    axes.legend(handles=marks, loc="lower left", bbox_to_anchor=(-0.005, 1.0), ncols=len(marks), fontsize=9)
    axes.set_title(title, pad=30)
    axes.set_xlim(-0.4, _ROW_LENGTH + 1)
    axes.set_ylim(-lowest - 0.65, 0.6)
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


def draw_matrix(cells: Mapping[tuple[str, str], str], *, rows: str, columns: str, title: str) -> None:
    """Draw a table of outcomes: ``cells[row, column]`` is a word or two, equal words look equal.

    rows, columns : the names of the labels on the left and at the top.

    >>> draw_matrix({("none", "all"): "raises"}, rows="allowed", columns="disallowed", title="One text")
    """
    left = list(dict.fromkeys(row for row, _ in cells))
    top = list(dict.fromkeys(column for _, column in cells))
    words = list(dict.fromkeys(cells.values()))
    figure, axes = new_axes("", size=(1.7 + 1.75 * len(top), 1.1 + 0.52 * len(left)))
    for (row, column), word in cells.items():
        corner = top.index(column) + 0.01, left.index(row) + 0.03
        draw_box(axes, corner, 0.98, 0.94, word, edge="none", fontsize=11, **pale_style(words.index(word)))
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


def _rows(texts: Sequence[str]) -> list[tuple[float, int, str]]:
    """Return (start, row, text) of every box."""
    placed, start, row = [], 0.0, 0
    for text in texts:
        width = len(plain_label(text)) + 1.05
        if start and start + width > _ROW_LENGTH:
            start, row = 0.0, row + 1
        placed.append((start, row, text))
        start += width
    return placed
