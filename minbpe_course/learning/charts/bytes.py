"""Charts of lesson 01: sizes of encodings, roles of bytes, and vocabulary size against length of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import LogLocator, NullFormatter

from minbpe_course.learning.charts import (
    FAINT,
    INK,
    MARKERS,
    PALETTE,
    draw_bars,
    finish,
    ink_on,
    new_axes,
    plain_label,
)

# Fill, hatch and a letter for each role a byte can have, so that the picture can be read without its colours.
_ROLE_STYLE = {
    "ASCII": ("none", "", "A"),
    "continuation": (PALETTE[4], "", "c"),
    "lead of 2": (PALETTE[1], "", "2"),
    "lead of 3": (PALETTE[2], "", "3"),
    "lead of 4": (PALETTE[5], "", "4"),
    "never": (FAINT, "xxx", ""),
}


def encoding_sizes(sizes: Mapping[str, Mapping[str, int]], title: str) -> None:
    """Draw grouped bars: ``sizes[text][encoding]`` is a number of bytes; every text has the same encodings."""
    encodings = list(next(iter(sizes.values())))
    figure, axes = new_axes(title, "", "bytes", size=(7.6, 3.6))
    draw_bars(axes, {encoding: [row[encoding] for row in sizes.values()] for encoding in encodings})
    axes.set_xticks(range(len(sizes)), [plain_label(name) for name in sizes])
    axes.grid(visible=False, axis="x")
    axes.set_ylim(0, 1.25 * max(max(row.values()) for row in sizes.values()))
    axes.legend(ncols=len(encodings), loc="upper left")
    finish(figure)


def byte_lattice(roles: Sequence[str], title: str) -> None:
    """Draw the 256 byte values as 16 rows of 16, each with its role: one of the names that ``byte_role`` gives."""
    figure, axes = new_axes(title, "low four bits", "high four bits", size=(7.6, 5.4))
    for byte, role in enumerate(roles):
        fill, hatch, letter = _ROLE_STYLE[role]
        row, column = divmod(byte, 16)
        axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=fill, hatch=hatch, edgecolor=INK))
        axes.text(column, row, letter, ha="center", va="center", fontsize=10, color=ink_on(fill))
    digits = [f"{value:x}" for value in range(16)]
    axes.set_xticks(range(16), digits, family="DejaVu Sans Mono")
    axes.set_yticks(range(16), [f"{digit}_" for digit in digits], family="DejaVu Sans Mono")
    axes.set(xlim=(-0.5, 15.5), ylim=(15.5, -0.5), aspect="equal")
    axes.grid(visible=False)
    keys = [
        Patch(facecolor=fill, hatch=hatch, edgecolor=INK, label=f"{letter}  {role} ({roles.count(role)})".strip())
        for role, (fill, hatch, letter) in _ROLE_STYLE.items()
    ]
    axes.legend(handles=keys, loc="center left", bbox_to_anchor=(1.02, 0.5))
    finish(figure)


def vocabulary_against_length(points: Mapping[str, tuple[int, int]], title: str) -> None:
    """Draw tokenizers as points on logarithmic axes: name -> (tokens in the vocabulary, tokens in the text)."""
    figure, axes = new_axes(title, "tokens in the vocabulary", "tokens in the text", size=(7.6, 4.2))
    for number, (name, (vocabulary, length)) in enumerate(points.items()):
        colour, marker = PALETTE[number % len(PALETTE)], MARKERS[number % len(MARKERS)]
        axes.plot([vocabulary], [length], color=colour, marker=marker, markersize=9, linestyle="none")
        axes.annotate(plain_label(name), (vocabulary, length), xytext=(9, 5), textcoords="offset points")
    vocabularies, lengths = zip(*points.values(), strict=True)
    axes.set(xscale="log", yscale="log")
    # Powers of ten are too far apart to read a length; 1, 2, 4 and 6 of each do not overlap.
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 4, 6)))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlim(min(vocabularies) / 2, max(vocabularies) * 6)
    axes.set_ylim(min(lengths) / 1.6, max(lengths) * 1.8)
    axes.grid(visible=True, which="both", axis="both")
    finish(figure)
