"""The pictures of lesson 07: what is drawn is what was given, and what differs does so in more than its colour."""

from __future__ import annotations

import matplotlib
import matplotlib.pyplot as plt
import pytest

from minbpe_course.visual.charts import training


@pytest.fixture
def drawn(monkeypatch):
    """The figures of what a chart function shows, kept from being closed."""
    matplotlib.use("Agg")
    figures = []
    monkeypatch.setattr(training, "finish", figures.append)
    yield figures
    plt.close("all")


def texts_of(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_each_changed_word_is_a_mark_in_its_row(drawn):
    training.draw_touched([[0, 3], [], [1, 99]], 5)
    (image,) = drawn[0].axes[0].get_images()
    shown = image.get_array()
    assert shown.shape == (5, 3)
    assert {(row, column) for row, column in zip(*shown.nonzero())} == {(0, 0), (3, 0), (1, 2)}
    assert (drawn[0].axes[0].get_xlabel(), drawn[0].axes[0].get_ylabel()) == ("merge", "word")


def test_a_heap_says_what_is_outdated_and_what_is_lost(drawn):
    training.draw_heap([("i n", 80, 80), ("$ e", 90, 12), ("t h", None, 9)])
    assert texts_of(drawn[0]) == ["80", "12, but 90 is stored", "9, and the heap has no entry for it"]
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
    slow_text, fast_text = texts_of(drawn[0])
    assert "times" not in slow_text
    assert "4.00 s" in slow_text
    assert f"{said} times as fast" in fast_text
    assert drawn[0].axes[0].get_xscale() == scale
    ends = [bar.get_x() + bar.get_width() for bar in drawn[0].axes[0].patches]
    assert ends == pytest.approx([4.0, fast])
    assert len({bar.get_hatch() for bar in drawn[0].axes[0].patches}) == 2
