"""The pictures of lesson 16 show what they were given."""

from __future__ import annotations

import numpy as np
import pytest

from minbpe_course.visual.charts import quirks
from tests.visual.charts.drawings import HOSTILE, legend, texts


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
