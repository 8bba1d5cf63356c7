"""The exercises of lesson 10: SentencePiece's Unigram model, its normaliser's table, and its trainer of pairs.

count_paths, best_path          the lattice: how many paths, and which one is best      (paths)
to_tokens                       what comes behind the best path                         (symbols)
longest_rule                    a rule of the normaliser, found in a double array       (charsmaps)
draw_path, expected_counts      all paths at once: one by chance, all on average        (draws, sums)
learn_pieces                    byte pair training with sentencepiece's order           (merging)
train_unigram                   a vocabulary of one's own                               (vocabularies)
"""

from __future__ import annotations

from minbpe_course.checks.lesson_10.charsmaps import LONGEST_RULE
from minbpe_course.checks.lesson_10.draws import DRAW_PATH
from minbpe_course.checks.lesson_10.merging import LEARN_PIECES
from minbpe_course.checks.lesson_10.paths import BEST_PATH, COUNT_PATHS
from minbpe_course.checks.lesson_10.sums import EXPECTED_COUNTS
from minbpe_course.checks.lesson_10.symbols import TO_TOKENS
from minbpe_course.checks.lesson_10.vocabularies import TRAIN_UNIGRAM

EXERCISES = (
    COUNT_PATHS,
    TO_TOKENS,
    LONGEST_RULE,
    BEST_PATH,
    DRAW_PATH,
    EXPECTED_COUNTS,
    LEARN_PIECES,
    TRAIN_UNIGRAM,
)
