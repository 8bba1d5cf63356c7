"""The exercises of lesson 13: a vocabulary changes, and the model and the ids change with it."""

from __future__ import annotations

from minbpe_course.checks.lesson_13 import (
    byte_loss,
    choose_merges,
    drop_merges,
    pruning_order,
    tests_of_prune,
    with_new_rows,
)

EXERCISES = (
    byte_loss.EXERCISE,
    with_new_rows.EXERCISE,
    drop_merges.EXERCISE,
    pruning_order.EXERCISE,
    tests_of_prune.EXERCISE,
    choose_merges.EXERCISE,
)
