"""The pictures of lesson 15 show what they were given, with labels, and nothing lies outside of them."""

from __future__ import annotations

import pytest

from minbpe_course.reference.measures import gini, lorenz, pareto_front
from minbpe_course.visual.charts import measuring as charts
from tests.visual.charts.drawings import differ_without_colour, legend, numbers, points, texts, ticks

pytestmark = pytest.mark.medium

SMALL = [(256, 1.0), (1_000, 2.4), (8_000, 3.8)]
LARGE = [(256, 1.0), (1_000, 2.1), (200_000, 4.3)]


def test_the_front_runs_through_the_points_that_none_beats(draw):
    panels = {"English": {"a $ sign": SMALL, "中": LARGE}, "others": {"b": SMALL}}
    first, second = draw(charts.draw_vocabulary_curves, panels, front=True)
    front, *lines = first.get_lines()
    assert points(front) == pareto_front({point: point for point in [*SMALL, *LARGE]})
    assert [points(line) for line in lines] == [SMALL, LARGE]
    assert legend(first) == ["beaten by none", "a \\$ sign", "\\u4e2d"]
    assert differ_without_colour(lines)
    assert len(second.get_lines()) == 2
    assert first.get_xscale() == "log"
    assert first.get_xlabel() == second.get_xlabel() == "tokens in the vocabulary"


def test_a_short_axis_has_more_numbers(draw):
    short = ticks(draw(charts.draw_vocabulary_curves, {"short": {"a": [(256, 1.0), (1_900, 3.0)]}})[0].xaxis)
    long = ticks(draw(charts.draw_vocabulary_curves, {"long": {"a": LARGE}})[0].xaxis)
    assert {"500", "1,000"} <= set(short)
    assert "1,000" in long
    assert "500" not in long


def test_a_fit_is_drawn_from_end_to_end(draw):
    x, y = list(range(1, 501)), [600 / rank for rank in range(1, 501)]
    (axes,) = draw(charts.draw_fits, {"words": (x, y, (600, -1.0))}, "Zipf", "rank", "count")
    marks, line = axes.get_lines()
    assert points(line) == [(1, 600), (500, pytest.approx(1.2))]
    assert len(marks.get_xdata()) < 40, "markers can be told apart"
    assert marks.get_xdata()[[0, -1]].tolist() == [1, 500]
    assert legend(axes) == ["words", "slope -1.00"]


def test_an_interval_reaches_from_low_to_high(draw):
    rows = {"one": (4.2, (4.1, 4.4)), "two": (4.3, (4.2, 4.5))}
    (axes,) = draw(charts.draw_intervals, rows, "How sure", "bytes", mark=0)
    assert [tuple(bar.get_xdata()) for bar in axes.get_lines()[:4:2]] == [(4.1, 4.4), (4.2, 4.5)]
    assert [text.strip() for text in texts(axes)] == ["4.200", "4.300"]
    assert ticks(axes.yaxis) == ["one", "two"]


def test_the_least_loss_is_ringed_in_both_units(draw):
    both = draw(charts.draw_losses, [256, 600, 1_900], [1.7, 3.9, 6.0], [2.5, 2.1, 2.3], "Two units")
    assert [texts(axes) for axes in both] == [["least with 256"], ["least with 600"]]
    assert [axes.get_ylabel() for axes in both] == ["nats per token", "bits per byte"]


def test_a_game_begins_where_it_is_honest(draw):
    games = {"copies": [(0.6, 2.2), (0.8, 2.9)], "drop": [(0.6, 2.2), (0.7, 2.3)]}
    (axes,) = draw(charts.draw_games, games, "t", "x", "y", "low")
    assert {"honest", "low"} <= set(texts(axes))
    assert legend(axes) == ["copies", "drop"]


def test_a_lorenz_curve_says_its_index(draw):
    row = [63, 283, 85, 841, 7]
    (axes,) = draw(charts.draw_lorenz, {"gpt2": lorenz(row), "equal": lorenz([2, 2])}, "Who carries the cost")
    assert legend(axes) == ["all alike: 0.00", f"gpt2: {gini(row):.2f}", "equal: 0.00"]


def test_the_least_work_is_one(draw):
    work = {"small": [(256, 2.0), (4_000, 1.0), (100_000, 3.0)], "large": [(256, 9.0), (4_000, 6.0)]}
    (axes,) = draw(charts.draw_work, work, "t")
    assert numbers(axes) == {"small": [[256, 4_000, 100_000], [2.0, 1.0, 3.0]], "large": [[256, 4_000], [1.5, 1.0]]}
    assert [points(line) for line in axes.get_lines()[1::2]] == [[(4_000, 1)], [(4_000, 1)]]
