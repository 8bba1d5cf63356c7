"""The pictures of lesson 15 show what they were given."""

from __future__ import annotations

import pytest

from minbpe_course.reference.measures import pareto_front
from minbpe_course.visual.charts import measuring as charts
from tests.visual.charts.drawings import differ_without_colour, legend, numbers, points, texts, ticks

pytestmark = pytest.mark.slow

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


def test_the_least_work_is_one(draw):
    work = {"small": [(256, 2.0), (4_000, 1.0), (100_000, 3.0)], "large": [(256, 9.0), (4_000, 6.0)]}
    (axes,) = draw(charts.draw_work, work, "t")
    assert numbers(axes) == {"small": [[256, 4_000, 100_000], [2.0, 1.0, 3.0]], "large": [[256, 4_000], [1.5, 1.0]]}
    assert [points(line) for line in axes.get_lines()[1::2]] == [[(4_000, 1)], [(4_000, 1)]]
