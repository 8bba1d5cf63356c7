"""The pictures of lesson 14 show what they were given."""

from __future__ import annotations

from minbpe_course.visual.charts import capstone

POINTS = {"a": (1.0, 3.0), "b": (2.0, 2.0), "$x$ 中": (1.0, 1.0), "mine": (1.5, 2.5)}


def test_each_broken_rule_is_a_cross(drawn):
    capstone.draw_catches({"one": {"x"}, "two": {"x", "z"}, "fine": set()}, ["x", "y", "z"], "title")
    (axes,) = drawn[0].axes
    crosses = {(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines}
    assert crosses == {(0, 0), (0, 1), (2, 1)}
    assert [text.get_text() for text in axes.texts] == ["obeys them all"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["x", "y", "z"]


def test_the_line_joins_those_whom_nobody_beats(drawn):
    assert capstone.pareto(POINTS) == ["a", "mine", "b"]
    capstone.draw_pareto(POINTS, "x", "y", "title", own={"mine"})
    (axes,) = drawn[0].axes
    front, *others = axes.lines
    assert list(zip(front.get_xdata(), front.get_ydata())) == [(1.0, 3.0), (1.5, 2.5), (2.0, 2.0)]
    assert len(others) == len(POINTS)
    assert [line.get_marker() for line in others].count("*") == 1
    assert len({line.get_marker() for line in others}) == len(POINTS), "a second sign beside the colour"


def test_two_bars_for_each(drawn):
    capstone.draw_known_and_hidden({"a": (2.0, 1.0), "b": (3.0, 2.5)}, "title")
    (axes,) = drawn[0].axes
    assert [bar.get_height() for bar in axes.patches] == [2.0, 3.0, 1.0, 2.5]
    assert len({bar.get_hatch() for bar in axes.patches}) == 2
