"""The pictures of lesson 12 show what they were given."""

from __future__ import annotations

from matplotlib.patches import Rectangle

from minbpe_course.text.byte_alphabet import printable_bytes
from minbpe_course.visual.charts import files
from tests.visual.charts.drawings import HOSTILE, legend


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
