"""Coloured tokens: safe, legible without colour, the same on every run, and complete."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from minbpe_course.errors import InvalidTokenId, NotText
from minbpe_course.visual.tokens import compare_tokens, show_tokens, visible
from minbpe_course.visual.tokens.drawing import FILLS
from tests.shared.html import Page, contrast

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='x",
    "&lt;",
    "</bdi></div>",
    "a|b",
]


def boxes(view) -> Page:
    return Page(view._repr_html_())


@pytest.mark.parametrize("as_bytes", [False, True], ids=["str", "bytes"])
def test_hostile_tokens_show_as_text(as_bytes):
    tokens = [token.encode() if as_bytes else token for token in HOSTILE]
    found = boxes(compare_tokens({hostile: (tokens, range(len(tokens))) for hostile in HOSTILE}, title=HOSTILE[0]))
    assert set(found.tags) <= {"div", "bdi", "span", "br", "b"}
    assert all(set(box) == {"role", "title", "aria-label", "style"} for box in found.boxes)
    wanted = [visible(token) for token in HOSTILE] * len(HOSTILE)
    assert found.box_texts == wanted


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (b" a", "·a"),
        ("\n\n", "↵↵"),
        ("\t\r", "→\\r"),
        (b"\xe2\x80", r"\xe2\x80"),
        (b"\xff ok \xc3", r"\xff·ok·\xc3"),
        ("\u00a0", r"\u00a0"),
        ("\u3000", r"\u3000"),
        ("\u202ebidi", r"\u202ebidi"),
        ("\x00\x1b[31m", r"\u0000\u001b[31m"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
        ("\u3164a\u2800", r"\u3164a\u2800"),
        ("a\u034f\U000e0100", r"a\u034f\U000e0100"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("a\ufe00\ufe01\ufe02", "a\ufe00\\ufe01\\ufe02"),
        ("👩\u200d💻", "👩\\u200d💻"),
        ("▁the", "▁the"),
        ("\u0301", "◌\u0301"),
        ("ेर", "◌ेर"),
        ("e\u0301", "e\u0301"),
        ("\u0e35".encode(), "◌\u0e35"),
        (b"", ""),
    ],
)
def test_nothing_invisible_stays_invisible(token, shown):
    assert visible(token) == shown
    assert repr(show_tokens([token])) == f"|{shown}|"


@pytest.mark.parametrize("token", [b"", b"\xff", "\ud800", "x" * 10_000, "\x00", "\u202e", b"\xf0\x9f"])
def test_any_token_can_be_drawn_and_written_to_a_file(token):
    view = show_tokens([token, token], [1, 2])
    assert len(boxes(view).boxes) == 2
    (view._repr_html_() + repr(view)).encode("utf-8")


def test_parts_of_one_character_keep_their_own_boxes_with_facts_on_hover():
    found = boxes(show_tokens([b"\xe2\x82", b"\xac"], np.array([1, 2], dtype=np.uint32)))
    assert (found.boxes[0]["title"], found.boxes[0]["aria-label"]) == (
        "id 1 · bytes e2 82 · not a whole character", "\\xe2\\x82 id 1"
    )  # fmt: skip
    assert [text.split("\n")[0] for text in found.box_texts] == ["\\xe2\\x821", "\\xac2"]


def test_neighbours_differ_without_colour_too():
    styles = [box["style"] for box in boxes(show_tokens(["a"] * 12)).boxes]
    kinds = ["dashed" if "dashed" in style else "solid" for style in styles]
    assert all(a != b for a, b in pairwise(kinds))
    assert all(a != b for a, b in pairwise(styles))


@pytest.mark.parametrize("ink", ["#111111", "#333333", "#6b4f4f"])
@pytest.mark.parametrize("fill", FILLS)
def test_ink_on_every_fill_reaches_the_contrast_of_wcag_aa(ink, fill):
    assert contrast(ink, fill) >= 4.5


@pytest.mark.parametrize(
    ("tokens", "direction"),
    [
        (["Hello", " مرحبا"], "ltr"),
        (["12 ", "مرحبا", " Hello"], "rtl"),
        ([b"\xd7", b"\xa9", b"\xd7\x9c"], "rtl"),
        (["12", "!"], "ltr"),
    ],
)
def test_the_row_runs_in_the_direction_of_its_first_strong_character(tokens, direction):
    assert f'dir="{direction}"' in show_tokens(tokens)._repr_html_()


def test_comparison_has_a_labelled_row_for_each_tokenizer():
    view = compare_tokens({"bytes": ([b"a", b"b"], [97, 98]), "words": (["ab"], None)}, title="ab")
    assert repr(view) == "ab\nbytes      2 tokens  |a|b|\nwords       1 token  |ab|"
    assert "2 tokens" in view._repr_html_()
    assert "1 token<" in view._repr_html_()


def test_invalid_tokens_raise_a_named_error():
    for tokens in ("one str", b"one bytes", [1, 2], [None]):
        with pytest.raises(NotText):
            show_tokens(tokens)
    with pytest.raises(InvalidTokenId, match="2 tokens but 1 ids"):
        show_tokens(["a", "b"], [1])


def test_importing_tokens_imports_no_matplotlib():
    code = (
        "import sys, minbpe_course.visual.tokens; assert 'matplotlib' not in sys.modules and 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
