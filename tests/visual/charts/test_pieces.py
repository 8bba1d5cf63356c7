"""Charts of SentencePiece show their data."""

from __future__ import annotations

import pytest
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from minbpe_course.visual.charts import pieces
from tests.visual.charts.drawings import differ_without_colour, numbers, points, texts, ticks

WEIGHTS = {(0, 1): -2.0, (1, 2): -3.25, (2, 3): -1.5, (0, 2): -4.5, (1, 3): -6.0}
TEXTS = ["abc", "▁a$", "名前。", "a\u0301\u200d"]


def boxes(axes: Axes) -> dict[tuple[int, int], Rectangle]:
    """Return the frames of the pieces by the places where they begin and end."""
    frames = [patch for patch in axes.patches if isinstance(patch, Rectangle) and not patch.get_fill()]
    return {(round(box.get_x()), round(box.get_x() + box.get_width())): box for box in frames}


@pytest.mark.parametrize("text", TEXTS)
def test_every_piece_is_a_box_with_its_number(draw, text):
    (axes,) = draw(pieces.draw_lattice, text, WEIGHTS, [(0, 2), (2, 3)], "three characters")
    assert sorted(boxes(axes)) == sorted(WEIGHTS)
    weights = [float(label.splitlines()[1]) for label in texts(axes) if "\n" in label]
    assert sorted(weights) == sorted(WEIGHTS.values())
    places = [label for label in texts(axes) if "\n" not in label]
    assert places == [str(place) for place in range(len(text) + 1)]


def test_pruning_goes_from_many_pieces_to_few(draw):
    rounds = [("estimate", 100, 2.0), ("prune", 75, 2.3), ("estimate", 75, 2.2), ("prune", 60, 2.4)]
    (axes,) = draw(pieces.draw_pruning, rounds, "two rounds")
    path, *kinds = axes.get_lines()
    assert points(path) == [(size, bits) for _, size, bits in rounds]
    assert numbers(axes) == {"estimate": [[100, 75], [2.0, 2.2]], "prune": [[75, 60], [2.3, 2.4]]}
    assert differ_without_colour(kinds)
    left, right = axes.get_xlim()
    assert left > right
    assert axes.get_xlabel()
    assert axes.get_ylabel()
    assert ticks(axes.xaxis) == ["60", "75", "100"]
