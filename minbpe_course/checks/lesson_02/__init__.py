"""The exercises of lesson 02: naive byte pair encoding and its tie rules."""

from __future__ import annotations

from minbpe_course.checks.lesson_02.fairness import FAIR_MERGES
from minbpe_course.checks.lesson_02.pairs import COUNT_PAIRS, MERGE, TEST_MERGE
from minbpe_course.checks.lesson_02.rules import RULES_BEHIND
from minbpe_course.checks.lesson_02.training import APPLY_MERGES, TRAIN_MERGES

EXERCISES = (COUNT_PAIRS, MERGE, TEST_MERGE, TRAIN_MERGES, APPLY_MERGES, RULES_BEHIND, FAIR_MERGES)
