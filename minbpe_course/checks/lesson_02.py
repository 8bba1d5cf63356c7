"""The exercises of lesson 02: naive byte pair encoding and its tie rules."""

from __future__ import annotations

from minbpe_course.checks.naive_bpe_fairness import FAIR_MERGES
from minbpe_course.checks.naive_bpe_pairs import COUNT_PAIRS, MERGE, TEST_MERGE
from minbpe_course.checks.naive_bpe_rules import RULES_BEHIND
from minbpe_course.checks.naive_bpe_training import APPLY_MERGES, TRAIN_MERGES

EXERCISES = (COUNT_PAIRS, MERGE, TEST_MERGE, TRAIN_MERGES, APPLY_MERGES, RULES_BEHIND, FAIR_MERGES)
