"""Which changes of an exercise make its marks again: those that can change a mark."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from minbpe_course.learning.grading.mark_rules import rules_of
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.submissions.notebook_cells import Question

pytestmark = pytest.mark.sandbox

EXERCISE = '''"""Exercise week1.triple."""
import functools, random
from collections.abc import Iterator
from minbpe_course.learning import Case, Exercise, Mistake
from . import drawing
from .wrong import by_two

NUMBERS = [random.random() for _ in range(9)]  # others in each process


class Triple:
    """Triple numbers."""

    def __call__(self, n):
        """Return three times the number."""
        return 3 * n


def counted(step):
    seen = set()
    return lambda n: seen.add(n) or step * n


EXERCISE = Exercise(
    "week1.triple", "Triple it", "write", points=2, minutes=5, hints=("Nudge", "Steps", "Lesson"),
    wanted=Triple(), shown=(Case("small", (2,)),), drawn=drawing.drawn,
    mistakes=(
        Mistake("twice", "Three times, not twice.", like=by_two),
        Mistake("four", hint="Not four times.", like=functools.partial(counted(4))),
    ),
)
'''
FILES = {
    "checks/week1/triple.py": EXERCISE,
    "checks/week1/drawing.py": "from minbpe_course.learning import Case\n"
    "def drawn(random): return [Case('any', (random.randrange(9),)) for _ in range(9)]\n",
    "checks/week1/wrong.py": "by_two = lambda n: 2 * n\n",
    "checks/week1/unused.py": "SIZE = 1\n",
    "checks/week1/once.py": "from minbpe_course.learning import Exercise\n"
    "def once(n):\n    '''Return it.\n\n    Once.\n    '''\n    return n\n"
    "EXERCISE = Exercise('week1.once', 'Once', 'write', answer=once)\n",
}
# label: (file, part, what takes its place)
MADE_AGAIN = {
    "a case": ("triple", '("small", (2,))', '("small", (3,))'),
    "a drawn case": ("drawing", "randrange(9)", "randrange(8)"),
    "the right answer": ("triple", "3 * n", "n + n + n"),
    "a mistake": ("wrong", "2 * n", "n * n"),
    "a closure of a mistake": ("triple", "counted(4)", "counted(5)"),
    "points": ("triple", "points=2", "points=3"),
    "an answer above it": ("once", "return n", "return 1 * n"),
}
STAYS = {
    "a title": ("triple", "Triple it", "Times three"),
    "hints": ("triple", "Nudge", "Think"),
    "the hint of a mistake": ("triple", "Three times, not twice.", "Three times."),
    "a docstring": ("triple", "Return three times the number.", "Triple it."),
    "a file that is not imported": ("unused", "1", "2"),
    "the task of an answer above it": ("once", "Return it.", "Return n."),
}


def rules(folder: Path, changed: tuple[str, str, str] = ("", "", "")) -> str:
    for name, source in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.stem == changed[0]:
            assert changed[1] in source
            source = source.replace(*changed[1:])
        path.write_text(source, encoding="utf-8")
    catalogue.use_exercises(folder)
    return rules_of([Question(catalogue.find("week1.triple"), "blank")])[0]


@pytest.mark.parametrize("label", [*MADE_AGAIN, *STAYS])
def test_a_mark_is_made_again_where_it_could_change(label: str, tmp_path: Path) -> None:
    before = rules(tmp_path)
    assert rules(tmp_path) == before
    after = rules(tmp_path, (MADE_AGAIN | STAYS)[label])
    assert (after != before) == (label in MADE_AGAIN)


def test_what_was_handed_out_counts_but_not_its_words() -> None:
    exercise = catalogue.find("02.merge")
    handed_out = (("x = 1", ()), ("x = 2", ()), ("x = 1", ("import re",)), ("x = 1  # words", ()), ("%magic", ()))
    made = rules_of([Question(exercise, blank, given) for blank, given in handed_out])
    assert made[0] == made[3]
    assert len(set(made)) == 4


@pytest.mark.slow
def test_processes_agree_and_every_question_has_rules_of_its_own() -> None:
    code = (
        "from minbpe_course.learning.grading.mark_rules import rules_of\n"
        "from minbpe_course.learning.judge.catalogue import exercises\n"
        "from minbpe_course.learning.submissions.notebook_cells import Question\n"
        "print(*rules_of([Question(one, '') for one in exercises()]))\n"
    )
    here = rules_of([Question(one, "") for one in catalogue.exercises()])
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True, timeout=300,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert run.stdout.split() == here
    assert len(set(here)) == len(here)
