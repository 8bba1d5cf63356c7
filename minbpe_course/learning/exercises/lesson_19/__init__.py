"""19 · Beyond BPE: exercises

Here are three exercises on [lesson 19](../notebooks/19_beyond_bpe.ipynb).
"""

from minbpe_course.learning import Code, Text

NOTEBOOK = (
    "drop_merges",
    "fewest_tokens",
    "own_change",
    Text("""
Fewer tokens on invented languages are one measure, and the lesson showed how each measure lies. So enter your class
on the board of lesson 18, which asks for fairness and speed, too. The board trains both classes on the same short
text.
"""),
    Code("""
from minbpe_course.learning.practice import contest
from minbpe_course.learning.practice.hidden_corpus import hidden_corpus
from minbpe_course.learning.practice.views.standings import BoardView

hidden = hidden_corpus("lesson 19", characters=6_000)
entries = [contest.measure(kind.__name__, kind, hidden) for kind in (PlainTokenizer, YourTokenizer)]
BoardView([each for each in entries if hasattr(each, "score")])
"""),
    Text("""
To keep your entry, and to compare it with GPT-2's and GPT-4's, save the two classes as `own_change.py` and type:

    minbpe-course leaderboard own_change.py --entry YourTokenizer --name "my idea" --baselines

A teacher can run the same command with a secret seed.
"""),
)
