"""The chart of lesson 19 shows its data, and a byte that begins a patch does not differ by colour alone."""

from __future__ import annotations

from minbpe_course.visual.charts import beyond
from tests.visual.charts.drawings import legend, ticks


def test_bytes_above_the_threshold_are_marked(draw):
    (axes,) = draw(beyond.draw_entropies, b"a b", [5.0, 1.0, 3.0], 2.5, "Patches")
    above, below = axes.containers
    assert [bar.get_height() for bar in above] == [5.0, 3.0]
    assert [bar.get_height() for bar in below] == [1.0]
    assert above[0].get_hatch() != below[0].get_hatch()
    assert ticks(axes.xaxis) == ["a", "·", "b"]
    assert {"begins a patch", "goes on"} <= set(legend(axes))
