"""``check`` warns about what an answer needs and the grader lacks, and about nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.practice.grader_differences import not_in_the_grader

ANSWER = "def merge(ids, pair, new_id):\n    return "
FILE, NOBODY = "the grader has none of your files", "no one answers in the grader"
CELLS = "which no cell of this notebook defines."
# label -> (cells above the answer, what the answer returns, what is lacking, with the reason or "")
LACKING = {
    "a file in another cell": (["with open('notes.txt') as file:\n    STEP = file.read()"], "STEP", {"open": FILE}),
    "a file behind two cells": (
        ["from pathlib import Path\nT = {}", "def fill():\n    T[1] = Path('notes.txt').read_text()", "S = fill()"],
        "S",
        {"read_text": FILE},
    ),
    "a loop over a file": (["T = []\nfor line in open('notes.txt'): T.append(line)"], "T", {"open": FILE}),
    "a file for NumPy": (["import numpy as np"], "np.loadtxt('notes.txt')", {"loadtxt": FILE}),
    "a question that has to be a number": (
        ["try: STEP = int(input())\nexcept ValueError: STEP = 2"],
        "STEP",
        {"input": NOBODY},
    ),
    "their results": (["1 + 1"], "Out[1] + _1", {"Out": CELLS, "_1": CELLS}),
    "a vocabulary of the course": (
        ["from minbpe_course import RegexTokenizer as Made", "t = Made()"],
        "t.encode('')",
        {"minbpe_course": ""},
    ),
    "a class of the lessons": (
        ["from minbpe_course.learning import mine\nOld = mine('BasicTokenizer')"],
        "Old",
        {"minbpe_course": ""},
    ),
    "processes": (["import subprocess as s"], "s.PIPE", {"subprocess": ""}),
}
FINE = {
    "a file in a cell that only uses the answer": (
        ["text = open('notes.txt').read()", "size = len(text)\nsize += 1\nids = merge([], (1, 2), 3), size"],
        "ids",
    ),
    "a table that was a file before": (["T = open('notes.txt').read()", "T = 'a'"], "T"),
    "a helper that was another one before": (["def f(): import regex", "def f(): return 1"], "f()"),
    "a package in a statement next to the one that counts": (["import regex\nSTEP = 1"], "STEP"),
    "an own function with a name of Python's": (["def open(n): return n"], "open(1)"),
    "a name made from a text": (["exec('STEP = 1')"], "STEP + globals()['STEP']"),
    "a question with a default": (["try: STEP = input()\nexcept EOFError: STEP = '?'"], "STEP"),
    "a name of the cells": (["Out = {}"], "Out"),
    "a file that a cell writes": (["%%writefile made.txt\nSTEP = 2", "STEP = 2"], "STEP"),
    "a magic that brings no name that counts": (["%run -n notes.py", "STEP = 1"], "STEP"),
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINBPE_COURSE_MY_TOKENIZER", str(tmp_path / "my_tokenizer.py"))
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("notes.txt", "notes.py"):
        (tmp_path / name).write_text("STEP, OTHER = 2, 3\n", encoding="utf-8")
    shell = InteractiveShell()
    monkeypatch.setattr("builtins.input", lambda *asked: "2")
    monkeypatch.setattr("builtins.get_ipython", shell.get_ipython, raising=False)

    def warnings_of(cells: list[str], value: str) -> list[str]:
        for cell in [*cells[:1], ANSWER + value, *cells[1:]]:
            shell.run_cell(cell, store_history=True).raise_error()
        return not_in_the_grader(shell.user_ns["merge"], catalogue.find("02.merge"))

    return warnings_of


@pytest.mark.parametrize("label", LACKING)
def test_what_the_grader_lacks_is_named_once(label: str, run) -> None:
    cells, value, lacking = LACKING[label]
    assert run(cells, value) == [
        f"Your answer uses `{name}`, {why}"
        if why == CELLS
        else f"Your answer needs `{name}`, but {why}."
        if why
        else f"Your answer uses `{name}`, which the grader does not have."
        for name, why in lacking.items()
    ]


@pytest.mark.parametrize("label", FINE)
def test_nothing_is_said_about_what_the_grader_can_do(label: str, run) -> None:
    assert run(*FINE[label]) == []


def test_a_name_from_outside_the_cells(run) -> None:
    said = ["Your answer uses `STEP`, which no cell of this notebook defines."]
    assert run(["%run notes.py", "OTHER = 1"], "STEP + OTHER") == said
