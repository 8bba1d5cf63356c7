"""19 · Beyond BPE: exercises

Here is what [lesson 19](../notebooks/19_beyond_bpe.ipynb) leaves open.
"""

BLANKS = (
    "drop_merges",
    "remove_token",
    "fewest_tokens",
    "patches",
    "toll_bound",
    "worst_off",
    "may_merge",
    "pack",
)
NOTEBOOK = (
    "own_change",
)  # fmt: skip
