"""The ribbon and the matrix: every token drawn where it can be read, every author found."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.visual.charts import special


def boxes_of(texts, figure):
    renderer = figure.canvas.get_renderer()
    return [text.get_window_extent(renderer) for text in texts]


@pytest.mark.parametrize(
    "tokens",
    [
        pytest.param([], id="none"),
        pytest.param([b"a"], id="one"),
        pytest.param([b"<|im_start|>", b"user", b"\n"] * 40, id="many rows"),
        pytest.param([b"x" * 500, b"\xff\xfe", "中文$_{x}$".encode(), b" ", b"<|" * 30], id="awkward"),
    ],
)
def test_every_token_of_a_ribbon_stands_inside_the_picture_and_alone(tokens, drawn):
    kinds = ["frame" if at % 3 else "user" for at in range(len(tokens))]
    special.draw_ribbon(
        tokens, kinds, special=[at % 2 == 0 for at in range(len(tokens))], trained=[True] * len(tokens), title="A title"
    )
    (figure,) = drawn
    (axes,) = figure.axes
    assert len(axes.texts) == len(tokens)
    boxes = boxes_of(axes.texts, figure)
    assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in boxes)
    assert all(figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1 for box in boxes)
    assert not any(a.overlaps(b) for a, b in pairwise(boxes))


def test_the_matrix_shows_every_outcome_in_its_place(drawn):
    cells = {("none", "all"): "raises", ("none", "()"): "ordinary", ("all", "all"): "special", ("all", "()"): "special"}
    special.draw_matrix(cells, rows="allowed", columns="disallowed", title="A title")
    (figure,) = drawn
    (axes,) = figure.axes
    left = [label.get_text() for label in axes.get_yticklabels()]
    top = [label.get_text() for label in axes.get_xticklabels()]
    shown = {}
    for text in axes.texts:
        x, y = text.get_position()
        shown[left[int(y)], top[int(x)]] = text.get_text()
    assert shown == cells


@given(st.lists(st.tuples(st.sampled_from("abc"), st.text(max_size=6))), st.data())
def test_a_token_belongs_to_whoever_wrote_its_first_byte(parts, data):
    owners = [author for author, text in parts for _ in text.encode("utf-8")]
    whole = "".join(text for _, text in parts).encode("utf-8")
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(whole) - 1)))) if len(whole) > 1 else [])
    tokens = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)])] if whole else []
    at = 0
    for token, author in zip(
        tokens, special.who_wrote(tokens, [(who, text, False) for who, text in parts]), strict=True
    ):
        assert author == owners[at]
        at += len(token)
