"""The 256 bytes as a square, coloured by what they are."""

from __future__ import annotations

from collections.abc import Sequence

from minbpe_course.learning.charts import draw_box, finish, hide_frame, new_axes, pale_keys, pale_styles


def draw_bytes(letters: Sequence[str], kinds: Sequence[str], title: str, what: str = "byte") -> None:
    """Draw the letters of 256 bytes in a square, coloured by kind, and how many of each kind there are.

    what : the unit that a square stands for.

    >>> draw_bytes([f"{byte:02x}" for byte in range(256)], ["ASCII"] * 128 + ["other"] * 128, "Two halves")
    """
    figure, axes = new_axes(title, f"last hexadecimal digit of the {what}", "first digit", size=(8.2, 5.4))
    looks = pale_styles(kinds)
    for number, (letter, kind) in enumerate(zip(letters, kinds)):
        row, column = divmod(number, 16)
        draw_box(axes, (column, row), 1, 1, letter, **looks[kind])
    digits = [f"{value:x}" for value in range(16)]
    middles = [value + 0.5 for value in range(16)]
    axes.set_xticks(middles, digits, family="monospace")
    axes.set_yticks(middles, digits, family="monospace")
    axes.set(xlim=(0, 16), ylim=(16, 0), aspect="equal")
    hide_frame(axes)
    keys = pale_keys({f"{kind} ({kinds.count(kind)})": look for kind, look in looks.items()})
    axes.legend(handles=keys, loc="upper left", bbox_to_anchor=(1.02, 1.0))
    finish(figure)
