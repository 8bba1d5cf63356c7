"""Descriptions of charts: lines, bars, maps and drawings, and their place in the metadata of the output."""

from __future__ import annotations

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter
from IPython.core.pylabtools import print_figure
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from minbpe_course.learning.charts import finish, house_style, new_axes
from minbpe_course.learning.charts.description import LONGEST, describe

pytestmark = pytest.mark.medium


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


def test_lines_say_where_they_begin_and_end() -> None:
    figure, axes = new_axes("Growth", "merges", "bytes per id")
    axes.plot([0, 100, 400], [1, 2, 3.256], label="stories")
    axes.plot([0, 400], [1, np.nan], label="holes")
    axes.axhline(5)
    assert describe(figure) == "Growth. Across: merges. Up: bytes per id. stories: from 1 to 3.26. holes: at 1."


@pytest.mark.parametrize("lying", [False, True])
def test_bars_say_their_names_and_values(lying: bool) -> None:
    figure, axes = new_axes("Cost")
    for shift, label, values in ((-0.2, "gpt2", [12, 1234.5]), (0.2, "o200k", [0.5, 7])):
        places = np.arange(2) + shift
        axes.barh(places, values, 0.4, label=label) if lying else axes.bar(places, values, 0.4, label=label)
    set_ticks = axes.set_yticks if lying else axes.set_xticks
    set_ticks([0, 1], ["English", "Hindi"])
    assert describe(figure) == "Cost. gpt2: English 12, Hindi 1,234. o200k: English 0.5, Hindi 7."


def test_a_map_says_its_size_and_its_legend() -> None:
    figure, axes = plt.subplots()
    axes.imshow(np.arange(12).reshape(3, 4))
    axes.legend(handles=[Patch(label="even: 6"), Patch(label="odd: 6")])
    assert describe(figure) == "A map of 3 rows and 4 columns. Shown: even: 6, odd: 6."


def test_a_drawing_says_its_words_and_counts_repetitions() -> None:
    figure, axes = new_axes("Drawing")
    for word in ["a\n b", "costs \\$5", "", *["x"] * 40]:
        axes.text(0.5, 0.5, word)
    assert describe(figure) == "Drawing. In it: a b, costs $5, x 40 times."


def test_it_ends_in_time_and_never_says_nothing() -> None:
    figure, axes = new_axes("")
    assert describe(figure) == "A drawing without words."
    for number in range(300):
        axes.text(0, 0, f"word{number}" * 8)
    assert len(describe(figure)) <= LONGEST
    assert describe(figure).endswith(("…", "more."))


def test_the_words_travel_with_the_picture() -> None:
    house_style()
    figure, axes = new_axes("Growth")
    axes.plot([1, 2], [3, 4], label="ids")
    finish(figure)
    # Like a notebook's display: pictures by type, everything else from the object.
    display = DisplayFormatter()
    display.formatters["image/png"].for_type(Figure, partial(print_figure, base64=True))
    data, metadata = display.format(figure)
    assert data["image/png"]
    assert metadata == {"image/png": {"alt": "Growth. ids: from 3 to 4."}}
