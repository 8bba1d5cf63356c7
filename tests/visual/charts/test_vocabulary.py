"""The pictures of lesson 04 show what they were given: every merge, every byte, every count."""

from __future__ import annotations

import pytest

from minbpe_course import vocabularies
from minbpe_course.reference.recovery import merge_tree
from minbpe_course.visual.charts import vocabulary
from tests.visual.charts.drawings import texts


def test_a_forest_has_one_box_for_every_byte_and_every_merge(draw):
    ranks = vocabularies.mergeable_ranks("cl100k_base")
    trees = [merge_tree(b" token", ranks), merge_tree(b"ization", ranks)]
    (axes,) = draw(vocabulary.draw_merge_forest, trees, "two trees")
    boxes = texts(axes)
    assert len(boxes) == (6 + 5) + (7 + 6)
    assert f"·token\n{ranks[b' token']}" in boxes
    assert len(axes.lines) == len(boxes) - 2


def test_a_forest_survives_bytes_that_are_no_text_and_dollar_signs(draw):
    ranks = vocabularies.mergeable_ranks("cl100k_base")
    trees = [merge_tree(b"\xf0\x9f", ranks), merge_tree(b"$$", ranks)]
    (axes,) = draw(vocabulary.draw_merge_forest, trees, "half an emoji, two dollars")
    assert any("\\xf0" in text for text in texts(axes))


@pytest.mark.medium
def test_the_map_shows_each_byte_once_and_frames_each_seam(draw):
    orders = {"plain": bytes(range(256)), "gpt2": vocabularies.load("gpt2").byte_order}
    plain, shuffled = draw(vocabulary.draw_byte_shuffle, orders)
    assert len(set(texts(plain))) == len(set(texts(shuffled))) == 256
    assert [len(plain.patches), len(shuffled.patches)] == [0, 5]
