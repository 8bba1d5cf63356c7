"""How a token came to be, and how tokenizers compare."""
