"""10 · Pattern tables: exercises

Here are three exercises on [lesson 10](../notebooks/10_pattern_tables.ipynb), from easy to hard.
"""

BLANKS = (
    "word_end",
    "follow",
    "resolve",
    "kind",
)
NOTEBOOK = (
    "never_matched",
    "column_groups",
    "build_table",
)
