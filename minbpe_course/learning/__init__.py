"""The course: everything that lessons, exercises and teachers' files import, in one place.

    from minbpe_course.learning import check, keep, show_tokens

check, hint, progress             judge an answer, show its next hint, show which exercises are done
working                           an answer if it is right, otherwise the course's
answer                            check a blank, and continue with what the learner wrote if it is right
keep, mine                        the learner's own tokenizer, a file that grows from lesson to lesson
assert_same, assert_same_ids      compare with a witness, and say where the first difference is
show_tokens, compare_tokens       tokens as coloured boxes
course_sections, course_text, python_source      texts to try things on
Case, Exercise, Mistake, mutant   what the file of an exercise consists of
use_exercises                     add the exercises of a teacher's folder

The library never imports this package. Each name is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minbpe_course.corpus.texts import course_sections, course_text, python_source
    from minbpe_course.learning.judge.catalogue import use_exercises
    from minbpe_course.learning.judge.equality import Difference, assert_same, assert_same_ids
    from minbpe_course.learning.judge.exercise import Case, Code, Exercise, Mistake, Text, edited, mutant
    from minbpe_course.learning.practice.blanks import answer
    from minbpe_course.learning.practice.check import check
    from minbpe_course.learning.practice.hint_ladder import hint
    from minbpe_course.learning.practice.own_file import keep, mine
    from minbpe_course.learning.practice.progress import progress
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
    "answer",
    "assert_same",
    "assert_same_ids",
    "check",
    "compare_tokens",
    "course_sections",
    "course_text",
    "edited",
    "hint",
    "keep",
    "mine",
    "mutant",
    "progress",
    "python_source",
    "show_tokens",
    "use_bundled_vocabularies",
    "use_exercises",
    "working",
]

# tests/tokenizers/test_public_names.py compares this table with the list above and the block for type checkers.
_MODULES = {
    "corpus.texts": "course_sections course_text python_source",
    "learning.judge.catalogue": "use_exercises",
    "learning.judge.equality": "Difference assert_same assert_same_ids",
    "learning.judge.exercise": "Case Code Exercise Mistake Text edited mutant",
    "learning.practice.blanks": "answer",
    "learning.practice.check": "check",
    "learning.practice.hint_ladder": "hint",
    "learning.practice.own_file": "keep mine",
    "learning.practice.progress": "progress",
    "learning.practice.working": "working",
    "showing": "compare_tokens show_tokens",
    "text.patterns": "PATTERNS",
    "vocabularies": "use_bundled_vocabularies",
}
_HOMES = {name: f"minbpe_course.{module}" for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used; from then on it is an ordinary attribute of the package."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it offers: {', '.join(__all__)}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
