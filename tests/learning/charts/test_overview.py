"""The house style of charts: never colour alone, no label lost, nothing left open."""

from __future__ import annotations

import io
import warnings

import matplotlib.pyplot as plt
import pytest

from minbpe_course.corpus.texts import course_text
from minbpe_course.learning import charts
from minbpe_course.learning.charts.lines import draw_lines
from tests.shared.html import contrast

pytestmark = pytest.mark.medium


@pytest.mark.parametrize("style", [charts.line_style, charts.bar_style])
def test_two_styles_differ_in_more_than_colour(style):
    without_colour = [tuple(v for k, v in sorted(style(n).items()) if k != "color") for n in range(len(charts.PALETTE))]
    assert len(set(without_colour)) == len(charts.PALETTE)
    assert len({style(n)["color"] for n in range(len(charts.PALETTE))}) == len(charts.PALETTE)
    assert style(len(charts.PALETTE)) == style(0)


def test_ink_and_colours_show_on_light_and_on_dark_pages():
    assert contrast(charts.INK, "#ffffff") >= 4.5
    assert contrast(charts.INK, "#111111") >= 4
    for colour in charts.PALETTE:
        assert min(contrast(colour, "#ffffff"), contrast(colour, "#111111")) >= 2.2
        ink = charts.ink_on(colour)
        assert contrast(colour, {"black": "#000000", "white": "#ffffff"}[ink]) >= 4.5
    assert charts.ink_on((0, 0, 0, 0)) == charts.INK


def test_a_notebook_puts_no_ground_behind_a_chart(monkeypatch):
    # plt.show() of notebooks passes metadata={"needs_background": "light"}.
    shown = []
    monkeypatch.setattr(plt, "get_backend", lambda: "inline")
    monkeypatch.setattr("IPython.display.display", lambda *given, **named: shown.append((given, named)))
    figure, _ = charts.new_axes("A chart")
    charts.finish(figure)
    assert shown == [((figure,), {})]
    assert plt.get_fignums() == []


def test_any_text_makes_a_label_that_draws_without_a_warning():
    # Every character of the course's text: forty scripts, emoji, control characters, lone dollar signs.
    labels = [*map(charts.plain_label, sorted(set(course_text()))), charts.plain_label("$x^2$ \ud800 \x00")]
    figure, axes = charts.new_axes("All of them")
    for start in range(0, len(labels), 50):
        axes.text(0, start, "".join(labels[start : start + 50]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure.canvas.draw()
    plt.close(figure)


def test_large_numbers_at_an_axis_have_commas_and_titles_no_backticks(draw):
    [axes] = draw(draw_lines, {"ids": [(0, 1), (500_000, 3)]}, "What `if x:` costs", "ids", "lines")
    assert "500,000" in [tick.get_text() for tick in axes.get_xticklabels()]
    assert "3.00" in [tick.get_text() for tick in axes.get_yticklabels()]
    assert axes.get_title(loc="left") == "What if x: costs"


def test_no_grid_line_crosses_a_legend(monkeypatch):
    """Neither as drawn, nor as the notebook stores it, which cuts the margins off."""

    def pixels(figure, **options):
        picture = io.BytesIO()
        figure.savefig(picture, format="png", **options)
        return plt.imread(io.BytesIO(picture.getvalue()))

    monkeypatch.setattr(plt, "show", lambda: None)
    monkeypatch.setattr(plt, "close", lambda figure: None)
    figure, axes = charts.new_axes("Growth", "merges", "bytes for each id")
    axes.plot([0, 10], [0, 10], label="stories")
    axes.legend(loc="upper left")
    charts.finish(figure)
    plot, box = axes.get_window_extent(), axes.get_legend().get_window_extent()
    height = figure.bbox.height
    inside = slice(int(height - box.y1) + 1, int(height - box.y0) - 1), slice(int(box.x0) + 1, int(box.x1) - 1)
    for options in ({}, {"bbox_inches": "tight"}):
        axes.grid(visible=True)
        with_grid = pixels(figure, **options)
        axes.grid(visible=False)
        without = pixels(figure, **options)
        assert with_grid.shape == without.shape
        changed = (with_grid != without).any(axis=2)
        assert changed.sum() > plot.width
        rows, columns = inside
        if options:  # the upper left corner of the paper is cut off
            top, left = (int(each) for each in _cut_off(figure))
            rows = slice(rows.start - top, rows.stop - top)
            columns = slice(columns.start - left, columns.stop - left)
        assert not changed[rows.start + 2 : rows.stop - 2, columns.start + 2 : columns.stop - 2].any()


def _cut_off(figure):
    """Return how many pixels a stored picture lacks at the top and at the left."""
    tight = figure.get_tightbbox().padded(plt.rcParams["savefig.pad_inches"])
    return (figure.get_figheight() - tight.y1) * figure.dpi, tight.x0 * figure.dpi
