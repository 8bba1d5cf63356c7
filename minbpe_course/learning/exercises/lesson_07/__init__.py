"""07 · Fast training: exercises

Here are five exercises on [lesson 07](../notebooks/07_fast_training.ipynb). They cover the places where people who
build this trainer go wrong: the order of a heap, the counts around a merge, ties, outdated entries, and growth.
"""

BLANKS = (
    "first_place",
    "learn_from_words",
)
NOTEBOOK = (
    "heap_keys",
    "count_changes",
    "candidates",
    "heap_merges",
    "test_growth",
)
