"""Maps, the chart of tables with many cells of a few kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from minbpe_course.learning.charts import INK, finish, legend_beside, name_places, new_panels, plain_label

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
