"""The pictures of lesson 12 show what they were given, stay inside their figures, and do not need colours."""

from __future__ import annotations

import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from minbpe_course.text.byte_alphabet import printable_bytes
from minbpe_course.visual.charts import files
from tests.visual.charts.drawings import HOSTILE, legend, texts

ROWS = {
    "a.json": [('{"', ""), ("Ġ", "blank"), ("à¤Ķ", "first"), ('": 458}', "")],
    ".tiktoken": [("IOCklA==", "all"), (" 458", "")],
    "in hexadecimal": [("0a 04 ", ""), ("20", "blank"), (" ", ""), ("e0 a4 94", "first")],
}


def test_pieces_stand_behind_each_other_and_no_letter_is_lost(draw):
    (axes,) = draw(files.draw_token_in_formats, ROWS, "one token")
    said = texts(axes)
    for name, pieces in ROWS.items():
        at = said.index(name)
        assert said[at + 1 : at + 1 + len(pieces)] == [text for text, _ in pieces]
        places = [text.get_position()[0] for text in axes.texts[at + 1 : at + 1 + len(pieces)]]
        assert places == [sum(len(text) for text, _ in pieces[:number]) for number in range(len(pieces))]
    assert said[-3:] == ["blank", "first", "all"]


def test_letters_are_as_wide_as_their_units(draw):
    """Boxes are drawn in letters, text in points: both must agree, or the colours slip."""
    (axes,) = draw(files.draw_token_in_formats, ROWS | {"long": [("x" * 90, "all")]}, "one token")
    renderer = axes.figure.canvas.get_renderer()
    (line,) = [text for text in axes.texts if text.get_text() == "x" * 90]
    ends = axes.transData.inverted().transform(line.get_window_extent(renderer))[:, 0]
    assert ends[0] == pytest.approx(0, abs=0.5)
    assert ends[1] == pytest.approx(90, abs=1.5)


def test_parts_differ_in_more_than_colour(draw):
    rows = {"a": [(str(number), f"part {number}") for number in range(5)]}
    (axes,) = draw(files.draw_token_in_formats, rows, "five parts")
    dashes = {str(line._dash_pattern) for line in axes.lines}
    fills = {to_hex(patch.get_facecolor()) for patch in axes.patches if patch.get_linewidth() == 0}
    assert len(dashes) == len(fills) == 5


def test_hostile_labels_are_drawn(draw):
    draw(files.draw_token_in_formats, {HOSTILE: [(HOSTILE, HOSTILE), (HOSTILE, "")]}, HOSTILE)


def test_every_byte_has_its_letter_in_its_place(draw):
    alphabet = printable_bytes()
    (axes,) = draw(files.draw_byte_alphabet, alphabet, "letters")
    shown = {text.get_position(): text.get_text().replace("\\$", "$") for text in axes.texts}
    assert shown == {(byte % 16, byte // 16): letter for byte, letter in alphabet.items()}
    hatched = {patch.get_xy() for patch in axes.patches if isinstance(patch, Rectangle) and patch.get_hatch()}
    assert hatched == {(b % 16 - 0.5, b // 16 - 0.5) for b, letter in alphabet.items() if ord(letter) != b}
    assert legend(axes) == ["stands for itself (188)", "borrows a letter (68)"]
