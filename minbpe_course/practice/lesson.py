"""The tools that most lessons use, in one place: ``from minbpe_course.practice.lesson import answer, show_tokens``.

answer                            check a blank, and continue with what the learner wrote if it is right
keep, mine                        the learner's own tokenizer, a file that grows from lesson to lesson
assert_same, assert_same_ids      compare with a witness, and say where the first difference is
show_tokens, compare_tokens       tokens as coloured boxes
course_sections, course_text, python_source      texts to try things on
"""

from __future__ import annotations

from minbpe_course.checks.equality import assert_same, assert_same_ids
from minbpe_course.corpus.texts import course_sections, course_text, python_source
from minbpe_course.practice.blanks import answer
from minbpe_course.practice.own_file import keep, mine
from minbpe_course.text.patterns import PATTERNS
from minbpe_course.visual.tokens import compare_tokens, show_tokens
from minbpe_course.vocabularies import use_bundled_vocabularies

__all__ = [
    "PATTERNS",
    "answer",
    "assert_same",
    "assert_same_ids",
    "compare_tokens",
    "course_sections",
    "course_text",
    "keep",
    "mine",
    "python_source",
    "show_tokens",
    "use_bundled_vocabularies",
]
