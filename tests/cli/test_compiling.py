"""A line explains on a terminal that kernels are compiled, once a second has passed, and never elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import pytest

from minbpe_course.cli import compiling


@pytest.mark.parametrize("terminal", [True, False])
def test_one_line_after_a_second(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    times = iter([10.0, 10.9, 11.1, 19.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(times))
    listeners: list[Callable[[str], None]] = []
    monkeypatch.setattr(compiling, "on_compile", listeners)
    compiling.explain_compiling()
    told = []
    for kernel in ("split.split_words", "calls.encode_list", "merging.merge_piece", "texts.write"):
        for tell in list(listeners):
            tell(kernel)
        told.append(capsys.readouterr().err.count("compiling the kernels, once"))
    assert told == ([0, 0, 1, 0] if terminal else [0, 0, 0, 0])
