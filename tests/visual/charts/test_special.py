"""The ribbon and the matrix: every token drawn where it can be read, every author found."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.visual.charts import special
from tests.visual.charts.drawings import texts, ticks


@pytest.mark.parametrize(
    "tokens",
    [
        pytest.param([], id="none"),
        pytest.param([b"a"], id="one"),
        pytest.param([b"<|im_start|>", b"user", b"\n"] * 40, id="many rows"),
        pytest.param([b"x" * 500, b"\xff\xfe", "中文$_{x}$".encode(), b" ", b"<|" * 30], id="awkward"),
    ],
)
def test_every_token_of_a_ribbon_stands_inside_the_picture_and_alone(tokens, draw):
    kinds = ["frame" if at % 3 else "user" for at in range(len(tokens))]
    framed = [at % 2 == 0 for at in range(len(tokens))]
    (axes,) = draw(special.draw_ribbon, tokens, kinds, special=framed, trained=[True] * len(tokens), title="A title")
    assert len(axes.texts) == len(tokens)
    renderer = axes.figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in axes.texts]
    assert not any(a.overlaps(b) for a, b in pairwise(boxes))


def test_the_matrix_shows_every_outcome_in_its_place(draw):
    cells = {("none", "all"): "raises", ("none", "()"): "ordinary", ("all", "all"): "special", ("all", "()"): "special"}
    (axes,) = draw(special.draw_matrix, cells, rows="allowed", columns="disallowed", title="A title")
    left, top = ticks(axes.yaxis), ticks(axes.xaxis)
    places = [text.get_position() for text in axes.texts]
    assert dict(zip([(left[int(y)], top[int(x)]) for x, y in places], texts(axes))) == cells


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
