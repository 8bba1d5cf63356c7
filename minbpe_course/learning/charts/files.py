"""Charts of lesson 12: one token in several files, and GPT-2's letters for the 256 bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.patches import Rectangle

from minbpe_course.learning.charts import FAINT, INK, finish, ink_on, new_axes, plain_label

# Pale fills behind black letters; every part also has its own underline, for readers who do not see colours.
_PARTS = (("#fbe3b3", ":"), ("#bcdff5", "-"), ("#bfe6da", "--"), ("#f1d7e5", "-."), ("#e3e0f5", (0, (6, 1, 1, 1))))
_LETTER = 0.08  # inches: a letter of DejaVu Sans Mono at 10 points is drawn 8 dots wide, at 100 dots an inch
_ROW = 0.56


def draw_token_in_formats(rows: Mapping[str, Sequence[tuple[str, str]]], title: str) -> None:
    """Draw how a token is written in each format, its parts in the same colours everywhere.

    rows : name of the format -> pieces of the file in order, each with the name of the part of the token that it
    means, or "" for the text around the token.

    >>> draw_token_in_formats({"hex": [("0a", ""), ("68", "h"), ("69", "i")], "text": [("h", "h"), ("i", "i")]}, "hi")
    """
    parts = list(dict.fromkeys(part for pieces in rows.values() for _, part in pieces if part))
    widest = max(sum(len(plain_label(text)) for text, _ in pieces) for pieces in rows.values())
    margin = 1.2 * max(len(plain_label(name)) for name in rows) + 3  # bold letters are wider than those of code
    # The axes fill the figure, so that a unit is as wide as a letter; names and legend are inside them.
    width = max(margin + widest + 3, sum(len(plain_label(part)) for part in parts) + 8 * len(parts))
    figure, axes = new_axes(title, size=(width * _LETTER + 0.3, 0.95 + _ROW * len(rows)))
    for row, (name, pieces) in enumerate(rows.items()):
        axes.text(-1.6, row, plain_label(name), ha="right", va="center", fontweight="bold")
        axes.add_patch(Rectangle((-0.8, row - 0.4), widest + 1.6, 0.8, facecolor="none", edgecolor=FAINT))
        at = 0
        for text, part in pieces:
            shown = plain_label(text)
            wide = len(shown.replace("\\$", "$"))
            fill = "none"
            if part:
                fill, dash = _PARTS[parts.index(part) % len(_PARTS)]
                axes.add_patch(Rectangle((at, row - 0.26), wide, 0.52, facecolor=fill, linewidth=0))
                axes.plot([at, at + wide], [row + 0.26] * 2, color=INK, linewidth=1.5, linestyle=dash)
            axes.text(at, row, shown, va="center", family="DejaVu Sans Mono", fontsize=10, color=ink_on(fill))
            at += wide
    axes.set(xlim=(-margin, width - margin), ylim=(len(rows) + 0.2, -0.5))
    axes.axis("off")
    for number, part in enumerate(parts):
        fill, dash = _PARTS[number % len(_PARTS)]
        left = -margin + 1 + sum(len(plain_label(before)) + 7 for before in parts[:number])
        axes.add_patch(Rectangle((left, len(rows) - 0.36), 3, 0.36, facecolor=fill, linewidth=0))
        axes.plot([left, left + 3], [len(rows)] * 2, color=INK, linewidth=1.5, linestyle=dash)
        axes.text(left + 3.8, len(rows) - 0.18, plain_label(part), va="center", fontsize=9)
    for written in axes.texts:
        written.set_in_layout(False)  # otherwise the axes shrink, and a unit is narrower than a letter
    finish(figure)
