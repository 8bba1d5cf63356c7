"""The lines and bars of charts are the numbers that were given, and differ in more than colour."""

from __future__ import annotations

from functools import partial
from math import nan

import pytest

from minbpe_course.visual.charts import (
    bytes,
    capstone,
    encoding,
    measuring,
    overview,
    pieces,
    quirks,
    splitting,
    training,
)
from tests.visual.charts.drawings import differ_without_colour, numbers, ticks

SHARES = {"exact": {"a b": 0.75, "ab": 0.25}, "drawn": {"ab": 0.5, "elsewhere": 0.5}}
SIZES = {"English": {"utf-8": 256, "utf-16": 504}, "हिन्दी": {"utf-8": 537, "utf-16": 422}}
COUNTS = {"one": {"a": 1234, "b": 7}, "two": {"a": 1, "b": 2}}

# A chart of some numbers, and what it shows in each of its axes.
CHARTS = {
    "sizes of encodings": (partial(bytes.encoding_sizes, SIZES, "t"), [{"utf-8": [256, 537], "utf-16": [504, 422]}]),
    "known and hidden": (
        partial(capstone.draw_known_and_hidden, {"a": (2.0, 1.0), "b": (3.0, 2.5)}, "t"),
        [{"every word is in the course": [2.0, 3.0], "half the words are made up": [1.0, 2.5]}],
    ),
    "word lengths": (
        partial(encoding.draw_word_lengths, [4, 8], {"slow": [1, nan], "fast": [2, 3]}, cost="looks", title="t"),
        [{"slow": [[4, 8], [1, nan]], "fast": [[4, 8], [2, 3]]}],
    ),
    "costs in order": (
        partial(measuring.draw_many, {"gpt2": [9.0, 1.0, 2.5]}, "t", "languages", "times English"),
        [{"gpt2": [[1, 2, 3], [1.0, 2.5, 9.0]]}],
    ),
    "premiums": (
        partial(measuring.draw_costs, {"gpt2": {"en": 1.0, "hi": 10.7}, "mine": {"en": 1.0, "hi": 3.4}}, "t", "x"),
        [{"gpt2": [[1.0, 10.7], [0, 1]], "mine": [[1.0, 3.4], [0, 1]]}],
    ),
    "costs of languages, the dearest first": (
        partial(
            overview.draw_language_costs, {"old": {"English": 60, "Tamil": 800}, "new": {"English": 50, "Tamil": 9}}
        ),
        [{"old": [[800, 60], [0, 1]], "new": [[9, 50], [0, 1]]}],
    ),
    "shares in the order of the first": (
        partial(pieces.draw_shares, SHARES, "t"),
        [{"exact": [0.75, 0.25], "drawn": [0.0, 0.5]}],
    ),
    "shares of letters in their own text": (
        partial(quirks.draw_hidden_letters, {"a": {1: 1, 4: 3}, "b": {2: 10}}, "t"),
        [{"a": [25, 0, 0, 75], "b": [0, 100, 0, 0]}],
    ),
    "indentation from no space on": (
        partial(quirks.draw_indentation, {"a": [3, 3, 4], "b": [2, 2, 2]}, "t"),
        [{"a": [[0, 1, 2], [3, 3, 4]], "b": [[0, 1, 2], [2, 2, 2]]}],
    ),
    "grouped bars": (partial(splitting.grouped_bars, COUNTS, "t", "tokens"), [{"a": [1234, 1], "b": [7, 2]}]),
    "work with its slope": (
        partial(training.draw_looked_at, [10, 20], {"slow": [100, 400], "fast": [10, 20]}, "t", "merges"),
        [{"slow\nslope 2.00": [[10, 20], [100, 400]], "fast\nslope 1.00": [[10, 20], [10, 20]]}],
    ),
}


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_shows_its_numbers(draw, name):
    chart, wanted = CHARTS[name]
    shown = draw(chart)
    for axes, rows in zip(shown, wanted, strict=True):
        found = numbers(axes)
        assert list(found) == list(rows)
        for label, row in rows.items():
            assert found[label] == [pytest.approx(each, nan_ok=True) for each in row], label
        assert axes.get_xlabel() or axes.get_ylabel()
        bars = [container[0] for container in axes.containers]
        assert differ_without_colour(bars or [line for line in axes.get_lines() if line.get_label() in rows])


def test_named_rows_and_columns(draw):
    (axes,) = draw(pieces.draw_shares, SHARES, "t")
    assert (ticks(axes.yaxis), axes.get_xlabel()) == (["a b", "ab"], "share of all draws")
    (axes,) = draw(splitting.grouped_bars, COUNTS, "t", "tokens")
    assert sorted(text.get_text() for text in axes.texts) == ["1", "1,234", "2", "7"]
    (axes,) = draw(training.draw_looked_at, [10, 20], {"slow": [100, 400]}, "t", "merges")
    assert (axes.get_xscale(), axes.get_yscale(), ticks(axes.xaxis)) == ("log", "log", ["10", "20"])
