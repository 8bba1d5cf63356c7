"""Chart of lesson 10: the automata of small patterns, side by side."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from matplotlib.axes import Axes
from matplotlib.patches import Circle

from minbpe_course.learning.charts import INK, PALETTE, finish, hide_frame, new_panels, plain_label

_Table = Mapping[tuple[Hashable, str], tuple[Hashable, bool]]


def draw_automata(tables: Mapping[str, _Table]) -> None:
    """Draw each table as states and arrows; a double frame marks a state in which a word may end.

    tables : title -> (state, letter) -> (next state, whether a word may end before the letter). The first state is the
    start, the letter "" is the end of the text, and an empty next state means that no state follows.

    >>> draw_automata({"a": {(1, "a"): (2, False), (1, ""): ((), False), (2, "a"): ((), True), (2, ""): ((), True)}})
    """
    figure, panels = new_panels(len(tables), (3.6 * len(tables), 2.1), sharex=True, sharey=True)
    for axes, (title, table) in zip(panels, tables.items()):
        axes.set_title(plain_label(title), family="monospace")
        _draw(axes, table)
    across, up = zip(*(place for table in tables.values() for place in _places(table).values()))
    # Shared, so that all panels have one scale.
    panels[0].set(xlim=(-0.7, max(across) + 0.7), ylim=(min(up) - 0.6, max(up) + 1.1))
    finish(figure, " ".join(_in_words(title, table) for title, table in tables.items()))


def _in_words(title: str, table: _Table) -> str:
    """Say which letter leads from which state to which.

    >>> _in_words("a", {(1, "a"): (2, False), (1, ""): ((), False), (2, "a"): ((), True), (2, ""): ((), True)})
    'a: 0 to 1 with a; a word can end in 1.'
    """
    numbers = {state: number for number, state in enumerate(_places(table))}
    arrows = [
        f"{numbers[state]} to {numbers[following]} with {letter}"
        for (state, letter), (following, _) in table.items()
        if following
    ]
    ends = sorted({numbers[state] for (state, _), (_, ended) in table.items() if ended})
    return f"{title}: {', '.join(arrows)}; a word can end in {' and '.join(map(str, ends))}."


def _draw(axes: Axes, table: _Table) -> None:
    places = _places(table)
    arrows: dict[tuple[Hashable, Hashable], list[str]] = {}
    for (state, letter), (following, _) in table.items():
        if following:
            arrows.setdefault((state, following), []).append(letter)
    for (state, following), letters in arrows.items():
        (x, y), (to_x, to_y) = places[state], places[following]
        # An arrow to the state itself is a small loop above it.
        loop = state == following
        begin, end = ((x - 0.2, y + 0.32), (x + 0.2, y + 0.32)) if loop else ((x, y), (to_x, to_y))
        bend = "arc3,rad=-1.6" if loop else "arc3,rad=0.12"
        look = {
            "arrowstyle": "-|>",
            "connectionstyle": bend,
            "color": PALETTE[0],
            "linewidth": 1.6,
            "mutation_scale": 14,
        }
        axes.annotate("", end, begin, arrowprops=look | {"shrinkA": 2 if loop else 21, "shrinkB": 2 if loop else 21})
        aside = (0.2, 0.0) if x == to_x else (0.0, 0.2)
        middle = (x, y + 0.85) if loop else ((x + to_x) / 2 + aside[0], (y + to_y) / 2 + aside[1])
        axes.text(*middle, plain_label(" ".join(letters)), ha="center", va="center", family="monospace")
    for number, (state, place) in enumerate(places.items()):
        ends = any(ended for (at, _), (_, ended) in table.items() if at == state)
        for radius in (0.38, 0.32) if ends else (0.38,):
            axes.add_patch(Circle(place, radius, fill=False, edgecolor=INK, linewidth=1.4))
        axes.text(*place, f"{number}", ha="center", va="center")
    hide_frame(axes)
    axes.set(xticks=[], yticks=[])
    axes.set_aspect("equal", adjustable="box")


def _places(table: _Table) -> dict[Hashable, tuple[float, float]]:
    """Return a place for every state: as many columns from the left as characters lead there."""
    first = next(iter(table))[0]
    depth = {first: 0}
    for (state, _), (following, _) in table.items():
        if following:
            depth.setdefault(following, depth[state] + 1)
    columns: dict[int, list[Hashable]] = {}
    for state, column in depth.items():
        columns.setdefault(column, []).append(state)
    return {
        state: (1.7 * column, 1.4 * ((len(states) - 1) / 2 - row))
        for column, states in columns.items()
        for row, state in enumerate(states)
    }
