"""Charts of lesson 07 show their data, and nothing depends on colour alone."""

from __future__ import annotations

import numpy as np
import pytest

from minbpe_course.visual.charts import training
from tests.visual.charts.drawings import texts


def test_each_changed_word_is_a_mark_in_its_row(drawn):
    training.draw_touched([[0, 3], [], [1, 99]], 5)
    (image,) = drawn[0].axes[0].get_images()
    shown = image.get_array()
    assert shown.shape == (5, 3)
    assert {(row, column) for row, column in zip(*shown.nonzero())} == {(0, 0), (3, 0), (1, 2)}
    assert (drawn[0].axes[0].get_xlabel(), drawn[0].axes[0].get_ylabel()) == ("merge", "word")


def test_a_heap_says_what_is_outdated_and_what_is_lost(drawn):
    training.draw_heap([("i n", 80, 80), ("$ e", 90, 12), ("t h", None, 9)])
    assert texts(drawn[0].axes[0]) == ["80", "12, but 90 is stored", "9, and the heap has no entry for it"]
    bars = drawn[0].axes[0].patches
    filled = [bar for bar in bars if bar.get_fill() and bar.get_facecolor()[3] > 0]
    outlined = [bar for bar in bars if bar not in filled]
    assert [bar.get_width() for bar in filled] == [80, 12, 9]
    assert [bar.get_width() for bar in outlined] == [80, 90]
    assert len({bar.get_hatch() for bar in filled}) == 3


def test_slopes_are_those_of_power_laws():
    sizes = [10, 20, 40, 80]
    rows = {str(power): [3 * size**power for size in sizes] for power in (0, 0.5, 1, 2)}
    assert training.slopes(sizes, rows) == {"0": 0.0, "0.5": 0.5, "1": 1.0, "2": 2.0}


def test_what_was_looked_at_is_drawn_with_its_slope(drawn):
    training.draw_looked_at([10, 20], {"slow": [100, 400], "fast": [10, 20]}, "Growth", "merges")
    axes = drawn[0].axes[0]
    assert [line.get_label() for line in axes.get_lines()] == ["slow\nslope 2.00", "fast\nslope 1.00"]
    assert [list(line.get_ydata()) for line in axes.get_lines()] == [[100, 400], [10, 20]]
    assert len({(line.get_marker(), line.get_linestyle()) for line in axes.get_lines()}) == 2
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert [label.get_text() for label in axes.get_xticklabels()] == ["10", "20"]


@pytest.mark.parametrize(("fast", "said", "scale"), [(0.04, "100", "log"), (2.0, "2.0", "linear")])
def test_a_ladder_compares_with_its_first_rung(drawn, fast, said, scale):
    training.draw_ladder({"slow": 4.0, "fast": fast}, "Two rungs")
    slow_text, fast_text = texts(drawn[0].axes[0])
    assert "times" not in slow_text
    assert "4.00 s" in slow_text
    assert f"{said} times as fast" in fast_text
    assert drawn[0].axes[0].get_xscale() == scale
    ends = [bar.get_x() + bar.get_width() for bar in drawn[0].axes[0].patches]
    assert ends == pytest.approx([4.0, fast])
    assert len({bar.get_hatch() for bar in drawn[0].axes[0].patches}) == 2


def test_ranks_fall_and_a_power_law_has_its_slope(drawn):
    counts = [round(1_000_000 / rank) for rank in range(1, 1001)]
    training.draw_ranks({"exact": reversed(counts), "alike": [5] * 10}, "Ranks")
    exact, alike = drawn[0].axes[0].get_lines()
    ranks, counted = exact.get_data()
    assert (ranks[0], ranks[-1]) == (1, 1000)
    assert list(counted) == [counts[rank - 1] for rank in ranks]
    assert list(alike.get_ydata()) == [5] * len(alike.get_ydata())
    assert [line.get_label() for line in drawn[0].axes[0].get_lines()] == ["exact\nslope -1.00", "alike\nslope 0.00"]
    assert (drawn[0].axes[0].get_xscale(), drawn[0].axes[0].get_yscale()) == ("log", "log")
    assert len({(line.get_marker(), line.get_linestyle()) for line in drawn[0].axes[0].get_lines()}) == 2


def test_a_single_word_has_a_rank_too(drawn):
    training.draw_ranks({"two": [3, 1]}, "Ranks")
    assert [list(part) for part in drawn[0].axes[0].get_lines()[0].get_data()] == [[1, 2], [3, 1]]


@pytest.mark.parametrize(("upto", "last"), [(None, 400), (100, 400), (40_000, 40_000)])
def test_growth_shows_what_was_counted_and_the_law_up_to_where_it_is_asked(drawn, upto, last):
    training.draw_growth({"stories": [(100, 21), (400, 39)]}, {"stories": (2.0, 0.5)}, "Growth", upto=upto)
    counted, law = drawn[0].axes[0].get_lines()
    assert [list(part) for part in counted.get_data()] == [[100, 400], [21, 39]]
    assert counted.get_linestyle() == "None"
    assert "counted" in counted.get_label()
    across, up = law.get_data()
    assert (across[0], across[-1]) == (pytest.approx(100), pytest.approx(last))
    assert up == pytest.approx(2 * np.sqrt(across))
    assert law.get_linestyle() == "--"
    assert "0.50" in law.get_label()


def test_two_texts_differ_in_more_than_colour(drawn):
    training.draw_growth(
        {"one": [(1, 1), (9, 3)], "$ two": [(1, 2), (9, 6)]}, {"one": (1, 0.5), "$ two": (2, 0.5)}, "Growth"
    )
    lines = drawn[0].axes[0].get_lines()
    assert len({line.get_marker() for line in lines[::2]}) == 2
    assert lines[2].get_label() == "\\$ two: counted"
