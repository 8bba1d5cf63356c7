"""The charts of lesson 01 show the numbers they were given, with labels, and not by colour alone."""

from __future__ import annotations

import pytest
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from minbpe_course.reference.utf8 import byte_role
from minbpe_course.visual.charts import bytes as charts

pytestmark = pytest.mark.slow


def heights(axes: Axes) -> list[float]:
    return [patch.get_height() for patch in axes.patches if isinstance(patch, Rectangle)]


def test_encoding_sizes_draws_each_number_as_a_bar(drawn):
    charts.encoding_sizes({"English": {"utf-8": 256, "utf-16": 504}, "हिन्दी": {"utf-8": 537, "utf-16": 422}}, "Sizes")
    (axes,) = drawn[0].axes
    assert heights(axes) == [256, 537, 504, 422]
    assert len({patch.get_hatch() for patch in axes.patches}) == 2
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["utf-8", "utf-16"]
    assert axes.get_ylabel() == "bytes"


def test_byte_lattice_gives_every_byte_its_sign(drawn):
    roles = [byte_role(byte) for byte in range(256)]
    charts.byte_lattice(roles, "Bytes")
    (axes,) = drawn[0].axes
    signs = {(text.get_position()[0], text.get_position()[1]): text.get_text() for text in axes.texts}
    assert len(signs) == 256
    shown = {byte: signs[byte % 16, byte // 16] for byte in (0x41, 0x80, 0xC0, 0xC2, 0xE0, 0xF4, 0xF5)}
    assert shown == {0x41: "A", 0x80: "c", 0xC0: "", 0xC2: "2", 0xE0: "3", 0xF4: "4", 0xF5: ""}
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert sum(int(line.split("(")[1].rstrip(")")) for line in legend) == 256


def test_vocabulary_against_length_puts_every_name_at_its_place_inside_the_picture(drawn):
    points = {"bytes": (256, 63_000), "words": (4_400, 20_800), "o200k_base": (200_019, 17_000)}
    charts.vocabulary_against_length(points, "Trade")
    (figure,) = drawn
    (axes,) = figure.axes
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines] == list(points.values())
    assert len({line.get_marker() for line in axes.lines}) == 3
    assert [text.get_text() for text in axes.texts] == list(points)
    for text in axes.texts:
        assert text.get_window_extent().x1 <= figure.bbox.x1


def test_vocabulary_growth_draws_each_curve_and_names_its_end(drawn):
    charts.vocabulary_growth([10, 20, 30], {"words": [5, 9, 1_200], "bytes": [4, 6, 7]}, "Growth")
    (figure,) = drawn
    (axes,) = figure.axes
    assert [list(line.get_ydata()) for line in axes.lines] == [[5, 9, 1_200], [4, 6, 7]]
    assert [text.get_text() for text in axes.texts] == ["1,200", "7"]
    assert all(text.get_window_extent().x1 <= figure.bbox.x1 for text in axes.texts)
    assert len({line.get_linestyle() for line in axes.lines}) == 2
