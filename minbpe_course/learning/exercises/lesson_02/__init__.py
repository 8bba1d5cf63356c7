"""02 · Naive byte pair encoding: exercises

Here are seven exercises on [lesson 02](../notebooks/02_naive_bpe.ipynb), from a single line to a design of your own.
The functions `count_pairs`, `merge`, `learn_merges` and `apply_merges` are those of the lesson.
"""

from minbpe_course.learning import Code

NOTEBOOK = (
    "count_pairs",
    "merge",
    "test_merge",
    "train_merges",
    "apply_merges",
    Code("""
from minbpe_course import BasicTokenizer
from minbpe_course.corpus.texts import course_sections
from minbpe_course.showing import compare_tokens

tokenizer = BasicTokenizer().train("".join(list(course_sections().values())[:11]), vocab_size=656)
text = "grandfather"
rows = {"the package": tokenizer.encode(text)}
if check("02.apply_merges").mistake not in ("raised", "too slow"):
    rows["apply_merges"] = apply_merges(text.encode(), tokenizer.merges)
compare_tokens({name: ([tokenizer.vocab.get(i, b"?") for i in ids], ids) for name, ids in rows.items()})
"""),
    "rules_behind",
    "fair_merges",
)
