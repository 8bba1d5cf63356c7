"""``minbpe-course conform`` and ``minbpe-course leaderboard`` on files with a tokenizer, honest and hostile."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from minbpe_course.cli.leaderboard import LONGEST_NAME
from minbpe_course.cli.main import main
from minbpe_course.learning.practice import leaderboard
from minbpe_course.learning.practice.leaderboard import read_board

pytestmark = pytest.mark.medium

BYTEWISE = """
class Bytewise:
    def encode(self, text):
        return list(text.encode("utf-8", "replace"))

    def decode(self, ids):
        return bytes(ids).decode("utf-8", "replace")
"""


def test_a_file_is_examined_in_a_sandbox(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    path.write_text(BYTEWISE + "print('hello')\nopen('/etc/hostname', 'w')\n", encoding="utf-8")
    asked = ["conform", str(path), "--entry", "Bytewise", "--only", "spaces-survive", "letters-survive", "joining"]
    assert main(asked) == 0
    out = capsys.readouterr().out
    assert out.startswith("mine.py: 2 of 2 rules obeyed, 1 skipped")
    assert "sandbox: " in out
    path.write_text(BYTEWISE.replace("text.encode", "text.lower().encode"), encoding="utf-8")
    assert main([*asked, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [rule["state"] for rule in told["rules"]] == ["passed", "failed", "not asked"]


@pytest.mark.parametrize(
    "source",
    [
        "# MyTokenizer",
        pytest.param("MyTokenizer = 1\nwhile True: pass", marks=pytest.mark.slow),
        "MyTokenizer = 7",
        "import os; MyTokenizer = os._exit(3)",
    ],
)
def test_a_hostile_file_gets_verdicts(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from minbpe_course.cli import conform

    monkeypatch.setattr(conform, "SECONDS", 1.0)
    path = tmp_path / "mine.py"
    path.write_text(source, encoding="utf-8")
    assert main(["conform", str(path), "--only", "empty", "spaces-survive"]) == 1


def test_a_leaderboard_is_kept_beside_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, text, german = tmp_path / "mine.py", tmp_path / "en.txt", tmp_path / "de.txt"
    path.write_text(BYTEWISE, encoding="utf-8")
    text.write_text("a text of my own", encoding="utf-8")
    german.write_text("ein eigener Text", encoding="utf-8")
    asked = ["leaderboard", str(path), "--entry", "Bytewise", "--texts", str(text)]
    asked += ["--parallel", str(text), str(german)]
    assert main([*asked, "--name", "  <b>me</b>\n " + "o" * 90]) == 0
    shown = re.search("▸ (<b>me</b> o+…o+) ", capsys.readouterr().out)
    assert shown is not None
    assert len(shown[1]) == LONGEST_NAME
    ((kept,), _) = read_board(tmp_path / leaderboard.NAME)
    assert (kept.tokens, kept.bytes, kept.ids) == (48, 48, 122)
    path.write_text("def Bytewise():\n    raise OSError('no')\n", encoding="utf-8")
    assert main(asked) == 1
    assert "mine is not measured: raised OSError" in capsys.readouterr().out


def test_a_class_is_measured_with_what_it_has_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    pairs = "[tuple(map(int, line.split())) for line in open(path).read().splitlines()[3:]]"
    path.write_text(
        f"{BYTEWISE}\n\nclass MyTokenizer(Bytewise):\n    def __init__(self, pattern):\n        self.pairs = []\n"
        f"    def load(self, path):\n        self.pairs = {pairs}\n"
        "    def encode(self, text):\n        return [3] if text and not self.pairs else super().encode(text)\n",
        encoding="utf-8",
    )
    assert main(["leaderboard", str(path)]) == 2
    assert "has learned nothing yet" in capsys.readouterr().err
    (tmp_path / "mine.model").write_text("minbpe v1\n.\n0\n97 98\n", encoding="utf-8")
    assert main(["leaderboard", str(path)]) == 0
    ((kept,), _) = read_board(tmp_path / leaderboard.NAME)
    assert kept.bytes_per_token == 1


@pytest.mark.parametrize(
    ("source", "said"),
    [("class Mine: pass", "has no MyTokenizer. It defines Mine"), ("class MyTokenizer(", "is not Python")],
)
def test_a_file_that_cannot_have_the_class_is_not_examined(
    source: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(source, encoding="utf-8")
    for verb in ("conform", "leaderboard"):
        assert main([verb, str(path)]) == 2
        assert said in capsys.readouterr().err
