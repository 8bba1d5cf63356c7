"""The exercises of lesson 10: SentencePiece's Unigram model, its normalizer, and its trainer of pairs."""

ORDER = (
    "count_paths",
    "to_tokens",
    "longest_rule",
    "best_path",
    "draw_path",
    "expected_counts",
    "learn_pieces",
    "train_unigram",
)
