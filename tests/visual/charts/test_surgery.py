"""Charts of lesson 17 show their data, and nothing depends on colour alone."""

from __future__ import annotations

import pytest

from minbpe_course.visual.charts import surgery
from minbpe_course.visual.charts.surgery import Curve
from tests.visual.charts.drawings import differ_without_colour, legend, points, texts


def test_curves_stand_where_they_were_measured(draw):
    curves = {"a": Curve([0, 5], [2.0, 1.0]), "b": Curve([0, 5], [3.0, 2.5])}
    (axes,) = draw(surgery.draw_curves, curves, "Two", "batches", "bits per byte", ("before", 1.5))
    lines = [line for line in axes.get_lines() if len(line.get_xdata()) == 2 and line.get_marker() in "os"]
    assert [points(line) for line in lines] == [[(0, 2.0), (5, 1.0)], [(0, 3.0), (5, 2.5)]]
    assert differ_without_colour(lines)
    assert set(legend(axes)) == {"a", "b", "before"}
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("batches", "bits per byte")


def test_uncertainty_is_drawn_beside_each_other(draw):
    (axes,) = draw(surgery.draw_curves, dict.fromkeys("ab", Curve([0, 10], [1.0, 2.0], [0.1, 0.2])), "", "x", "y")
    bars = [container.lines[2][0] for container in axes.containers]
    segments = [bar.get_segments() for bar in bars]
    assert [round(float(one[0][1]), 3) for one in segments[0]] == [0.9, 1.8]
    assert segments[0][0][0][0] != segments[1][0][0][0], "the bars of two curves lie on each other"


@pytest.mark.parametrize(("unit", "name"), [(1, "thousands of parameters"), (1e6, "millions of parameters")])
def test_parameters_say_the_share_of_the_first_part(draw, unit, name):
    rows = {"a": {"vocabulary": int(30 * unit), "the rest": int(10 * unit)}}
    rows["b"] = {"vocabulary": int(10 * unit), "the rest": int(90 * unit)}
    (axes,) = draw(surgery.draw_parameters, rows, "Parts")
    assert texts(axes) == ["75% vocabulary", "10% vocabulary"]
    assert axes.get_xlabel() == name
    ends = [bar.get_x() + bar.get_width() for bar in axes.patches]
    assert ends[2:] == pytest.approx([40 * unit / (1e6 if unit > 1 else 1e3), 100 * unit / (1e6 if unit > 1 else 1e3)])


def test_logits_and_their_marks(draw):
    (axes,) = draw(surgery.draw_logits, [-5.0, -4.0, -4.0], {"zero": 0.0, "mean": -4.5}, "Where")
    assert sum(bar.get_height() for bar in axes.patches) == 3
    assert [line.get_xdata()[0] for line in axes.get_lines()] == [0.0, -4.5]
    assert len({line.get_linestyle() for line in axes.get_lines()}) == 2
    assert texts(axes) == ["zero", "mean"]


def test_pruning_shows_losses_above_and_parameters_below(draw):
    losses, parameters = {"at once": [2.5, 2.4, 2.7]}, [76_000, 75_000, 74_000]
    above, below = draw(surgery.draw_pruning, [0, 9, 20], losses, parameters, 9, "Pruning")
    assert list(above.get_lines()[0].get_ydata()) == [2.5, 2.4, 2.7]
    assert list(below.get_lines()[0].get_ydata()) == [76, 75, 74]
    assert "9 tokens" in above.texts[0].get_text()
    assert all(9 in line.get_xdata() for line in (above.get_lines()[-1], below.get_lines()[-1]))
