"""What "correct" means for each exercise, for two values, and for two tokenizers.

equality      same ids, same values, and the smallest difference
exercise      the records: Exercise, Case, Mistake, Mutant, Outcome, Verdict
catalogue     the exercises by lesson and key; one package a lesson
judge         an exercise and an answer to a verdict; explain chooses what the learner is shown
conformance   the rules that any byte-level tokenizer must obey
"""

from __future__ import annotations

from minbpe_course.checks.equality import Difference, assert_same, assert_same_ids

__all__ = ["Difference", "assert_same", "assert_same_ids"]
