"""18 · Capstone: exercises

Here are six exercises on [lesson 18](../notebooks/18_capstone.ipynb), from easy to hard.
"""

BLANKS = (
    "changed_by_joining",
    "bytes_per_token",
    "own_pattern",
    "choose_text",
    "contaminated",
)
NOTEBOOK = (
    "id_bits",
    "unbeaten",
    "encode_parts",
    "shrink",
    "test_tokenizer",
    "choose_tokens",
)
