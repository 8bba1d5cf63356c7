"""The card says what was compared and who wrote the parts, and any sentence fits into its SVG."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from minbpe_course.learning.practice.card import authors, save_card
from minbpe_course.learning.practice.own_file import BY_ME, BY_THE_COURSE


@pytest.fixture
def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "my_tokenizer.py"
    monkeypatch.setenv("MINBPE_COURSE_MY_TOKENIZER", str(path))
    return path


def test_the_parts_are_those_of_the_file(own_file: Path) -> None:
    assert authors() == {"Written by me": [], "Written by the course": []}
    parts = [f"{BY_ME}\ndef merge(ids): ...", f"{BY_THE_COURSE}\n# more\nclass Basic: ...", "def helper(): ..."]
    own_file.write_text("\n\n\n".join(parts), encoding="utf-8")
    assert authors() == {"Written by me": ["merge"], "Written by the course": ["Basic"]}


@pytest.mark.parametrize("wanted", [[1, 2], [1, 3]])
def test_the_card_is_written_next_to_the_file(own_file: Path, capsys, wanted: list[int]) -> None:
    card = save_card("mine <&>", "2 texts, 9 ids: identical", [b"<b>", b"\xff"], [1, 2], wanted, "tiktoken")
    assert capsys.readouterr().out == "Written to my_card.svg, next to my_tokenizer.py.\n"
    drawn = own_file.with_name("my_card.svg").read_text(encoding="utf-8")
    texts = [each.text or "" for each in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert texts == list(card.lines)
    assert r"|<b>|\xff|" in texts
    assert ("the same ids as tiktoken" in texts) == (wanted == [1, 2])


def test_a_long_sentence_is_cut(own_file: Path) -> None:
    card = save_card("mine", "1 text", [b"word"] * 500, [7] * 500, [7] * 500, "tiktoken")
    assert "500 in all" in repr(card)
    assert max(map(len, card.lines)) <= 88
