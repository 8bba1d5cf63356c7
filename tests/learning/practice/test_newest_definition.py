"""A check never speaks of a definition that the learner has replaced, or tried to replace.

Everything runs in a real IPython, with ``check`` of an exercise and with the ``@answer`` of a lesson alike.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from IPython.core.interactiveshell import InteractiveShell

LESSON = """\
@answer(([1, 2, 3, 1, 2], (1, 2), 9), ([1, 1, 1], (1, 1), 9))
def merge(ids, pair, new_id):
    merged, at = [], 0
    while at < len(ids):
        found = tuple(ids[at : at + 2]) == pair
        merged.append(new_id if found else ids[at])
        at += 2 if found else 1
    return merged"""
CHECKS = {
    "exercise": ('print(check("02.merge", merge))', "✓ done"),
    "lesson": (LESSON, "yours agrees"),
}
RIGHT = '''\
def merge(ids, pair, new_id):
    """My own."""
    out = []
    for one in ids:
        out.append(one)
        if [*pair] == out[-2:] and out is not None:
            out[-2:] = [(new_id,)]
    return [one[0] if isinstance(one, tuple) else one for one in out]'''
WRONG = RIGHT.replace("if [*pair]", "if new_id > 99 and [*pair]")
BODY = RIGHT.partition("\n")[2]

# Cells that run after a right definition, and a word of the reason.
FAILED = {
    "a syntax error": (RIGHT.replace("new_id):", "new_id:"), "a SyntaxError"),
    "no def": (RIGHT.replace("def ", "", 1), "a SyntaxError"),
    "an error above": (f"import no_such_module\n{WRONG}", "stopped before"),
    "after a line of another kind": (f"%matplotlib_or_so\n{WRONG}", "stopped before"),
    "a longer name": (RIGHT.replace("merge(", "merge_pairs("), "defines merge_pairs"),
}
# Cells that run after a wrong definition and replace it with a right one.
ARRIVED = {
    "a definition": [RIGHT],
    "after an error": [RIGHT.replace("new_id):", "new_id:"), RIGHT],
    "under %%time": [f"%%time\n{RIGHT}"],
    "a trial with a syntax error": [RIGHT, "merge([1, 2], (1, 2), 3"],
    "a cell in another language": [RIGHT, "%%html\n<b>\nmerge</b>"],
    "a lambda": [RIGHT.replace("merge(", "my_merge("), "merge = lambda ids, pair, new_id: my_merge(ids, pair, new_id)"],
    "a helper with the same parameters": [
        f"def step(ids, pair, new_id):\n{BODY}",
        "def merge(ids, pair, new_id):\n    return step(ids, pair, new_id)",
        f"def step(ids, pair, new_id):\n    'better'\n{BODY}",
    ],
    "a similar name for something else": [RIGHT, "def merges(ids):\n    return ids"],
    "the next blank": [RIGHT, "def learn_merges(ids, pair, new_id):\n    ..."],
}  # fmt: skip


@pytest.fixture(params=CHECKS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def run(capsys) -> Callable[[str], str]:
    """Run a cell as a notebook does, and return what it printed, errors included."""
    shell = InteractiveShell()

    def cell(source: str) -> str:
        capsys.readouterr()
        shell.run_cell(source, store_history=True)
        return capsys.readouterr().out

    cell("from minbpe_course import check\nfrom minbpe_course.learning import answer")
    return cell


@pytest.mark.parametrize("failed", FAILED)
def test_an_earlier_definition_is_not_judged(run, kind: str, failed: str) -> None:
    check, praise = CHECKS[kind]
    cell, reason = FAILED[failed]
    run(RIGHT)
    assert praise in run(check)
    run(cell)
    for again in range(3):  # the check may run again, the cell too, and nbval runs each cell twice
        if again > 1:
            run(cell), run(cell)
        said = run(check)
        assert praise not in said
        assert "No new definition of merge has arrived" in said
        assert reason in said
    run(RIGHT)
    assert praise in run(check)


@pytest.mark.parametrize("arrived", ARRIVED)
def test_a_definition_that_has_arrived_is_judged(run, kind: str, arrived: str) -> None:
    check, praise = CHECKS[kind]
    run(WRONG)
    assert praise not in run(check)
    for cell in ARRIVED[arrived]:
        run(cell)
    for _ in range(2):
        assert praise in run(check)


def test_a_first_attempt_that_fails_is_no_empty_blank(run) -> None:
    run("def merge(ids, pair, new_id):\n    ...")
    assert "still empty" in run(LESSON)
    run("def merge(ids, pair, new_id:\n    return ids")
    assert "No new definition of merge has arrived" in run(LESSON)


def test_a_blank_that_never_ran_is_empty_unless_it_has_another_name(run) -> None:
    run("def step(ids):\n    return ids")
    assert "still empty" in run(LESSON)
    run("def merged(ids, pair, new_id):\n    return ids")
    assert "the last cell defines merged instead" in run(LESSON)


def test_a_class_is_followed_as_a_function_is(run) -> None:
    right = "class Pair:\n    def total(self):\n        return 3\n    def size(self):\n        return 2"
    check = f"@answer(lambda Pair: Pair().total())\n{right}"
    for _ in range(2):
        run(right)
        assert "yours agrees" in run(check)
        for cell in (right.replace("3", "(3"), right.replace("Pair", "Pairs"), f"1 / 0\n{right.replace('3', '4')}"):
            run(cell)
            assert "No new definition of Pair has arrived" in run(check)


def test_outside_ipython_nothing_is_said(capsys) -> None:
    names: dict[str, object] = {}
    exec(f"from minbpe_course.learning import answer\n{RIGHT}\n{LESSON}", names)
    assert "yours agrees" in capsys.readouterr().out
