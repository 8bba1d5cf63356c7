"""Charts of lessons 06 and 13 about SentencePiece: bytes of a file, scores, a trie, a lattice, shares."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import cycle
from typing import Any

from matplotlib.patches import Patch, Rectangle
from minbpe_course.learning.charts import (
    INK,
    PALETTE,
    draw_bars,
    draw_box,
    finish,
    ink_on,
    line_style,
    new_axes,
    plain_label,
)
from minbpe_course.reference import wire
from minbpe_course.showing import visible

BYTES_IN_A_ROW = 16

# Pale fills, every other one hatched: neighbours differ in more than their colour, and the digits stay readable.
_FILLS = (("#cfe8f8", ""), ("#fbe3b3", "///"), ("#bfe6da", ""), ("#f1d7e5", "\\\\"), ("#f9f3b0", ""))


def piece_marks(data: bytes, most: int) -> list[tuple[int, int, str]]:
    """Return (begin, end, what it is) for the first ``most`` bytes of a ``.model`` file, for ``hex_dump``.

    >>> piece_marks(bytes.fromhex("0a040a026869"), 6)
    [(0, 2, 'tag and length of a piece'), (2, 4, 'tag (and length) inside'), (4, 6, 'text')]
    """
    names = {1: "text", 2: "score", 3: "type"}
    marks = []
    for field in wire.read_fields(data):
        if field.begin >= most or not isinstance(field.value, bytes):
            break
        marks.append((field.begin, field.value_begin, "tag and length of a piece"))
        for inner in wire.read_fields(field.value):
            begin, middle, end = (field.value_begin + at for at in (inner.begin, inner.value_begin, inner.end))
            marks += [(begin, middle, "tag (and length) inside"), (middle, end, names.get(inner.number, "other"))]
    return marks


def hex_dump(data: bytes, marks: Sequence[tuple[int, int, str]], title: str) -> None:
    """Draw bytes in rows of sixteen, coloured by what they are.

    marks : (begin, end, kind) in file order; equal kinds get equal colours, and the kinds in order of appearance make
    the legend. A printable byte has its character below it.
    """
    rows = -(-len(data) // BYTES_IN_A_ROW)
    figure, axes = new_axes(title, size=(8.6, 0.72 + 0.62 * rows))
    kinds = list(dict.fromkeys(kind for _, _, kind in marks))
    inks = [INK] * len(data)
    for begin, end, kind in marks:
        fill, hatch = _FILLS[kinds.index(kind) % len(_FILLS)]
        for at in range(begin, min(end, len(data))):
            row, column = divmod(at, BYTES_IN_A_ROW)
            look: dict[str, Any] = {"facecolor": fill, "hatch": hatch, "edgecolor": "#ffffff"}
            axes.add_patch(Rectangle((column, row), 1, 1, linewidth=0, **look))
            inks[at] = ink_on(fill)
            if at == begin:
                axes.plot([column, column], [row + 0.06, row + 0.94], color=INK, linewidth=1.6)
    for at, byte in enumerate(data):
        row, column = divmod(at, BYTES_IN_A_ROW)
        box = {"facecolor": "none" if inks[at] == INK else "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.6}
        style: dict[str, Any] = {"ha": "center", "family": "DejaVu Sans Mono", "color": inks[at]}
        axes.text(column + 0.5, row + 0.38, f"{byte:02X}", va="center", fontsize=11, bbox=box, **style)
        if 0x20 < byte < 0x7F:
            letter = plain_label(chr(byte))
            axes.text(column + 0.5, row + 0.80, letter, va="center", fontsize=8, bbox=box, **style)
    axes.set(xlim=(0, BYTES_IN_A_ROW), ylim=(rows, 0))
    axes.set_yticks([row + 0.5 for row in range(rows)], [f"byte {BYTES_IN_A_ROW * row:3d}" for row in range(rows)])
    axes.set_xticks([])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    styles = zip(kinds, cycle(_FILLS))
    keys = [Patch(facecolor=fill, hatch=hatch, edgecolor=INK, label=kind) for kind, (fill, hatch) in styles]
    axes.legend(handles=keys, ncols=min(5, len(keys)), loc="upper left", bbox_to_anchor=(0, -0.02))
    finish(figure)


def scores_by_id(scores: Sequence[float], kinds: Sequence[str], title: str, lowest: float) -> None:
    """Draw the score of every id; scores below ``lowest`` are drawn at the lower edge as triangles."""
    figure, axes = new_axes(title, "id", "score", size=(7.6, 3.4))
    for number, kind in enumerate(dict.fromkeys(kinds)):
        style = {**line_style(number), "linestyle": "", "markersize": 4}
        ids = [at for at, own in enumerate(kinds) if own == kind]
        inside = [at for at in ids if scores[at] >= lowest]
        axes.plot(inside, [scores[at] for at in inside], label=f"{kind} ({len(ids):,})", **style)
    under = [at for at, score in enumerate(scores) if score < lowest]
    if under:
        axes.plot(under, [lowest] * len(under), "v", color=PALETTE[3], clip_on=False, label=f"far below ({len(under)})")
    axes.set_ylim(lowest, -0.04 * lowest)
    axes.legend(loc="lower left")
    finish(figure)


# ---- Lessons 13 and 14


def draw_lattice(
    text: str, weights: Mapping[tuple[int, int], float], best: Collection[tuple[int, int]], title: str
) -> None:
    """Show the pieces of a text as boxes between the places where it may be cut; boxes that touch make a path.

    weights : (begin, end) of each piece in the text -> a number written below it · best : the pieces of a path, drawn
    in colour and bold. Shorter pieces are higher; boxes never overlap.

    >>> draw_lattice("ab", {(0, 1): -2.0, (1, 2): -3.0, (0, 2): -4.5}, [(0, 2)], "two ways")
    """
    rows: list[list[tuple[int, int]]] = []
    for begin, end in sorted(weights, key=lambda piece: (piece[1] - piece[0], piece)):
        # In the first row with room; single characters and longer pieces never share a row.
        usable = [row for row in rows if (row[0][1] - row[0][0] == 1) == (end - begin == 1)]
        row = next((row for row in usable if all(end <= left or right <= begin for left, right in row)), None)
        if row is None:
            rows.append(row := [])
        row.append((begin, end))
    figure, axes = new_axes(title, size=(min(10.0, 1.1 * len(text) + 0.8), 0.56 * len(rows) + 0.9))
    for number, row in enumerate(rows):
        for begin, end in row:
            chosen = (begin, end) in best
            fill, edge, width = (_FILLS[0][0], PALETTE[0], 2.4) if chosen else ("#f0f0f0", INK, 0.8)
            corner = (begin + 0.04, -number - 0.94)
            draw_box(axes, corner, end - begin - 0.08, 0.88, fill=fill, edge=edge, linewidth=width)
            label = f"{plain_label(visible(text[begin:end]))}\n{weights[begin, end]:.2f}"
            font: dict[str, Any] = {"fontsize": 9, "fontweight": "bold" if chosen else "normal", "color": ink_on(fill)}
            axes.text((begin + end) / 2, -number - 0.5, label, ha="center", va="center", linespacing=1.15, **font)
    for place in range(len(text) + 1):
        axes.text(place, 0.22, f"{place}", ha="center", va="center", fontsize=9)
    axes.set_xlim(-0.2, len(text) + 0.2)
    axes.set_ylim(-len(rows) - 0.1, 0.5)
    axes.axis("off")
    finish(figure)


def draw_shares(shares: Mapping[str, Mapping[str, float]], title: str, xlabel: str = "share of all draws") -> None:
    """Show horizontal bars, a group for each segmentation and a bar in it for each source of numbers.

    shares : name of a source -> segmentation -> number; the first source says which segmentations are shown, in its
    order, and a segmentation that another source lacks counts as 0.

    >>> draw_shares({"exact": {"a b": 0.75, "ab": 0.25}, "drawn": {"a b": 0.7, "ab": 0.3}}, "two ways to cut")
    """
    rows = list(next(iter(shares.values())))
    figure, axes = new_axes(title, xlabel, size=(8.6, 1.1 + 0.22 * len(rows) * (len(shares) + 0.6)))
    series = {plain_label(name): [values.get(row, 0.0) for row in rows] for name, values in shares.items()}
    draw_bars(axes, series, 0.84, horizontal=True)
    axes.set_yticks(range(len(rows)), [plain_label(row) for row in rows])
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.legend(loc="lower right")
    finish(figure)
