"""19 · Beyond BPE: exercises

Here are three exercises on [lesson 19](../notebooks/19_beyond_bpe.ipynb).
"""

BLANKS = (
    "toll_bound",
    "worst_off",
    "may_merge",
    "pack",
)
NOTEBOOK = (
    "drop_merges",
    "fewest_tokens",
    "own_change",
)
