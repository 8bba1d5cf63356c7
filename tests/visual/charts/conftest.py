"""Catch the figures that chart functions show, laid out and drawn, before they are closed."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Figure]]:
    """Return the list of figures that were shown."""
    figures: list[Figure] = []

    def show() -> None:
        figures.append(plt.gcf())
        figures[-1].canvas.draw()

    with monkeypatch.context() as patch:
        patch.setattr(plt, "show", show)
        patch.setattr(plt, "close", lambda figure: None)
        yield figures
    plt.close("all")
