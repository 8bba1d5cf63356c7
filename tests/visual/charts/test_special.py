"""The matrix shows every outcome, and every token has its author."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.visual.charts import special
from tests.visual.charts.drawings import texts, ticks


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
