"""Charts of lessons 07 and 08 show their data, and nothing depends on colour alone."""

from __future__ import annotations

import numpy as np
import pytest

from minbpe_course.visual.charts import training
from tests.visual.charts.drawings import differ_without_colour, points, texts


def test_each_changed_word_is_a_mark_in_its_row(draw):
    (axes,) = draw(training.draw_touched, [[0, 3], [], [1, 99]], 5)
    (image,) = axes.get_images()
    shown = image.get_array()
    assert shown.shape == (5, 3)
    assert {(row, column) for row, column in zip(*shown.nonzero())} == {(0, 0), (3, 0), (1, 2)}
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("merge", "word")


def test_a_heap_says_what_is_outdated_and_what_is_lost(draw):
    (axes,) = draw(training.draw_heap, [("i n", 80, 80), ("$ e", 90, 12), ("t h", None, 9)])
    assert texts(axes) == ["80", "12, but 90 is stored", "9, and the heap has no entry for it"]
    filled = [bar for bar in axes.patches if bar.get_fill() and bar.get_facecolor()[3] > 0]
    outlined = [bar for bar in axes.patches if bar not in filled]
    assert [bar.get_width() for bar in filled] == [80, 12, 9]
    assert [bar.get_width() for bar in outlined] == [80, 90]
    assert differ_without_colour(filled)


def test_slopes_are_those_of_power_laws():
    sizes = [10, 20, 40, 80]
    rows = {str(power): [3 * size**power for size in sizes] for power in (0, 0.5, 1, 2)}
    assert training.slopes(sizes, rows) == {"0": 0.0, "0.5": 0.5, "1": 1.0, "2": 2.0}


@pytest.mark.parametrize(("fast", "said", "scale"), [(0.04, "100", "log"), (2.0, "2.0", "linear")])
def test_a_ladder_compares_with_its_first_rung(draw, fast, said, scale):
    (axes,) = draw(training.draw_ladder, {"slow": 4.0, "fast": fast}, "Two rungs")
    slow_text, fast_text = texts(axes)
    assert "times" not in slow_text
    assert "4.00 s" in slow_text
    assert f"{said} times as fast" in fast_text
    assert axes.get_xscale() == scale
    assert [bar.get_x() + bar.get_width() for bar in axes.patches] == pytest.approx([4.0, fast])
    assert differ_without_colour(axes.patches)


@pytest.mark.parametrize(("upto", "last"), [(None, 400), (100, 400), (40_000, 40_000)])
def test_growth_shows_what_was_counted_and_the_law_up_to_where_it_is_asked(draw, upto, last):
    seen = {"stories": [(100, 21), (400, 39)]}
    (axes,) = draw(training.draw_growth, seen, {"stories": (2.0, 0.5)}, "Growth", upto=upto)
    counted, law = axes.get_lines()
    assert points(counted) == seen["stories"]
    assert counted.get_linestyle() == "None"
    assert "counted" in counted.get_label()
    across, up = law.get_data()
    assert (across[0], across[-1]) == (pytest.approx(100), pytest.approx(last))
    assert up == pytest.approx(2 * np.sqrt(across))
    assert law.get_linestyle() == "--"
    assert "0.50" in law.get_label()


def test_two_texts_differ_in_more_than_colour(draw):
    seen = {"one": [(1, 1), (9, 3)], "$ two": [(1, 2), (9, 6)]}
    (axes,) = draw(training.draw_growth, seen, {"one": (1, 0.5), "$ two": (2, 0.5)}, "Growth")
    lines = axes.get_lines()
    assert differ_without_colour(lines[::2])
    assert lines[2].get_label() == "\\$ two: counted"
