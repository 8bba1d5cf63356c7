"""The public tokenizer classes: each call checks its input, calls an engine and returns plain values."""
