"""Charts of lesson 03 show their data, and nothing depends on colour alone."""

from __future__ import annotations

import pytest

from minbpe_course.reference.split import alternatives_of
from minbpe_course.text import patterns
from minbpe_course.visual.charts import splitting
from tests.visual.charts.drawings import texts


def test_words_are_escaped_and_marked_with_the_number_of_their_alternative():
    view = splitting.show_alternatives([("<b>", "others"), ("\n", "space")], ["letters", "others", "space"], "a < b")
    html = view._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;" in html
    assert "a &lt; b" in html
    assert "letters" not in html
    assert repr(view) == "a < b\n|<b>|↵|\n 2   3\n2 others  3 space"


@pytest.mark.parametrize(
    ("name", "pattern", "first"),
    [
        ("gpt2", patterns.GPT2_SPLIT_PATTERN, 6),
        ("cl100k", patterns.GPT4_SPLIT_PATTERN, 7),
        ("o200k letters", patterns.O200K_PATTERN, 2),
    ],
)
def test_a_railroad_has_a_track_for_each_alternative_in_their_order(name, pattern, first, draw):
    tracks = splitting.TRACKS[name]
    alternatives = alternatives_of(pattern)[:first]
    assert len(tracks) == first
    for track, alternative in zip(tracks, alternatives, strict=True):
        assert track.split(",")[0].split()[-1] == alternative.name.split()[-1]
    shown = texts(draw(splitting.railroad, tracks, "title")[0])
    for number, (track, stations) in enumerate(tracks.items(), 1):
        assert f"{number}  {track}" in shown
        assert all(station in shown for station, _ in stations)
