"""The hot loops, compiled by Numba: arrays in, the caller's memory out, counts back. ``README.md`` explains how.

A kernel has no strings, dicts, files or exceptions, and does not check its input; its callers do. It may call kernels
of other files: ``compiled.compiled`` keeps compiled code until any source of this package changes. Every kernel has a
reference implementation in ``reference``.
"""

from __future__ import annotations

import warnings

from minbpe_course.kernels.common.compiled import PLAIN

if PLAIN:
    # Hashing overflows on purpose. Compiled code does so silently, but NumPy scalars, which replace it, would warn.
    warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning, module=r"minbpe_course\.kernels")
