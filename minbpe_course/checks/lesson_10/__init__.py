"""The exercises of lesson 10: SentencePiece's Unigram model, its normalizer, and its trainer of pairs."""

from __future__ import annotations

from minbpe_course.checks.lesson_10 import (
    best_path,
    count_paths,
    draw_path,
    expected_counts,
    learn_pieces,
    longest_rule,
    to_tokens,
    train_unigram,
)

EXERCISES = (
    count_paths.EXERCISE,
    to_tokens.EXERCISE,
    longest_rule.EXERCISE,
    best_path.EXERCISE,
    draw_path.EXERCISE,
    expected_counts.EXERCISE,
    learn_pieces.EXERCISE,
    train_unigram.EXERCISE,
)
