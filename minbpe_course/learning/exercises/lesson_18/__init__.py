"""The exercises of lesson 18: a tokenizer of your own, measured."""
