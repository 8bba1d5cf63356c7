"""Describe a chart in words for screen readers: title, axes, and what is drawn.

    Growth. Across: merges. Up: bytes per id. stories: from 1 to 3.2. Greek: from 1 to 1.9.

``finish`` stores it as the ``alt`` of the picture in the metadata of the output, where notebooks keep it and pages made
from the notebook find it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

# A listener cannot skim.
LONGEST = 600
MOST_BARS = 12
MOST_WORDS = 30
# Tick labels that matplotlib writes itself, including powers of ten as a formula.
NUMBER = re.compile(r"[-+−\d.,eE ]*|\$.*\$")


def describe(figure: Figure) -> str:
    """Return what the figure shows, in a few plain sentences of at most 600 characters.

    >>> import matplotlib.pyplot as plt
    >>> figure, axes = plt.subplots()
    >>> title, across = axes.set_title("Growth"), axes.set_xlabel("merges")
    >>> lines = axes.plot([0, 400], [1, 3.25], label="stories"), axes.plot([0, 400], [1, 1.9], label="Greek")
    >>> describe(figure)
    'Growth. Across: merges. stories: from 1 to 3.25. Greek: from 1 to 1.9.'
    >>> plt.close(figure)
    """
    heading = figure.get_suptitle()
    sentences = [sentence for axes in figure.axes if axes.get_visible() for sentence in _sentences(axes)]
    text = " ".join(f"{_plain(sentence).rstrip('.:')}." for sentence in [heading, *sentences] if sentence.strip())
    if len(text) > LONGEST:
        text = text[: LONGEST - 1].rsplit(" ", 1)[0] + "…"
    return text or "A drawing without words."


def _sentences(axes: Axes) -> Iterator[str]:
    yield " ".join(filter(None, (axes.get_title(loc=side) for side in ("left", "center", "right"))))
    if axes.get_xlabel():
        yield f"Across: {axes.get_xlabel()}"
    if axes.get_ylabel():
        yield f"Up: {axes.get_ylabel()}"
    curves = [line for line in axes.get_lines() if _is_named(line.get_label())]
    yield from (_curve(axes, line) for line in curves)
    bars = [group for group in axes.containers if isinstance(group, BarContainer)]
    named = [group for group in bars if _is_named(group.get_label())]
    yield from (f"{group.get_label()}: {_list(_bars(axes, group), MOST_BARS)}" for group in named)
    # Bars of different styles are drawn one by one, but are described as one row.
    rest = [said for group in bars if group not in named for said in _bars(axes, group)]
    yield from ([f"Bars: {_list(rest, MOST_BARS)}"] if rest else [])
    sizes = [image.get_size() for image in axes.images]
    yield from (f"A map of {rows} rows and {columns} columns" for rows, columns in sizes)
    if not curves and not bars:
        # A drawing of boxes and arrows is described by the words in it.
        words = [_plain(text.get_text()) for text in axes.texts if text.get_visible() and text.get_text().strip()]
        legend = axes.get_legend()
        labels = [text.get_text() for text in legend.get_texts()] if legend else []
        yield from ([f"Shown: {_list(labels, MOST_WORDS)}"] if labels else [])
        yield from ([f"In it: {_list(_counted(words), MOST_WORDS)}"] if words else [])


def _curve(axes: Axes, line: Line2D) -> str:
    across, up = (np.ma.asarray(axis, dtype=float).filled(np.nan) for axis in line.get_data())
    there = np.isfinite(across) & np.isfinite(up)
    across, up = across[there], up[there]
    names = _names(axes.yaxis)
    if names:
        points = (f"{_nearest(names, place)} {short_number(value)}" for place, value in zip(up, across))
        return f"{line.get_label()}: {_list(points, MOST_BARS)}"
    return f"{line.get_label()}: {_course(across, up)}" if len(up) else str(line.get_label())


def _course(across: np.ndarray, up: np.ndarray) -> str:
    """Say where a curve begins and ends, and its highest and lowest point if those are not its ends.

    >>> _course(np.array([1, 2, 3, 4]), np.array([2.0, 21, 5, 1]))
    'from 2 to 1, highest 21 at 2'
    >>> _course(np.array([3, 3]), np.array([0, 13])), _course(np.array([0, 9]), np.array([2.2, 2.2]))
    ('upright at 3', 'level at 2.2')
    """
    if len(up) == 1:
        return f"at {short_number(up[0])}"
    if np.ptp(across) == 0:
        return f"upright at {short_number(across[0])}"
    if np.ptp(up) == 0:
        return f"level at {short_number(up[0])}"
    said = [f"from {short_number(up[0])} to {short_number(up[-1])}"]
    clear = 0.05 * np.ptp(up)
    for name, at, beyond in (
        ("highest", np.argmax(up), up.max() - max(up[0], up[-1])),
        ("lowest", np.argmin(up), min(up[0], up[-1]) - up.min()),
    ):
        if beyond > clear:
            said.append(f"{name} {short_number(up[at])} at {short_number(across[at])}")
    return ", ".join(said)


def _bars(axes: Axes, bars: BarContainer) -> list[str]:
    lying = bars.orientation == "horizontal"
    names = _names(axes.yaxis if lying else axes.xaxis)
    said = []
    for bar, value in zip(bars.patches, np.asarray(bars.datavalues, dtype=float)):
        middle = bar.get_y() + bar.get_height() / 2 if lying else bar.get_x() + bar.get_width() / 2
        said.append(f"{_nearest(names, middle)} {short_number(value)}" if names else short_number(value))
    return said


def _names(axis: Axis) -> dict[float, str]:
    """Return the words at an axis by their positions; nothing for an axis of numbers."""
    words = [_plain(tick.get_text()) for tick in axis.get_ticklabels()]
    if all(NUMBER.fullmatch(word) for word in words):
        return {}
    return {place: word for place, word in zip(axis.get_ticklocs(), words) if word}


def _nearest(names: Mapping[float, str], place: float) -> str:
    return names[min(names, key=lambda named: abs(named - place))]


def _counted(words: Sequence[str]) -> list[str]:
    """Return each word once, with its count, if a few words are repeated many times."""
    counts = Counter(words)
    if len(words) <= MOST_WORDS or 3 * len(counts) > MOST_WORDS:
        return list(words)
    return [f"{word} {count} times" if count > 1 else word for word, count in counts.items()]


def _is_named(label: object) -> bool:
    # Matplotlib's default labels begin with an underscore and are not in a legend either.
    return bool(str(label)) and not str(label).startswith("_")


def _list(words: Iterable[str], most: int) -> str:
    listed = list(words)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def short_number(value: float) -> str:
    """Return a number with three significant digits, or all digits before the point.

    >>> short_number(0.12345), short_number(12345.6)
    ('0.123', '12,346')
    """
    return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def _plain(text: str) -> str:
    return " ".join(text.replace("\\$", "$").split())
