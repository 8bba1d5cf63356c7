"""The exercises of lesson 04, merges from ranks, shuffled bytes, and the files they come in: one file for each."""

ORDER = (
    "byte_order",
    "byte_alphabet",
    "encode_shuffled",
    "ranks_from_bpe",
    "recover_merges",
    "tests_of_recover",
    "training_text",
)
