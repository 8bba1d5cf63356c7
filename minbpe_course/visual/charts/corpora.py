"""The pictures of lesson 07's second half: how often words occur, and how many different ones a text has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from minbpe_course.visual.charts import finish, line_style, new_axes, plain_label
from minbpe_course.visual.charts.training import slopes

MARKS = 24  # on a curve of a million points


def draw_ranks(counts: Mapping[str, Iterable[int]], title: str) -> None:
    """Show how often the words of each text occur, the commonest first, on two logarithmic axes, with their slopes.

    ``counts`` has the counts of each text in any order. The slope is that of the curve as drawn: at places that are
    evenly spread on the logarithmic axis, since else the many words that occur once would decide alone.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> draw_ranks({"stories": [12, 6, 4, 3, 1, 1], "names": [2, 2, 1]}, "A few words, and all the others")
    """
    figure, axes = new_axes(title, "rank of the word", "how often it occurs", size=(8, 3.4))
    for number, (name, each) in enumerate(counts.items()):
        falling = np.sort(np.fromiter(each, dtype=np.int64))[::-1]
        ranks = np.unique(np.geomspace(1, len(falling), MARKS).round().astype(np.int64))
        shown = falling[ranks - 1]
        slope = slopes(ranks.tolist(), {name: shown.tolist()})[name] + 0.0  # no minus sign before a zero
        axes.plot(ranks, shown, label=f"{plain_label(name)}\nslope {slope:.2f}", **line_style(number))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), labelspacing=0.9)
    finish(figure)


def draw_growth(
    seen: Mapping[str, Sequence[tuple[int, int]]],
    laws: Mapping[str, tuple[float, float]],
    title: str,
    *,
    upto: int | None = None,
) -> None:
    """Show how many different words texts have as they grow, and the law that was fitted to some of the points.

    seen : (bytes, different words) of each text, ascending; these are the marks. laws : (factor, power) of each; a
    dashed line on two logarithmic axes, from the first mark to the last, or to ``upto`` bytes.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> draw_growth({"stories": [(100, 20), (400, 40)]}, {"stories": (2.0, 0.5)}, "New words", upto=10_000)
    """
    figure, axes = new_axes(title, "bytes of text", "different words", size=(8, 3.4))
    for number, (name, points) in enumerate(seen.items()):
        read, words = zip(*points)
        look = line_style(number)
        axes.plot(read, words, **{**look, "linestyle": "none"}, label=f"{plain_label(name)}: counted")
        factor, power = laws[name]
        across = np.geomspace(read[0], max(read[-1], upto or 0), 50)
        label = f"fitted: {factor:.3g} × bytes to the {power:.2f}"
        axes.plot(across, factor * across**power, color=look["color"], linestyle="--", label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), labelspacing=0.7)
    finish(figure)
