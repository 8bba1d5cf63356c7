"""Coloured tokens: safe, legible without colour, the same on every run, and complete, in every form."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course import BasicTokenizer, RegexTokenizer, show
from minbpe_course.errors import InvalidTokenId, NotText, UnusableTokenizer
from minbpe_course.inspecting.tokenizer_view import view_of
from minbpe_course.model import PieceModel
from minbpe_course.showing import MOST_SHOWN, compare_tokens, show_tokens, visible
from minbpe_course.showing.drawing import FILLS, INK, SPECIAL_SIGN
from minbpe_course.showing.markup import MOST_LISTED
from tests.shared.cases import MISTRAL, hostile_texts
from tests.shared.html import Page, contrast
from tests.shared.long_run import examples

HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' onclick='x", "&lt;", "</bdi></div>", "a|b"]
ESCAPES = re.compile(r"\x1b\[([0-9;]*)m")


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
        ("\u202ebidi", r"\u202ebidi"),
        ("\x00\x1b[31m", r"\u0000\u001b[31m"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
        ("a\ufe00\ufe01\ufe02", "a\ufe00\\ufe01\\ufe02"),
        ("👩\u200d💻", "👩\\u200d💻"),
        ("\u0301", "◌\u0301"),
        ("e\u0301", "e\u0301"),
        ("\u0e35".encode(), "◌\u0e35"),
        (b"", ""),
    ],
)
def test_nothing_invisible_stays_invisible(token, shown):
    assert visible(token) == shown
    assert repr(show_tokens([token])) == f"|{shown}|"


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


@pytest.mark.parametrize(
    ("tokens", "direction"),
    [
        (["Hello", " مرحبا"], "ltr"),
        (["12 ", "مرحبا", " Hello"], "rtl"),
        (["12", "!"], "ltr"),
    ],
)
def test_the_row_runs_in_the_direction_of_its_first_strong_character(tokens, direction):
    assert f'dir="{direction}"' in show_tokens(tokens)._repr_html_()


def test_invalid_tokens_raise_a_named_error():
    for tokens in ("one str", b"one bytes", [1, 2], [None]):
        with pytest.raises(NotText):
            show_tokens(tokens)
    with pytest.raises(InvalidTokenId, match="2 tokens but 1 ids"):
        show_tokens(["a", "b"], [1])


# ---- Texts that ``show`` cuts


class Letters:
    def encode(self, text):
        return [ord(each) for each in text]

    def decode(self, ids):
        return "".join(map(chr, ids))


def test_the_usual_three_stand_below_one_another():
    view = show("Hello world")
    assert repr(view).splitlines() == [
        "gpt2             2 tokens  5.50 bytes each  |Hello|·world|",
        "cl100k_base      2 tokens  5.50 bytes each  |Hello|·world|",
        "o200k_base       2 tokens  5.50 bytes each  |Hello|·world|",
    ]
    assert repr(view) == view.text()
    assert view._repr_html_() == view.html()


def test_all_kinds_side_by_side():
    mine = RegexTokenizer().train("hello hello", 258)
    view = show("hello ☃", "gpt2", mine, MISTRAL, Letters(), view_of(Letters(), "mine"))
    assert [row.label for row in view.rows] == ["gpt2", "RegexTokenizer", "tokenizer.model", "Letters", "mine"]
    assert [row.tokens for row in view.rows][2:4] == [("▁hell", "o", "▁", "☃"), tuple("hello ☃")]


def test_special_tokens_have_a_sign_besides_colour():
    text = "a<|endoftext|>"
    view = show(text, "gpt2", specials=True)
    assert f"|a|{SPECIAL_SIGN}<\\|endoftext\\|>|" in view.text()
    plain, special = boxes(view).boxes
    assert "special token" in special["aria-label"]
    assert "special token" in special["title"]
    assert "outline" in special["style"]
    assert "outline" not in plain["style"]
    assert SPECIAL_SIGN in view.ansi(0)
    assert SPECIAL_SIGN not in show(text, "gpt2").text() + show(text, "gpt2").ansi() + show(text, "gpt2").html()


def test_a_note_is_shown_everywhere():
    class Lower(Letters):
        def encode(self, text):
            return super().encode(text.lower())

    view = show("Ab", Lower())
    for shown in (view.text(), view.ansi(), view.html()):
        assert "(the tokens joined are not the text)" in shown


@pytest.mark.parametrize("text", ["", "\n", "\ud800", "\x00\x1b[2J\x07", "\u202eabc\u2066", *HOSTILE])
def test_any_text_is_shown_in_every_form(text):
    view = show(text, "gpt2", MISTRAL, BasicTokenizer())
    for shown in (view.text(), view.html(), view.ansi(24), view.ansi(8), view.ansi(0)):
        shown.encode("utf-8")
    assert len(boxes(view).boxes) == sum(len(row.tokens) for row in view.rows)


@settings(max_examples=examples(60))
@given(st.text(max_size=30) | st.sampled_from(hostile_texts(7, 40, surrogates=True)))
def test_nothing_but_colours_reaches_the_terminal(text):
    for depth in (24, 8, 0):
        left = ESCAPES.sub("", show(text, "cl100k_base").ansi(depth))
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", left)


@settings(max_examples=examples(60))
@given(st.lists(st.text(max_size=8), max_size=6))
def test_html_contains_the_tokens_without_their_tags(tokens):
    model = PieceModel(("<unk>", "a"), (0.0, -1.0), (2, 1))

    class Given:
        vocab = tokens

        def encode(self, text):
            return range(len(tokens))

    text = "".join(tokens)
    view = show(text, view_of(Given(), text or "x"), view_of(model, "<b>"))
    found = boxes(view)
    assert set(found.tags) <= {"div", "bdi", "span", "br", "b", "details", "summary", "table", "thead", "tbody"} | {
        "tr", "td", "th"
    }  # fmt: skip
    shown = [visible(token) or "\u00a0" for token in map(str, view.rows[0].tokens)]
    assert found.box_texts[: len(shown)] == shown


def test_ids_and_bytes_can_be_read_without_a_mouse():
    html = show("é", "gpt2").html()
    assert 'aria-label="é, id 2634, bytes c3 a9"' in html
    assert 'aria-label="gpt2: 1 token · 2.00 bytes each"' in html
    cells = re.findall(r"<td dir[^>]*>([^<]*)</td>", html)
    assert cells == ["0", "é", "2634", "c3 a9", ""]
    assert "<details" in html
    assert "<summary" in html


def test_each_line_has_the_direction_of_its_first_strong_character():
    html = show("world שלום\nשלום world\n12", "o200k_base").html()
    assert re.findall(r'<div dir="(\w+)">', html) == ["ltr", "rtl", "ltr"]


def test_colours_of_a_terminal_keep_their_contrast():
    def of_256(code: int) -> str:
        steps = (0, 95, 135, 175, 215, 255)
        at = code - 16
        return f"#{steps[at // 36]:02x}{steps[at // 6 % 6]:02x}{steps[at % 6]:02x}"

    view = show_tokens(["a"] * 5)
    fills = [of_256(int(code)) for code in re.findall(r"48;5;(\d+)", view.ansi(8))]
    assert len(set(fills)) == len(FILLS)
    assert all(contrast(INK, fill) >= 7 for fill in fills)
    wanted = [";".join(str(int(fill[at : at + 2], 16)) for at in (1, 3, 5)) for fill in FILLS]
    assert re.findall(r"48;2;(\d+;\d+;\d+)", view.ansi(24)) == wanted


def test_a_long_text_is_cut_short_in_every_form():
    view = show("ab " * MOST_SHOWN, BasicTokenizer())
    left = f"and {2 * MOST_SHOWN:,} more"
    assert left in view.text()
    assert left in view.ansi()
    assert left in view.html()
    assert f"and {3 * MOST_SHOWN - MOST_LISTED:,} more" in view.html()
    assert view.text(ids=True).count(left) == 2


def test_only_text_and_tokenizers_are_taken():
    for text in (b"bytes", None, ["a"]):
        with pytest.raises(NotText, match="the text comes first"):
            show(text)
    with pytest.raises(UnusableTokenizer):
        show("text", 5)
