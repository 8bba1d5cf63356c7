"""Slopes of the lines of lesson 07."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np


def slopes(sizes: Sequence[float], values: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return the power with which each row of values grows: the slope of the straight line that fits it best when both
    axes are logarithmic, to two digits.

    >>> slopes([10, 20, 40], {"in proportion": [3, 6, 12], "quadratic": [5, 20, 80]})
    {'in proportion': 1.0, 'quadratic': 2.0}
    """
    found = {name: np.polyfit(np.log(sizes), np.log(row), 1)[0] for name, row in values.items()}
    return {name: round(float(slope), 2) for name, slope in found.items()}
