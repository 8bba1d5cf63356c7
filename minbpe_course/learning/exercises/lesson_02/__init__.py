"""02 · Naive byte pair encoding: exercises

Here are three exercises on [lesson 02](../notebooks/02_naive_bpe.ipynb): write a test that finds ten wrong merges, find
the tie rule behind a tokenizer, and share one small vocabulary fairly among four languages. The first cell below loads
your functions of the lesson.
"""

from minbpe_course.learning import Code

BLANKS = (
    "count_pairs",
    "merge",
    "train_merges",
    "vocabulary",
    "apply_merges",
    "BasicTokenizer.train",
    "BasicTokenizer.encode",
    "BasicTokenizer.decode",
    "BasicTokenizer.save",
    "BasicTokenizer.load",
)
NOTEBOOK = (
    Code("""
from minbpe_course.learning import mine

count_pairs, merge, learn_merges = mine("count_pairs"), mine("merge"), mine("learn_merges")
"""),
    "test_merge",
    "rules_behind",
    "fair_merges",
)
