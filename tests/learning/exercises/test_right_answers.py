"""Right answers by unusual routes keep all of their points in a separate process; ``tests/golden`` has the notebook.

``test_plain_values.py`` tests how values of other types are converted. Some types are tried here in a separate
process, where ``plain`` runs without the package.
"""

from __future__ import annotations

import pytest

from minbpe_course.learning.grading.running import Program, RemoteCaller
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.judge import judge
from tests.learning.exercises.learners_answers import Written, solution, written
from tests.shared.lesson_code import notebook_of, program_of

pytestmark = pytest.mark.medium


APART: list[tuple[str, str, str]] = [
    ("01.utf8_encode", "a memoryview", "memoryview(value)"),
    ("01.utf8_decode", "a subclass of str", "type('T', (str,), {'__str__': lambda self: 'no'})(value)"),
    ("02.count_pairs", "a Counter", "__import__('collections').Counter(value)"),
    ("03.split_words", "the values of a dict", "dict(enumerate(value)).values()"),
    ("06.read_pieces", "a map", "map(lambda piece: [*piece], value)"),
]


@pytest.mark.parametrize(("key", "name", "conversions"), APART, ids=[f"{key} {name}" for key, name, _ in APART])
def test_an_answer_of_another_type_in_a_separate_process(key: str, name: str, conversions: str) -> None:
    exercise = catalogue.find(key)
    notebook = notebook_of(exercise.lesson)
    wrapper = f"_right = {exercise.entry}\ndef {exercise.entry}(*arguments):\n    value = _right(*arguments)\n"
    program = program_of(notebook, key, f"{solution(key)}\n{wrapper}    print(value)\n    return {conversions}\n")
    with RemoteCaller(Program(**program)) as caller:
        verdict = judge(exercise, caller)
    assert (verdict.state, verdict.points) == ("done", exercise.points), verdict


@pytest.mark.parametrize("answer", written("right"), ids=lambda answer: f"{answer.key} {answer.name}")
def test_a_right_answer_by_an_unusual_route(answer: Written) -> None:
    exercise = catalogue.find(answer.key)
    program = program_of(notebook_of(exercise.lesson), answer.key, answer.code)
    with RemoteCaller(Program(**program)) as caller:
        verdict = judge(exercise, caller, "a secret")
    assert (verdict.state, verdict.points) == ("done", exercise.points), verdict
