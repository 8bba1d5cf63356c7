"""Bars that take their colours from the page: how a class is spread, how a question stands, which cases fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minbpe_course.grading.reports.page import STATES, css, text


def state_bar(counts: Mapping[str, int]) -> str:
    """Return one stacked bar of states, with the counts for whoever cannot see it.

    >>> "3 done, 1 not yet" in state_bar({"done": 3, "not yet": 1})
    True
    """
    total = sum(counts.values()) or 1
    parts = [(state, counts.get(state, 0)) for state in STATES if counts.get(state, 0)]
    said = ", ".join(f"{count} {state}" for state, count in parts)
    bars = "".join(f'<i class="{css(state)}" style="width:{100 * count / total:.2f}%"></i>' for state, count in parts)
    return f'<div class="bar" role="img" aria-label="{text(said)}" title="{text(said)}">{bars}</div>'


def category_bars(rows: Sequence[tuple[str, int]], of: int) -> str:
    """Return a bar for each category, the number of learners at its end.

    >>> ">2 of 8<" in category_bars([("empty input", 2)], 8)
    True
    """
    shares = [(name, count, 100 * count / max(of, 1)) for name, count in rows]
    drawn = "".join(
        f'<span>{text(name)}</span><span class="track"><i class="not-yet" style="width:{share:.1f}%"></i></span>'
        f'<span class="soft">{count} of {of}</span>'
        for name, count, share in shares
    )
    return f'<div class="cases">{drawn}</div>' if rows else ""


def histogram(shares: Sequence[float]) -> str:
    """Return how many learners reached which tenth of the points; ``shares`` are numbers from 0 to 1.

    >>> "100 %: 1" in histogram([1.0])
    True
    """
    counts = [0] * 11
    for share in shares:
        counts[10 if share >= 1 else max(int(share * 10), 0)] += 1
    labels = [f"{10 * at}–{10 * at + 9} %" for at in range(10)] + ["100 %"]
    most, step, tall = max(counts) or 1, 58, 110
    drawn = []
    for at, (label, count) in enumerate(zip(labels, counts)):
        height = tall * count / most
        left = at * step
        colour = "--done" if at == 10 else "--accent"
        drawn.append(
            f'<rect x="{left + 6}" y="{tall + 20 - height:.1f}" width="{step - 12}" height="{height:.1f}" rx="3" '
            f'fill="var({colour})"/>'
            f'<text x="{left + step / 2}" y="{tall + 14 - height:.1f}" text-anchor="middle">{count or ""}</text>'
            f'<text class="soft" x="{left + step / 2}" y="{tall + 38}" text-anchor="middle" '
            f'style="font-size:11px">{label}</text>'
        )
    drawn.append(f'<line x1="0" x2="{11 * step}" y1="{tall + 20.5}" y2="{tall + 20.5}" stroke="var(--line)"/>')
    said = "learners by share of points: " + "; ".join(f"{label}: {count}" for label, count in zip(labels, counts))
    return _svg(11 * step, tall + 46, "".join(drawn), said)


def legend() -> str:
    """Return what the colours of the states mean.

    >>> legend().count("<span>")
    4
    """
    entries = "".join(f'<span><i class="{css(state)}"></i>{text(state)}</span>' for state in STATES)
    return f'<div class="legend">{entries}</div>'


def _svg(width: int, height: int, drawn: str, said: str) -> str:
    return (
        f'<figure><svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{text(said)}">{drawn}</svg></figure>'
    )
