"""Records laid out as tables for the kernels, and what only such tables can tell.

``vocabulary_tables`` makes a byte-level vocabulary ready to encode with; ``simplest`` says whether it means a plain
model of byte pairs, ``meaning`` whether two records give the same ids.
"""
