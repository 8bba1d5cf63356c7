"""03 · Pre-tokenization: exercises

Here are seven more exercises on [lesson 03](../notebooks/03_regex_splitting.ipynb), from a single line to a design of
your own. None of them repeats what you wrote in the lesson: your `split` rejects a pattern with gaps, and `split_words`
below keeps what a pattern leaves out.
"""

from minbpe_course.learning import Code, Text

BLANKS = (
    "split",
    "count_words",
    "learn_from_words",
    "RegexTokenizer.train",
    "RegexTokenizer.encode",
)
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
    Text("""
The last cell is a measurement, not an exercise. Does splitting pay? A token that spans two words would save ids. The
cell holds out one of twelve English texts, trains both kinds of tokenizer on the other eleven, with 2,000 tokens each,
and encodes the text that neither has seen; then it holds out the next text, and so on. Before you run it: for how many
of the twelve does splitting need fewer ids?
"""),
    Code("""
from minbpe_course import BasicTokenizer, RegexTokenizer
from minbpe_course.corpus.texts import course_sections

texts = list(course_sections().values())[:12]
total, wins = [0, 0], 0
for new in texts:
    others = "".join(text for text in texts if text != new)
    ids = [len(made().train(others, 2000).encode(new)) for made in (BasicTokenizer, RegexTokenizer)]
    total = [sum(both) for both in zip(total, ids)]
    wins += ids[1] < ids[0]
print(f"not split {total[0]} ids, split first {total[1]} ids; splitting needs fewer for {wins} of 12 texts")
"""),
)
