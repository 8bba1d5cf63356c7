"""The chart of lesson 19: how hard each byte of a text is to guess, and where patches begin."""

from __future__ import annotations

from collections.abc import Sequence

from minbpe_course.learning.charts import INK, bar_style, finish, legend_beside, name_places, new_axes
from minbpe_course.showing import visible


def draw_entropies(text: bytes, entropies: Sequence[float], threshold: float, title: str) -> None:
    """Draw a bar of entropy for each byte, with a line at the threshold; a byte above it has another colour and hatch.

    >>> draw_entropies(b"the", [5.0, 2.0, 1.0], 2.5, "Where patches begin")
    """
    figure, axes = new_axes(
        title, "the byte that comes next", "entropy in bits", size=(max(4.0, 0.34 * len(text)), 2.9)
    )
    above = [number > threshold for number in entropies]
    for begins, number, hatch in ((True, 3, "///"), (False, 4, "")):
        places = [place for place, each in enumerate(above) if each is begins]
        axes.bar(
            places,
            [entropies[place] for place in places],
            label="begins a patch" if begins else "goes on",
            **bar_style(number) | {"hatch": hatch},
        )
    axes.axhline(threshold, color=INK, linewidth=1, linestyle=(0, (2, 2)), label=f"threshold {threshold:g}")
    name_places(axes.xaxis, (visible(bytes([byte])) for byte in text))
    axes.grid(axis="x", visible=False)
    legend_beside(axes)
    finish(figure)
