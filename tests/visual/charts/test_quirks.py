"""The pictures of lesson 12 show what they were given, stay inside their figures, and do not need colours."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from minbpe_course.visual.charts import quirks
from tests.visual.charts.drawings import is_inside, legend

HOSTILE = "中$x$\u202e\x00 \U0001f469\u200d\U0001f4bb"


def test_letters_are_shares_of_their_own_text(drawn):
    quirks.draw_hidden_letters({"a": {1: 1, 4: 3}, HOSTILE: {2: 10}}, "letters")
    (axes,) = drawn[0].axes
    heights = [[bar.get_height() for bar in bars] for bars in axes.containers]
    assert heights == [[25, 0, 0, 75], [0, 100, 0, 0]]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("lengths", "kind"),
    [
        ([1], "one token"),
        ([4], "one token"),
        ([1, 1], "one digit first"),
        ([2, 2], "two digits first"),
        ([3, 1], "three digits, then one"),
        ([1, 2, 1], "three tokens or more"),
        ([1, 1, 1, 1], "three tokens or more"),
    ],
)
def test_every_cut_has_a_name(lengths, kind):
    assert quirks.kind_of_cut(lengths) == kind


def test_the_map_has_a_square_for_each_integer(drawn):
    cuts = [[len(str(number))] for number in range(950)]
    cuts[123] = [1, 2]
    cuts[900] = [1, 1, 1]
    quirks.draw_integers({"one": cuts, "two": cuts[:100]}, "integers")
    first, second, below = drawn[0].axes
    values = np.ma.filled(first.images[0].get_array(), np.nan)
    assert values.shape == (10, 100)
    assert np.isnan(values[9, 50:]).all()
    names = list(quirks._CUTS)
    assert values[1, 23] == names.index("one digit first")
    assert values[9, 0] == names.index("three tokens or more")
    assert second.images[0].get_array().shape == (1, 100)
    assert "one token: 948 / 100" in legend(below)
    assert "one digit first: 1 / 0" in legend(below)
    assert is_inside(drawn[0])


def test_the_map_can_be_read_without_colours():
    light = [0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in map(to_rgb, quirks._CUTS.values())]
    assert all(brighter - darker > 0.05 for brighter, darker in pairwise(light))


def test_digits_of_equal_place_stand_below_each_other(drawn):
    sums = {"left": [["999"], ["1"], ["100", "0"]], "digits": [["9", "9", "9"], ["1"], [*"1000"]]}
    quirks.draw_places(sums, "sums")
    for axes, rows in zip(drawn[0].axes, sums.values()):
        digits = [text for text in axes.texts if text.get_text().isdigit()]
        assert "".join(text.get_text() for text in digits) == "".join("".join(row) for row in rows)
        ones = [text.get_text() for text in digits if text.get_position()[0] == -0.5]
        assert ones == ["9", "1", "0"]
        frames = [patch for patch in axes.patches if isinstance(patch, Rectangle) and patch.get_linewidth() > 1]
        assert [round(frame.get_width() + 0.12) for frame in frames] == [len(token) for row in rows for token in row]
        hatches = {patch.get_hatch() for patch in axes.patches if patch.get_linewidth() == 0}
        assert hatches == {None, "////"} or hatches == {"", "////"}


def test_lines_of_indentation_begin_at_no_blank(drawn):
    quirks.draw_indentation({"a": [3, 3, 4], "b": [2, 2, 2]}, "x")
    (axes,) = drawn[0].axes
    assert [list(line.get_ydata()) for line in axes.lines] == [[3, 3, 4], [2, 2, 2]]
    assert [list(line.get_xdata()) for line in axes.lines] == [[0, 1, 2]] * 2
    assert len({(line.get_marker(), line.get_linestyle()) for line in axes.lines}) == 2


@pytest.mark.parametrize("size", [1, 3, 120, 300])
def test_languages_are_sorted_and_the_dearest_are_named(drawn, size):
    costs = {f"l{number:03}": 0.7 + 0.03 * ((number * 37) % size) for number in range(size)} | {"en": 1.0}
    quirks.draw_languages({"first": costs, "second": {code: 2 * cost for code, cost in costs.items()}}, "names")
    (axes,) = drawn[0].axes
    curves = [line for line in axes.lines if len(line.get_xdata()) == len(costs)]
    heights = list(curves[0].get_ydata())
    assert heights == sorted(costs.values())
    said = [text.get_text() for text in axes.texts]
    dearest = sorted(costs, key=lambda code: (costs[code], code))[::-1][:4]
    assert said == ["first", *dearest, "second", *dearest]
    assert is_inside(drawn[0])


def test_every_token_has_one_mark(drawn):
    seen = [0, 0, 3, 700, 0, 1]
    quirks.draw_untrained(seen, [0.1, 0.2, 0.9, 1.8, 0.15, 0.5], [4], "marks", "score", {0: "a $glitch$", 1: HOSTILE})
    (axes,) = drawn[0].axes
    places = [tuple(place) for marks in axes.collections for place in marks.get_offsets()]
    assert len(places) == len(seen)
    assert {place for place in places if place[0] >= 1} == {(3, 0.9), (700, 1.8), (1, 0.5)}
    assert all(0.3 < place[0] < 0.8 for place in places if place[0] < 1)
    assert legend(axes) == ["seen (3)", "never seen (2)", "can never be seen (1)"]
    assert axes.texts[0].get_text() == "a \\$glitch\\$"
