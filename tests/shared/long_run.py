"""How many examples a test draws: ten times as many in the long run, ``make test-slow``."""

from __future__ import annotations

import os


def examples(count: int) -> int:
    """Return ``count``, and ten times as many in the long run."""
    return 10 * count if os.environ.get("MINBPE_COURSE_LONG_TESTS") == "1" else count
