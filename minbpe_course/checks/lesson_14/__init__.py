"""The exercises of lesson 14: a tokenizer of your own, measured."""
