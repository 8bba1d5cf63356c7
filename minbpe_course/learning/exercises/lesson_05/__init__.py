"""05 · Special tokens: exercises

Here are six more exercises on [lesson 05](../notebooks/05_special_tokens.ipynb), from a single line to a design of
your own. They go on to chats: what a chat template adds, what a model should learn from a chat, and how to find a
template that lets a user speak as the system.
"""

from minbpe_course.learning import Code

BLANKS = (
    "split_on_special",
    "allowed_set",
    "MyTokenizer.register_special_tokens",
    "MyTokenizer.from_ranks",
    "MyTokenizer.train",
    "MyTokenizer.encode",
    "MyTokenizer.decode",
)
NOTEBOOK = (
    "free_id",
    Code("""
from minbpe_course.learning import mine

split_on_special = mine("split_on_special")
"""),
    "count_between",
    "chat_ids",
    "next_targets",
    "test_render",
    "special_stream",
)
