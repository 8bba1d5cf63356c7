"""16 · Quirks lab: exercises

Here are six exercises on [lesson 16](../notebooks/16_quirks_lab.ipynb), from easy to hard.
"""

NOTEBOOK = (
    "hidden_letters",
    "token_values",
    "futures",
    "cannot_write",
    "test_clean",
    "rank_untrained",
)
