"""Charts of lesson 00: the place of a tokenizer, and the cost of the same text in different languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from minbpe_course.learning.charts import FAINT, INK, finish, line_style, new_axes, plain_label
from minbpe_course.showing import visible

_BLUE, _ORANGE, _GREEN = "#dcecf7", "#fdeccc", "#d3eee5"
_ROW = 6.4  # height of one token's row
_DIMENSIONS = 7  # numbers drawn for each embedding


def draw_pipeline(tokens: Sequence[bytes | str], ids: Sequence[int], vocab_size: int) -> None:
    """Draw the path of a text: cut into ``tokens``, replaced by ``ids``, looked up as rows of numbers, and back.

    Good for up to about eight tokens. The numbers in the rows are random: only a trained model has real ones.

    >>> draw_pipeline([b"tea", b" time"], [15, 27], vocab_size=300)
    """
    top = _ROW * len(tokens)
    middle = top / 2
    figure, axes = new_axes("", size=(10, 2.0 + 0.42 * len(tokens)))
    axes.axis("off")

    _box(axes, 0, top + 12, 22, 11, "the tokenizer's\nown training text", _BLUE)
    _arrow(axes, (22.5, top + 17.5), (29.5, top + 17.5))
    axes.text(26, top + 24, "learned once, before the model", ha="center", va="bottom", **_SMALL)
    _box(axes, 30, top + 12, 22, 11, f"vocabulary:\n{vocab_size:,} tokens", _GREEN)
    _arrow(axes, (34, top + 11.5), (34, middle + 1.5), style="--")

    _box(axes, 0, middle - 5, 16, 10, "text", _BLUE)
    _arrow(axes, (16.5, middle), (51.5, middle), "encode")
    _token_rows(axes, 52, tokens, ids)
    _arrow(axes, (84.5, middle), (95.5, middle), "look up")
    _number_rows(axes, 96, len(tokens))
    _arrow(axes, (115.5, middle), (120.5, middle))
    _box(axes, 121, middle - 9, 14, 18, "the\nlanguage\nmodel", _ORANGE)
    _arrow(axes, (135.5, middle), (140.5, middle))
    _box(axes, 141, middle - 6, 10, 12, "one\nmore\nid", _GREEN)

    below = min(-6.0, middle - 15)
    axes.plot([146, 146, 8], [middle - 6.5, below, below], color=INK, linewidth=1.3, linestyle="--")
    _arrow(axes, (8, below), (8, middle - 5.5), style="--")
    axes.text(77, below - 1.2, "decode: its bytes are appended to the text", ha="center", va="top", **_SMALL)
    axes.set_xlim(-1, 152)
    axes.set_ylim(below - 6, top + 29)
    finish(figure)


_SMALL: dict[str, Any] = {"fontsize": 9}
_ARROW: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 13, "color": INK, "linewidth": 1.3}


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], label: str = "", style: str = "-") -> None:
    axes.add_patch(FancyArrowPatch(start, end, linestyle=style, shrinkA=0, shrinkB=0, **_ARROW))
    if label:
        axes.text((start[0] + end[0]) / 2, start[1] - 1.6, label, ha="center", va="top", **_SMALL)


def _box(axes: Axes, x: float, y: float, width: float, height: float, text: str, fill: str) -> None:
    shape = FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=1.6", fc=fill, ec=INK)
    axes.add_patch(shape)
    axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", fontsize=10, color="black")


def _token_rows(axes: Axes, x: float, tokens: Sequence[bytes | str], ids: Sequence[int]) -> None:
    for row, (token, token_id) in enumerate(zip(reversed(tokens), reversed(ids), strict=True)):
        y = row * _ROW
        axes.add_patch(Rectangle((x, y + 0.4), 18, _ROW - 0.8, fc=_ORANGE if row % 2 else _BLUE, ec=INK, lw=0.8))
        shown = plain_label(visible(token))
        axes.text(x + 9, y + _ROW / 2, shown, ha="center", va="center", family="monospace", color="black")
        axes.text(x + 31, y + _ROW / 2, f"{token_id}", ha="right", va="center", family="monospace")
    axes.text(x + 9, len(tokens) * _ROW + 1, "tokens", ha="center", **_SMALL)
    axes.text(x + 31, len(tokens) * _ROW + 1, "ids", ha="right", **_SMALL)


def _number_rows(axes: Axes, x: float, count: int) -> None:
    shades = np.random.default_rng(0).uniform(0.15, 0.9, size=(count, _DIMENSIONS))
    width = 19 / _DIMENSIONS
    for row in range(count):
        for column, shade in enumerate(shades[row]):
            corner = x + column * width, row * _ROW + 0.4
            axes.add_patch(Rectangle(corner, 0.9 * width, _ROW - 0.8, fc=str(shade), lw=0))
    axes.text(x + 9.5, count * _ROW + 1, "rows of numbers", ha="center", **_SMALL)


def draw_language_costs(counts: Mapping[str, Mapping[str, int]]) -> None:
    """Show how many tokens each tokenizer needs for the same text in different languages.

    ``counts`` maps a tokenizer to {language: number of tokens}; all tokenizers name the same languages. The languages
    are drawn from the cheapest to the dearest under the first tokenizer.

    >>> draw_language_costs({"old": {"English": 60, "Tamil": 800}, "new": {"English": 60, "Tamil": 110}})
    """
    first = next(iter(counts.values()))
    languages = sorted(first, key=first.__getitem__, reverse=True)
    figure, axes = new_axes("The same five sentences, in tokens", "tokens", size=(8, 0.8 + 0.3 * len(languages)))
    rows = range(len(languages))
    lowest = [min(table[language] for table in counts.values()) for language in languages]
    highest = [max(table[language] for table in counts.values()) for language in languages]
    axes.hlines(rows, lowest, highest, color=FAINT, linewidth=2, zorder=1)
    for number, (name, table) in enumerate(counts.items()):
        style = line_style(number) | {"linestyle": "none"}
        axes.plot([table[language] for language in languages], rows, label=name, markersize=7, **style)
    axes.set_yticks(rows, languages)
    axes.set_xlim(left=0)
    axes.grid(visible=False, axis="y")
    axes.axvline(first.get("English", 0), color=INK, linewidth=0.8, linestyle=":")
    axes.legend(loc="upper right")
    finish(figure)
