"""The style of the course's charts; only the modules of this folder import matplotlib.

    figure, axes = new_axes("A title", "x label", "y label")
    axes.plot(x, y, **line_style(0), label="first")
    finish(figure)

The other modules draw the charts of the lessons from plain data and show them. A picture is stored once and read on
light and on dark pages. Its background is therefore transparent, and what is drawn on the page itself (text, axes,
frames) has one gray, ``INK``, that can be read on white and on black; ``FAINT`` is for the grid and other quiet lines.
Black and white occur only on marks that have a fill: ``ink_on`` chooses between them.

The colours are Okabe and Ito's, with a second sign for each: a marker and a dash for lines, a hatch for bars. Text is
DejaVu Sans, which matplotlib contains; it has no Chinese, Japanese, Korean or Devanagari letters and few emoji. So
labels from data go through ``plain_label``, which names what has no glyph, and a picture *about* such texts is an HTML
table (``text_table``): the browser has a font for them.
"""

from __future__ import annotations

import logging
import sys
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from minbpe_course.extras import needed

# On its first import matplotlib builds a font cache and says so on stderr, which the notebooks' tests compare.
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)

with needed("a chart", "matplotlib"):
    import matplotlib.pyplot as plt
    from matplotlib import font_manager, rc_params_from_file
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.colors import to_rgba
    from matplotlib.figure import Figure
    from matplotlib.ft2font import FT2Font
    from matplotlib.patches import Patch, Rectangle
    from matplotlib.path import Path as Outline
    from matplotlib.ticker import ScalarFormatter

    from minbpe_course.learning.charts.description import describe

_STYLE = rc_params_from_file(Path(__file__).with_name("house.mplstyle"), use_default_template=False)
# Contrast 4.5 with white, and 4.2 with #111111, the page of JupyterLab's dark theme.
INK: str = _STYLE["text.color"]
FAINT = INK + "59"

# Okabe and Ito (2008), ordered so that neighbours differ in lightness too, without yellow, which is too pale on white.
# Violet replaces their black, which is invisible on a dark page; it is far from the others for colour-blind eyes too.
PALETTE = tuple(_STYLE["axes.prop_cycle"].by_key()["color"])
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "---", "ooo")

LONGEST_NAME = 20  # characters of the name of an emoji in a label

# Fills for boxes with black text, and a hatch for each.
PALE = ("#cfe8f8", "#fbe3b3", "#bfe6da", "#f1d7e5", "#f9f3b0", "#e4e0f7")
PALE_HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\")


def house_style() -> None:
    """Use the style for all figures from now on; call it before ``plt.subplots``."""
    plt.style.use(_STYLE)


def new_axes(
    title: str, xlabel: str = "", ylabel: str = "", size: tuple[float, float] = (7.2, 3.6)
) -> tuple[Figure, Axes]:
    """Return a new figure of ``size`` (width, height in inches) with one set of labelled axes."""
    house_style()
    figure, axes = plt.subplots(figsize=size)
    axes.set(title=title.replace("`", ""), xlabel=xlabel, ylabel=ylabel)
    return figure, axes


def new_panels(number: int, size: tuple[float, float], **options: Any) -> tuple[Figure, list[Axes]]:
    """Return a new figure with several sets of axes side by side; options : as for ``plt.subplots``."""
    house_style()
    figure, grid = plt.subplots(1, number, figsize=size, squeeze=False, **options)
    return figure, list(grid.flat)


def finish(figure: Figure, words: str = "") -> None:
    """Lay the figure out so that no label is clipped, show it with its description in words, and close it.

    words : the description of a drawing that its labels do not describe.
    """
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        if type(axis.get_major_formatter()) is ScalarFormatter and max(map(abs, axis.get_view_interval())) >= 10_000:
            axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    figure.tight_layout()
    _keep_grid_from_legends(figure)
    # IPython reads metadata from this method; the picture itself still comes from matplotlib.
    described = {"image/png": {"alt": words or describe(figure)}}
    figure._repr_mimebundle_ = lambda include=None, exclude=None: ({}, described)  # type: ignore[attr-defined]
    notebook = sys.modules.get("IPython.display")
    if notebook and "inline" in plt.get_backend():
        # Its plt.show() asks notebooks to put a light slab behind dark text on a transparent background.
        notebook.display(figure)
    else:
        plt.show()
    plt.close(figure)


def _keep_grid_from_legends(figure: Figure) -> None:
    """Cut the grid away under legends: an opaque box would be a slab on a page of another colour."""
    figure.canvas.draw()  # now the places of legends are known
    for axes in figure.axes:
        legend = axes.get_legend()
        if legend is None:
            continue
        plot, box = axes.get_window_extent(), legend.get_window_extent()
        if not plot.overlaps(box):
            continue
        # Two rectangles that turn in opposite directions: the inner one is a hole. Where they are on the paper may
        # change when the picture is stored, so they are measured in widths and heights of the axes.
        both = [
            [(one.x0, one.y0), (one.x1, one.y0), (one.x1, one.y1), (one.x0, one.y1), (one.x0, one.y0)]
            for one in (plot, box)
        ]
        corners = axes.transAxes.inverted().transform([*both[0], *both[1][::-1]])
        codes = [Outline.MOVETO, Outline.LINETO, Outline.LINETO, Outline.LINETO, Outline.CLOSEPOLY]
        for line in (*axes.get_xgridlines(), *axes.get_ygridlines()):
            line.set_clip_path(Outline(corners, codes * 2), axes.transAxes)


def line_style(number: int) -> dict[str, Any]:
    """Return colour, marker and dash of the line with this number, for ``axes.plot(x, y, **line_style(0))``.

    >>> line_style(1)
    {'color': '#E69F00', 'marker': 's', 'linestyle': '--'}
    """
    at = number % len(PALETTE)
    return {"color": PALETTE[at], "marker": MARKERS[at], "linestyle": DASHES[at]}


def bar_style(number: int) -> dict[str, Any]:
    """Return colour and hatch of the bars with this number, for ``axes.bar(x, y, **bar_style(0))``.

    >>> bar_style(1)
    {'color': '#E69F00', 'hatch': '///', 'edgecolor': 'white', 'linewidth': 0}
    """
    at = number % len(PALETTE)
    return {"color": PALETTE[at], "hatch": HATCHES[at], "edgecolor": "white", "linewidth": 0}


def ink_on(fill: Any) -> str:
    """Return the colour of text on a fill: black or white, whichever contrasts more; ``INK`` where nothing is filled.

    >>> ink_on("#cfe8f8"), ink_on(PALETTE[0]), ink_on("none")
    ('black', 'white', '#767676')
    """
    *colour, alpha = to_rgba(fill)
    if alpha == 0:
        return INK
    # Relative luminance and the shade between black and white that contrasts equally with both (WCAG 2.1).
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return "black" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else "white"


def pale_style(number: int) -> dict[str, Any]:
    """Return a pale fill, which black text can be read on, and a hatch, for ``draw_box(..., **pale_style(0))``.

    >>> pale_style(1)
    {'fill': '#fbe3b3', 'hatch': '////'}
    """
    at = number % len(PALE)
    return {"fill": PALE[at], "hatch": PALE_HATCHES[at]}


def pale_styles(kinds: Iterable[Any]) -> dict[Any, dict[str, Any]]:
    """Return a ``pale_style`` for each kind, in the order in which the kinds first appear."""
    return {kind: pale_style(number) for number, kind in enumerate(dict.fromkeys(kinds))}


def pale_keys(looks: Mapping[str, Mapping[str, str]]) -> list[Patch]:
    """Return the entries of a legend for kinds of boxes: name -> ``pale_style``."""
    return [
        Patch(facecolor=look["fill"], hatch=look["hatch"], edgecolor=INK, label=kind) for kind, look in looks.items()
    ]


def draw_box(
    axes: Axes,
    corner: tuple[float, float],
    width: float,
    height: float,
    text: str = "",
    *,
    fill: str = "none",
    hatch: str = "",
    edge: str = INK,
    linewidth: float = 0.8,
    **font: Any,
) -> None:
    """Draw a box with a text in its middle, which stays legible on a hatch and where it is wider than the box."""
    axes.add_patch(Rectangle(corner, width, height, facecolor=fill, hatch=hatch, edgecolor="#bbbbbb", linewidth=0))
    axes.add_patch(Rectangle(corner, width, height, fill=False, edgecolor=edge, linewidth=linewidth))
    middle = corner[0] + width / 2, corner[1] + height / 2
    ground = {"boxstyle": "square,pad=0.05", "facecolor": fill, "edgecolor": "none"}
    axes.text(*middle, plain_label(text), ha="center", va="center", color=ink_on(fill), bbox=ground, **font)


def name_places(axis: Axis, names: Iterable[str]) -> None:
    """Write names at the places 0, 1, 2, ... of an axis."""
    labels = [plain_label(name) for name in names]
    axis.set_ticks(range(len(labels)), labels)


def legend_beside(axes: Axes, **options: Any) -> None:
    """Put the legend on the right of the axes, where it covers nothing; options : as for ``axes.legend``."""
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), **options)


def hide_frame(axes: Axes) -> None:
    """Hide the grid, the tick marks and the four edges of a table or a drawing, and keep its labels."""
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def plain_label(text: str) -> str:
    r"""Return text that DejaVu Sans can draw, with ``$`` escaped: an emoji becomes its name, a letter its code.

    >>> plain_label("naïve 中 \U0001f99c $5")
    'naïve \\u4e2d [parrot] \\$5'
    """
    return "".join(map(_drawable, text)).replace("$", "\\$")


def _drawable(character: str) -> str:
    if character == "\n" or ord(character) in _glyphs():
        return character
    if unicodedata.category(character) == "So":
        name = unicodedata.name(character, "").lower()
        if name and len(name) <= LONGEST_NAME:
            return f"[{name}]"
    return character.encode("unicode_escape").decode()


@lru_cache(maxsize=1)
def _glyphs() -> frozenset[int]:
    font = FT2Font(font_manager.findfont("DejaVu Sans"))
    return frozenset(code for code in font.get_charmap() if chr(code).isprintable())
