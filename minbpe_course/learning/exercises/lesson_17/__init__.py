"""17 · Vocabulary surgery: exercises

Here are six exercises on [lesson 17](../notebooks/17_vocabulary_surgery.ipynb), from easy to hard.
"""

NOTEBOOK = (
    "byte_loss",
    "with_new_rows",
    "drop_merges",
    "pruning_order",
    "test_prune",
    "choose_merges",
)
