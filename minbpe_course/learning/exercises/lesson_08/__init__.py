"""08 · More text than memory: exercises

Here are five exercises on [lesson 08](../notebooks/08_more_text_than_memory.ipynb), about texts that are too large for
one worker or one memory: where you may cut them, how to add up the counts, what pruning loses, and how many words are
still to come.
"""

BLANKS = (
    "safe_blocks",
    "runs_of",
    "merged_counts",
)
NOTEBOOK = (
    "safe_cuts",
    "find_borders",
    "merge_runs",
    "merge_pruned",
    "distinct_at",
)
