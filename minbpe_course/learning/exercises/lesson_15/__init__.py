"""15 · Measuring a tokenizer: exercises

Here are seven exercises on [lesson 15](../notebooks/15_measuring_a_tokenizer.ipynb), from easy to hard. Numbers are
compared to nine digits, so you don't need to round anything.
"""

NOTEBOOK = (
    "bytes_per_token",
    "bits_per_byte",
    "gini",
    "gain_interval",
    "efficiency",
    "test_front",
    "cheat",
)
