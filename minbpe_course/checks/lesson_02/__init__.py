"""The exercises of lesson 02, naive byte pair encoding and its tie rules: one file for each."""

ORDER = ("count_pairs", "merge", "tests_of_merge", "train_merges", "apply_merges", "rules_behind", "fair_merges")
