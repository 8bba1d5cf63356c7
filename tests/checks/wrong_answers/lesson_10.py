"""Wrong answers to the exercises of lesson 10, and what each is told: the shelf, put together from its parts."""

from __future__ import annotations

from tests.checks.wrong_answers.lesson_10_best import BEST
from tests.checks.wrong_answers.lesson_10_counts import COUNTS
from tests.checks.wrong_answers.lesson_10_draws import DRAWS
from tests.checks.wrong_answers.lesson_10_paths import PATHS
from tests.checks.wrong_answers.lesson_10_rules import RULES
from tests.checks.wrong_answers.lesson_10_training import TRAINING
from tests.checks.wrong_answers.lesson_10_vocabularies import VOCABULARIES

WRONG = [*PATHS, *BEST, *RULES, *DRAWS, *COUNTS, *TRAINING, *VOCABULARIES]
