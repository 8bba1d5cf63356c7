"""The leaderboard: scores, and a file that survives damage, hostile names and a missing folder."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from minbpe_course.learning.practice import leaderboard
from minbpe_course.learning.practice.leaderboard import Entry, enter, read_board
from minbpe_course.learning.practice.views.standings import BoardView


def entry(name: str, texts: str = "t", **more: float) -> Entry:
    values = {"ids": 512, "tokens": 400, "bytes": 900, "dearest": 2.5, "speed": 1.0} | more
    return Entry(name, texts, **values)  # type: ignore[arg-type]


def test_the_score_is_bytes_per_token_within_the_budget() -> None:
    entries = [
        entry("huge", tokens=100, ids=leaderboard.MOST_IDS + 1),
        entry("long", tokens=500),
        entry("a"),
        entry("b"),
    ]
    lines = repr(BoardView(entries)).splitlines()[1:]
    assert [line.split()[:2] for line in lines] == [["1", "a"], ["2", "b"], ["3", "long"], ["–", "huge"]]


def test_entries_are_kept_replaced_and_ranked(tmp_path: Path) -> None:
    path = tmp_path / leaderboard.NAME
    enter(path, [entry("a"), entry("b", dearest=3.0), entry("c", texts="other", tokens=500)])
    entries, notes = enter(path, [entry("a", tokens=300)])
    assert {(each.name, each.texts, each.tokens) for each in entries} == {
        ("a", "t", 300),
        ("b", "t", 400),
        ("c", "other", 500),
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


GOOD = {"name": "a", "texts": "t", "ids": 9, "tokens": 4, "bytes": 9, "dearest": 2.5, "speed": 1.0}
CHANGES = (
    {"tokens": 0}, {"dearest": 0.5}, {"dearest": math.nan}, {"tokens": 10**400}, {"ids": 0}, {"name": ""},
    {"dearest": []},
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
