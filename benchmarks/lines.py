"""Format measurements as lines of the tables, and compare them with the targets."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks import curves, startup
from benchmarks.curves import Curve
from benchmarks.memory import Measure
from benchmarks.rows import Row
from benchmarks.speed import Race, Ratio

STARTUP = "Start-up"
AIM, MINIMUM, BELOW, OPEN = "aim", "minimum", "**below**", "not measured"


@dataclass(frozen=True)
class Line:
    """One line of a table; it is also shown in the overview if it has a target.

    ``ratio`` is how many times as long, or as much memory, one other contestant takes; None in all other lines.
    """

    section: str
    title: str
    ours: str
    our_value: str
    against: str
    their_value: str
    result: str
    minimum: str = ""
    aim: str = ""
    verdict: str = ""
    ratio: float | None = None


def times(ratio: float) -> str:
    """Format a ratio with two digits.

    >>> times(27.4), times(1.234), times(5512.0), times(0.4321)
    ('27x', '1.2x', '5,512x', '0.43x')
    """
    return f"{ratio:.2f}x" if ratio < 1 else f"{ratio:.1f}x" if ratio < 9.95 else f"{ratio:,.0f}x"


def shown(ratio: Ratio | None) -> str:
    """Format a ratio with its range."""
    return "" if ratio is None else f"{times(ratio.median)} ({times(ratio.low)}-{times(ratio.high)})"


def verdict(value: float | None, minimum: float, aim: float | None, more_is_better: bool = True) -> str:
    """Return whether a value reaches the aim, only the minimum, or neither.

    >>> verdict(17, 16, 27), verdict(30, 16, 27), verdict(3, 16, 27), verdict(0.5, 0.6, 0.4, more_is_better=False)
    ('minimum', 'aim', '**below**', 'minimum')
    """
    if value is None:
        return OPEN
    sign = 1 if more_is_better else -1
    if aim is not None and sign * value >= sign * aim:
        return AIM
    return MINIMUM if sign * value >= sign * minimum else BELOW


def speed(row: Row, seconds: Sequence[float] | None, amount: Mapping[str, float]) -> str:
    """Format the median time, or the speed, in the unit of the row."""
    if not seconds:
        return ""
    taken = statistics.median(seconds)
    if row.unit == "us":
        return f"{taken / amount['documents'] * 1e6:.2f} µs"
    if row.unit == "s":
        return f"{taken:.3f} s" if taken < 10 else f"{taken:.1f} s"
    if row.unit == "M ids/s":
        return f"{amount['ids'] / taken / 1e6:.0f} M ids/s"
    return f"{amount['bytes'] / taken / 1e6:.1f} MB/s"


def of_row(row: Row, result: Mapping[str, Any]) -> Iterator[Line]:
    """Yield the lines of a race: one for each other contestant, and one for each bar that names several."""
    problem = result.get("wrong") or result.get("lost")
    race = Race(result.get("seconds", {}), result.get("absent", {}))
    bars = {bar.against: bar for bar in row.bars}
    for against in dict.fromkeys([*((peer,) for peer in row.peers), *bars]):
        ratio = race.ratio(row.ours, against)
        reasons = [race.absent[name] for name in (row.ours, *against) if name in race.absent]
        said = shown(ratio) or f"not measured: {problem or '; '.join(dict.fromkeys(reasons)) or 'no result'}"
        theirs = race.seconds.get(against[0]) if len(against) == 1 else None
        facts = ["", "", ""]
        if against in bars:
            bar = bars[against]
            found = None if ratio is None else ratio.median
            facts = [f"{bar.minimum:,g}x", f"{bar.aim:,g}x", verdict(found, bar.minimum, bar.aim)]
        yield Line(
            row.section, row.title(), row.ours, speed(row, race.seconds.get(row.ours), result.get("amount", {})),
            against[0] if len(against) == 1 else f"the faster of: {'; '.join(against)}",
            speed(row, theirs, result.get("amount", {})), said, *facts,
            ratio=ratio.median if ratio is not None and len(against) == 1 else None,
        )  # fmt: skip


def of_curve(curve: Curve, result: Mapping[str, Any]) -> Iterator[Line]:
    """Yield one line for each contestant: how its time grows."""
    problem = result.get("wrong") or result.get("lost")
    for name in curve.who:
        ours = name == curve.who[0]
        if problem or name not in result.get("seconds", {}):
            said, spread, exponent, last = f"not measured: {problem or result['absent'].get(name)}", None, None, ""
        else:
            found = curves.shape(result["sizes"], result["seconds"][name])
            spread, exponent = found.spread, found.exponent
            said = f"exponent {exponent:.2f}"
            last = f"{curves.fastest(result['seconds'][name])[-1]:.3f} s at the end"
            if curve.along != curves.VOCABULARY:
                said += f", at most {spread:.0%} from the straight line"
        facts = ["", "", ""]
        if ours and curve.most_spread is not None:
            facts = [f"within {curve.most_spread:.0%}", "", verdict(spread, curve.most_spread, None, False)]
        elif ours and curve.most_exponent is not None:
            facts = [f"exponent up to {curve.most_exponent}", "", verdict(exponent, curve.most_exponent, None, False)]
        sizes = result.get("sizes") or [0]
        yield Line(
            curve.section,
            f"{curve.title}, {sizes[0]:,} to {sizes[-1]:,} {curve.along}",
            name,
            last,
            "",
            "",
            said,
            *facts,
        )


def of_memory(measure: Measure, result: Mapping[str, Any]) -> Iterator[Line]:
    """Yield one line for each other contestant. The ratio is ours over theirs, so less is better."""
    megabytes, absent = result["megabytes"], result["absent"]
    ours = megabytes.get(measure.who[0])
    if measure.most_megabytes is not None:
        yield Line(
            measure.section, measure.title, measure.who[0], _megabytes(ours), "", "",
            _megabytes(ours) or f"not measured: {absent.get(measure.who[0])}", f"up to {measure.most_megabytes:.0f} MB",
            "", verdict(ours, measure.most_megabytes, None, False),
        )  # fmt: skip
    for at, name in enumerate(measure.who[1:]):
        theirs = megabytes.get(name)
        known = ours is not None and theirs
        ratio = ours / theirs if known else None
        reason = absent.get(measure.who[0]) or absent.get(name)
        facts = ["", "", ""]
        if at == 0 and measure.most_ratio:
            least, aim = measure.most_ratio
            facts = [f"up to {least}x", f"up to {aim}x", verdict(ratio, least, aim, False)]
        said = f"not measured: {reason}" if ratio is None else f"{times(ratio)} of its memory"
        yield Line(
            measure.section, measure.title, measure.who[0], _megabytes(ours), name, _megabytes(theirs), said, *facts,
            ratio=1 / ratio if ratio else None,
        )  # fmt: skip


def _megabytes(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f} MB"


def of_startup(result: Mapping[str, Any]) -> Iterator[Line]:
    """Yield the rows of the cold start, and of the warm start compared with others."""
    section = STARTUP
    cold = startup.median(result["cold"])
    limit = startup.COLD
    yield Line(
        section, "nothing compiled yet: import, first encode and first train", "ours", f"{cold:.1f} s", "", "",
        f"{cold:.1f} s", f"up to {limit.most} s", f"up to {limit.aim} s", verdict(cold, limit.most, limit.aim, False),
    )  # fmt: skip
    title, limit = "compiled before: import to the first ids (60 kB)", startup.WARM
    ours = startup.median(result["warm"]["ours"])
    said, facts = f"{ours:.2f} s", (f"up to {limit.most} s", f"up to {limit.aim} s")
    yield Line(section, title, "ours", said, "", "", said, *facts, verdict(ours, limit.most, limit.aim, False))
    for name, seconds in result["warm"].items():
        if name != "ours":
            theirs = startup.median(seconds)
            yield Line(
                section, title, "ours", said, name, f"{theirs:.2f} s", times(theirs / ours), ratio=theirs / ours
            )  # fmt: skip
    for name, reason in result["absent"].items():
        yield Line(section, title, "ours", said, name, "", f"not measured: {reason}")
