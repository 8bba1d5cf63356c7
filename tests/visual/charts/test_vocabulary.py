"""The pictures of lesson 04 show what they were given: every merge, every byte, every count."""

from __future__ import annotations

from minbpe_course import vocabularies
from minbpe_course.reference.recovery import merge_tree
from minbpe_course.visual.charts import vocabulary
from tests.visual.charts.drawings import texts


def test_a_forest_has_one_box_for_every_byte_and_every_merge(drawn):
    ranks = vocabularies.mergeable_ranks("cl100k_base")
    vocabulary.draw_merge_forest([merge_tree(b" token", ranks), merge_tree(b"ization", ranks)], "two trees")
    (axes,) = drawn[0].axes
    boxes = texts(axes)
    assert len(boxes) == (6 + 5) + (7 + 6)
    assert f"·token\n{ranks[b' token']}" in boxes
    assert len(axes.lines) == len(boxes) - 2


def test_a_forest_survives_bytes_that_are_no_text_and_dollar_signs(drawn):
    ranks = vocabularies.mergeable_ranks("cl100k_base")
    vocabulary.draw_merge_forest(
        [merge_tree(b"\xf0\x9f", ranks), merge_tree(b"$$", ranks)], "half an emoji, two dollars"
    )
    assert any("\\xf0" in text for text in texts(drawn[0].axes[0]))


def test_the_map_shows_each_byte_once_and_frames_each_seam(drawn):
    vocabulary.draw_byte_shuffle({"plain": bytes(range(256)), "gpt2": vocabularies.load("gpt2").byte_order})
    plain, shuffled = drawn[0].axes
    assert len(set(texts(plain))) == len(set(texts(shuffled))) == 256
    assert [len(plain.patches), len(shuffled.patches)] == [0, 5]


def test_scripts_are_bars_with_the_counts_as_lengths(drawn):
    vocabulary.draw_scripts({"old": {"Latin": 90}, "new": {"Latin": 100, "Thai": 20}})
    (axes,) = drawn[0].axes
    assert sorted(bar.get_width() for bar in axes.patches) == [0, 20, 90, 100]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Thai", "Latin"]


def test_runs_are_marks_at_their_lengths(drawn):
    vocabulary.draw_runs({"a": {1, 3}, "b": range(1, 200)}, "runs", longest=100)
    assert [len(marks.get_offsets()) for marks in drawn[0].axes[0].collections] == [2, 100]
