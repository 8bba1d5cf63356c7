"""The charts of lesson 01: every byte has its sign, and every name its place."""

from __future__ import annotations

import pytest

from minbpe_course.reference.utf8 import byte_role
from minbpe_course.visual.charts import bytes as charts
from tests.visual.charts.drawings import differ_without_colour, legend, points, texts

pytestmark = pytest.mark.medium


def test_byte_lattice_gives_every_byte_its_sign(draw):
    (axes,) = draw(charts.byte_lattice, [byte_role(byte) for byte in range(256)], "Bytes")
    signs = {text.get_position(): text.get_text() for text in axes.texts}
    assert len(signs) == 256
    shown = {byte: signs[byte % 16, byte // 16] for byte in (0x41, 0x80, 0xC0, 0xC2, 0xE0, 0xF4, 0xF5)}
    assert shown == {0x41: "A", 0x80: "c", 0xC0: "", 0xC2: "2", 0xE0: "3", 0xF4: "4", 0xF5: ""}
    assert sum(int(line.split("(")[1].rstrip(")")) for line in legend(axes)) == 256


def test_vocabulary_against_length_puts_every_name_at_its_place(draw):
    given = {"bytes": (256, 63_000), "words": (4_400, 20_800), "o200k_base": (200_019, 17_000)}
    (axes,) = draw(charts.vocabulary_against_length, given, "Trade")
    assert [points(line) for line in axes.lines] == [[point] for point in given.values()]
    assert differ_without_colour(axes.lines)
    assert texts(axes) == list(given)
