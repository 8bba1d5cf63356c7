"""Charts of lessons 09 and 11: a backtracking search, two tokens at a border, bytes that wait
for the rest of their character, and offsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from matplotlib.axes import Axes

from minbpe_course.learning.charts import (
    INK,
    PALETTE,
    bar_style,
    draw_box,
    draw_token,
    finish,
    hide_frame,
    new_axes,
    pale_style,
    plain_label,
)
from minbpe_course.showing import visible

_BLUE, _ORANGE, _GREEN, _PINK = map(pale_style, range(4))
_GREY: dict[str, Any] = {"fill": "#f4f4f4", "hatch": ""}
_SIGNS = {"fits": ("✓", _BLUE), "taken back": ("←", _ORANGE)}


def draw_backtracking(
    word: bytes, steps: Sequence[tuple[int, int, str]], token_bytes: Mapping[int, bytes], title: str
) -> None:
    """Show a search, one row for each step of ``reference.backtracking``: place, token, outcome.

    A token is as wide as its bytes. The token that was tried has a thick frame, and the outcome is next to it.

    >>> draw_backtracking(b"aab", [(0, 256, "fits"), (2, 98, "fits")], {256: b"aa", 98: b"b"}, "two looks")
    """
    length = len(word)
    rows = _rows_of(steps, token_bytes)
    figure, axes = new_axes(title, size=(min(10.0, 0.42 * length + 3.6), 0.5 * len(rows) + 0.9))
    for at in range(length):
        axes.text(at + 0.5, 1.0, plain_label(visible(word[at : at + 1])), ha="center", va="center", family="monospace")
    for row, (standing, tried, verdict) in enumerate(rows):
        end = _token_row(axes, 0, -row, standing, **_GREY)
        sign, look = _SIGNS.get(verdict, ("✗", _PINK))
        draw_token(axes, end, -row, tried, linewidth=2.0, **look)
        axes.text(length + 0.4, -row, f"{sign}  {verdict}", ha="left", va="center")
    axes.set_xlim(-0.2, length + 0.6 + 6.5)
    axes.set_ylim(-len(rows) + 0.4, 1.5)
    axes.axis("off")
    finish(figure)


def _rows_of(
    steps: Sequence[tuple[int, int, str]], token_bytes: Mapping[int, bytes]
) -> list[tuple[list[bytes], bytes, str]]:
    """Return for each step the tokens so far, the one that is tried, and the outcome."""
    rows: list[tuple[list[bytes], bytes, str]] = []
    standing: list[bytes] = []
    for _, token, verdict in steps:
        if verdict == "taken back":
            standing.pop()
        rows.append((list(standing), token_bytes[token], verdict))
        if verdict == "fits":
            standing.append(token_bytes[token])
    return rows


def draw_border(
    steps: Sequence[tuple[Sequence[int], Sequence[int], int | None, float]],
    token_bytes: Mapping[int, bytes],
    title: str,
) -> None:
    """Show two tokens being taken apart, one row for each step of ``reference.backtracking.border_steps``.

    The two at the border are coloured, since only they can merge across it.

    >>> tokens = {97: b"a", 98: b"b", 99: b"c", 257: b"ab"}
    >>> draw_border([((257,), (99,), None, float("inf")), ((97, 98), (99,), 256, 257)], tokens, "one step back")
    """
    rows = [_border_row(*step, token_bytes) for step in steps]
    left = max(sum(map(len, tokens)) for tokens, _, _ in rows)
    right = max(sum(map(len, tokens)) for _, tokens, _ in rows)
    widest = max(len(note) for _, _, note in rows)
    size = (min(10.0, 0.45 * (left + right) + 0.085 * widest + 0.8), 0.55 * len(rows) + 0.7)
    figure, axes = new_axes(title, size=size)
    for row, (before, behind, note) in enumerate(rows):
        at = _token_row(axes, -sum(map(len, before)), -row, before[:-1], **_GREY)
        draw_token(axes, at, -row, before[-1], **_BLUE)
        draw_token(axes, 0, -row, behind[0], **_ORANGE)
        _token_row(axes, len(behind[0]), -row, behind[1:], **_GREY)
        axes.text(right + 0.5, -row, plain_label(note), ha="left", va="center")
    axes.plot([0, 0], [0.55, -len(rows) + 0.45], color=INK, linewidth=2.4)
    axes.set_xlim(-left - 0.2, right + 0.5 + 0.19 * widest)
    axes.set_ylim(-len(rows) + 0.4, 0.6)
    axes.axis("off")
    finish(figure)


def _border_row(
    lefts: Sequence[int], rights: Sequence[int], merged: int | None, before: float, token_bytes: Mapping[int, bytes]
) -> tuple[list[bytes], list[bytes], str]:
    both = f"{visible(token_bytes[lefts[-1]])} + {visible(token_bytes[rights[0]])}"
    note = f"{both}: no merge" if merged is None else f"{both}: merge {merged:,}"
    if merged is not None and before != float("inf"):
        note += f", {'due before' if merged < before else 'not due before'} {before:,}"
    return [token_bytes[i] for i in lefts], [token_bytes[i] for i in rights], note


def draw_stream(tokens: Sequence[bytes], given: Sequence[str], title: str) -> None:
    """Show a stream token by token: the token, the text that could be shown at once, and how many bytes had to wait.

    given : the text that was shown after each token, or "".

    >>> draw_stream([b"A ", b"\\xe2\\x99", b"\\x9e"], ["A ", "", "\\u265e"], "a knight")
    """
    shown = [visible(token) for token in tokens]
    out = [visible(text) if text else "waits" for text in given]
    widths = [0.19 * max(len(plain_label(a)), len(plain_label(b)), 4) + 0.35 for a, b in zip(shown, out)]
    starts = list(accumulate(widths, initial=0.0))
    figure, axes = new_axes(title, size=(min(10.0, 0.62 * starts[-1] + 1.6), 2.6))
    waiting = 0
    for start, width, token, text, come, gone in zip(starts, widths, tokens, given, shown, out):
        waiting += len(token) - len(text.encode("utf-8"))
        for y, shown_here, look in ((0.7, come, _BLUE), (-0.3, gone, _GREEN if text else _GREY)):
            draw_box(axes, (start, y), width - 0.1, 0.6, shown_here, family="monospace", fontsize=9, **look)
        middle = start + width / 2 - 0.05
        axes.bar(middle, 0.17 * waiting, bottom=-1.0, width=0.5, **bar_style(1) | {"color": PALETTE[3]})
        axes.text(middle, -0.97 + 0.17 * waiting, f"{waiting}", ha="center", va="bottom", fontsize=9)
    axes.set_yticks([1.0, 0.0, -0.8], ["token comes in", "text goes out", "bytes waiting"])
    axes.set_xticks([])
    axes.set_xlim(-0.1, starts[-1] + 0.1)
    axes.set_ylim(-1.05, 1.5)
    hide_frame(axes)
    finish(figure)


def draw_offsets(text: str, tokens: Sequence[bytes], offsets: Sequence[int], title: str) -> None:
    """Show characters above, tokens below, both as wide as their bytes, and the offset under each token.

    >>> draw_offsets("\\u265e!", [b"\\xe2\\x99", b"\\x9e", b"!"], [0, 0, 1], "a knight")
    """
    length = sum(map(len, tokens))
    figure, axes = new_axes(title, size=(min(10.0, 0.42 * length + 1.9), 2.5))
    edges = list(accumulate((len(character.encode("utf-8")) for character in text), initial=0))
    for number, character in enumerate(text):
        middle = (edges[number] + edges[number + 1]) / 2
        draw_token(axes, edges[number], 1.2, character.encode("utf-8"), **_BLUE)
        axes.text(middle, 1.78, f"{number}", ha="center", va="center", fontsize=9)
    at = 0
    for number, (token, offset) in enumerate(zip(tokens, offsets)):
        draw_token(axes, at, 0.0, token, **(_ORANGE if number % 2 else _GREEN))
        axes.text(at + len(token) / 2, -0.6, f"{offset}", ha="center", va="center", fontsize=9)
        axes.plot([at + 0.08, edges[offset] + 0.08], [0.38, 0.82], color=INK, linewidth=1.2, marker=".")
        at += len(token)
    axes.set_yticks([1.78, 1.2, 0.0, -0.6], ["index", "characters", "tokens", "offset"])
    axes.set_xticks([])
    axes.set_xlim(-0.1, length + 0.1)
    axes.set_ylim(-0.9, 2.1)
    hide_frame(axes)
    finish(figure)


def _token_row(axes: Axes, at: float, y: float, tokens: Sequence[bytes], **look: Any) -> float:
    """Draw tokens side by side and return where the last one ends."""
    for token in tokens:
        draw_token(axes, at, y, token, **look)
        at += len(token)
    return at
