"""09 · Fast encoding: exercises

Here are three exercises on [lesson 09](../notebooks/09_fast_encoding.ipynb), from easy to hard.
"""

BLANKS = (
    "encode_fast",
    "GPT4Tokenizer.encode_word",
    "stays_apart",
)
NOTEBOOK = (
    "cache_hits",
    "test_encode",
    "word_cache",
)
