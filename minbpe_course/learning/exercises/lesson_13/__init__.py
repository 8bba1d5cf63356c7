"""13 · Unigram: exercises

Here are four exercises on [lesson 13](../notebooks/13_unigram.ipynb), from repairing a bug to drawing a random
segmentation.

The texts are already normalized, so a space is `▁`. A vocabulary is a dict from piece to score. A score is the
logarithm of a probability, so it is negative, and adding scores multiplies probabilities.
"""

BLANKS = (
    "count_paths",
    "arcs",
    "viterbi",
    "forward",
)
NOTEBOOK = (
    "to_tokens",
    "longest_rule",
    "best_path",
    "draw_path",
)
