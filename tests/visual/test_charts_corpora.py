"""The pictures of lesson 07's second half: what is drawn is what was counted, and the law is the law that was given."""

from __future__ import annotations

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from minbpe_course.visual.charts import corpora


@pytest.fixture
def axes_of(monkeypatch):
    """The axes of what a chart function shows, kept from being closed."""
    matplotlib.use("Agg")
    figures = []
    monkeypatch.setattr(corpora, "finish", figures.append)
    yield lambda: figures[-1].axes[0]
    plt.close("all")


def test_ranks_fall_and_a_power_law_has_its_slope(axes_of):
    counts = [round(1_000_000 / rank) for rank in range(1, 1001)]
    corpora.draw_ranks({"exact": reversed(counts), "alike": [5] * 10}, "Ranks")
    exact, alike = axes_of().get_lines()
    ranks, drawn = exact.get_data()
    assert (ranks[0], ranks[-1]) == (1, 1000)
    assert list(drawn) == [counts[rank - 1] for rank in ranks]
    assert list(alike.get_ydata()) == [5] * len(alike.get_ydata())
    assert [line.get_label() for line in axes_of().get_lines()] == ["exact\nslope -1.00", "alike\nslope 0.00"]
    assert (axes_of().get_xscale(), axes_of().get_yscale()) == ("log", "log")
    assert len({(line.get_marker(), line.get_linestyle()) for line in axes_of().get_lines()}) == 2


def test_a_single_word_has_a_rank_too(axes_of):
    corpora.draw_ranks({"two": [3, 1]}, "Ranks")
    assert [list(part) for part in axes_of().get_lines()[0].get_data()] == [[1, 2], [3, 1]]


@pytest.mark.parametrize(("upto", "last"), [(None, 400), (100, 400), (40_000, 40_000)])
def test_growth_shows_what_was_counted_and_the_law_up_to_where_it_is_asked(axes_of, upto, last):
    corpora.draw_growth({"stories": [(100, 21), (400, 39)]}, {"stories": (2.0, 0.5)}, "Growth", upto=upto)
    counted, law = axes_of().get_lines()
    assert [list(part) for part in counted.get_data()] == [[100, 400], [21, 39]]
    assert counted.get_linestyle() == "None"
    assert "counted" in counted.get_label()
    across, up = law.get_data()
    assert (across[0], across[-1]) == (pytest.approx(100), pytest.approx(last))
    assert up == pytest.approx(2 * np.sqrt(across))
    assert law.get_linestyle() == "--"
    assert "0.50" in law.get_label()


def test_two_texts_differ_in_more_than_colour(axes_of):
    corpora.draw_growth(
        {"one": [(1, 1), (9, 3)], "$ two": [(1, 2), (9, 6)]}, {"one": (1, 0.5), "$ two": (2, 0.5)}, "Growth"
    )
    lines = axes_of().get_lines()
    assert len({line.get_marker() for line in lines[::2]}) == 2
    assert lines[2].get_label() == "\\$ two: counted"
