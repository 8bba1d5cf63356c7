"""The pictures of lesson 16 show what they were given, stay inside their figures, and do not need colours."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from minbpe_course.visual.charts import quirks
from tests.visual.charts.drawings import HOSTILE, legend, texts, ticks


def test_letters_have_a_column_for_each_length(draw):
    (axes,) = draw(quirks.draw_hidden_letters, {"a": {1: 1, 4: 3}, HOSTILE: {2: 10}}, "letters")
    assert ticks(axes.xaxis) == ["1", "2", "3", "4"]


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


def test_the_map_has_a_square_for_each_integer(draw):
    cuts = [[len(str(number))] for number in range(950)]
    cuts[123] = [1, 2]
    cuts[900] = [1, 1, 1]
    first, second, below = draw(quirks.draw_integers, {"one": cuts, "two": cuts[:100]}, "integers")
    values = np.ma.filled(first.images[0].get_array(), np.nan)
    assert values.shape == (10, 100)
    assert np.isnan(values[9, 50:]).all()
    names = list(quirks._CUTS)
    assert values[1, 23] == names.index("one digit first")
    assert values[9, 0] == names.index("three tokens or more")
    assert second.images[0].get_array().shape == (1, 100)
    assert "one token: 948 / 100" in legend(below)
    assert "one digit first: 1 / 0" in legend(below)


def test_the_map_can_be_read_without_colours():
    light = [0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in map(to_rgb, quirks._CUTS.values())]
    assert all(brighter - darker > 0.05 for brighter, darker in pairwise(light))


def test_digits_of_equal_place_stand_below_each_other(draw):
    sums = {"left": [["999"], ["1"], ["100", "0"]], "digits": [["9", "9", "9"], ["1"], [*"1000"]]}
    for axes, rows in zip(draw(quirks.draw_places, sums, "sums"), sums.values()):
        digits = [text for text in axes.texts if text.get_text().isdigit()]
        assert "".join(text.get_text() for text in digits) == "".join("".join(row) for row in rows)
        ones = [text.get_text() for text in digits if text.get_position()[0] == -0.5]
        assert ones == ["9", "1", "0"]
        frames = [patch for patch in axes.patches if isinstance(patch, Rectangle) and patch.get_linewidth() > 1]
        assert [round(frame.get_width() + 0.12) for frame in frames] == [len(token) for row in rows for token in row]
        hatches = {patch.get_hatch() for patch in axes.patches if patch.get_linewidth() == 0}
        assert hatches == {None, "////"} or hatches == {"", "////"}


def test_every_token_has_one_mark(draw):
    seen = [0, 0, 3, 700, 0, 1]
    scores, names = [0.1, 0.2, 0.9, 1.8, 0.15, 0.5], {0: "a $glitch$", 1: HOSTILE}
    (axes,) = draw(quirks.draw_untrained, seen, scores, [4], "marks", "score", names)
    places = [tuple(place) for marks in axes.collections for place in marks.get_offsets()]
    assert len(places) == len(seen)
    assert {place for place in places if place[0] >= 1} == {(3, 0.9), (700, 1.8), (1, 0.5)}
    assert all(0.3 < place[0] < 0.8 for place in places if place[0] < 1)
    assert legend(axes) == ["seen (3)", "never seen (2)", "can never be seen (1)"]
    assert texts(axes)[0] == "a \\$glitch\\$"
