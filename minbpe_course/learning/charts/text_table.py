r"""Texts in coloured boxes, as an HTML table: the browser has a font for every script and emoji, matplotlib does not.

    stream_table([b"\xe2\x99", b"\x9e"], ["", "♞"], "A knight")         a column for each token
    parts_table({"hex": [("68", "h"), ("69", "i")]}, "hi in hex")       a row for each text, its parts side by side

Boxes have a light fill and dark ink, and a line below them that differs for each kind, so that they look alike on a
light and on a dark page and nothing depends on colour. All other text takes the colour of the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from minbpe_course.showing import visible
from minbpe_course.showing.drawing import FILLS, LINES

Part = tuple[str, str]  # text, kind or ""

_STYLES = ("solid", "dashed", "dotted", "double")
_BOX = "color:#111;padding:1px 5px;border-radius:3px;white-space:pre"
_CELL = "padding:4px;border:none;background:none;line-height:1.6"
_ROW = "background:none"  # JupyterLab paints every second row


@dataclass(frozen=True)
class TextTable:
    """A table with a title: for each name a row of texts, each with its kind.

    columns : whether texts of the same place are below one another; otherwise they are joined, as parts of one text.
    legend : whether to name the kinds below the table.
    """

    title: str
    rows: Mapping[str, Sequence[Part]]
    columns: bool
    legend: bool

    def __repr__(self) -> str:
        lines = [[name, *(text for text, _ in row)] for name, row in self.rows.items()]
        if not self.columns:
            lines = [[name, "".join(texts)] for name, *texts in lines]
        widths = [max(map(len, column)) for column in zip(*lines)]
        padded = ("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
        return "\n".join([self.title, *padded])

    def _repr_html_(self) -> str:
        kinds = dict.fromkeys(kind for row in self.rows.values() for _, kind in row if kind)
        looks = {kind: _look(number) for number, kind in enumerate(kinds)}
        lines = [
            '<div style="overflow-x:auto;padding:4px 0">'
            '<table style="border-collapse:collapse;font-size:14px;margin:0">'
            f'<caption style="caption-side:top;text-align:left;font-weight:bold;color:inherit">{escape(self.title)}'
            "</caption><tbody>"
        ]
        for name, row in self.rows.items():
            boxes = [_box(text, looks.get(kind, "")) for text, kind in row]
            cells = boxes if self.columns else ["".join(boxes)]
            align = "center" if self.columns else "left"
            lines.append(
                f'<tr style="{_ROW}"><th scope="row" style="{_CELL};text-align:right;font-weight:normal">'
                f"{escape(name)}</th>"
                + "".join(f'<td style="{_CELL};text-align:{align};font-family:monospace">{cell}</td>' for cell in cells)
                + "</tr>"
            )
        lines.append("</tbody></table>")
        if self.legend:
            named = " &nbsp; ".join(_box(kind, look) for kind, look in looks.items())
            lines.append(f'<div style="font-size:12px;margin-top:6px">{named}</div>')
        return "\n".join([*lines, "</div>"])


def _look(number: int) -> str:
    at = number % len(FILLS)
    return f"{_BOX};background:{FILLS[at]};border-bottom:3px {_STYLES[number % len(_STYLES)]} {LINES[at]}"


def _box(text: str, look: str) -> str:
    return f'<bdi style="{look or "white-space:pre"}">{escape(text)}</bdi>'


def stream_table(tokens: Sequence[bytes], given: Sequence[str], title: str) -> TextTable:
    r"""Show a stream token by token: the token, the text that could be shown at once, and how many bytes had to wait.

    given : the text that was shown after each token, or "".

    >>> stream_table([b"A ", b"\xe2\x99", b"\x9e"], ["A ", "", "♞"], "a knight")
    a knight
    token comes in  A·  \xe2\x99  \x9e
    text goes out   A·  waits     ♞
    bytes waiting   0   2         0
    """
    come: list[Part] = []
    gone: list[Part] = []
    counts: list[Part] = []
    waiting = 0
    for token, text in zip(tokens, given):
        waiting += len(token) - len(text.encode("utf-8"))
        come.append((visible(token), "token"))
        gone.append((visible(text), "text") if text else ("waits", ""))
        counts.append((str(waiting), "waiting" if waiting else ""))
    rows = {"token comes in": come, "text goes out": gone, "bytes waiting": counts}
    return TextTable(title, rows, columns=True, legend=False)


def parts_table(rows: Mapping[str, Sequence[Part]], title: str) -> TextTable:
    """Show texts that consist of parts: a row for each name, with (text of the part, kind or "").

    >>> parts_table({"hex": [("0a ", ""), ("68 ", "h"), ("69", "i")], "text": [("h", "h"), ("i", "i")]}, "hi twice")
    hi twice
    hex   0a 68 69
    text  hi
    """
    return TextTable(title, rows, columns=False, legend=True)
