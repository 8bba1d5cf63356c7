"""Draw the picture of the README: one text as several tokenizers cut it, for light and for dark pages.

    python -m tools.picture             writes docs/images/tokens-light.svg and docs/images/tokens-dark.svg

The pictures are computed from the bundled vocabularies and from nothing else, so that they come out the same on every
machine; ``tests/test_picture.py`` makes them again and compares. Fonts differ: every text says how long it is to be.
"""

from __future__ import annotations

import argparse
import unicodedata
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from minbpe_course.files import write_whole
from minbpe_course.inspecting.tokenizer_view import view_of
from minbpe_course.showing import visible
from minbpe_course.showing.drawing import FILLS, INK, LINES, SPECIAL_SIGN

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images"
TEXT = "Tokenizers split naïve 안녕하세요 👋 3.14159<|endoftext|>"
ENCODINGS = {"gpt2": "GPT-2", "cl100k_base": "GPT-4", "o200k_base": "GPT-4o"}

# A character of the monospaced fonts that browsers have is about 0.6 of its height.
SIZE, ADVANCE = 15, 9.0
BOX, PADDING, GAP = 27, 3, 3
LEFT, TOP, ROW, WIDTH = 8, 10, 62, 880


class Theme(NamedTuple):
    """The colours on one kind of page."""

    fills: Sequence[str]
    lines: Sequence[str]
    ink: str
    label: str


THEMES = {
    "light": Theme(FILLS, LINES, INK, "#222222"),
    # The fills are the colours of the lines darkened, the lines those of the light fills.
    "dark": Theme(("#0b4566", "#6e3208", "#0b4f3d", "#652f50", "#524a05"), FILLS, "#f5f5f5", "#e6e6e6"),
}


def picture(theme: Theme) -> str:
    """Return the whole picture as SVG.

    >>> picture(THEMES["light"]).startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    True
    """
    rows, y = [], TOP
    for name, model in ENCODINGS.items():
        row, height = _row(name, model, y, theme)
        rows += row
        y += height
    title = f"One text as {_listed(list(ENCODINGS.values()))} cut it into tokens"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" role="img" aria-labelledby="title">',
            f'<title id="title">{escape(title)}</title>',
            f'<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="{SIZE}">',
            *rows,
            "</g>",
            "</svg>\n",
        ]
    )


def _row(name: str, model: str, y: int, theme: Theme) -> tuple[list[str], int]:
    cut = view_of(name).cut(TEXT, specials=True)
    label = f"{model} ({name}): {len(cut)} tokens, {cut.bytes_per_token:.2f} bytes each"
    parts = [_text(LEFT, y + SIZE, label, theme.label, 13)]
    x, top = float(LEFT), y + 24
    for place, token in enumerate(cut.tokens):
        special = place in cut.special
        shown = SPECIAL_SIGN * special + visible(token)
        wide = _columns(shown) * ADVANCE + 2 * PADDING
        if x + wide > WIDTH - LEFT:
            x, top = float(LEFT), top + BOX + 5
        parts += _box(x, top, wide, shown, place, special, theme)
        x += wide + GAP + GAP * special
    return parts, top - y + ROW - 24


def _box(x: float, y: int, wide: float, shown: str, place: int, special: bool, theme: Theme) -> Iterator[str]:
    fill, line = theme.fills[place % len(theme.fills)], theme.lines[place % len(theme.lines)]
    border = f' stroke="{line}" stroke-width="1.5"' if special else ""
    yield f'<rect x="{x:g}" y="{y}" width="{wide:g}" height="{BOX - 3}" rx="3" fill="{fill}"{border}/>'
    dashes = ' stroke-dasharray="4 3"' if place % 2 else ""
    bottom = y + BOX - 2
    yield (
        f'<path d="M{x:g} {bottom}h{wide:g}" stroke="{line}" stroke-width="{3 if special else 2}"{dashes} fill="none"/>'
    )
    yield _text(x + PADDING, y + 17, shown, theme.ink, SIZE)


def _text(x: float, y: int, text: str, colour: str, size: int) -> str:
    long = _columns(text) * ADVANCE * size / SIZE
    size_said = "" if size == SIZE else f' font-size="{size}"'
    return (
        f'<text x="{x:g}" y="{y}" fill="{colour}"{size_said} textLength="{long:g}" lengthAdjust="spacingAndGlyphs" '
        f'xml:space="preserve">{escape(text)}</text>'
    )


def _columns(text: str) -> int:
    """How many columns of a monospaced font a text takes: Chinese, Korean and emoji take two each."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def main() -> None:
    """Write both pictures."""
    argparse.ArgumentParser(description="Draw the picture of the README again.").parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, theme in THEMES.items():
        print(
            write_whole(FOLDER / f"tokens-{name}.svg", picture(theme).encode("utf-8")).relative_to(FOLDER.parent.parent)
        )


if __name__ == "__main__":
    main()
