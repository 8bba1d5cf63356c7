"""The pictures of lesson 11 show what they were given, with labels, and nothing lies outside of them."""

from __future__ import annotations

import pytest

from minbpe_course.reference.measures import gini, lorenz, pareto_front
from minbpe_course.visual.charts import measuring as charts
from tests.visual.charts.drawings import is_inside, legend, texts

pytestmark = pytest.mark.slow


def labelled(figure):
    return all(axes.get_xlabel() for axes in figure.axes)


SMALL = [(256, 1.0), (1_000, 2.4), (8_000, 3.8)]
LARGE = [(256, 1.0), (1_000, 2.1), (200_000, 4.3)]


def test_the_front_runs_through_the_points_that_none_beats(drawn):
    charts.draw_vocabulary_curves({"English": {"a $ sign": SMALL, "中": LARGE}, "others": {"b": SMALL}}, front=True)
    (figure,) = drawn
    first, second = figure.axes
    front, *lines = first.get_lines()
    points = {point: point for point in [*SMALL, *LARGE]}
    assert [tuple(point) for point in front.get_xydata()] == pareto_front(points)
    assert [[tuple(point) for point in line.get_xydata()] for line in lines] == [SMALL, LARGE]
    assert legend(first) == ["beaten by none", "a \\$ sign", "\\u4e2d"]
    assert len({line.get_marker() for line in lines}) == len({line.get_linestyle() for line in lines}) == 2
    assert len(second.get_lines()) == 2
    assert first.get_xscale() == "log"
    assert labelled(figure)
    assert is_inside(figure, 1)


def test_a_short_axis_has_more_numbers(drawn):
    charts.draw_vocabulary_curves({"short": {"a": [(256, 1.0), (1_900, 3.0)]}})
    charts.draw_vocabulary_curves({"long": {"a": LARGE}})
    ticks = [[label.get_text() for label in figure.axes[0].get_xticklabels()] for figure in drawn]
    assert {"500", "1,000"} <= set(ticks[0])
    assert "1,000" in ticks[1]
    assert "500" not in ticks[1]


def test_a_fit_is_drawn_from_end_to_end(drawn):
    x, y = list(range(1, 501)), [600 / rank for rank in range(1, 501)]
    charts.draw_fits({"words": (x, y, (600, -1.0))}, "Zipf", "rank", "count")
    (figure,) = drawn
    points, line = figure.axes[0].get_lines()
    assert line.get_xydata().tolist() == [[1, 600], [500, pytest.approx(1.2)]]
    assert len(points.get_xdata()) < 40, "markers can be told apart"
    assert points.get_xdata()[[0, -1]].tolist() == [1, 500]
    assert legend(figure.axes[0]) == ["words", "slope -1.00"]
    assert is_inside(figure, 1)


def test_an_interval_reaches_from_low_to_high(drawn):
    charts.draw_intervals({"one": (4.2, (4.1, 4.4)), "two": (4.3, (4.2, 4.5))}, "How sure", "bytes", mark=0)
    (figure,) = drawn
    bars = figure.axes[0].get_lines()
    assert [tuple(bar.get_xdata()) for bar in bars[:4:2]] == [(4.1, 4.4), (4.2, 4.5)]
    assert [text.strip() for text in texts(figure.axes[0])] == ["4.200", "4.300"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["one", "two"]
    assert is_inside(figure, 1)


def test_the_best_of_each_column_is_framed(drawn):
    table = {"prose": {"prose": 2.5, "code": 1.2}, "code": {"prose": 1.6, "code": 1.4}, "none": {"prose": 1, "code": 1}}
    charts.draw_domains(table, "At home")
    (figure,) = drawn
    axes = figure.axes[0]
    assert texts(axes) == ["2.50", "1.20", "1.60", "1.40", "1.00", "1.00"]
    frames = {(round(frame.get_x() + 0.47), round(frame.get_y() + 0.45)) for frame in axes.patches}
    assert frames == {(0, 0), (1, 1)}
    charts.draw_domains({"a": {"x": 1.0}, "b": {"x": 1.0}}, "no difference is no division by zero")


def test_the_least_loss_is_ringed_in_both_units(drawn):
    charts.draw_losses([256, 600, 1_900], [1.7, 3.9, 6.0], [2.5, 2.1, 2.3], "Two units")
    (figure,) = drawn
    assert [texts(axes) for axes in figure.axes] == [["least with 256"], ["least with 600"]]
    assert [axes.get_ylabel() for axes in figure.axes] == ["nats per token", "bits per byte"]
    assert is_inside(figure, 1)


def test_a_game_begins_where_it_is_honest(drawn):
    charts.draw_games({"copies": [(0.6, 2.2), (0.8, 2.9)], "drop": [(0.6, 2.2), (0.7, 2.3)]}, "t", "x", "y", "low")
    (figure,) = drawn
    assert {"honest", "low"} <= set(texts(figure.axes[0]))
    assert legend(figure.axes[0]) == ["copies", "drop"]
    assert is_inside(figure, 1)


def test_every_language_has_a_mark_of_every_tokenizer(drawn):
    charts.draw_costs({"gpt2": {"en": 1.0, "hi": 10.7}, "mine": {"en": 1.0, "hi": 3.4}}, "Premiums", "times English")
    (figure,) = drawn
    marks = [line for line in figure.axes[0].get_lines() if line.get_linestyle() == "None"]
    assert [list(line.get_xdata()) for line in marks] == [[1.0, 10.7], [1.0, 3.4]]
    assert len({line.get_marker() for line in marks}) == 2
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["en", "hi"]
    assert is_inside(figure, 1)


def test_a_lorenz_curve_says_its_index(drawn):
    row = [63, 283, 85, 841, 7]
    charts.draw_lorenz({"gpt2": lorenz(row), "equal": lorenz([2, 2])}, "Who carries the cost")
    (figure,) = drawn
    assert legend(figure.axes[0]) == ["all alike: 0.00", f"gpt2: {gini(row):.2f}", "equal: 0.00"]
    assert is_inside(figure, 1)


def test_the_least_work_is_one(drawn):
    charts.draw_work({"small": [(256, 2.0), (4_000, 1.0), (100_000, 3.0)], "large": [(256, 9.0), (4_000, 6.0)]}, "t")
    (figure,) = drawn
    lines = figure.axes[0].get_lines()
    assert [list(line.get_ydata()) for line in lines] == [[2.0, 1.0, 3.0], [1], [1.5, 1.0], [1]]
    assert [list(line.get_xdata()) for line in lines[1::2]] == [[4_000], [4_000]]
    assert is_inside(figure, 1)


def test_many_are_drawn_in_order(drawn):
    charts.draw_many({"gpt2": [9.0, 1.0, 2.5]}, "many", "languages", "times English")
    (figure,) = drawn
    assert list(figure.axes[0].get_lines()[0].get_ydata()) == [1.0, 2.5, 9.0]
    assert figure.axes[0].get_yscale() == "log"
