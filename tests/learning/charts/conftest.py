"""Draw a chart, keep its figure open, and check that every text is inside, and legible on light and on dark pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import matplotlib.pyplot as plt
import pytest
from matplotlib.axes import Axes

from tests.learning.charts.drawings import follows_the_page, is_inside

Draw = Callable[..., list[Axes]]


@pytest.fixture
def draw(monkeypatch: pytest.MonkeyPatch) -> Iterator[Draw]:
    """Call a chart function and return the axes of the figure that it shows; ``inside=False`` : with texts outside."""

    def drawn(chart: Callable[..., None], *given: Any, inside: bool = True, **options: Any) -> list[Axes]:
        with monkeypatch.context() as patch:
            patch.setattr(plt, "show", lambda: plt.gcf().canvas.draw())
            patch.setattr(plt, "close", lambda figure: None)
            chart(*given, **options)
        assert not inside or is_inside(plt.gcf(), 1)
        assert follows_the_page(plt.gcf())
        return plt.gcf().axes

    yield drawn
    plt.close("all")
