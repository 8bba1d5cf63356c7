"""The exercises of lesson 03, a text split into words by a pattern and by hand: one file for each."""

ORDER = (
    "group_digits",
    "split_words",
    "first_difference",
    "marked_words",
    "gpt4_words",
    "tests_of_split",
    "code_words",
)
