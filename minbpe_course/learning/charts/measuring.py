"""Charts of lesson 15: vocabulary curves, fits, intervals, losses, games, and costs of languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from minbpe_course.learning.charts import (
    FAINT,
    INK,
    MARKERS,
    PALETTE,
    finish,
    line_style,
    new_axes,
    new_panels,
    plain_label,
)
from minbpe_course.reference.measures import pareto_front


def draw_vocabulary_curves(
    panels: Mapping[str, Mapping[str, Sequence[tuple[int, float]]]], *, front: bool = False
) -> None:
    """Draw bytes per token against the size of the vocabulary (logarithmic): ``panels[title][name]`` are the points of
    one line. With ``front``, a thick pale line runs through the points of a panel that no other beats.

    >>> draw_vocabulary_curves({"Longer tokens": {"mine": [(256, 1.0), (1000, 2.4)]}}, front=True)
    """
    figure, all_axes = new_panels(1, len(panels), (8 if len(panels) == 1 else 10, 3.8))
    for axes, (title, curves) in zip(all_axes, panels.items(), strict=True):
        if front:
            points = {point: point for line in curves.values() for point in line}
            sizes, lengths = zip(*pareto_front(points), strict=True)
            axes.plot(sizes, lengths, color=FAINT, linewidth=9, solid_capstyle="round", zorder=1,
                      label="beaten by none")  # fmt: skip
        for number, (name, line) in enumerate(curves.items()):
            sizes, lengths = zip(*line, strict=True)
            axes.plot(sizes, lengths, label=plain_label(name), zorder=3, **line_style(number))
        axes.set_title(title)
        axes.set(xlabel="tokens in the vocabulary", ylabel="bytes per token")
        _thousands(axes)
        axes.legend(loc="best")
    finish(figure)


def draw_fits(
    series: Mapping[str, tuple[Sequence[float], Sequence[float], tuple[float, float]]],
    title: str,
    xlabel: str,
    ylabel: str,
) -> None:
    """Draw points and the power that fits them on two logarithmic axes: name -> (x, y, (factor, exponent)).

    >>> draw_fits({"words": ([1, 2, 4], [12, 6, 3], (12, -1.0))}, "Zipf", "rank", "count")
    """
    figure, axes = new_axes(title, xlabel, ylabel, size=(8, 3.8))
    for number, (name, (x, y, (factor, exponent))) in enumerate(series.items()):
        colour, dash = PALETTE[number % len(PALETTE)], line_style(number)["linestyle"]
        # At most 28 markers, because hundreds of them would merge into a bar.
        shown = sorted({int(at) for at in np.geomspace(1, len(x), 28)})
        axes.plot([x[at - 1] for at in shown], [y[at - 1] for at in shown], color=colour, marker=MARKERS[number % 7],
                  linestyle="none", label=plain_label(name))  # fmt: skip
        ends = np.array([min(x), max(x)], dtype=float)
        axes.plot(ends, factor * ends**exponent, color=colour, linestyle=dash, label=f"slope {exponent:.2f}")
    axes.set(xscale="log", yscale="log", ylim=(0.6, None))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axis.set_minor_formatter(NullFormatter())
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    finish(figure)


def draw_intervals(
    rows: Mapping[str, tuple[float, tuple[float, float]]], title: str, xlabel: str, mark: float | None = None
) -> None:
    """Draw a value with the interval around it in each row; ``mark`` is a line to compare with, such as 0.

    >>> draw_intervals({"mine": (4.2, (4.1, 4.4))}, "How sure", "bytes per token")
    """
    figure, axes = new_axes(title, xlabel, size=(8, 0.46 * len(rows) + 1.2))
    for row, (value, (low, high)) in enumerate(rows.values()):
        colour = PALETTE[row % len(PALETTE)]
        axes.plot([low, high], [row, row], color=colour, linewidth=3, solid_capstyle="butt", marker="|", markersize=11)
        axes.plot([value], [row], color=colour, marker=MARKERS[row % len(MARKERS)], markersize=8)
        axes.text(high, row, f"   {value:.3f}", va="center", ha="left", fontsize=9)
    if mark is not None:
        axes.axvline(mark, color=INK, linestyle=":", linewidth=1.4)
    axes.set_yticks(range(len(rows)), [plain_label(name) for name in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.margins(x=0.16)
    axes.grid(axis="y", visible=False)
    finish(figure)


def draw_losses(sizes: Sequence[int], per_token: Sequence[float], per_byte: Sequence[float], title: str) -> None:
    """Draw the same losses twice, per token and per byte, and mark the smallest.

    >>> draw_losses([256, 600, 1500], [1.8, 3.9, 5.5], [2.5, 2.2, 2.3], "One model, two units")
    """
    figure, pair = new_panels(1, 2, (9, 3.4))
    units = (("nats per token", per_token), ("bits per byte", per_byte))
    for number, (axes, (unit, values)) in enumerate(zip(pair, units, strict=True)):
        axes.plot(sizes, values, **line_style(number))
        at = min(range(len(values)), key=values.__getitem__)
        axes.plot([sizes[at]], [values[at]], marker="o", markersize=15, fillstyle="none", color=INK)
        axes.annotate(f"least with {sizes[at]:,}", (sizes[at], values[at]), xytext=(12, -4), va="top",
                      textcoords="offset points")  # fmt: skip
        axes.set(xlabel="tokens in the vocabulary", ylabel=unit)
        axes.margins(y=0.2)
        _thousands(axes)
    figure.suptitle(title, x=0.01, ha="left", weight="bold")
    finish(figure)


def draw_games(
    games: Mapping[str, Sequence[tuple[float, float]]], title: str, xlabel: str, ylabel: str, better: str
) -> None:
    """Draw how two numbers move while one of them is being improved: name -> the points, in order.

    The first point of each is where it begins. ``better`` says in the picture where good tokenizers are.

    >>> draw_games({"copies": [(0.6, 2.2), (0.8, 2.9)]}, "Higher and worse", "efficiency", "bits per byte", "down")
    """
    figure, axes = new_axes(title, xlabel, ylabel, size=(8, 4))
    for number, (name, points) in enumerate(games.items()):
        x, y = zip(*points, strict=True)
        axes.plot(x, y, label=plain_label(name), **line_style(number))
        axes.annotate("", points[-1], xytext=points[-2], arrowprops={
            "arrowstyle": "-|>", "color": PALETTE[number % len(PALETTE)], "mutation_scale": 18})  # fmt: skip
    begin = next(iter(games.values()))[0]
    axes.plot(*begin, marker="o", markersize=15, fillstyle="none", color=INK, linestyle="none")
    axes.annotate("honest", begin, xytext=(-4, 14), textcoords="offset points", ha="right")
    axes.text(0.98, 0.04, plain_label(better), transform=axes.transAxes, ha="right", color=INK)
    axes.margins(0.1)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    finish(figure)


def draw_costs(costs: Mapping[str, Mapping[str, float]], title: str, xlabel: str, base: float = 1.0) -> None:
    """Draw ``costs[tokenizer][language]`` as a row of markers for each language, with a line at ``base``.

    >>> draw_costs({"gpt2": {"en": 1.0, "hi": 10.7}, "mine": {"en": 1.0, "hi": 3.5}}, "Premiums", "times English")
    """
    languages = list(next(iter(costs.values())))
    figure, axes = new_axes(title, xlabel, "", size=(8, 0.36 * len(languages) + 1.4))
    for row, language in enumerate(languages):
        paid = [of[language] for of in costs.values()]
        axes.plot([min(paid), max(paid)], [row, row], color=FAINT, linewidth=1.2, zorder=1)
    for number, (name, of) in enumerate(costs.items()):
        axes.plot([of[language] for language in languages], range(len(languages)), linestyle="none", markersize=7,
                  color=PALETTE[number % 7], marker=MARKERS[number % 7], label=plain_label(name), zorder=3)  # fmt: skip
    axes.axvline(base, color=INK, linestyle=":", linewidth=1.4)
    axes.set_yticks(range(len(languages)), [plain_label(name) for name in languages])
    axes.set_ylim(len(languages) - 0.5, -0.5)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    finish(figure)


def draw_lorenz(curves: Mapping[str, Sequence[tuple[float, float]]], title: str, who: str = "languages") -> None:
    """Draw Lorenz curves, the line of equal shares, and the Gini index of each name.

    >>> draw_lorenz({"mine": [(0.0, 0.0), (0.5, 0.25), (1.0, 1.0)]}, "Who carries the cost")
    """
    figure, axes = new_axes(title, f"share of the {who}, the cheapest first", "share of all tokens", size=(7.6, 4.4))
    axes.plot([0, 1], [0, 1], color=INK, linestyle=":", linewidth=1.4, label="all alike: 0.00")
    for number, (name, curve) in enumerate(curves.items()):
        x, y = np.array(curve, dtype=float).T
        index = 1 - float(np.sum(np.diff(x) * (y[1:] + y[:-1])))
        every = max(1, len(curve) // 9)
        axes.plot(x, y, markevery=every, label=f"{plain_label(name)}: {index:.2f}", **line_style(number))
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.legend(title="Gini index", loc="upper left", bbox_to_anchor=(1.02, 1.0))
    finish(figure)


def draw_work(work: Mapping[str, Sequence[tuple[int, float]]], title: str) -> None:
    """Draw the work for a byte, relative to its minimum, against the size of the vocabulary; each minimum is marked.

    >>> draw_work({"small": [(256, 2.0), (4000, 1.0), (100_000, 3.0)]}, "A model's taste")
    """
    figure, axes = new_axes(title, "tokens in the vocabulary", "work per byte,\nrelative to the minimum", size=(8, 3.8))
    for number, (name, points) in enumerate(work.items()):
        sizes, values = zip(*points, strict=True)
        least = min(values)
        axes.plot(sizes, [value / least for value in values], label=plain_label(name), **line_style(number))
        axes.plot([sizes[values.index(least)]], [1], marker="o", markersize=13, fillstyle="none", color=PALETTE[number])
    axes.set_ylim(0.9, 4)
    _thousands(axes)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    finish(figure)


def draw_many(costs: Mapping[str, Sequence[float]], title: str, xlabel: str, ylabel: str) -> None:
    """Draw many costs, sorted, a line for each name; the axis is logarithmic in base 2.

    >>> draw_many({"gpt2": [1.0, 2.5, 9.0]}, "100 languages", "languages, the cheapest first", "times English")
    """
    figure, axes = new_axes(title, xlabel, ylabel, size=(8, 3.8))
    for number, (name, paid) in enumerate(costs.items()):
        every = max(1, len(paid) // 12)
        axes.plot(range(1, len(paid) + 1), sorted(paid), markevery=every, label=plain_label(name), **line_style(number))
    axes.set_yscale("log", base=2)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.legend(loc="upper left")
    finish(figure)


def _thousands(axes: Axes) -> None:
    """A logarithmic axis of vocabularies, with with plain numbers, and more of them on a short axis."""
    axes.set_xscale("log")
    left, right = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1,) if right / left > 50 else (1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
