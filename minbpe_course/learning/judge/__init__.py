"""Define what "correct" means for each exercise, for two values, and for two tokenizers."""

from __future__ import annotations

from minbpe_course.learning.judge.equality import Difference, assert_same, assert_same_ids

__all__ = ["Difference", "assert_same", "assert_same_ids"]
