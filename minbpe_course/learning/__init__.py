"""The course: everything that lessons, exercises and teachers' files import, in one place.

    from minbpe_course.learning import check, keep, show_tokens

check, hint, progress             judge an answer, show its next hint, show which exercises are done
working                           an answer if it is right, otherwise the course's
conform                           the rules of a tokenizer, tried on a class of the notebook
how_close                         how far a typed prediction is from what was measured
reset                             the untouched cell of an exercise again
keep, mine                        the learner's own tokenizer, a file that grows from lesson to lesson
assert_same, assert_same_ids      compare with a witness, and say where the first difference is
show_tokens, compare_tokens       tokens as coloured boxes
measured                          stored results of the experiments that take minutes
course_sections, course_text, python_source      texts to try things on
Case, Exercise, Mistake, mutant   what the file of an exercise consists of
use_exercises                     add the exercises of a teacher's folder

The library never imports this package. Each name is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minbpe_course.lazy_names import lazy_names

if TYPE_CHECKING:
    from minbpe_course.corpus.texts import course_sections, course_text, python_source
    from minbpe_course.learning.judge.catalogue import use_exercises
    from minbpe_course.learning.judge.equality import Difference, assert_same, assert_same_ids
    from minbpe_course.learning.judge.exercise import Case, Code, Exercise, Mistake, Text, edited, mutant
    from minbpe_course.learning.practice.check import check
    from minbpe_course.learning.practice.conform import conform
    from minbpe_course.learning.practice.guesses import how_close
    from minbpe_course.learning.practice.hint_ladder import hint
    from minbpe_course.learning.practice.measured import measured
    from minbpe_course.learning.practice.own_file import keep, mine
    from minbpe_course.learning.practice.progress import progress
    from minbpe_course.learning.practice.reset import reset
    from minbpe_course.learning.practice.working import working
    from minbpe_course.showing import compare_tokens, show_tokens
    from minbpe_course.text.patterns import PATTERNS
    from minbpe_course.vocabularies import use_bundled_vocabularies

__all__ = [
    "PATTERNS",
    "Case",
    "Code",
    "Difference",
    "Exercise",
    "Mistake",
    "Text",
    "assert_same",
    "assert_same_ids",
    "check",
    "compare_tokens",
    "conform",
    "course_sections",
    "course_text",
    "edited",
    "hint",
    "how_close",
    "keep",
    "measured",
    "mine",
    "mutant",
    "progress",
    "python_source",
    "reset",
    "show_tokens",
    "use_bundled_vocabularies",
    "use_exercises",
    "working",
]

# tests/tokenizers/test_public_names.py compares this table with the list above and the block for type checkers.
_HOMES = {
    "Case": "minbpe_course.learning.judge.exercise",
    "Code": "minbpe_course.learning.judge.exercise",
    "Difference": "minbpe_course.learning.judge.equality",
    "Exercise": "minbpe_course.learning.judge.exercise",
    "Mistake": "minbpe_course.learning.judge.exercise",
    "Text": "minbpe_course.learning.judge.exercise",
    "PATTERNS": "minbpe_course.text.patterns",
    "assert_same": "minbpe_course.learning.judge.equality",
    "assert_same_ids": "minbpe_course.learning.judge.equality",
    "check": "minbpe_course.learning.practice.check",
    "compare_tokens": "minbpe_course.showing",
    "conform": "minbpe_course.learning.practice.conform",
    "course_sections": "minbpe_course.corpus.texts",
    "course_text": "minbpe_course.corpus.texts",
    "edited": "minbpe_course.learning.judge.exercise",
    "hint": "minbpe_course.learning.practice.hint_ladder",
    "how_close": "minbpe_course.learning.practice.guesses",
    "keep": "minbpe_course.learning.practice.own_file",
    "measured": "minbpe_course.learning.practice.measured",
    "mine": "minbpe_course.learning.practice.own_file",
    "mutant": "minbpe_course.learning.judge.exercise",
    "progress": "minbpe_course.learning.practice.progress",
    "python_source": "minbpe_course.corpus.texts",
    "reset": "minbpe_course.learning.practice.reset",
    "show_tokens": "minbpe_course.showing",
    "use_bundled_vocabularies": "minbpe_course.vocabularies",
    "use_exercises": "minbpe_course.learning.judge.catalogue",
    "working": "minbpe_course.learning.practice.working",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
