"""doctor on a machine where no sandbox works."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from minbpe_course.cli.main import main
from minbpe_course.learning.grading.sandbox import choose_sandbox


def test_no_rung_works(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rungs = tuple(
        choose_sandbox.Rung(kind.name, False, "taken away", kind.guarantees, kind.how_to_climb)
        for kind in choose_sandbox.SANDBOXES
    )
    monkeypatch.setattr(choose_sandbox, "probe", lambda: rungs)
    assert main(["doctor"]) == 0
    page = capsys.readouterr().out
    assert "Answers are graded in: nothing" in page
    assert page.count("To climb here:") == len(rungs)
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sandbox"] is None
    # With the last rung alone, grade asks for --allow-unsandboxed.
    monkeypatch.setattr(choose_sandbox, "probe", lambda: (*rungs[:-1], replace(rungs[-1], available=True)))
    main(["doctor"])
    assert "--allow-unsandboxed" in capsys.readouterr().out
