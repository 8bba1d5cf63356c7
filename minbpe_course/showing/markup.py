"""Tokens as HTML with inline styles: no style sheet, no script, no downloads.

The boxes have light fills and dark ink, so they look alike in a light and in a dark notebook; all other text takes the
colour of the page. Each box is an item of a list, with id and bytes in its label and on hover; a table that can be
unfolded has the same facts, for the keyboard and for copying.

Boxes follow the order of the text, in the direction of the first letter of their line. Each box is isolated, so that
letters from right to left neither tear a box apart nor swap it with its neighbors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from minbpe_course.showing.drawing import (
    FILLS,
    LINES,
    SOFT_INK,
    SPECIAL_SIGN,
    Row,
    bytes_of,
    direction,
    drawn,
    ends_a_line,
    harmless,
    is_broken,
    visible,
)

MOST_LISTED = 300  # rows of the table

_BOX = (
    "display:inline-block;color:#111;padding:1px 3px;margin:2px 1px;border-radius:3px;"
    "white-space:pre-wrap;overflow-wrap:anywhere"
)
_ROW = "font-family:monospace;font-size:15px;line-height:1.5"
# Invisible, but it separates the tokens where styles are stripped, as in a notebook that is not trusted.
_SEPARATOR = '<span style="display:none">|</span>'
_CELL = "padding:1px 10px 1px 0;text-align:left;font-family:monospace"


def view_html(rows: Sequence[tuple[Row, bool]], title: str | None, from_text: bool) -> str:
    """Return a whole view: rows, each with whether to write its ids; with facts and tables if made from a text."""
    parts: list[str] = []
    if title is not None:
        parts.append(f'<div style="font-weight:bold;margin-bottom:4px">{escape(title)}</div>')
    for row, write_ids in rows:
        if from_text:
            parts.extend(_shown_row(row, write_ids))
            continue
        if row.label:
            parts.append(
                f'<div style="margin-top:6px;font-size:13px"><b>{escape(row.label)}</b> &nbsp;{row.counted()}</div>'
            )
        parts.extend(_row_html(row, write_ids))
    return f'<div style="padding:4px 0">{"".join(parts)}</div>'


# ---- Given tokens


def _row_html(row: Row, write_ids: bool) -> Iterator[str]:
    shown = row.shown()
    yield f'<div role="list" dir="{direction(shown)}" aria-label="{len(row.tokens)} tokens" style="{_ROW}">'
    for place, token in enumerate(shown):
        token_id = None if row.ids is None else row.ids[place]
        named = "" if token_id is None else f"id {token_id}"
        facts = [named, _bytes_named(token)] + ["not a whole character"] * is_broken(token)
        label = " ".join(filter(None, (visible(token), named)))
        yield _box(place, token, token_id if write_ids else None, " · ".join(filter(None, facts)), label)
        if ends_a_line(token):
            yield "<br>"
    yield f"{row.remainder()}</div>"


def _bytes_named(token: bytes | str) -> str:
    return f"bytes {bytes_of(token).hex(' ') or 'none'}"


def _box(
    place: int,
    token: bytes | str,
    token_id: int | None,
    hover: str,
    label: str,
    special: bool = False,
) -> str:
    # Five colours and two kinds of line: neighbours differ in both, and a pair repeats after ten boxes.
    fill, line = FILLS[place % len(FILLS)], LINES[place % len(LINES)]
    kind = "solid" if place % 2 == 0 else "dashed"
    below = "" if token_id is None else f'<br><span style="font-size:10px;color:#333">{token_id}</span>'
    align = ";text-align:center;line-height:1.2" if below else ""
    border = f"border-bottom:2px {kind} {line}"
    sign = ""
    if special:
        border = f"border:1px solid {line};outline:1px solid {line};outline-offset:1px;margin:3px 4px;{border}"
        sign = f'<span aria-hidden="true" style="color:{SOFT_INK}">{SPECIAL_SIGN}</span>'
    return (
        f'<bdi role="listitem" title="{escape(hover)}" aria-label="{escape(label)}" '
        f'style="{_BOX};background:{fill};{border}{align}">{sign}{_drawn_html(token)}{below}</bdi>'
    )


def _drawn_html(token: bytes | str) -> str:
    """Return the characters of a token, with the stand-ins for invisible ones in a paler colour."""
    pieces: list[str] = []
    standing_in = False
    for shown, stand_in in drawn(token):
        if stand_in != standing_in:
            pieces.append(f'<span style="color:{SOFT_INK}">' if stand_in else "</span>")
            standing_in = stand_in
        pieces.append(escape(shown))
    return "".join(pieces) + ("</span>" if standing_in else "") or "&nbsp;"


# ---- A text that ``show`` cut: the same boxes, with more facts


def _shown_row(row: Row, write_ids: bool) -> Iterator[str]:
    name = escape(harmless(row.label))
    facts = " · ".join(filter(None, (row.counted(), row.facts)))
    yield f'<div role="group" aria-label="{name}: {facts}" style="margin-top:6px">'
    yield f'<div style="font-size:13px"><b>{name}</b> &nbsp;{facts}</div>'
    shown = row.shown()
    if shown:
        yield f'<div role="list" aria-label="tokens of {name}" style="{_ROW}">'
        for line in _lines(shown):
            yield f'<div dir="{direction(shown[at] for at in line)}">'
            for place in line:
                yield (_SEPARATOR if place else "") + _known_box(row, place, shown[place], write_ids)
            yield "</div>"
        yield "</div>"
    if row.remainder():
        yield f'<div style="font-size:13px">{row.remainder()}</div>'
    if row.note:
        yield f'<div style="font-size:13px">({escape(row.note)})</div>'
    if shown:
        yield from _table(row, name)
    yield "</div>"


def _lines(tokens: tuple[bytes | str, ...]) -> Iterator[range]:
    """Yield the indices of the tokens of each line, because each line has its own direction, like a paragraph."""
    start = 0
    for place, token in enumerate(tokens):
        if ends_a_line(token) or place + 1 == len(tokens):
            yield range(start, place + 1)
            start = place + 1


def _known_box(row: Row, place: int, token: bytes | str, write_id: bool) -> str:
    special = place in row.special
    token_id = None if row.ids is None else row.ids[place]
    facts = ["" if token_id is None else f"id {token_id}", _bytes_named(token)]
    facts += ["special token"] * special + ["not a whole character"] * is_broken(token)
    facts = list(filter(None, facts))
    label = ", ".join([visible(token), *facts])
    return _box(place, token, token_id if write_id else None, " · ".join(facts), label, special)


def _table(row: Row, name: str) -> Iterator[str]:
    yield (
        '<details style="font-size:12px;margin:2px 0 4px"><summary style="cursor:pointer" '
        f'aria-label="ids and bytes of {name}">ids and bytes</summary>'
        '<table style="border-collapse:collapse;font-size:12px;margin:4px 0"><thead><tr>'
    )
    for heading in ("place", "token", "id", "bytes", ""):
        yield f'<th scope="col" style="{_CELL};font-weight:bold">{heading}</th>' if heading else "<td></td>"
    yield "</tr></thead><tbody>"
    for place, token in enumerate(row.tokens[:MOST_LISTED]):
        facts = ["special"] * (place in row.special) + ["not a whole character"] * is_broken(token)
        cells = (place, visible(token), "" if row.ids is None else row.ids[place], bytes_of(token).hex(" "))
        yield "<tr>"
        for cell in (*cells, ", ".join(facts)):
            yield f'<td dir="auto" style="{_CELL}">{escape(str(cell))}</td>'
        yield "</tr>"
    yield "</tbody></table>"
    left = len(row.tokens) - MOST_LISTED
    yield f"<div>… and {left:,} more</div></details>" if left > 0 else "</details>"
