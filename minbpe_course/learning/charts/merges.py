"""Charts of lesson 02: a word shrinking merge by merge, and where tie-break rules diverge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from minbpe_course.learning.charts import INK, PALETTE, finish, new_axes, new_panels, plain_label
from minbpe_course.showing import visible

_FILLS = ("#cfe8f8", "#fbe3b3", "#bfe6da", "#f1d7e5", "#f9f3b0", "#d9d9f3")
_PLAIN = "#ececec"


def draw_merge_steps(rows: Sequence[tuple[str, Sequence[bytes]]], title: str) -> None:
    """Show a text after each step: one row for each ``(what happened, tokens)``, a box for each token.

    A box is as wide as its token has bytes, so the rows stay aligned. Single bytes are grey; each longer token has one
    colour wherever it occurs, and is written in its box.

    >>> draw_merge_steps([("start", [b"a", b"a", b"b"]), ("a + a", [b"aa", b"b"])], "two rows")
    """
    length = sum(map(len, rows[0][1]))
    widest = max(len(label) for label, _ in rows)
    size = min(10.5, 0.5 * length + 0.075 * widest + 1.6), 0.62 * len(rows) + 0.5
    figure, axes = new_axes(title, size=size)
    fills: dict[bytes, str] = {}
    for row, (label, tokens) in enumerate(rows):
        y = -1.0 * row
        axes.text(-0.35, y, plain_label(label), ha="right", va="center")
        axes.text(length + 0.35, y, f"{len(tokens)} ids", ha="left", va="center")
        x = 0
        for token in tokens:
            fill = _PLAIN if len(token) == 1 else fills.setdefault(token, _FILLS[len(fills) % len(_FILLS)])
            shape = Rectangle((x + 0.04, y - 0.37), len(token) - 0.08, 0.74, facecolor=fill, edgecolor=INK)
            axes.add_patch(shape)
            shown = plain_label(visible(token))
            axes.text(x + len(token) / 2, y, shown, ha="center", va="center", family="monospace", fontsize=11,
                      color="black")  # fmt: skip
            x += len(token)
    axes.set_xlim(-0.17 * widest - 0.6, length + 2.4)
    axes.set_ylim(-len(rows) + 0.45, 0.6)
    axes.axis("off")
    finish(figure)


_SAME, _MOVED = "same token, same merge", "same token, learned at a different merge"
_OTHER = "a token the first rule never learns"


def draw_divergence(tokens: Mapping[str, Sequence[bytes]]) -> None:
    """Draw where rules diverge from the first one: a bar for each merge, low where they agree, tall where they differ.

    ``tokens`` maps the name of a rule to its tokens in the order learned; all rules made the same number of merges.

    >>> draw_divergence({"first": [b"ab", b"cd"], "other": [b"cd", b"ab"], "third": [b"ab", b"xy"]})
    """
    names = list(tokens)
    base = list(tokens[names[0]])
    figure, panels = new_panels(len(names) - 1, 1, (10, 1.15 * (len(names) - 1) + 1.1), sharex=True)
    for panel, name in zip(panels, names[1:]):
        _divergence_row(panel, base, tokens[name])
        panel.set_ylabel(plain_label(name).replace("-", "-\n"), rotation=0, ha="right", va="center")
    panels[0].set_title(f"Merge by merge, compared with {names[0]}", pad=26)
    style = {"fontsize": 9, "borderaxespad": 0.2, "handlelength": 1.2, "columnspacing": 1.2}
    panels[0].legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, **style)
    panels[-1].set_xlabel("merge")
    finish(figure)


def _divergence_row(axes: Axes, base: Sequence[bytes], tokens: Sequence[bytes]) -> None:
    known = set(base)
    kinds = [_SAME if a == b else _MOVED if b in known else _OTHER for a, b in zip(base, tokens)]
    looks = {_SAME: (0.3, INK), _MOVED: (0.62, PALETTE[4]), _OTHER: (1.0, PALETTE[3])}
    for kind, (height, colour) in looks.items():
        places = [at + 1 for at, this in enumerate(kinds) if this == kind]
        axes.bar(places, [height] * len(places), width=1.0, color=colour, label=kind, linewidth=0)
    axes.set_xlim(0.5, len(base) + 0.5)
    axes.set_ylim(0, 1.08)
    axes.set_yticks([])
    axes.grid(visible=False)
