"""18 · Capstone: exercises

Here are six exercises on [lesson 18](../notebooks/18_capstone.ipynb), from easy to hard.
"""

NOTEBOOK = (
    "id_bits",
    "unbeaten",
    "encode_parts",
    "shrink",
    "test_tokenizer",
    "choose_tokens",
)
