"""04 · GPT-4's merges: exercises

Here are seven exercises on [lesson 04](../notebooks/04_gpt4_merges.ipynb), from a single line to a design of your own.
Sometimes only the ranks of a vocabulary were published. With your `byte_order`, `merges_from_ranks` and
`encode_shuffled` you can take such a vocabulary and encode words with it. Further down, you'll try that with GPT-4's.

The vocabularies here are small, and many contain only a few bytes. Their ids follow the same plan as GPT-4's: first the
single bytes, in an order chosen by the vocabulary's author, then a new id for each merge. For example, `{b"c": 0, b"a":
1, b"b": 2, b"ab": 3}`.
"""

from minbpe_course.learning import Code, Text

NOTEBOOK = (
    "byte_order",
    "byte_alphabet",
    "encode_shuffled",
    "ranks_from_bpe",
    "recover_merges",
    Text("""
### The real thing

With nothing but your `byte_order`, `merges_from_ranks` and `encode_shuffled`, the next cell takes GPT-4's ranks and
encodes a word. It recovers all hundred thousand merges first, which may take some seconds. Then try other words.
"""),
    Code("""
import tiktoken
from minbpe_course import use_bundled_vocabularies

bundled = use_bundled_vocabularies()
gpt4 = tiktoken.get_encoding("cl100k_base")
if all(check(key) for key in ["04.byte_order", "04.encode_shuffled", "04.recover_merges"]):
    gpt4_order = byte_order(gpt4._mergeable_ranks)
    gpt4_merges = merges_from_ranks(gpt4._mergeable_ranks)
    print("yours:   ", encode_shuffled(" tokenization", gpt4_order, gpt4_merges))
    print("tiktoken:", gpt4.encode(" tokenization"))
else:
    print("Come back when byte_order, merges_from_ranks and encode_shuffled are done.")
"""),
    "test_recover",
    "training_text",
)
