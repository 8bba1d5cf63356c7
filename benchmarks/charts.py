"""Draw the pictures of the results page, on white even if the page is dark. Hatches or markers back up every colour."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

from benchmarks import curves
from benchmarks.curves import CHARACTERS, SIZE, Curve
from benchmarks.rows import TO_ARRAY, TO_LIST, TRAINING, Row
from benchmarks.speed import Race

matplotlib.use("agg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from minbpe_course.files import write_whole
from minbpe_course.learning.charts import HATCHES, PALETTE, house_style, line_style
from minbpe_course.learning.charts.description import describe

Results = Mapping[int, Mapping[str, Any]]

# Keeps the bars and the legend in the same order in every chart.
ORDER = (
    "ours, array",
    "ours, list",
    "ours",
    "tokenizers 1.0",
    "tokenizers 1.0, .ids",
    "quicktok",
    "rs_bpe",
    "tiktoken",
)


def draw_all(
    folder: Path, rows: Sequence[Row], races: Results, lines: Sequence[Curve], grown: Results
) -> dict[str, str]:
    """Draw every picture that has numbers. Return a description of each file by its name."""
    house_style()
    drawn = {
        "encoding.png": draw_encoding(rows, races),
        "training.png": draw_training(rows, races),
        "growth.png": draw_growth(lines, grown, hard=False),
        "worst_cases.png": draw_growth(lines, grown, hard=True),
    }
    shown = {}
    for name, figure in drawn.items():
        if figure is not None:
            shown[name] = in_words(figure)
            save(figure, folder / name)
    return shown


def in_words(figure: Figure) -> str:
    """Describe a figure in words that can stand in the brackets of a picture in Markdown."""
    return describe(figure).replace("[", "(").replace("]", ")")


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG, because hatches make an SVG ten times as large."""
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=110, facecolor="white", metadata={"Software": None}, bbox_inches="tight")
    plt.close(figure)
    write_whole(path, picture.getvalue())


def relative_to_tiktoken(rows: Sequence[Row], races: Results) -> dict[str, dict[str, float]]:
    """Return the speed of each contestant relative to tiktoken, by text and vocabulary.

    tokenizers 1.0 runs in another process, together with this course, so its ratio comes from that process.
    """
    found: dict[str, dict[str, float]] = {}
    for number, row in enumerate(rows):
        if row.section not in (TO_ARRAY, TO_LIST) or number not in races or row.work != "encode":
            continue
        race = Race(races[number].get("seconds", {}), {})
        here = found.setdefault(row.title(), {})
        ours = race.ratio(row.ours, ["tiktoken"])
        if row.place == "peers" and ours is not None:
            here[row.ours] = ours.median
            here["tiktoken"] = 1.0
        for peer in row.peers:
            mine = race.ratio(row.ours, [peer])
            if mine is not None and peer in ORDER and row.ours in here:
                here.setdefault(peer, here[row.ours] / mine.median)
    return {title: speeds for title, speeds in found.items() if speeds}


def draw_encoding(rows: Sequence[Row], races: Results) -> Figure | None:
    """Draw bars for each text and vocabulary: how many times as fast as tiktoken."""
    return _bars(
        relative_to_tiktoken(rows, races), "Encoding, one thread", "times as fast as tiktoken (doubling scale)"
    )


def draw_training(rows: Sequence[Row], races: Results) -> Figure | None:
    """Draw bars for each training row: how many times as fast this course is as each other library."""
    found: dict[str, dict[str, float]] = {}
    for number, row in enumerate(rows):
        if row.section == TRAINING and number in races and "minbpe's algorithm" not in row.peers:
            race = Race(races[number].get("seconds", {}), {})
            for peer in row.peers:
                ratio = race.ratio(row.ours, [peer])
                if ratio is not None:
                    found.setdefault(row.title(), {})[f"beside {peer}"] = ratio.median
    return _bars(found, "Training, one thread", "times as fast as the other (doubling scale)")


def _bars(found: Mapping[str, Mapping[str, float]], title: str, label: str) -> Figure | None:
    if not found:
        return None
    names = sorted({name for speeds in found.values() for name in speeds}, key=_place)
    height = sum(len(speeds) + 1 for speeds in found.values())
    figure, axes = plt.subplots(figsize=(8, 1.2 + 0.23 * height))
    ticks, labels, at = [], [], 0.0
    for group, speeds in found.items():
        present = [name for name in names if name in speeds]
        for name in present:
            kind = names.index(name) % len(PALETTE)
            axes.barh(
                at, speeds[name], height=0.85, color=PALETTE[kind], hatch=HATCHES[kind], edgecolor="white", label=name
            )
            axes.text(speeds[name] * 1.03, at, f"{speeds[name]:.1f}", va="center", fontsize=8)
            at += 1
        ticks.append(at - (len(present) + 1) / 2)
        labels.append(group.replace(", ", "\n", 1))
        at += 1
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.axvline(1, color="#222222", linewidth=1)
    axes.set_yticks(ticks, labels)
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(label)
    axes.set_title(title)
    handles, said = axes.get_legend_handles_labels()
    unique = dict(zip(said, handles))
    kept = [name for name in names if name in unique]
    axes.legend([unique[name] for name in kept], kept, loc="upper left", bbox_to_anchor=(1.02, 1))
    return figure


def _place(name: str) -> tuple[int, str]:
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)


def draw_growth(lines: Sequence[Curve], grown: Results, *, hard: bool) -> Figure | None:
    """Draw one panel per curve on logarithmic axes; a curve parallel to the dotted line grows linearly."""
    known = [
        (curve, grown[number])
        for number, curve in enumerate(lines)
        if (curve.along == CHARACTERS) == hard and grown.get(number, {}).get("seconds")
    ]
    if not known:
        return None
    columns = 2 if hard else len(known)
    deep = -(-len(known) // columns)
    figure, panels = plt.subplots(deep, columns, figsize=(4.2 * columns, 3.3 * deep), squeeze=False)
    for panel in panels.flat[len(known) :]:
        panel.set_visible(False)
    for panel, (curve, result) in zip(panels.flat, known):
        _panel(panel, curve, result)
    figure.tight_layout()
    return figure


def _panel(axes: Axes, curve: Curve, result: Mapping[str, Any]) -> None:
    sizes = [size / 1e6 for size in result["sizes"]] if curve.along == SIZE else result["sizes"]
    for number, name in enumerate(result["seconds"]):
        taken = curves.fastest(result["seconds"][name])
        axes.plot(sizes, taken, **line_style(number), label=name)
        if curve.along != "tokens":
            straight = [taken[0] * size / sizes[0] for size in sizes]
            axes.plot(sizes, straight, color="#777777", linewidth=1, linestyle=":", label="_linear")
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}"))
    axes.tick_params(axis="x", rotation=45)
    axes.set_title(curve.title)
    axes.set_xlabel("MB of text" if curve.along == SIZE else curve.along)
    axes.set_ylabel("seconds (dotted: linear)" if curve.along != "tokens" else "seconds")
    axes.legend()
