"""16 · Quirks lab: exercises

Here are five exercises on [lesson 16](../notebooks/16_quirks_lab.ipynb), from easy to hard.
"""

BLANKS = (
    "hidden_letters",
    "borders",
    "score_gradient",
    "suspects",
    "retokenized",
)
NOTEBOOK = (
    "token_values",
    "futures",
    "cannot_write",
    "test_clean",
    "rank_untrained",
)
