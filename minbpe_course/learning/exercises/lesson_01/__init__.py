r"""01 · UTF-8 basics: exercises

Here are seven exercises on [lesson 01](../notebooks/01_utf8_basics.ipynb), from a single line to a design of your own.
Your `utf8_encode` and `utf8_decode` become part of your own tokenizer.

In the tables, bytes are written in hexadecimal and separated by spaces: `c3 a9` means `b"\xc3\xa9"` in Python.
"""

NOTEBOOK = (
    "count_characters",
    "utf8_encode",
    "cut_before",
    "test_cut_before",
    "utf8_decode",
    "stream_decoder",
    "encode_pages",
)
