"""Records laid out as tables for the kernels, and what only such tables can tell.

vocabulary_tables   a byte-level vocabulary, ready to encode with
"""
