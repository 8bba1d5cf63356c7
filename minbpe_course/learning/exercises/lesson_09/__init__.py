"""09 · Fast encoding: exercises

Here are four exercises on [lesson 09](../notebooks/09_fast_encoding.ipynb), from easy to hard.
"""

NOTEBOOK = (
    "cache_hits",
    "stays_apart",
    "test_encode",
    "word_cache",
)
