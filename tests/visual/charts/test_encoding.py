"""The pictures of lesson 08 show what they were given, and nothing lies outside of them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from minbpe_course import get_encoding
from minbpe_course.reference import backtracking
from minbpe_course.visual.charts import encoding
from tests.visual.charts.drawings import is_inside, texts

RANKS = {(97, 98): 256, (97, 97): 257, (257, 257): 258}
TOKENS = {97: b"a", 98: b"b", 256: b"ab", 257: b"aa", 258: b"aaaa"}
TEXTS = ["", "a", "\u265e takes \u265c", "na\u00efve \u4e2d\u6587 $x$ \U0001f469\u200d\U0001f4bb\n\tend"]


def test_every_look_of_a_search_is_a_row(drawn):
    steps = list(backtracking.backtracking_steps(b"aaaab", backtracking.prepare(RANKS)))
    encoding.draw_backtracking(b"aaaab", steps, TOKENS, "seven looks")
    (figure,) = drawn
    said = texts(figure.axes[0])
    assert [text[3:] for text in said if text[1:3] == "  "] == [step.verdict for step in steps]
    # The letters above, and in the rows what stands and what is tried.
    assert [text for text in said if text.strip("ab") == ""] == [
        *"aaaab", "aaaa", "aaaa", "b", "aaaa", "aa", "aa", "aa", "aa", "a", "aa", "a", "ab",
    ]  # fmt: skip
    assert is_inside(figure)


def test_a_border_is_asked_as_often_as_there_are_steps(drawn):
    halves = {token: pair for pair, token in RANKS.items()}
    steps = list(backtracking.border_steps(97, 257, RANKS, halves))
    encoding.draw_border(steps, TOKENS, "may they?")
    (figure,) = drawn
    said = texts(figure.axes[0])
    assert [text for text in said if "+" in text] == ["a + aa: no merge", "a + a: merge 257, due before 258"]
    assert [text for text in said if "+" not in text] == ["a", "aa", "a", "a", "a"]
    assert is_inside(figure)


def test_lengths_and_costs_are_the_lines(drawn):
    encoding.draw_word_lengths([4, 8, 16], {"slow": [1, 4, float("nan")], "fast": [2, 3, 4]}, cost="looks", title="t")
    (figure,) = drawn
    lines = {line.get_label(): list(line.get_ydata()) for line in figure.axes[0].get_lines()}
    assert lines["fast"] == [2, 3, 4]
    assert lines["slow"][:2] == [1, 4]
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("bytes in the word", "looks")


def test_a_cache_covers_what_its_words_count(drawn):
    encoding.draw_cache({"text": [1, 6, 3]})
    (figure,) = drawn
    by_rank, share = figure.axes
    assert list(by_rank.get_lines()[0].get_ydata()) == [6, 3, 1]
    assert list(share.get_lines()[0].get_ydata()) == [60, 90, 100]
    assert all(axes.get_xlabel() and axes.get_ylabel() and axes.get_title("left") for axes in figure.axes)


@pytest.mark.parametrize("text", TEXTS[1:])
def test_a_stream_says_how_many_bytes_wait(drawn, text):
    enc = get_encoding("cl100k_base")
    tokens = enc.decode_tokens_bytes(enc.encode(text))
    given, shown, waiting = [], "", []
    for at in range(1, len(tokens) + 1):
        whole = b"".join(tokens[:at]).decode("utf-8", errors="ignore")
        given.append(whole[len(shown) :])
        shown = whole
        waiting.append(sum(map(len, tokens[:at])) - len(shown.encode()))
    encoding.draw_stream(tokens, given, "a stream")
    (figure,) = drawn
    said = texts(figure.axes[0])
    assert [int(number) for number in said[2::3]] == waiting
    assert said[1::3].count("waits") == given.count("")
    assert is_inside(figure)


@pytest.mark.parametrize("text", TEXTS[1:])
def test_offsets_stand_under_their_tokens(drawn, text):
    enc = get_encoding("cl100k_base")
    ids = enc.encode(text)
    encoding.draw_offsets(text, enc.decode_tokens_bytes(ids), enc.decode_with_offsets(ids)[1], "offsets")
    (figure,) = drawn
    (axes,) = figure.axes
    under = sorted((each for each in axes.texts if each.get_position()[1] < -0.3), key=lambda each: each.get_position())
    assert [int(each.get_text()) for each in under] == enc.decode_with_offsets(ids)[1]
    assert all(a.get_position()[0] < b.get_position()[0] for a, b in pairwise(under))
    above = [each.get_text() for each in axes.texts if each.get_position()[1] > 1.5]
    assert above == [str(index) for index in range(len(text))]
