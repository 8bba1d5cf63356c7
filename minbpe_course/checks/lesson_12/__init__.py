"""The exercises of lesson 12: strange behaviour that comes from the tokenizer, counted."""

ORDER = ("hidden_letters", "token_values", "futures", "cannot_write", "tests_of_clean", "rank_untrained")
