"""04 · GPT-4's merges: exercises

Here are five exercises on [lesson 04](../notebooks/04_gpt4_merges.ipynb), from a few lines to a design of your own.
The functions `byte_order` and `merges_from_ranks` are those of the lesson.

The vocabularies here are small, and many contain only a few bytes. Their ids follow the same plan as GPT-4's: first the
single bytes, in an order chosen by the vocabulary's author, then a new id for each merge. For example, `{b"c": 0, b"a":
1, b"b": 2, b"ab": 3}`.
"""

BLANKS = (
    "byte_order",
    "recover_merges",
    "tiktoken_file",
    "GPT4Tokenizer.from_ranks",
    "GPT4Tokenizer.encode_word",
    "GPT4Tokenizer.encode",
    "GPT4Tokenizer.save",
)
NOTEBOOK = (
    "byte_alphabet",
    "encode_by_ranks",
    "ranks_from_bpe",
    "test_recover",
    "training_text",
)
