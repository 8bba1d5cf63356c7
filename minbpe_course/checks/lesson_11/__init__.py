"""The exercises of lesson 11: measuring a tokenizer."""
