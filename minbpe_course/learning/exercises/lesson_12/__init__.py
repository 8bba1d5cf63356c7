"""12 · Files and interchange: exercises

Here are six exercises on [lesson 12](../notebooks/12_files_and_interchange.ipynb), from easy to hard.
"""

BLANKS = (
    "byte_letters",
    "read_ranks",
    "cache_name",
)
NOTEBOOK = (
    "read_merges",
    "tekken_rows",
    "first_fault",
    "keeps_ids",
    "test_format",
    "choose_alphabet",
)
