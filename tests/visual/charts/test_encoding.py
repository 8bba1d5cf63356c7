"""The pictures of lesson 09 show what they were given, and nothing lies outside of them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from minbpe_course import get_encoding
from minbpe_course.reference import backtracking
from minbpe_course.visual.charts import encoding
from tests.visual.charts.drawings import texts

RANKS = {(97, 98): 256, (97, 97): 257, (257, 257): 258}
TOKENS = {97: b"a", 98: b"b", 256: b"ab", 257: b"aa", 258: b"aaaa"}
TEXTS = ["", "a", "\u265e takes \u265c", "na\u00efve \u4e2d\u6587 $x$ \U0001f469\u200d\U0001f4bb\n\tend"]


def test_every_look_of_a_search_is_a_row(draw):
    steps = list(backtracking.backtracking_steps(b"aaaab", backtracking.prepare(RANKS)))
    said = texts(draw(encoding.draw_backtracking, b"aaaab", steps, TOKENS, "seven looks")[0])
    assert [text[3:] for text in said if text[1:3] == "  "] == [step.verdict for step in steps]
    # The letters above, and in the rows what stands and what is tried.
    assert [text for text in said if text.strip("ab") == ""] == [
        *"aaaab", "aaaa", "aaaa", "b", "aaaa", "aa", "aa", "aa", "aa", "a", "aa", "a", "ab",
    ]  # fmt: skip


def test_a_border_is_asked_as_often_as_there_are_steps(draw):
    halves = {token: pair for pair, token in RANKS.items()}
    steps = list(backtracking.border_steps(97, 257, RANKS, halves))
    said = texts(draw(encoding.draw_border, steps, TOKENS, "may they?")[0])
    assert [text for text in said if "+" in text] == ["a + aa: no merge", "a + a: merge 257, due before 258"]
    assert [text for text in said if "+" not in text] == ["a", "aa", "a", "a", "a"]


@pytest.mark.parametrize("text", TEXTS[1:])
def test_a_stream_says_how_many_bytes_wait(draw, text):
    enc = get_encoding("cl100k_base")
    tokens = enc.decode_tokens_bytes(enc.encode(text))
    given, shown, waiting = [], "", []
    for at in range(1, len(tokens) + 1):
        whole = b"".join(tokens[:at]).decode("utf-8", errors="ignore")
        given.append(whole[len(shown) :])
        shown = whole
        waiting.append(sum(map(len, tokens[:at])) - len(shown.encode()))
    said = texts(draw(encoding.draw_stream, tokens, given, "a stream")[0])
    assert [int(number) for number in said[2::3]] == waiting
    assert said[1::3].count("waits") == given.count("")


@pytest.mark.parametrize("text", TEXTS[1:])
def test_offsets_stand_under_their_tokens(draw, text):
    enc = get_encoding("cl100k_base")
    ids = enc.encode(text)
    offsets = enc.decode_with_offsets(ids)[1]
    (axes,) = draw(encoding.draw_offsets, text, enc.decode_tokens_bytes(ids), offsets, "offsets")
    under = sorted((each for each in axes.texts if each.get_position()[1] < -0.3), key=lambda each: each.get_position())
    assert [int(each.get_text()) for each in under] == offsets
    assert all(a.get_position()[0] < b.get_position()[0] for a, b in pairwise(under))
    above = [each.get_text() for each in axes.texts if each.get_position()[1] > 1.5]
    assert above == [str(index) for index in range(len(text))]
