"""The exercises of lesson 15: measuring a tokenizer."""
