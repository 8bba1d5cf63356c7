"""The exercises of lesson 12: strange behaviour that comes from the tokenizer, counted."""
