"""The house style of charts: never colour alone, no label lost, nothing left open."""

from __future__ import annotations

import warnings

import matplotlib.pyplot as plt
import pytest

from minbpe_course.corpus.texts import course_text
from minbpe_course.learning import charts
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
