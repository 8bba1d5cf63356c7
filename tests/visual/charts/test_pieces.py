"""Charts of SentencePiece show their data inside the figure, and nothing depends on colour alone."""

from __future__ import annotations

import itertools

import pytest
from matplotlib.patches import Rectangle

from minbpe_course.visual.charts import pieces
from tests.visual.charts.drawings import differ_without_colour, numbers, points, texts, ticks

# The units that lead to a rule for b"ab" in a small table: offsets 3 and 9, and a label each.
STEPS = [(0x61, 98, 3 << 10 | 0x61), (0x62, 7, 9 << 10 | 0x100 | 0x62)]
WEIGHTS = {(0, 1): -2.0, (1, 2): -3.25, (2, 3): -1.5, (0, 2): -4.5, (1, 3): -6.0}
TEXTS = ["abc", "▁a$", "名前。", "a\u0301\u200d"]


def test_a_walk_shows_every_bit_of_every_unit(draw):
    said = texts(draw(pieces.draw_trie_walk, STEPS, "a rule ends here", "two bytes")[0])
    bits = "".join(text for text in said if text in ("0", "1"))
    assert [int(bits[at : at + 32], 2) for at in (0, 32)] == [unit for _, _, unit in STEPS]
    assert [text for text in said if "unit" in text] == ["byte 61: unit 98", "byte 62: unit 7"]
    assert [text for text in said if "✓" in text or "✗" in text] == ["61 ✓", "62 ✓"]
    assert said[-1] == "a rule ends here"


def test_a_walk_says_where_it_breaks_off(draw):
    steps = [(0x61, 98, 0x62), (0x61, 5, 0x80000061)]
    (axes,) = draw(pieces.draw_trie_walk, steps, "no rule", "another label, a value", legend=False)
    assert axes.get_legend() is None
    assert [text for text in texts(axes) if "✓" in text or "✗" in text] == ["62 ✗", "61 ✗"]


def test_the_parts_of_a_unit_have_hatches_that_differ_from_their_neighbours(draw):
    (axes,) = draw(pieces.draw_trie_walk, STEPS[:1], "", "one byte")
    parts = [patch for patch in axes.patches if isinstance(patch, Rectangle) and patch.get_fill()]
    assert [patch.get_width() for patch in parts] == [22, 1, 1, 8]
    hatches = [patch.get_hatch() or "" for patch in parts]
    assert all(left != right for left, right in itertools.pairwise(hatches))


@pytest.mark.parametrize("text", TEXTS)
def test_every_piece_is_an_arc_with_its_number(draw, text):
    (axes,) = draw(pieces.draw_lattice, text, WEIGHTS, [(0, 2), (2, 3)], "three characters")
    arcs = [line for line in axes.get_lines() if len(line.get_xdata()) > len(text) + 1]
    ends = [(round(line.get_xdata()[0]), round(line.get_xdata()[-1])) for line in arcs]
    assert sorted(ends) == sorted(WEIGHTS)
    numbers = [float(label.splitlines()[1]) for label in texts(axes) if "\n" in label]
    assert sorted(numbers) == sorted(WEIGHTS.values())
    places = [label for label in texts(axes) if "\n" not in label]
    assert places == [str(place) for place in range(len(text) + 1)]


def test_the_best_path_is_thicker_and_its_letters_are_bold(draw):
    best = [(0, 2), (2, 3)]
    (axes,) = draw(pieces.draw_lattice, "abc", WEIGHTS, best, "three characters")
    arcs = [line for line in axes.get_lines() if len(line.get_xdata()) > 4]
    thick = {(round(line.get_xdata()[0]), round(line.get_xdata()[-1])) for line in arcs if line.get_linewidth() > 2}
    assert thick == set(best)
    bold = {text.get_text().splitlines()[0] for text in axes.texts if text.get_fontweight() == "bold"}
    assert bold == {"ab", "c"}


def test_longer_pieces_are_higher_and_no_two_labels_share_a_place(draw):
    weights = {(begin, end): 0.5 for begin in range(9) for end in range(begin + 1, 10)}
    (axes,) = draw(pieces.draw_lattice, "unfolding", weights, [], "every piece there could be")
    places = [text.get_position() for text in axes.texts if "\n" in text.get_text()]
    assert len(set(places)) == len(weights)


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
