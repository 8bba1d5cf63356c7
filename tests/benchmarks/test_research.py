"""The stored results of long experiments: each has its program, and lessons show what is stored."""

from __future__ import annotations

import importlib
import json
import re

import pytest

from benchmarks.research.__main__ import LARGEST, main
from benchmarks.research.computing import rounded
from minbpe_course.learning import measured
from minbpe_course.learning.practice.measured import FOLDER, results_file
from tests.shared.page_blocks import ROOT

STORED = sorted(path.stem[-2:] for path in FOLDER.glob("research_*.json"))


def test_each_result_has_its_program_and_its_lesson() -> None:
    for lesson in STORED:
        assert callable(importlib.import_module(f"benchmarks.research.lesson_{lesson}").results)
        assert measured(lesson) == json.loads(results_file(lesson).read_text(encoding="utf-8"))["results"]
        shown = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "notebooks").glob(f"{lesson}_*.ipynb"))
        assert re.search(rf'measured\(\\"{lesson}\\"\)', shown), lesson
    assert sum(results_file(lesson).stat().st_size for lesson in STORED) < LARGEST


def test_numbers_are_stored_rounded() -> None:
    for lesson in STORED:
        assert rounded(measured(lesson)) == measured(lesson)


def test_a_lesson_without_a_program_is_refused(capsys) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--check", "--only", "99"])
    assert "invalid choice: '99'" in capsys.readouterr().err
