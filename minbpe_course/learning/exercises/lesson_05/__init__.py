"""05 · Special tokens: exercises

Here are eight exercises on [lesson 05](../notebooks/05_special_tokens.ipynb), from a single line to a design of your
own. `allowed_set` and `split_on_special` are those of the lesson.
"""

NOTEBOOK = (
    "free_id",
    "allowed_set",
    "split_on_special",
    "count_between",
    "chat_ids",
    "next_targets",
    "test_render",
    "special_stream",
)
