"""Charts of SentencePiece show their data inside the figure, and nothing depends on colour alone."""

from __future__ import annotations

import itertools

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


def test_the_best_path_has_thick_frames_and_bold_letters(draw):
    best = [(0, 2), (2, 3)]
    (axes,) = draw(pieces.draw_lattice, "abc", WEIGHTS, best, "three characters")
    assert {piece for piece, box in boxes(axes).items() if box.get_linewidth() > 2} == set(best)
    bold = {text.get_text().splitlines()[0] for text in axes.texts if text.get_fontweight() == "bold"}
    assert bold == {"ab", "c"}


def test_single_characters_are_on_top_and_no_two_boxes_overlap(draw):
    weights = {(begin, end): 0.5 for begin in range(9) for end in range(begin + 1, 10)}
    (axes,) = draw(pieces.draw_lattice, "unfolding", weights, [], "every piece there could be")
    found = boxes(axes)
    assert sorted(found) == sorted(weights)
    extents = [box.get_bbox() for box in found.values()]
    assert not any(left.overlaps(right) for left, right in itertools.combinations(extents, 2))
    top = max(box.get_y() for box in found.values())
    assert sorted(piece for piece, box in found.items() if box.get_y() == top) == [(n, n + 1) for n in range(9)]


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


def test_sizes_that_are_nearly_alike_are_written_once(draw):
    rounds = [("guess", 2_000, 2.5), ("estimate", 707, 2.0), ("prune", 700, 2.3)]
    (axes,) = draw(pieces.draw_pruning, rounds, "the last step is small")
    assert ticks(axes.xaxis) == ["700", "2,000"]
