"""The exercises of lesson 05, special tokens and chat templates: one file for each."""

from __future__ import annotations

from minbpe_course.checks.lesson_05 import (
    allowed_set,
    chat_ids,
    free_id,
    next_targets,
    special_stream,
    split_on_special,
    tests_of_render,
)

EXERCISES = tuple(
    module.EXERCISE
    for module in (free_id, allowed_set, split_on_special, chat_ids, next_targets, tests_of_render, special_stream)
)
