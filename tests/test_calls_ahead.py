"""Calls that are sent ahead, before the answers to those before them have come: nobody's outcome may depend on it."""

from __future__ import annotations

import select
import time

import pytest

from minbpe_course.checks.exercise import Case
from minbpe_course.grading.line import PolledLine
from minbpe_course.grading.running import Limits, Program, RemoteCaller

QUICK = Limits(seconds=1.0, whole=4.0)

EXPECTED = {
    # label: (the answer, what it is called with, the state of each call)
    "many small ones": ("def f(x): return x", range(300), ["value"] * 300),
    "some that fill a pipe": ("def f(x): return len(x)", ["a" * (n % 3) * 90_000 for n in range(9)], ["value"] * 9),
    "long answers": ("def f(x): return 'a' * x", [300_000] * 9, ["value"] * 9),
    "an end in the middle": (
        "import os\ndef f(x):\n    if x == 2: os._exit(0)\n    return x",
        range(4), ["value", "value", "lost", "value"],
    ),
    "an end each time": ("import os\ndef f(x): os._exit(0)", range(6), ["lost"] * 6),
    "one that is too slow": (
        "import time\ndef f(x):\n    if x == 2: time.sleep(9)\n    return x",
        range(4), ["value", "value", "too slow", "value"],
    ),
    "exceptions": ("def f(x): return 1 // x", range(3), ["raised", "value", "value"]),
    "whoever reads ahead": (
        "import os\ndef f(x):\n    for n in range(3, 9):\n        try:\n            os.set_blocking(n, False)\n"
        "            os.read(n, 99_999)\n        except OSError: pass\n    return x", range(3), None
    ),
}  # fmt: skip


@pytest.mark.parametrize("label", EXPECTED)
def test_cases_that_are_expected_come_to_the_same(label: str) -> None:
    answer, values, states = EXPECTED[label]
    cases = [Case("expected", (value,)) for value in values]
    with RemoteCaller(Program(answer, "f"), limits=QUICK) as caller:
        caller.expect(cases)
        outcomes = [caller.call(case) for case in cases]
    with RemoteCaller(Program(answer, "f"), limits=QUICK) as caller:
        alone = [caller.call(case) for case in cases]
    if states is not None:
        assert [outcome.state for outcome in outcomes] == states
        assert [(outcome.state, outcome.value) for outcome in outcomes] == [(one.state, one.value) for one in alone]
    assert all(outcome.value in (None, value) for outcome, value in zip(outcomes, values) if states is None)


@pytest.mark.skipif(not hasattr(select, "poll"), reason="another line is used where pipes cannot be polled")
def test_an_end_while_more_is_being_sent_takes_no_answer_away(monkeypatch: pytest.MonkeyPatch) -> None:
    send = PolledLine.send

    def slowly(self: PolledLine, data: bytes, deadline: float) -> None:
        time.sleep(0.1)
        send(self, data, deadline)

    monkeypatch.setattr(PolledLine, "send", slowly)
    cases = [Case("expected", (number,)) for number in range(4)]
    answer = "import os\ndef f(x):\n    if x == 1: os._exit(0)\n    return x"
    with RemoteCaller(Program(answer, "f"), limits=QUICK) as caller:
        caller.expect(cases)
        outcomes = [caller.call(case) for case in cases]
    assert [(outcome.state, outcome.value) for outcome in outcomes] == [
        ("value", 0), ("lost", None), ("value", 2), ("value", 3)
    ]  # fmt: skip


def test_what_is_expected_and_does_not_come_is_nobodys_answer() -> None:
    cases = [Case("expected", (number,)) for number in range(9)]
    with RemoteCaller(Program("def f(x): return x", "f")) as caller:
        caller.expect(cases)
        assert caller.call(cases[0]).value == 0
        assert caller.call(cases[5]).value == 5
        assert caller.call(cases[1]).value == 1
        caller.expect(cases[3:])
        assert [caller.call(case).value for case in cases[3:]] == [3, 4, 5, 6, 7, 8]
