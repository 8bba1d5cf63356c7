"""The exercises of lesson 13: a vocabulary changes, and the model and the ids change with it."""

ORDER = ("byte_loss", "with_new_rows", "drop_merges", "pruning_order", "tests_of_prune", "choose_merges")
