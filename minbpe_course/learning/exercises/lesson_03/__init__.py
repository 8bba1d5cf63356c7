"""03 · Regex splitting: exercises

Here are seven exercises on [lesson 03](../notebooks/03_regex_splitting.ipynb), from a single line to a design of your
own. `split_words` becomes part of your own tokenizer, so take the time to get it right.
"""

from minbpe_course.learning import Text

NOTEBOOK = (
    "group_digits",
    "split_words",
    "first_difference",
    Text("""
Once it works, ask it about real patterns: does GPT-4's pattern, as minbpe writes it, split text the way tiktoken's
does? (Their names are `minbpe_gpt4` and `cl100k_base`, in `minbpe_course.text.patterns.PATTERNS`.)
"""),
    "marked_words",
    "gpt4_words",
    "test_split",
    "code_words",
)
