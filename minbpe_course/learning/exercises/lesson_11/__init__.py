"""11 · Streams and offsets: exercises

Here are four exercises on [lesson 11](../notebooks/11_streams_and_offsets.ipynb), from easy to hard.
"""

BLANKS = (
    "stream",
    "touched",
    "changed",
)
NOTEBOOK = (
    "token_offsets",
    "stream_after_prompt",
    "certain_text",
    "heal",
)
