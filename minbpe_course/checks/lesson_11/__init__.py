"""The exercises of lesson 11: measuring a tokenizer.

bytes_per_token, bits_per_byte, gini, efficiency    single numbers, from easy to their last corner   (numbers)
gain_interval                                       how sure a difference is                         (intervals)
test_front                                          a test for whoever draws a Pareto front          (fronts)
cheat                                               how high a number can be driven for nothing      (cheats)
"""

from __future__ import annotations

from minbpe_course.checks.lesson_11.cheats import CHEAT
from minbpe_course.checks.lesson_11.fronts import TEST_FRONT
from minbpe_course.checks.lesson_11.intervals import GAIN_INTERVAL
from minbpe_course.checks.lesson_11.numbers import BITS_PER_BYTE, BYTES_PER_TOKEN, EFFICIENCY, GINI

EXERCISES = (BYTES_PER_TOKEN, BITS_PER_BYTE, GINI, GAIN_INTERVAL, EFFICIENCY, TEST_FRONT, CHEAT)
