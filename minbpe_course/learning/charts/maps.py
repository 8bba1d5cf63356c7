"""Tables of cells, coloured by kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from minbpe_course.learning.charts import (
    INK,
    draw_box,
    finish,
    hide_frame,
    legend_beside,
    name_places,
    new_axes,
    new_panels,
    pale_keys,
    pale_styles,
    plain_label,
)

# From light to dark, so that a map can be read without colours.
_LIGHT_TO_DARK = ("#F3E9C6", "#7CC4EC", "#D99A2B", "#0A6A9E", "#7A1F3D")


def draw_maps(
    tables: Mapping[str, Sequence[Sequence[str]]],
    kinds: Sequence[str],
    xlabel: str,
    ylabel: str,
    *,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
) -> None:
    """Draw tables side by side: a cell is as dark as its kind is late in ``kinds``. The legend counts them.

    tables : title -> rows of cells, each of which is one of two to five kinds. rows, columns : names for them.

    >>> draw_maps({"Two words": [["no", "yes"], ["no", "no"]]}, ["no", "yes"], "merge", "word")
    """
    height = 0.34 * len(rows) + 1.2 if rows else 3.8
    figure, panels = new_panels(len(tables), (6.3 + 2.7 * len(tables), height + (1.2 if columns else 0)))
    colours = _LIGHT_TO_DARK[:: 4 // (len(kinds) - 1)][: len(kinds)]
    for axes, (title, table) in zip(panels, tables.items()):
        numbers = [[kinds.index(kind) for kind in row] for row in table]
        look = ListedColormap(colours)
        axes.imshow(numbers, cmap=look, vmin=0, vmax=len(kinds) - 1, aspect="auto", interpolation="nearest")
        axes.set(title=plain_label(title), xlabel=xlabel)
        axes.grid(visible=False)
        if rows:
            name_places(axes.yaxis, rows)
            axes.hlines([row + 0.5 for row in range(len(rows) - 1)], -0.5, len(table[0]) - 0.5, color=INK)
        if columns:
            axes.set_xticks(range(len(columns)), [plain_label(name) for name in columns], rotation=60, ha="right")
            axes.vlines([column + 0.5 for column in range(len(columns) - 1)], -0.5, len(table) - 0.5, color=INK)
    panels[0].set_ylabel(ylabel)
    # As many numbers as there are tables, in their order.
    counts = [
        " / ".join(f"{sum(list(row).count(kind) for row in table):,}" for table in tables.values()) for kind in kinds
    ]
    keys = [
        Patch(facecolor=colour, edgecolor=INK, label=f"{kind}: {count}")
        for kind, colour, count in zip(kinds, colours, counts)
    ]
    legend_beside(panels[-1], handles=keys)
    finish(figure)


def draw_bytes(letters: Sequence[str], kinds: Sequence[str], title: str, what: str = "byte") -> None:
    """Draw the letters of 256 bytes in a square, coloured by kind, and how many of each kind there are.

    what : the unit that a square stands for.

    >>> draw_bytes([f"{byte:02x}" for byte in range(256)], ["ASCII"] * 128 + ["other"] * 128, "Two halves")
    """
    figure, axes = new_axes(title, f"last hexadecimal digit of the {what}", "first digit", size=(8.2, 5.4))
    looks = pale_styles(kinds)
    for number, (letter, kind) in enumerate(zip(letters, kinds)):
        row, column = divmod(number, 16)
        draw_box(axes, (column, row), 1, 1, letter, **looks[kind])
    digits = [f"{value:x}" for value in range(16)]
    middles = [value + 0.5 for value in range(16)]
    axes.set_xticks(middles, digits, family="monospace")
    axes.set_yticks(middles, digits, family="monospace")
    axes.set(xlim=(0, 16), ylim=(16, 0), aspect="equal")
    hide_frame(axes)
    keys = pale_keys({f"{kind} ({kinds.count(kind)})": look for kind, look in looks.items()})
    axes.legend(handles=keys, loc="upper left", bbox_to_anchor=(1.02, 1.0))
    finish(figure)
