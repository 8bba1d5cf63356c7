"""15 · Measuring a tokenizer: exercises

Here are five exercises on [lesson 15](../notebooks/15_measuring_a_tokenizer.ipynb), from easy to hard. Numbers are
compared to nine digits, so you don't need to round anything.
"""

BLANKS = (
    "bytes_per_token",
    "gain_interval",
    "bits_per_byte",
    "equal_context",
    "probability",
)
NOTEBOOK = (
    "count_bytes",
    "gini",
    "efficiency",
    "test_front",
    "cheat",
)
