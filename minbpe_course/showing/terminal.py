r"""Tokens with the colours of a terminal: every second one underlined, special ones bold with a sign.

``visible`` has escaped the control characters in a token, so no token can send a command to the terminal.
"""

from __future__ import annotations

from minbpe_course.showing.drawing import FILLS, INK, SPECIAL_SIGN, Row, ends_a_line, visible

RESET = "\x1b[0m"
# The six levels of each colour in the 6 x 6 x 6 cube of terminals with 256 colours.
_STEPS = (0, 95, 135, 175, 215, 255)


def row_ansi(row: Row, depth: int, write_ids: bool) -> str:
    r"""Return the tokens of a row, and their ids on a line below.

    >>> row_ansi(Row("", ("a",), (97,)), 24, False)
    '\x1b[48;2;207;232;248;38;2;17;17;17ma\x1b[0m'
    """
    shown = row.shown()
    parts = []
    for place, token in enumerate(shown):
        special = place in row.special
        text = (SPECIAL_SIGN if special else "") + visible(token)
        parts.append(_coloured(text, place, special, depth))
        # A coloured background must not continue to the edge of the window.
        if ends_a_line(token) and place + 1 < len(shown):
            parts.append("\n")
    parts.append(row.remainder())
    if write_ids and row.ids:
        coloured = (
            _coloured(str(each), place, place in row.special, depth) for place, each in enumerate(row.shown_ids())
        )
        parts.append("\nids " + " ".join(coloured) + row.remainder())
    return "".join(parts)


def _coloured(text: str, place: int, special: bool, depth: int) -> str:
    codes = []
    if depth:
        colour = _all_colours if depth == 24 else _of_256
        codes += [f"48;{colour(FILLS[place % len(FILLS)])}", f"38;{colour(INK)}"]
    # Five colours, underlined or not: a style repeats after ten tokens.
    codes += ["4"] * (place % 2) + ["1"] * special
    return f"\x1b[{';'.join(codes)}m{text}{RESET}" if codes and text else text


def _all_colours(colour: str) -> str:
    return "2;" + ";".join(map(str, _parts(colour)))


def _of_256(colour: str) -> str:
    red, green, blue = (min(range(6), key=lambda at: abs(_STEPS[at] - part)) for part in _parts(colour))
    return f"5;{16 + 36 * red + 6 * green + blue}"


def _parts(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
