"""The chart of lesson 05: a conversation as a ribbon of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from matplotlib.artist import Artist
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from minbpe_course.learning.charts import INK, finish, pale_keys, pale_styles
from minbpe_course.learning.charts.boxes import Box, new_rows, text_box
from minbpe_course.showing import visible

_ROW_LENGTH = 42.0
_LOOKS = pale_styles(("frame", "system", "user", "assistant"))


def draw_ribbon(
    tokens: Sequence[bytes | str],
    authors: Sequence[str],
    *,
    special: Sequence[bool],
    trained: Sequence[bool] | None = None,
    title: str,
) -> None:
    """Draw tokens one after the other, filled by author, special ones in a thick border, trained ones underlined.

    tokens, authors, special, trained : one entry for each token; authors are frame, system, user and assistant.

    >>> draw_ribbon([b"<|start|>", b"hi"], ["frame", "user"], special=[True, False], title="A turn")
    """
    lines: list[list[Box]] = [[]]
    places = []
    end = 0.0
    for token, author, thick in zip(tokens, authors, special):
        box = text_box(visible(token), _LOOKS[author] | {"linewidth": 2.2 if thick else 0.7})
        if end + box[1] > _ROW_LENGTH:
            lines.append([])
            end = 0.0
        lines[-1].append(box)
        places.append((end + 0.1, end + box[1] - 0.1, len(lines) - 0.54))
        end += box[1]
    keys: list[Artist] = [*pale_keys({author: look for author, look in _LOOKS.items() if author in authors})]
    keys.append(Patch(facecolor="none", edgecolor=INK, linewidth=2, label="special token"))
    underline: dict[str, Any] = {"color": INK, "linewidth": 2.6, "solid_capstyle": "butt"}
    if trained is not None:
        keys.append(Line2D([], [], label="counts toward the loss", **underline))
    figure, axes = new_rows([("", 0, line, "") for line in lines], title, 0.25, keys)
    for (left, right, y), counts in zip(places, trained or ()):
        if counts:
            axes.plot([left, right], [y, y], **underline)
    finish(figure)


def who_wrote(tokens: Sequence[bytes], parts: Sequence[tuple[str, str, bool]]) -> list[str]:
    """Return the author of each token: the one of its first byte.

    tokens : all tokens of a text. parts : (author, text, is it a special token) of that text.

    >>> who_wrote([b"<|end|>", b"hi", b"!"], [("frame", "<|end|>", True), ("user", "hi!", False)])
    ['frame', 'user', 'user']
    """
    authors = [author for author, text, _ in parts for _ in text.encode("utf-8")]
    starts = accumulate(map(len, tokens), initial=0)
    return [authors[start] for start, _ in zip(starts, tokens)]
