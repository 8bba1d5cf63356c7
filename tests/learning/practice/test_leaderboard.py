"""The leaderboard: scores, and a file that survives damage, hostile names and a missing folder."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from minbpe_course.learning.practice import leaderboard
from minbpe_course.learning.practice.leaderboard import Entry, enter, read_board
from minbpe_course.learning.practice.views.standings import BoardView


def entry(name: str, corpus: str = "c", **more: float) -> Entry:
    values = {"bits": 9.0, "tokens": 400, "bytes": 900, "fairness": 0.5, "speed": 1.0} | more
    return Entry(name, corpus, **values)  # type: ignore[arg-type]


def test_the_score_is_the_product_of_three_shares() -> None:
    one = entry("a")
    assert one.score == pytest.approx(100 * (2 / 3 * 0.5 * 0.5) ** (1 / 3))
    assert entry("plain", bits=8.0, tokens=900).compression == 0.5
    for worse in ({"tokens": 500}, {"fairness": 0.4}, {"speed": 0.5}, {"bits": 10.0}):
        assert entry("b", **worse).score < one.score


def test_entries_are_kept_replaced_and_ranked(tmp_path: Path) -> None:
    path = tmp_path / leaderboard.NAME
    enter(path, [entry("a"), entry("b", fairness=0.9), entry("c", corpus="other")])
    entries, notes = enter(path, [entry("a", fairness=1.0)])
    assert {(each.name, each.corpus, each.fairness) for each in entries} == {
        ("a", "c", 1.0),
        ("b", "c", 0.9),
        ("c", "other", 0.5),
    }
    assert read_board(path) == (entries, notes)
    assert not notes
    lines = repr(BoardView(entries, own={"b"})).splitlines()
    assert [line.split()[1] for line in lines] == ["name", "a", "▸", "c"]
    assert [each.name for each in tmp_path.iterdir()] == [leaderboard.NAME]


HOSTILE = ["<script>alert(1)</script>", "a\x1b[31mb\u202en\nice", "\ud800", "ü" * 500]


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_a_name_does_no_harm(name: str, tmp_path: Path) -> None:
    path = tmp_path / leaderboard.NAME
    assert enter(path, [entry(name)])[1] == []
    entries, _ = read_board(path)
    assert [each.name for each in entries] == [name]
    html = BoardView(entries, caption=name, notes=(name,))._repr_html_()
    text = repr(BoardView(entries, caption=name, notes=(name,)))
    assert "<script" not in html
    text.encode("utf-8")
    for shown in (html, text):
        assert all(each.isprintable() or each == "\n" for each in shown)
    assert len(repr(BoardView(entries)).splitlines()) == 2


GOOD = {"name": "a", "corpus": "c", "bits": 9.0, "tokens": 4, "bytes": 9, "fairness": 0.5, "speed": 1.0}
CHANGES = (
    {"tokens": 0}, {"fairness": 2}, {"bits": math.nan}, {"tokens": 10**400}, {"bits": 65}, {"name": ""},
    {"fairness": []},
)  # fmt: skip
DAMAGED = [
    b"{", b"[]", b'{"format": 2, "entries": []}', b'{"format": 1, "entries": [7]}', b"[" * 100_000, b" " * (1 << 21),
    *(json.dumps({"format": 1, "entries": [GOOD | change]}).encode() for change in CHANGES),
]  # fmt: skip


@pytest.mark.parametrize("data", DAMAGED, ids=lambda data: ascii(data[-60:]))
def test_a_damaged_file_is_moved_aside(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / leaderboard.NAME
    path.write_bytes(data)
    entries, (note,) = read_board(path)
    assert not entries
    assert "damaged" in note
    assert not path.exists()
    assert len(enter(path, [entry("new")])[0]) == 1
    assert (tmp_path / ".minbpe_course_leaderboard.damaged.json").read_bytes() == data


def test_a_board_that_cannot_be_written_gets_a_note(tmp_path: Path) -> None:
    entries, (note,) = enter(tmp_path / "no such folder" / "board.json", [entry("a")])
    assert [each.name for each in entries] == ["a"]
    assert "not kept" in note
