"""Text before any token exists: split patterns, Unicode tables, normalization, the byte alphabet.

patterns             the split patterns of published tokenizers, their names and their compiled scanners
pattern_reading      reads a pattern in the dialect of `regex`, tiktoken or Oniguruma into the tree of ``pattern_parts``
pattern_writing      writes the tree for Oniguruma, which `tokenizers` runs, or for JavaScript
regex_runner         runs a pattern exactly as the engine of its dialect would
unicode_tables       frozen tables of each engine; ``code_points`` asks them which characters a set matches
normalizer_steps, split_steps, decoder_steps, added_tokens    the parts of a tokenizer.json that work on text
normalize            SentencePiece's normaliser
special_places       finds special tokens
byte_alphabet        GPT-2's printable bytes
offsets              from places in bytes to places in characters
"""
