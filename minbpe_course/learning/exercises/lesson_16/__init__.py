"""The exercises of lesson 16: strange behaviour that comes from the tokenizer, counted."""
