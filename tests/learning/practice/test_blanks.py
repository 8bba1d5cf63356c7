"""``@answer`` in a real IPython, where sources of cells are found as in a notebook."""

from __future__ import annotations

import textwrap

import pytest
from IPython.core.interactiveshell import InteractiveShell

from minbpe_course.learning.judge.choose_hint import NO_RETURN

BLANK = "def double(number):\n    ...\n"
ANSWER = """\
@answer(1, 2, (3,), None)
def double(number):
    return 2 * number
"""


@pytest.fixture
def run():
    shell = InteractiveShell()
    shell.run_cell("from minbpe_course.learning import answer, keep, mine")

    def cell(source: str) -> object:
        result = shell.run_cell(source, store_history=True)
        result.raise_error()
        return result.result

    return cell


@pytest.mark.medium
@pytest.mark.parametrize(
    ("written", "said"),
    [
        (BLANK, "double: the blank is still empty."),
        ("", "double: the blank is still empty."),
        ("def double(number):\n    result = ...\n    return result\n", "double: the blank is still empty."),
        ("def double(number):\n    return number + 1\n", "double(2) gives 3, and the answer gives 4.\nChange yours"),
        (
            "def double(number):\n    return [0, 2, 4, 6][number + 9]\n",
            "double(1) raises IndexError: list index out of range, and the answer gives 2.",
        ),
        ("def double(number):\n    while True: pass\n", "double(1) raises TimeoutError: no result after 2 seconds"),
        ("def double(number):\n    return print\n", "double(1) raises TypeError: the result is"),
        (
            "def double(number):\n    print(2 * number)\n",
            f"double(1) gives None. {NO_RETURN} The answer gives 2.\nChange",
        ),
        (
            "def double(number):\n    if number > 1:\n        return 2 * number\n",
            f"double(1) gives None. {NO_RETURN} The answer gives 2.\nChange yours",
        ),
        (
            "def double(number):\n    return 2 * (number or 0)\n",
            "double(None) gives 0, and the answer raises TypeError",
        ),
    ],
)
def test_the_lesson_continues_with_the_answer(run, capsys, written: str, said: str) -> None:
    run(written)
    for _ in range(2):  # a learner runs a cell as often as they like
        run(ANSWER)
        assert capsys.readouterr().out.startswith(said)
        assert run("double(21)") == 42
        capsys.readouterr()


def test_the_lesson_continues_with_what_is_right(run, capsys) -> None:
    run(BLANK)
    run(ANSWER)
    capsys.readouterr()
    run("def double(number):\n    'my own'\n    return number + number\n")
    for _ in range(2):
        run(ANSWER)
        assert capsys.readouterr().out == "double: yours agrees on 4 examples. The lesson continues with yours.\n"
        assert run("double.__doc__") == "my own"
        capsys.readouterr()


def test_an_answer_that_calls_itself_is_not_judged_by_the_learners(run, capsys) -> None:
    right = "def fact(n):\n    return n * fact(n - 1) if n else 1"
    run("def fact(n):\n    return n")
    run(f"@answer(3, 1)\n{right}")
    assert capsys.readouterr().out.startswith("fact(3) gives 3, and the answer gives 6.")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("items.append(1)", "clear([2], 0) leaves [2, 1], and the answer leaves []."),
        ("return []", "clear([2], 0) gives [], and the answer gives None."),
        ("items.clear()", "clear: yours agrees on the example."),
    ],
)
def test_work_on_the_arguments_is_compared_where_the_answer_returns_nothing(run, capsys, written, said) -> None:
    run(f"def clear(items, number):\n    {written}")
    run("@answer(([2], 0))\ndef clear(items, number):\n    items.clear()")
    assert capsys.readouterr().out.startswith(said)


def test_what_was_printed_is_shown_and_bounded(run, capsys) -> None:
    run("def double(number):\n    print('seen', number)\n    return 2 * number")
    run(ANSWER)
    shown = capsys.readouterr().out.splitlines()
    assert shown[1:] == ["printed while it was checked:", *(f"  seen {seen}" for seen in (1, 2, 3, None))]
    run("def double(number):\n    for _ in range(10**5):\n        print('\\x1b[31m')\n    print('end' * 10**6)")
    run(ANSWER)
    out = capsys.readouterr().out
    assert out.startswith("double(1) gives None.")
    assert len(out) < 1_000
    assert "\x1b" not in out


METHODS = {
    "add": "self.total += number",
    "double": "self.total *= 2",
    "read": "return self.total",
}
ONE_METHOD_IN_THREE = [
    ({}, "Counter: add, double and read are still empty."),
    ({"read": "return self.total"}, "Counter: add and double are still empty."),
    (
        {"add": "self.total = number", "read": "return self.total"},
        "the total after 2 and 3 gives 3, and the answer gives 5.\ndouble is still empty.\nChange yours",
    ),
    (
        {"add": "self.total += nubmer", "read": "return self.total"},
        "the total after 2 and 3 raises NameError: name 'nub",
    ),
    (
        {"add": "self.total += number", "read": "return self.total"},
        "Counter: yours agrees on 1 of 2 examples; double is still empty.",
    ),
    ({"add": "self.total += number", "double": "self.total *= 2"}, "Counter: read is still empty."),
    ({**METHODS, "double": "self.total = ..."}, "Counter: yours agrees on 1 of 2 examples; total is still empty."),
    (
        {**METHODS, "add": "self.total = number; self.most = ..."},
        "the total after 2 and 3 gives 3, and the answer gives 5.\nmost is still empty.",
    ),
    (METHODS, "Counter: yours agrees on 2 examples."),
]


@pytest.mark.parametrize(("filled", "said"), ONE_METHOD_IN_THREE)
def test_a_class_with_blanks_is_tried_as_far_as_it_goes(run, capsys, filled: dict[str, str], said: str) -> None:
    def source(methods: dict[str, str]) -> str:
        lines = ["class Counter:", "    def __init__(self):", "        self.total = 0"]
        for name in METHODS:
            taken = ", number" if name == "add" else ""
            lines += [f"    def {name}(self{taken}):", f"        {methods.get(name, '...')}"]
        return "\n".join(lines)

    run(source(filled))
    examples = """
    def added(Counter):
        "the total after 2 and 3"
        counter = Counter()
        counter.add(2), counter.add(3)
        return counter.read()

    def doubled(Counter):
        "the total after 2, doubled"
        counter = Counter()
        counter.add(2), counter.double()
        return counter.read()
    """
    run(textwrap.dedent(examples) + f"\n@answer(added, doubled)\n{source(METHODS)}")
    assert capsys.readouterr().out.startswith(said)
