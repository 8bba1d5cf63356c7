"""minbpe-course bench: compare answers, then measure; missing libraries and other answers are reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from minbpe_course import BasicTokenizer
from minbpe_course.cli import bench
from minbpe_course.cli.main import main
from minbpe_course.inspecting.speed import Contestant, NotAvailable

pytestmark = pytest.mark.medium


@pytest.fixture
def text(tmp_path: Path) -> str:
    path = tmp_path / "text.txt"
    path.write_text("The cat in the hat, naïve 日本 <|endoftext|> 12345!\n" * 30, encoding="utf-8")
    return str(path)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each contestant once per turn, because these tests do not compare times."""
    monkeypatch.setattr(
        "minbpe_course.inspecting.speed.one_turn", lambda one, least, clock: (one.run(one.prepare()), 0.5)[1]
    )


def measured(capsys: pytest.CaptureFixture[str], *typed: str) -> dict:
    assert main(["bench", *typed, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.usefixtures("quick")
def test_the_same_model_in_every_library(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = measured(capsys, text, "--tokenizer", "gpt2", "--against", "tiktoken,tokenizers")
    assert found["bytes"] == len(Path(text).read_bytes())
    (race,) = found["races"]
    who = [row["who"].split()[0] for row in race["results"]]
    assert who == ["minbpe_course", "minbpe_course", "tiktoken", "tokenizers"]
    assert [len(row["seconds"]) for row in race["results"]] == [5] * 4, "the special token in the text is text to all"


@pytest.mark.usefixtures("quick")
def test_a_missing_library_is_reported(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise NotAvailable(f"not installed (pip install {name})")

    monkeypatch.setattr(bench, "peer_of", missing)
    assert main(["bench", text, "--tokenizer", "gpt2", "--against", "tiktoken"]) == 0
    out = capsys.readouterr().out
    assert "not measured: not installed (pip install tiktoken)" in out
    assert "minbpe_course" in out


@pytest.mark.usefixtures("quick")
def test_a_different_answer_is_an_error(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    BasicTokenizer().train("aaab", 257).save(tmp_path / "mine")
    wrong = {bench.OURS: lambda: Contestant(lambda _: [1, 2]), "tiktoken": lambda: Contestant(lambda _: [1, 3])}
    monkeypatch.setattr(bench, "encoders", lambda *_: wrong)
    assert main(["bench", text, "-t", str(tmp_path / "mine.model")]) == 2
    assert "another answer from place 1 of 2" in capsys.readouterr().err
