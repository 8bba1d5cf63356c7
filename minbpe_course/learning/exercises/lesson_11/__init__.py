"""11 · Streams and offsets: exercises

Here are three exercises on [lesson 11](../notebooks/11_streams_and_offsets.ipynb), from easy to hard.
"""

NOTEBOOK = (
    "token_offsets",
    "certain_text",
    "heal",
)
