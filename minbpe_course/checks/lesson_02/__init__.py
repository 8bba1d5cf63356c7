"""The exercises of lesson 02, naive byte pair encoding and its tie rules: one file for each."""

from __future__ import annotations

from minbpe_course.checks.lesson_02 import (
    apply_merges,
    count_pairs,
    fair_merges,
    merge,
    rules_behind,
    tests_of_merge,
    train_merges,
)

EXERCISES = tuple(
    module.EXERCISE
    for module in (count_pairs, merge, tests_of_merge, train_merges, apply_merges, rules_behind, fair_merges)
)
