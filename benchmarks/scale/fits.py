"""Fit straight lines and power laws, and measure their errors; all extrapolations of the page use them.

A fit has two estimates of its error. The least-squares band reflects only the scatter of the points; it does not
account for a curve that bends. So the same fit is also made on shorter beginnings of the measurements, and its
predictions are compared with what was measured farther out. The growth of these errors with distance gives the band of
a prediction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

FAR = 4.0  # times as far out


@dataclass(frozen=True)
class Power:
    """y = scale * x ** exponent, fitted by least squares on logarithms."""

    scale: float
    exponent: float
    points: int
    spread: float  # standard deviation of the residuals, in natural logarithms
    middle: float  # mean of the logarithms of x
    width: float  # sum of their squared distances from it

    def __call__(self, x: float) -> float:
        return self.scale * x**self.exponent

    def band(self, x: float) -> float:
        """Return the 95 % prediction band at ``x`` as a factor: from y / factor to y * factor."""
        if self.points < 3:
            return math.inf
        away = (math.log(x) - self.middle) ** 2 / self.width
        return math.exp(student(self.points - 2) * self.spread * math.sqrt(1 + 1 / self.points + away))

    def exponent_error(self) -> float:
        """Return half the width of the 95 % confidence interval of the exponent."""
        return student(self.points - 2) * self.spread / math.sqrt(self.width) if self.points > 2 else math.inf


def power(xs: Sequence[float], ys: Sequence[float]) -> Power:
    """Fit a power law.

    >>> fitted = power([1, 10, 100], [2, 20, 200])
    >>> round(fitted.scale, 6), round(fitted.exponent, 6)
    (2.0, 1.0)
    """
    along, up = np.log(np.asarray(xs, float)), np.log(np.asarray(ys, float))
    middle, width = float(along.mean()), float(((along - along.mean()) ** 2).sum())
    exponent = float(((along - middle) * (up - up.mean())).sum() / width)
    height = float(up.mean()) - exponent * middle
    left = up - height - exponent * along
    spread = math.sqrt(float((left**2).sum()) / (len(along) - 2)) if len(along) > 2 else 0.0
    return Power(math.exp(height), exponent, len(along), spread, middle, width)


@dataclass(frozen=True)
class Line:
    """y = fixed + slope * x, by least squares on relative errors; ``error`` is the largest relative error."""

    fixed: float
    slope: float
    error: float
    points: int

    def __call__(self, x: float) -> float:
        return self.fixed + self.slope * x


def line(xs: Sequence[float], ys: Sequence[float]) -> Line:
    """Fit a straight line by least squares on relative errors; a negative intercept is replaced by 0.

    >>> fitted = line([1, 2, 4], [3, 5, 9])
    >>> round(fitted.fixed, 6), round(fitted.slope, 6)
    (1.0, 2.0)
    """
    x, y = np.asarray(xs, float), np.asarray(ys, float)
    (fixed, slope), *_ = np.linalg.lstsq(np.stack([1 / y, x / y], axis=1), np.ones(len(x)), rcond=None)
    if fixed < 0:
        fixed, slope = 0.0, float((x / y).sum() / ((x / y) ** 2).sum())
    errors = np.abs((fixed + slope * x) / y - 1)
    return Line(float(fixed), float(slope), float(errors.max()), len(x))


@dataclass(frozen=True)
class Backtest:
    """A prediction from a fit on the first points, with its distance and its error as a factor."""

    seen: float
    asked: float
    said: float
    was: float

    @property
    def distance(self) -> float:
        """How many times as far out the prediction is as the last fitted point."""
        return self.asked / self.seen

    @property
    def off(self) -> float:
        """Predicted over measured: 1.1 is 10 % too much."""
        return self.said / self.was


def backtests(xs: Sequence[float], ys: Sequence[float], window: float, least: int = 4) -> list[Backtest]:
    """Fit the last part of each beginning (``window``-fold growth from its start to its end); predict all later points.

    >>> [round(test.off, 6) for test in backtests([1, 2, 4, 8, 16], [1, 2, 4, 8, 16], 8)]
    [1.0]
    """
    found = []
    for stop in range(least, len(xs)):
        start = first_within(xs[:stop], window)
        if stop - start < least:
            continue
        fitted = power(xs[start:stop], ys[start:stop])
        found += [Backtest(xs[stop - 1], x, fitted(x), y) for x, y in zip(xs[stop:], ys[stop:])]
    return found


def first_within(xs: Sequence[float], window: float) -> int:
    """Return the index of the first of the rising ``xs`` that is at least the last one divided by ``window``."""
    return next(at for at, x in enumerate(xs) if x * window >= xs[-1] * (1 - 1e-9))


@dataclass(frozen=True)
class Growing:
    """How errors grow with distance: log(factor) = (rate + bend * far) * far, where far = log(distance).

    If the exponent is slightly wrong, errors grow with ``rate``; if the curve bends, they grow ever faster (``bend``).
    ``drift`` is the mean of the signed rates, above 0 if the predictions were too high. ``usual`` is their root mean
    square.
    """

    rate: float
    bend: float
    drift: float
    usual: float
    tests: int

    def factor(self, distance: float) -> float:
        """Return the factor by which a prediction at this distance may be wrong."""
        far = math.log(max(distance, 1.0))
        return math.exp((self.rate + self.bend * far) * far)


def growing(tests: Sequence[Backtest], share: float = 0.95) -> Growing:
    """Return the line that ``share`` of the backtests stay below; those nearer than FAR are noise and are left out.

    >>> found = growing([Backtest(1, math.e**2, math.e**0.2, 1)] * 3)
    >>> round(found.rate, 6), round(found.factor(math.e**4), 6) == round(math.e**0.4, 6)
    (0.1, True)
    """
    chosen = [test for test in tests if test.distance >= FAR]
    if not chosen:
        return Growing(math.inf, 0.0, 0.0, math.inf, 0)
    far = np.log([test.distance for test in chosen])
    rates = np.log([test.off for test in chosen]) / far
    spread = float(((far - far.mean()) ** 2).sum())
    bend = float(((far - far.mean()) * np.abs(rates)).sum()) / spread if spread > 1e-9 else 0.0
    bend = max(bend, 0.0)
    rate = float(np.quantile(np.abs(rates) - bend * far, share))
    return Growing(rate, bend, float(rates.mean()), float(np.sqrt((rates**2).mean())), len(chosen))


def student(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's distribution by the Cornish-Fisher series, within 1 % from 3 degrees on.

    >>> [round(student(n), 1) for n in (3, 10, 1000)]
    [3.2, 2.2, 2.0]
    """
    z = 1.959964
    series = [z, (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384]
    return sum(term / max(freedom, 1) ** at for at, term in enumerate(series))
