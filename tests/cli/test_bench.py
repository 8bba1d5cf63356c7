"""minbpe-course bench: compare answers, then measure; missing libraries and other answers are reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from minbpe_course import BasicTokenizer
from minbpe_course.cli import bench
from minbpe_course.cli.main import main
from minbpe_course.inspecting.speed import Contestant, NotAvailable
from tests.shared.cases import MISTRAL

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
def test_pieces_are_raced_with_sentencepiece(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (race,) = measured(capsys, text, "-t", MISTRAL)["races"]
    assert [row["who"].split()[0].rstrip(",") for row in race["results"]][2:] == ["sentencepiece"]


@pytest.mark.usefixtures("quick")
def test_training_is_raced_by_the_rule_of_each(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    races = measured(capsys, text, "-t", "gpt2", "--against", "rustbpe,tokenizers", "--train", "280")["races"]
    assert len(races) == 3
    for race in races[1:]:
        assert all(row["s"] == 0.5 for row in race["results"]), "both learn the same tokens"


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


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["--repeat", "4"], "fewer than 5 rounds"),
        (["--against", "tiktoken,nobody"], "nobody: there is no such contestant"),
        (["--most", "0"], "that is less than one byte"),
        (["-t", "nowhere.json"], "no file nowhere.json"),
    ],
)
def test_what_cannot_be_measured(text: str, typed: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", text, *typed]) == 2
    assert says in capsys.readouterr().err


def test_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").write_bytes(b"")
    assert main(["bench", str(tmp_path / "empty")]) == 2
    assert "there is no text" in capsys.readouterr().err
