"""19 · Beyond BPE: exercises

Here are three exercises on [lesson 19](../notebooks/19_beyond_bpe.ipynb).
"""

NOTEBOOK = (
    "drop_merges",
    "fewest_tokens",
    "own_change",
)
