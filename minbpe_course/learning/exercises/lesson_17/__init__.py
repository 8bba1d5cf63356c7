"""17 · Vocabulary surgery: exercises

Here are two exercises on [lesson 17](../notebooks/17_vocabulary_surgery.ipynb).
"""

BLANKS = (
    "with_new_rows",
    "pruning_order",
    "drop_merges",
    "transplant",
    "gist_gradient",
)
NOTEBOOK = (
    "test_prune",
    "choose_merges",
)
