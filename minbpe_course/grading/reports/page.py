r"""The parts that both HTML reports share: the page itself, texts made safe, states, bars and the histogram.

A page is one file without scripts, loads nothing, and can be read in light and dark mode and on paper. Names and
answers come from learners, so every text goes through ``text``. The page's content security policy forbids scripts and
connections as well, in case one text does not.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from urllib.parse import quote

from minbpe_course.checks.exercise import Verdict
from minbpe_course.files import read_whole

STATES = ("done", "not yet", "not started", "not graded")
SIGNS = {"done": "✔", "not yet": "◐", "not started": "○", "not graded": "!"}
OURS = "The grader itself failed here. Your teacher can see why; it will be graded again."
# Control characters and characters that change the direction of writing; line breaks and tabs stay.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def page(title: str, body: str) -> str:
    """Return a whole HTML page. ``title`` is a plain text, ``body`` is HTML whose texts went through ``text``."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="robots" content="noindex">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{text(title)}</title>\n<style>\n{_style()}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


@cache
def _style() -> str:
    return read_whole(Path(__file__).with_name("report.css")).decode("utf-8").replace("\r\n", "\n")


def text(value: object) -> str:
    r"""Return any text as HTML that shows it and does nothing else.

    >>> text('<b title="x">\x1b\u202e')
    '&lt;b title=&quot;x&quot;&gt;\\x1b\\u202e'
    """
    shown = _UNSEEN.sub(lambda match: f"\\x{ord(match[0]):02x}" if match[0] < "\u0100" else f"\\u{ord(match[0]):04x}",
                        str(value))  # fmt: skip
    return html.escape(shown, quote=True)


def rows_of(mark: Verdict) -> list[tuple[str, str]]:
    """Return what a learner reads about one mark, as (label, plain text) rows without empty ones.

    >>> rows_of(Verdict("02.merge", "not yet", 0, 2, "overlapping pairs", hint="Look again.", hidden=True))
    [('kind of case', 'overlapping pairs, hidden'), ('hint', 'Look again.')]
    """
    if mark.state == "not graded":  # the reason is for the teacher
        return [("", OURS)]
    category = mark.category + (", hidden" if mark.category and mark.hidden else "")
    rows = [("given", mark.given), ("yours", mark.yours), ("wanted", mark.wanted), ("difference", mark.difference)]
    rows += [("kind of case", category), ("hint", mark.hint), ("result", mark.note)]
    return [(label, value) for label, value in [*rows, *(("note", note) for note in mark.notes)] if value]


def chip(state: str) -> str:
    """Return the sign and the word for a state."""
    return f'<span class="chip {css(state)}">{SIGNS[state]} {text(state)}</span>'


def css(state: str) -> str:
    """Return the CSS class of a state, "not-yet"."""
    return state.replace(" ", "-") if state in STATES else "not-graded"


def number(value: float) -> str:
    """Return points without needless zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def in_order(keys: Iterable[str], exercises: Mapping[str, object]) -> list[str]:
    """Return keys in the order of the exercises, unknown ones after the others of their lesson.

    >>> in_order(["02.a", "01.b", "02.z"], {"01.b": 1, "02.z": 2, "02.a": 3})
    ['01.b', '02.z', '02.a']
    """
    place = {key: at for at, key in enumerate(exercises)}
    return sorted(keys, key=lambda key: (key.partition(".")[0], place.get(key, len(place)), key))


def link(folder: str) -> str:
    """Return the address of a learner's report, relative to the summary."""
    return f"{quote(folder, safe='')}/report.html"


# ----------------------------------------------------------------------------------------------------
# Pictures


def state_bar(counts: Mapping[str, int]) -> str:
    """Return one stacked bar of states, with the counts as text for screen readers."""
    total = sum(counts.values()) or 1
    parts = [(state, counts.get(state, 0)) for state in STATES if counts.get(state, 0)]
    said = ", ".join(f"{count} {state}" for state, count in parts)
    bars = "".join(f'<i class="{css(state)}" style="width:{100 * count / total:.2f}%"></i>' for state, count in parts)
    return f'<div class="bar" role="img" aria-label="{text(said)}" title="{text(said)}">{bars}</div>'


def legend() -> str:
    """Return what the colours of the states mean."""
    entries = "".join(f'<span><i class="{css(state)}"></i>{text(state)}</span>' for state in STATES)
    return f'<div class="legend">{entries}</div>'


def category_bars(rows: Sequence[tuple[str, int]], of: int) -> str:
    """Return a bar for each category, with the number of learners at its end."""
    shares = [(name, count, 100 * count / max(of, 1)) for name, count in rows]
    drawn = "".join(
        f'<span>{text(name)}</span><span class="track"><i class="not-yet" style="width:{share:.1f}%"></i></span>'
        f'<span class="soft">{count} of {of}</span>'
        for name, count, share in shares
    )
    return f'<div class="cases">{drawn}</div>' if rows else ""


def histogram(shares: Sequence[float]) -> str:
    """Return a chart of how many learners reached which tenth of the points; ``shares`` are numbers from 0 to 1."""
    counts = [0] * 11
    for share in shares:
        counts[10 if share >= 1 else max(int(share * 10), 0)] += 1
    labels = [f"{10 * at}–{10 * at + 9} %" for at in range(10)] + ["100 %"]
    most, step, tall = max(counts) or 1, 58, 110
    drawn = []
    for at, (label, count) in enumerate(zip(labels, counts)):
        height, left = tall * count / most, at * step
        drawn.append(
            f'<rect x="{left + 6}" y="{tall + 20 - height:.1f}" width="{step - 12}" height="{height:.1f}" rx="3" '
            f'fill="var({"--done" if at == 10 else "--accent"})"/>'
            f'<text x="{left + step / 2}" y="{tall + 14 - height:.1f}" text-anchor="middle">{count or ""}</text>'
            f'<text class="soft" x="{left + step / 2}" y="{tall + 38}" text-anchor="middle" '
            f'style="font-size:11px">{label}</text>'
        )
    drawn.append(f'<line x1="0" x2="{11 * step}" y1="{tall + 20.5}" y2="{tall + 20.5}" stroke="var(--line)"/>')
    said = "learners by share of points: " + "; ".join(f"{label}: {count}" for label, count in zip(labels, counts))
    return (
        f'<figure><svg viewBox="0 0 {11 * step} {tall + 46}" width="{11 * step}" height="{tall + 46}" role="img" '
        f'aria-label="{text(said)}">{"".join(drawn)}</svg></figure>'
    )
