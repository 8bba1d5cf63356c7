"""What "correct" means: comparisons that name the smallest difference they find.

    agreement   two tokenizers, or two values, side by side

Nothing here prints; a check returns one line to show, or raises with a report.
"""

from __future__ import annotations

from minbpe_course.checks.agreement import Difference, assert_same, assert_same_ids

__all__ = ["Difference", "assert_same", "assert_same_ids"]
