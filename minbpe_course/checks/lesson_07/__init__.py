"""The exercises of lesson 07, training at scale: one file for each."""

from __future__ import annotations

from minbpe_course.checks.lesson_07 import (
    candidates,
    count_changes,
    distinct_at,
    find_borders,
    heap_keys,
    heap_merges,
    merge_pruned,
    merge_runs,
    safe_cuts,
    tests_of_growth,
)

EXERCISES = tuple(
    module.EXERCISE
    for module in (
        heap_keys, count_changes, heap_merges, candidates, tests_of_growth, safe_cuts, find_borders, merge_runs,
        merge_pruned, distinct_at,
    )
)  # fmt: skip
