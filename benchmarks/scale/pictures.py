"""Draw the pictures of the page: every fit with its points and its errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from benchmarks.charts import in_words, save
from benchmarks.scale.fits import Line, first_within, power
from benchmarks.scale.plan import CORES, GB, SIZES, Grown, Model, grown, model_of, plan
from benchmarks.speed import Ratio
from minbpe_course.learning.charts import house_style, line_style

SHADE = "#bbbbbb"
UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def draw_all(folder: Path, numbers: Mapping[str, Any]) -> dict[str, str]:
    """Draw every picture that has numbers. Return a description of each file by its name."""
    house_style()
    drawn: dict[str, Callable[[Mapping[str, Any]], Figure]] = {
        "scale-growth.png": draw_growth,
        "scale-zipf.png": draw_zipf,
        "scale-costs.png": draw_costs,
        "scale-plan.png": draw_plan,
    }
    shown = {}
    for name, draw in drawn.items():
        try:
            figure = draw(numbers)
        except (KeyError, ValueError, TypeError):  # a part was not measured or failed, so its picture is left out
            continue
        shown[name] = in_words(figure)
        save(figure, folder / name)
    return shown


def short(value: float, unit: str = "") -> str:
    """Format a number with a metric prefix.

    >>> short(1500, "B"), short(2e12, "B"), short(0.25)
    ('1.5 kB', '2 TB', '0.25')
    """
    for size, letter in UNITS:
        if abs(value) >= 0.9995 * size:
            return f"{value / size:.3g} {letter}{unit}".strip()
    return f"{value:.3g} {unit}".strip()


def draw_growth(numbers: Mapping[str, Any]) -> Figure:
    """Draw distinct words up to 10 TB, the residuals of the fit, and the errors of fits on less text by distance."""
    figure, (left, middle, right) = plt.subplots(
        1, 3, figsize=(14, 4.4), gridspec_kw={"width_ratios": (2, 1, 1)}, layout="constrained"
    )
    for number, (kind, found) in enumerate(numbers["growth"].items()):
        left.plot(found["bytes"], found["distinct"], **{**line_style(number), "linestyle": "none"}, label=kind)
    found = numbers["growth"]["all"]
    fitted = grown(found["bytes"], found["distinct"])
    _band(left, fitted, SIZES[-1])
    _logarithmic(left, "B", "", "bytes of text", "distinct words")
    left.set_title("Growth, and the fit of the whole")
    left.legend(loc="upper left")
    start = first_within(found["bytes"], fitted.window)
    middle.axhline(0, color="#222222", linewidth=1)
    for inside, sign in ((False, "s"), (True, "o")):
        chosen = [at for at in range(len(found["bytes"])) if (at >= start) == inside]
        off = [100 * (found["distinct"][at] / fitted(found["bytes"][at]) - 1) for at in chosen]
        middle.plot(
            [found["bytes"][at] for at in chosen], off, sign, color=line_style(0 if inside else 1)["color"],
            label="in the fit" if inside else "before it",
        )  # fmt: skip
    middle.set_xscale("log")
    middle.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value, "B")))
    middle.set_title("Measured beside the fit, %")
    middle.legend()
    tests = fitted.tests
    right.plot([test.distance for test in tests], [100 * (test.off - 1) for test in tests], ".", color="#0072B2")
    along = np.geomspace(1, max((test.distance for test in tests), default=2), 50)
    for sign in (1, -1):
        edge = [100 * (fitted.errors.factor(x) ** sign - 1) for x in along]
        right.plot(along, edge, "--", color="#D55E00", label="95 % of those from 4x on" if sign == 1 else "_")
    right.axhline(0, color="#222222", linewidth=1)
    right.set_xscale("log", base=2)
    right.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}x"))
    right.set_title("Predicted beside measured, %")
    right.set_xlabel("how many times as much text")
    right.legend()
    return figure


def _band(axes: Axes, fitted: Grown, to: float) -> None:
    measured = np.geomspace(fitted.measured / fitted.window, fitted.measured, 20)
    beyond = np.geomspace(fitted.measured, to, 60)
    axes.plot(measured, [fitted(x) for x in measured], color="#222222", linewidth=1.2, label="fit")
    axes.plot(beyond, [fitted(x) for x in beyond], color="#222222", linewidth=1.2, linestyle="--", label="predicted")
    low, high = ([fitted(x) * fitted.factor(x) ** sign for x in beyond] for sign in (-1, 1))
    axes.fill_between(beyond, low, high, color=SHADE, alpha=0.6, label="by the errors so far")


def _logarithmic(axes: Axes, x: str, y: str, xlabel: str, ylabel: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value, x)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value, y)))
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(NullFormatter())


def draw_zipf(numbers: Mapping[str, Any]) -> Figure:
    """Draw counts by rank for each kind of text, with two slopes for the whole corpus."""
    figure, axes = plt.subplots(figsize=(7.6, 4.4), layout="constrained")
    for number, (kind, found) in enumerate(numbers["growth"].items()):
        style = {**line_style(number), "marker": ""}
        axes.plot(found["ranks"]["rank"], found["ranks"]["count"], **style, label=kind)
    for fitted, (low, high) in zipf_fits(numbers["growth"]["all"]["ranks"]):
        along = np.geomspace(low, high, 20)
        axes.plot(along, [2.5 * fitted(x) for x in along], color="#222222", linewidth=1)
        middle = math.sqrt(low * high)
        axes.annotate(f"slope {fitted.exponent:.2f}", (middle, 3.2 * fitted(middle)), fontsize=9)
    _logarithmic(axes, "", "", "rank", "occurrences")
    axes.set_title("Zipf's law: one slope for common words, a steeper one for rare ones")
    axes.legend()
    return figure


def zipf_fits(ranks: Mapping[str, Sequence[float]]) -> list[tuple[Any, tuple[float, float]]]:
    """Fit the slopes of common words (ranks 10 to 3,000) and of rare words (from 20,000 to the last count of 5)."""
    found = []
    last = max(rank for rank, count in zip(ranks["rank"], ranks["count"]) if count >= 5)
    for low, high in ((10, 3_000), (20_000, last)):
        chosen = [(rank, count) for rank, count in zip(ranks["rank"], ranks["count"]) if low <= rank <= high]
        found.append((power(*zip(*chosen)), (low, high)))
    return found


def draw_costs(numbers: Mapping[str, Any]) -> Figure:
    """Draw four fits: learning merges, its memory and the counts file by distinct words, and merging runs by words."""
    model = model_of(numbers)
    trained, files, merges = numbers["trained"], numbers["files"]["files"], numbers["reduced"]["merges"]
    figure, panels = plt.subplots(1, 4, figsize=(15, 3.8), layout="constrained")
    distinct = [row["distinct"] for row in trained]
    seconds = [Ratio.of(row["seconds"]).median for row in trained]
    _line(panels[0], distinct, seconds, model.training, "Merges, seconds", "distinct words")
    _line(
        panels[1], distinct, [row["added"] for row in trained], model.trainer, "Memory they add, MB", "distinct words",
        1e-6,
    )  # fmt: skip
    words = [row["words_in"] for row in merges]
    taken = [Ratio.of(row["seconds"]).median for row in merges]
    _line(panels[2], words, taken, model.merging, "Merging runs, seconds", "words that come in")
    sizes = [row["file"] / 1e6 for row in files]
    _line(panels[3], [row["distinct"] for row in files], sizes, model.file, "Counts file, MB", "distinct words", 1e-6)
    return figure


def _line(
    axes: Axes, xs: Sequence[float], ys: Sequence[float], fitted: Line, title: str, xlabel: str, unit: float = 1.0
) -> None:
    axes.plot(xs, ys, "o", color="#0072B2")
    along = np.geomspace(min(xs), max(xs), 30)
    axes.plot(
        along, [fitted(x) * unit for x in along], "--", color="#D55E00", label=f"within {100 * fitted.error:.0f} %"
    )
    _logarithmic(axes, "", "", xlabel, "")
    axes.set_title(title)
    axes.legend(loc="upper left")


def draw_plan(numbers: Mapping[str, Any]) -> Figure:
    """Draw hours against cores, for the current design and with the last merge in partitions."""
    model = model_of(numbers)
    figure, axes = plt.subplots(figsize=(7.6, 4.4), layout="constrained")
    cores = [2**power for power in range(1, 11)]
    for number, size in enumerate(SIZES):
        plans = [plan(model, size, each) for each in cores]
        style = line_style(number)
        label = f"{size / GB:,.0f} GB"
        axes.plot(
            cores, [each.seconds / 3600 for each in plans], color=style["color"], marker=style["marker"], label=label
        )
        axes.plot(cores, [each.partitioned() / 3600 for each in plans], color=style["color"], linestyle=":")
        axes.fill_between(cores, *_hours(model, size, cores), color=style["color"], alpha=0.15)
    for each in CORES:
        axes.axvline(each, color="#dddddd", linewidth=1)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlabel("cores")
    axes.set_ylabel("hours, from text to vocabulary")
    axes.set_title("Time as it is, and with the last merge in partitions (dotted)")
    axes.legend()
    return figure


def _hours(model: Model, size: float, cores: Sequence[int]) -> tuple[list[float], list[float]]:
    """Return the hours in the best case (fastest kind of text, few words) and in the worst, for each of ``cores``."""
    factor = model.distinct.factor(size)
    ends: tuple[list[float], list[float]] = ([], [])
    for each in cores:
        one = plan(model, size, each)
        words = one.driver + one.training
        reading = size / (each * model.scaling)
        rest = one.counting - reading / model.speed
        ends[0].append((reading / model.fastest + (rest + words) / factor) / 3600)
        ends[1].append((reading / model.slowest + (rest + words) * factor) / 3600)
    return ends
