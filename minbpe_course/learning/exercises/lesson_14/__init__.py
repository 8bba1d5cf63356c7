"""14 · Training Unigram: exercises

Here are two exercises on [lesson 14](../notebooks/14_training_unigram.ipynb): the pieces that `spm_train` learns for
BPE, and a vocabulary of your own for a language without spaces.

The texts are already normalized, so a space is `▁`. A vocabulary is a dict from piece to score. A score is the
logarithm of a probability, so it is negative, and adding scores multiplies probabilities.
"""

from minbpe_course.learning import Code

BLANKS = (
    "backward",
    "expected_counts",
    "new_scores",
    "prune",
    "wordpiece_word",
    "bert_words",
    "join_pieces",
    "pair_scores",
)
NOTEBOOK = (
    "learn_pieces",
    "train_unigram",
    Code("""
from minbpe_course.learning.exercises.lesson_14.train_unigram import english

reached = check("14.train_unigram").points
if reached:
    found = train_unigram(english()[3:60], 100)
    print("likeliest:", *[piece for piece in sorted(found, key=found.get, reverse=True) if len(piece) > 2][:20])
    for sentence in english()[:3]:
        print(" ".join(likeliest(sentence, found)))
print("Your function never saw a space." if reached else "Come back when train_unigram reaches a level.")
"""),
)
