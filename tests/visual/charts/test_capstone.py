"""The pictures of lesson 18 show what they were given."""

from __future__ import annotations

from minbpe_course.visual.charts import capstone
from tests.visual.charts.drawings import points, texts, ticks

POINTS = {"a": (1.0, 3.0), "b": (2.0, 2.0), "$x$ 中": (1.0, 1.0), "mine": (1.5, 2.5)}


def test_each_broken_rule_is_a_cross(draw):
    (axes,) = draw(capstone.draw_catches, {"one": {"x"}, "two": {"x", "z"}, "fine": set()}, ["x", "y", "z"], "title")
    assert [points(line) for line in axes.lines] == [[(0, 0)], [(0, 1)], [(2, 1)]]
    assert texts(axes) == ["obeys them all"]
    assert ticks(axes.xaxis) == ["x", "y", "z"]


def test_the_line_joins_those_whom_nobody_beats(draw):
    assert capstone.pareto(POINTS) == ["a", "mine", "b"]
    (axes,) = draw(capstone.draw_pareto, POINTS, "x", "y", "title", own={"mine"})
    front, *others = axes.lines
    assert points(front) == [(1.0, 3.0), (1.5, 2.5), (2.0, 2.0)]
    markers = [line.get_marker() for line in others]
    assert markers.count("*") == 1
    assert len(set(markers)) == len(POINTS), "a second sign beside the colour"
