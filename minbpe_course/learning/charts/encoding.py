"""Charts of lessons 09 and 11: a backtracking search, two tokens at a border, and offsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from minbpe_course.learning.charts import INK, finish, pale_style
from minbpe_course.learning.charts.boxes import BARE, Row, new_rows, token_box
from minbpe_course.showing import visible

_BLUE, _ORANGE, _GREEN, _PINK = map(pale_style, range(4))
_SIGNS = {"fits": ("✓", _BLUE), "taken back": ("←", _ORANGE)}


def draw_backtracking(
    word: bytes, steps: Sequence[tuple[int, int, str]], token_bytes: Mapping[int, bytes], title: str
) -> None:
    """Show a search, one row for each step of ``reference.backtracking``: place, token, outcome.

    A token is as wide as its bytes. The token that was tried has a thick frame, and the outcome is next to it.

    >>> draw_backtracking(b"aab", [(0, 256, "fits"), (2, 98, "fits")], {256: b"aa", 98: b"b"}, "two looks")
    """
    rows: list[Row] = [("", 0, [token_box(bytes([byte]), BARE) for byte in word], "")]
    standing: list[bytes] = []
    for _, token, verdict in steps:
        if verdict == "taken back":
            standing.pop()
        sign, look = _SIGNS.get(verdict, ("✗", _PINK))
        tried = token_box(token_bytes[token], look | {"linewidth": 2.0})
        rows.append(("", 0, [*map(token_box, standing), tried], f"{sign}  {verdict}"))
        if verdict == "fits":
            standing.append(token_bytes[token])
    finish(new_rows(rows, title)[0])


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
    rows: list[Row] = []
    for lefts, rights, merged, before in steps:
        left, right = ([token_bytes[each] for each in side] for side in (lefts, rights))
        note = f"{visible(left[-1])} + {visible(right[0])}: " + ("no merge" if merged is None else f"merge {merged:,}")
        if merged is not None and before != float("inf"):
            note += f", {'due before' if merged < before else 'not due before'} {before:,}"
        coloured = [token_box(left[-1], _BLUE), token_box(right[0], _ORANGE)]
        boxes = [*map(token_box, left[:-1]), *coloured, *map(token_box, right[1:])]
        rows.append(("", -sum(map(len, left)), boxes, note))
    figure, axes = new_rows(rows, title)
    axes.axvline(0, color=INK, linewidth=2.4)
    finish(figure)


def draw_offsets(text: str, tokens: Sequence[bytes], offsets: Sequence[int], title: str) -> None:
    """Show characters above, tokens below, both as wide as their bytes, and the offset under each token.

    >>> draw_offsets("\\u265e!", [b"\\xe2\\x99", b"\\x9e", b"!"], [0, 0, 1], "a knight")
    """
    characters = [character.encode("utf-8") for character in text]
    rows: list[Row] = [
        ("index", 0, [(f"{number}", len(each), BARE) for number, each in enumerate(characters)], ""),
        ("characters", 0, [token_box(each, _BLUE) for each in characters], ""),
        ("", 0, [], ""),
        ("tokens", 0, [token_box(each, (_GREEN, _ORANGE)[at % 2]) for at, each in enumerate(tokens)], ""),
        ("offset", 0, [(f"{offset}", len(each), BARE) for offset, each in zip(offsets, tokens)], ""),
    ]
    figure, axes = new_rows(rows, title)
    edges = list(accumulate(map(len, characters), initial=0))
    for at, offset in zip(accumulate(map(len, tokens), initial=0), offsets):
        axes.plot([at + 0.08, edges[offset] + 0.08], [2.63, 1.37], color=INK, linewidth=1.2, marker=".")
    finish(figure)
