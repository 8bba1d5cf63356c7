"""A check never speaks of a definition that the learner has replaced, or tried to replace.

Everything runs in a real IPython.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from IPython.core.interactiveshell import InteractiveShell

CHECK, PRAISE = 'print(check("02.merge", merge))', "✓ done"
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


@pytest.fixture
def run(capsys) -> Callable[[str], str]:
    """Run a cell as a notebook does, and return what it printed, errors included."""
    shell = InteractiveShell()

    def cell(source: str) -> str:
        capsys.readouterr()
        shell.run_cell(source, store_history=True)
        return capsys.readouterr().out

    cell("from minbpe_course import check")
    return cell


@pytest.mark.parametrize("failed", FAILED)
def test_an_earlier_definition_is_not_judged(run, failed: str) -> None:
    cell, reason = FAILED[failed]
    run(RIGHT)
    assert PRAISE in run(CHECK)
    run(cell)
    for again in range(3):  # the check may run again, the cell too, and nbval runs each cell twice
        if again > 1:
            run(cell), run(cell)
        said = run(CHECK)
        assert PRAISE not in said
        assert "No new definition of merge has arrived" in said
        assert reason in said
    run(RIGHT)
    assert PRAISE in run(CHECK)


@pytest.mark.parametrize("arrived", ARRIVED)
def test_a_definition_that_has_arrived_is_judged(run, arrived: str) -> None:
    run(WRONG)
    assert PRAISE not in run(CHECK)
    for cell in ARRIVED[arrived]:
        run(cell)
    for _ in range(2):
        assert PRAISE in run(CHECK)


def test_a_first_attempt_that_fails_is_no_empty_blank(run) -> None:
    run("def merge(ids, pair, new_id):\n    raise NotImplementedError")
    assert "not started" in run(CHECK)
    run("def merge(ids, pair, new_id:\n    return ids")
    assert "No new definition of merge has arrived" in run(CHECK)


def test_a_class_is_followed_as_a_function_is(run) -> None:
    joined = "b''.join(map(self.vocab.get, ids)).decode('utf-8', 'replace')"
    right = f"class BasicTokenizer:\n    def decode(self, ids):\n        return {joined}"
    check = 'print(check("02.BasicTokenizer.decode", BasicTokenizer))'
    for _ in range(2):
        run(right)
        assert PRAISE in run(check)
        for cell in (
            right.replace("''", "(''"),
            right.replace("Basic", "Basics"),
            f"1 / 0\n{right.replace('replace', 'ignore')}",
        ):
            run(cell)
            assert "No new definition of BasicTokenizer has arrived" in run(check)
