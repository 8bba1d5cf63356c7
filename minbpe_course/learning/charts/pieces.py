"""Charts of lessons 06, 13 and 14 about SentencePiece: the bytes of a file, and a lattice."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from minbpe_course.learning.charts import PALE, PALETTE, draw_box, finish, new_axes, pale_keys, pale_styles
from minbpe_course.learning.charts.boxes import GREY, Row, new_rows
from minbpe_course.reference import wire
from minbpe_course.showing import visible

BYTES_IN_A_ROW = 16
OPEN_BOX = "␣"


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
    """Draw bytes in rows of sixteen, coloured by what they are; a printable byte has its character below it.

    marks : (begin, end, kind) of all bytes in file order; the kinds in order of appearance make the legend.
    """
    looks = pale_styles(kind for _, _, kind in marks)
    rows: list[Row] = []
    for start in range(0, len(data), BYTES_IN_A_ROW):
        boxes = []
        for begin, end, kind in marks:
            part = data[max(begin, start) : min(end, start + BYTES_IN_A_ROW)]
            if part:
                letters = " ".join(f"{chr(byte) if 0x20 < byte < 0x7F else '':2}" for byte in part)
                boxes.append((f"{part.hex(' ').upper()}\n{letters}".rstrip(), len(part), looks[kind]))
        rows.append((f"byte {start:3d}", 0, boxes, ""))
    finish(new_rows(rows, title, keys=pale_keys(looks))[0])


def draw_lattice(
    text: str, weights: Mapping[tuple[int, int], float], best: Collection[tuple[int, int]], title: str
) -> None:
    """Show the pieces of a text as boxes between its positions; boxes that touch make a segmentation.

    weights : (begin, end) of each piece in the text -> a number written below it · best : a segmentation, drawn
    in colour and bold. Shorter pieces are higher; boxes never overlap. ``▁`` would look like a dash, so it is drawn as
    an open box.

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
    chosen: dict[str, Any] = {"fill": PALE[0], "edge": PALETTE[0], "linewidth": 2.4, "fontweight": "bold"}
    figure, axes = new_axes(title, size=(min(10.0, 1.1 * len(text) + 0.8), 0.56 * len(rows) + 0.9))
    for number, row in enumerate(rows):
        for begin, end in row:
            look = chosen if (begin, end) in best else GREY
            label = f"{visible(text[begin:end]).replace('▁', OPEN_BOX)}\n{weights[begin, end]:.2f}"
            box = (begin + 0.04, -number - 0.94), end - begin - 0.08, 0.88
            draw_box(axes, *box, label, fontsize=9, linespacing=1.15, **look)
    for place in range(len(text) + 1):
        axes.text(place, 0.22, f"{place}", ha="center", va="center", fontsize=9)
    if "▁" in text:
        axes.text(len(text), -len(rows) - 0.2, f"{OPEN_BOX} stands for a space", ha="right", fontsize=8)
    axes.set_xlim(-0.2, len(text) + 0.2)
    axes.set_ylim(-len(rows) - 0.3, 0.5)
    axes.axis("off")
    finish(figure)
