"""Charts of lesson 06: a file as annotated bytes, scores by id, the time of encoders, tokens in many languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.patches import Patch, Rectangle

from minbpe_course.reference import wire
from minbpe_course.visual.charts import PALETTE, bar_style, finish, line_style, new_axes, plain_label

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
    for begin, end, kind in marks:
        fill, hatch = _FILLS[kinds.index(kind) % len(_FILLS)]
        for at in range(begin, min(end, len(data))):
            row, column = divmod(at, BYTES_IN_A_ROW)
            axes.add_patch(
                Rectangle((column, row), 1, 1, facecolor=fill, hatch=hatch, edgecolor="#ffffff", linewidth=0)
            )
            if at == begin:
                axes.plot([column, column], [row + 0.06, row + 0.94], color="#333333", linewidth=1.6)
    for at, byte in enumerate(data):
        row, column = divmod(at, BYTES_IN_A_ROW)
        box = {"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.6}
        style: dict[str, Any] = {"ha": "center", "family": "DejaVu Sans Mono", "color": "#111111"}
        axes.text(column + 0.5, row + 0.38, f"{byte:02X}", va="center", fontsize=11, bbox=box, **style)
        if 0x20 < byte < 0x7F:
            letter = plain_label(chr(byte))
            axes.text(column + 0.5, row + 0.80, letter, va="center", fontsize=8, bbox=box, **style)
    axes.set(xlim=(0, BYTES_IN_A_ROW), ylim=(rows, 0))
    axes.set_yticks([row + 0.5 for row in range(rows)], [f"byte {BYTES_IN_A_ROW * row:3d}" for row in range(rows)])
    axes.set_xticks([])
    axes.grid(visible=False)
    for side in axes.spines.values():
        side.set_visible(False)
    styles = [_FILLS[number % len(_FILLS)] for number in range(len(kinds))]
    keys = [
        Patch(facecolor=fill, hatch=hatch, edgecolor="#666666", label=kind)
        for kind, (fill, hatch) in zip(kinds, styles)
    ]
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


def time_by_length(lengths: Sequence[int], seconds: Mapping[str, Sequence[float]], title: str) -> None:
    """Draw the time of several encoders against the length of the text, both on logarithmic axes."""
    figure, axes = new_axes(title, "characters in the text", "seconds", size=(7.6, 3.8))
    for number, (name, row) in enumerate(seconds.items()):
        axes.plot(lengths, row, label=name, **line_style(number))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    finish(figure)


def tokens_by_text(tokens: Mapping[str, Mapping[str, float]], title: str, xlabel: str) -> None:
    """Draw horizontal bars: ``tokens[text][tokenizer]`` is a number; every text has the same tokenizers."""
    names = list(next(iter(tokens.values())))
    figure, axes = new_axes(title, xlabel, size=(7.6, 0.9 + 0.42 * len(tokens)))
    height = 0.8 / len(names)
    for number, name in enumerate(names):
        places = [place + (number - (len(names) - 1) / 2) * height for place in range(len(tokens))]
        axes.barh(places, [row[name] for row in tokens.values()], height, label=name, **bar_style(number))
    axes.set_yticks(range(len(tokens)), [plain_label(text) for text in tokens])
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    finish(figure)
