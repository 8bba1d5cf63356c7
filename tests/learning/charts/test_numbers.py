"""The lines and bars of charts are the numbers that were given, and differ in more than colour.

The examples in the docstrings and the lessons draw every chart; here are the charts that compute something.
"""

from __future__ import annotations

from functools import partial
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.learning.charts import (
    bars,
    differences,
    encoding,
    lines,
    maps,
    pieces,
    special,
    splitting,
)
from minbpe_course.learning.charts.description import describe
from minbpe_course.reference.split import alternatives_of
from minbpe_course.text import patterns
from tests.learning.charts.drawings import HOSTILE, differ_without_colour, numbers, texts

pytestmark = pytest.mark.medium

SIZES = {"English": {"utf-8": 256, "utf-16": 504}, "हिन्दी": {"utf-8": 537, "utf-16": 422}}
COSTS = {"old": {"English": 60, "Tamil": 800}, "new": {"Tamil": 9, "English": 50}}
WORK = {"small": [(256, 2.0), (4_000, nan), (100_000, 3.0)], "large": [(256, 9.0, 1.0), (4_000, 6.0, 0.5)]}

# A chart of some numbers, and what it shows in each of its axes.
CHARTS = {
    "bars": (partial(bars.grouped_bars, SIZES, "t", "bytes"), [{"utf-8": [256, 537], "utf-16": [504, 422]}]),
    "lines": (
        partial(lines.draw_lines, WORK, "t", "tokens", "work", log="xy"),
        [{"small": [[256, 4_000, 100_000], [2.0, nan, 3.0]], "large": [[256, 4_000], [9.0, 6.0]]}],
    ),
    "lines and those that no other beats": (
        partial(lines.draw_lines, {"a": [(1, 1), (2, 5)], "b": [(3, 4), (4, 6)]}, "t", "size", "gain", front=True),
        [{"Pareto front": [[1, 2, 4], [1, 5, 6]], "a": [[1, 2], [1, 5]], "b": [[3, 4], [4, 6]]}],
    ),
    "lines between limits": (
        partial(lines.draw_lines, {"a": [(1, 0.5, 0.1, 0.9), (3, 0.7, 0.6, 0.9)]}, "t", "x", "y", xticks=(1, 3)),
        [{"a": [[1, 3], [0.5, 0.7]]}],
    ),
    "lines on a scale with 0": (
        partial(lines.draw_lines, {"a": [(0, 1), (5, 2)]}, "t", "times", "y", log="x", joined=False),
        [{"a": [[0, 5], [1, 2]]}],
    ),
    "bars by a logarithmic axis": (
        partial(bars.grouped_bars, {"slow": {"s": 4.0}, "fast": {"s": 0.04}}, "t", "seconds", log=True),
        [{"s": [4.0, 0.04]}],
    ),
    "differences with intervals": (
        partial(
            differences.draw_differences,
            {kind: {"600": {"a": (0.5, 0.25, 0.75), "b": (-1.0, -2.0, 0.0)}} for kind in ("clean", "typos")},
            "t",
            "bits",
        ),
        [{"600": [[0.5, -1.0], [0, 1]]}] * 2,
    ),
    "costs of languages": (
        partial(bars.draw_costs, COSTS, "t", "tokens"),
        [{"old": [[60, 800], [0, 1]], "new": [[50, 9], [0, 1]]}],
    ),
}


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_shows_its_numbers(draw, name):
    chart, wanted = CHARTS[name]
    shown = draw(chart)
    for axes, given_rows in zip(shown, wanted, strict=True):
        found = numbers(axes)
        assert list(found) == list(given_rows)
        for label, row in given_rows.items():
            assert found[label] == [pytest.approx(each, nan_ok=True) for each in row], label
        first_bars = [container[0] for container in axes.containers]
        assert differ_without_colour(
            first_bars or [line for line in axes.get_lines() if line.get_label() in given_rows]
        )


# A chart that computes words, and these.
WORDS = {
    "the least of a line": (
        partial(lines.draw_lines, {"bits": [(256, 2.5), (600, 2.1), (1_500, 2.3)]}, "t", "tokens", "bits", least=True),
        "600",
    ),
    "a mark for a space, which would look like a dash": (
        partial(pieces.draw_lattice, "▁a", {(0, 1): -1.0, (1, 2): -2.0, (0, 2): -2.5}, [(0, 2)], "t"),
        "␣a",
    ),
    "a merge that comes too late": (
        partial(encoding.draw_border, [((97,), (98,), 300, 257)], {97: b"a", 98: b"b"}, "A title, wider " * 4),
        "a + b: merge 300, not due before 257",
    ),
    "hostile names": (
        partial(lines.draw_points, {HOSTILE: (1.0, 3.0), "b": (2.0, 2.0), "c": (1.0, 1.0)}, "t", "x", "y", log="xy"),
        "b",
    ),
}


@pytest.mark.parametrize("name", WORDS)
def test_a_chart_says_what_it_computes(draw, name):
    chart, wanted = WORDS[name]
    assert any(wanted in text for text in texts(draw(chart)[0]))


def test_a_map_is_darker_where_the_kind_is_later_and_counts_the_kinds(draw):
    kinds = ["same", "moved", "other"]
    left, right = draw(maps.draw_maps, {"a": [kinds, kinds[:1] * 3], "b": [kinds[1:2] * 3] * 2}, kinds, "x", "y")
    picture = left.images[0]
    assert picture.get_array().tolist() == [[0, 1, 2], [0, 0, 0]]
    lightness = [sum(picture.cmap(picture.norm(number))[:3]) for number in range(3)]
    assert lightness == sorted(set(lightness), reverse=True)
    assert [text.get_text() for text in right.get_legend().get_texts()] == [
        "same: 4 / 0",
        "moved: 1 / 6",
        "other: 1 / 0",
    ]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.text(max_size=6))), st.data())
def test_a_token_belongs_to_the_author_of_its_first_byte(parts, data):
    owners = [author for author, text in parts for _ in text.encode("utf-8")]
    whole = "".join(text for _, text in parts).encode("utf-8")
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(whole) - 1)))) if len(whole) > 1 else [])
    tokens = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)])] if whole else []
    found = special.who_wrote(tokens, [(who, text, False) for who, text in parts])
    assert found == [owners[at] for at in [0, *cuts][: len(tokens)]]


@pytest.mark.parametrize(
    ("name", "pattern", "first"),
    [
        ("gpt2", patterns.GPT2_SPLIT_PATTERN, 6),
        ("cl100k", patterns.GPT4_SPLIT_PATTERN, 7),
        ("o200k letters", patterns.O200K_PATTERN, 2),
    ],
)
def test_a_railroad_has_a_track_for_each_alternative_in_their_order(name, pattern, first):
    tracks = splitting.TRACKS[name]
    alternatives = alternatives_of(pattern)[:first]
    for track, alternative in zip(tracks, alternatives, strict=True):
        assert track.split(",")[0].split()[-1] == alternative.name.split()[-1]


def test_intervals_are_drawn_and_said(draw) -> None:
    [axes] = draw(bars.draw_intervals, {"one": (2.0, (1.0, 4.0)), "two": (3.0, (2.5, 3.5))}, "t", "x", base=1.5)
    drawn = [list(line.get_xdata()) for line in axes.get_lines()]
    assert [1.0, 4.0] in drawn
    assert [1.5, 1.5] in drawn
    assert "lower limit: one 1, two 2.5. upper limit: one 4, two 3.5" in describe(axes.figure)


def test_differences_of_one_size_stand_side_by_side_with_their_intervals(draw):
    rows = {"bits": [(500, -0.2, -0.3, -0.1), (500, 0.1, 0.0, 0.2)], "tokens": [(500, 0.3, 0.2, 0.4)]}
    (axes,) = draw(differences.draw_differences_by_size, {"code": rows}, "t", "pieces", "difference")
    shown = numbers(axes)
    assert {name: up for name, (_, up) in shown.items() if name in rows} == {"bits": [-0.2, 0.1], "tokens": [0.3]}
    places = [*shown["bits"][0], *shown["tokens"][0]]
    assert places == sorted(set(places))
    assert places[1] == pytest.approx(500)
    ends = [[y for _, y in bar] for bars_of_one in axes.collections for bar in bars_of_one.get_segments()]
    assert ends == [[-0.3, -0.1], [0.0, 0.2], [0.2, 0.4]]
