"""The exercises of lesson 07: training at scale.

heap_keys, count_changes        one number for an entry; what a merge does to the counts        (numbers)
heap_merges, Candidates         two lazy heaps, one with a fault and one under another rule     (heaps)
test_growth                     a test that quadratic trainers do not survive                   (growth)
safe_cuts                       where many workers may cut a text                               (cuts)
find_borders                    shares of a file that is read in pieces                         (borders)
merge_runs, merge_pruned        counts of many parts made one; rare words dropped               (runs)
distinct_at                     Heaps' law fitted, and read off far away                        (laws)
"""

from __future__ import annotations

from minbpe_course.checks.exercise import Exercise
from minbpe_course.checks.lesson_07 import growth
from minbpe_course.checks.lesson_07.borders import FIND_BORDERS
from minbpe_course.checks.lesson_07.cuts import SAFE_CUTS
from minbpe_course.checks.lesson_07.heaps import CANDIDATES, HEAP_MERGES
from minbpe_course.checks.lesson_07.laws import DISTINCT_AT
from minbpe_course.checks.lesson_07.numbers import COUNT_CHANGES, HEAP_KEYS
from minbpe_course.checks.lesson_07.runs import MERGE_PRUNED, MERGE_RUNS

TEST_GROWTH = Exercise(
    key="07.test_growth",
    title="A test for growth",
    kind="test",
    entry="test_growth",
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "One run says nothing about growth. Make words, make twice as many, and compare the steps of both runs. What "
        "else has to double, so that counting again becomes quadratic?",
        "for the merges: compare with a slow trainer of your own on many small sets of words; for the growth: random "
        "words, as many merges as words; twice of both must need fewer than three times the steps",
        'Lesson 07, "How it grows": which slope more text has, which more merges, and that the two add up.',
    ),
    subject="train",
    right=growth.RIGHT,
    mutants=growth.MUTANTS,
)

EXERCISES = (
    HEAP_KEYS, COUNT_CHANGES, HEAP_MERGES, CANDIDATES, TEST_GROWTH, SAFE_CUTS, FIND_BORDERS, MERGE_RUNS, MERGE_PRUNED,
    DISTINCT_AT,
)  # fmt: skip
