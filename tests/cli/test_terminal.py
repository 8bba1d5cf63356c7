"""No text from outside controls the terminal of the person who reads it, and data stays as it is."""

from __future__ import annotations

import ast
import os
import re
import time
import zipfile
from pathlib import Path

import nbformat
import pytest

from minbpe_course.cli import terminal
from minbpe_course.cli.terminal import ProgressLine
from tests.cli.conftest import Verbs

pytestmark = pytest.mark.medium

ROOT = Path(__file__).resolve().parents[2]
# A title, a colour, the beginning of the line, the older form of an escape, another direction of text; an emoji of
# several characters is harmless.
EVIL = "a\x1b]0;title\x07\x1b[31m\r\x9b32m\x7f\u202e\u2066👩\u200d🚀b"
CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")

# Command lines in a folder whose files have such names; "{}" is one of them, "{new}" one that does not exist.
LINES = [
    [EVIL],
    ["encode", f"--{EVIL}"],
    ["encode", "{}", "-t", "{new}"],
    ["decode", "{}"],
    ["count", "*"],
    ["count", "{}", "-o", "{new}.counts"],
    ["train", "{}", "-n", "9999", "-o", "{new}.model"],
    ["convert", "gpt2", "{new}.tiktoken"],
    ["inspect", "gpt2", "--id", "220", "--find", EVIL],
    ["show", EVIL, "--encoding", "gpt2", "--format", "html"],
    ["check", "{}.ipynb"],
    ["conform", "{}", "--entry", "x"],
    ["leaderboard", "--texts", "{}"],
    ["grade", "{}.zip", "--out", "{new}", "--seed", "a seed of this test", "--only", "02", "--allow-unsandboxed"],
    ["new-exercise", EVIL, "--exercises", "{new}"],
    ["learn", "{new}", "--no-open"],
    ["playground", "--out", "{new}.html", "--model", "{}"],
]


@pytest.mark.skipif(os.name == "nt", reason="Windows allows no such names")
@pytest.mark.parametrize("line", LINES, ids=lambda line: " ".join(line[:3]).encode("unicode_escape").decode())
def test_no_name_controls_the_terminal(
    line: list[str], verbs: Verbs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / EVIL).write_text("the cat in the hat\n", encoding="utf-8")
    book = nbformat.v4.new_notebook()
    source = f"def merge(*given):\n    raise ValueError({EVIL!r}, '{EVIL[-6:]}')"
    book.cells = [nbformat.v4.new_code_cell(source, metadata={"nbgrader": {"grade_id": "02-merge", "solution": True}})]
    nbformat.write(book, tmp_path / f"{EVIL}.ipynb")
    (tmp_path / f"{EVIL}-learner").mkdir()
    nbformat.write(book, tmp_path / f"{EVIL}-learner" / "02_naive_bpe.ipynb")
    with zipfile.ZipFile(tmp_path / f"{EVIL}.zip", "w") as archive:
        for name in (f"{EVIL}/02_naive_bpe.ipynb", f"../{EVIL}/02_naive_bpe.ipynb", f"{EVIL}.exe"):
            archive.writestr(name, nbformat.writes(book))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("minbpe_course.cli.terminal._SECONDS_BETWEEN_UPDATES", 0)
    told = verbs(*(word.replace("{new}", f"new{EVIL}").replace("{}", EVIL) for word in line), watched=True)
    text = told.out.decode("utf-8").replace("\r\n", "\n")
    assert told.out + told.err.encode()
    assert "Traceback" not in told.err
    assert CONTROLS.findall(text) == []
    # A line of progress begins with a return.
    assert CONTROLS.findall(re.sub("\r(\x1b\\[K)?", "", told.err)) == []


def test_a_progress_line_shows_a_name_on_one_line(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("minbpe_course.cli.terminal._SECONDS_BETWEEN_UPDATES", 0)
    with ProgressLine() as line:
        line.show(f"reading {EVIL}\n")
        shown = capsys.readouterr().err
    assert shown.startswith("\rreading a")
    assert CONTROLS.findall(shown[1:]) == []
    assert "\n" not in shown


def test_every_message_of_a_verb_goes_through_one_file() -> None:
    found = []
    for path in (ROOT / "minbpe_course" / "cli").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "print",
                "sys.stdout.write",
                "sys.stderr.write",
            ):
                found.append(path.name)
    assert set(found) == {"terminal.py"}


def test_a_progress_line_changes_ten_times_a_second_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "understands_escapes", lambda _: True)
    written: list[str] = []
    line = ProgressLine()
    monkeypatch.setattr(line, "_write", written.append)
    now = time.monotonic() + 100
    monkeypatch.setattr(time, "monotonic", lambda: now)
    line.show("a")
    line.show("b")
    assert written == ["a"]
