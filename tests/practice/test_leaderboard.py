"""The hidden corpus, the contest on it, the leaderboard file, and the two verbs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from random import Random

import pytest
import tiktoken

from minbpe_course import use_bundled_vocabularies
from minbpe_course.cli.main import main
from minbpe_course.corpus.texts import course_text
from minbpe_course.errors import InvalidOption, InvalidSource
from minbpe_course.practice import contest, leaderboard
from minbpe_course.practice import hidden_corpus as hidden
from minbpe_course.practice.hidden_corpus import hidden_corpus, own_corpus
from minbpe_course.practice.leaderboard import Board, Entry, enter, read_board
from minbpe_course.practice.my_tokenizer import my_tokenizer
from minbpe_course.visual.standings import BoardView

SMALL = own_corpus(
    ["low lower lowest\n", "naïve ♞ text", "a" * 50, ""], {"en": "a knight", "de": "ein Springer", "hi": "घोड़ा"}
)

BYTEWISE = """
class Bytewise:
    def encode(self, text):
        return list(text.encode("utf-8", "replace"))

    def decode(self, ids):
        return bytes(ids).decode("utf-8", "replace")
"""


def entry(name: str, corpus: str = "c", **more: float) -> Entry:
    values = {"bits": 9.0, "tokens": 400, "bytes": 900, "fairness": 0.5, "speed": 1.0} | more
    return Entry(name, corpus, **values)  # type: ignore[arg-type]


# ----------------------------------------------------------------------------------------------------
# The corpus


def test_the_seed_determines_the_corpus() -> None:
    one, same, other = hidden_corpus("a"), hidden_corpus("a"), hidden_corpus("b")
    assert one == same
    assert one.name == same.name != other.name
    assert not set(one.texts) & set(other.texts)
    assert one.parallel != other.parallel
    assert hidden_corpus("\ud800").texts  # the seed may come from a binary file


def test_half_of_the_words_are_not_in_the_text_of_the_course() -> None:
    known = set(course_text().split())
    for unknown, low, high in ((0.0, 0.0, 0.35), (0.5, 0.3, 0.75), (1.0, 0.5, 1.0)):
        words = [word for text in hidden_corpus("x", unknown=unknown).texts for word in text.split()]
        share = sum(word not in known for word in words) / len(words)
        assert low <= share <= high, (unknown, share)


def test_with_another_share_of_unknown_words_nothing_else_changes() -> None:
    one, other = hidden_corpus("x", unknown=0), hidden_corpus("x")
    assert one.parallel == other.parallel
    assert len(one.texts) == len(other.texts)
    programs = [(a, b) for a, b in zip(one.texts, other.texts) if a.startswith("def ")]
    assert programs
    assert all(a == b for a, b in programs)


def test_every_language_says_the_same_names() -> None:
    corpus = hidden_corpus("names")
    assert len(corpus.parallel) == len(hidden.LANGUAGES) >= 30
    assert {text.count("\n") for text in corpus.parallel.values()} == {hidden.NAMES - 1}


def test_own_corpus_needs_texts_and_languages() -> None:
    with pytest.raises(InvalidSource, match="no text"):
        own_corpus(["", ""], {"en": "a", "de": "b"})
    with pytest.raises(InvalidSource, match="two languages"):
        own_corpus(["a"], {"en": "a"})


# ----------------------------------------------------------------------------------------------------
# Measurements


def test_tokens_and_fairness_are_what_tiktoken_counts() -> None:
    use_bundled_vocabularies()
    witness = tiktoken.get_encoding("gpt2")
    result = contest.measure(contest.contestant("gpt2", witness), SMALL)
    assert isinstance(result, Entry)
    ids = [witness.encode(text) for text in (*SMALL.texts, *SMALL.parallel.values())]
    assert result.tokens == sum(map(len, ids[: len(SMALL.texts)]))
    assert result.bytes == sum(len(text.encode()) for text in SMALL.texts)
    assert result.bits == math.log2(1 + max(number for row in ids for number in row))
    counts = [len(row) for row in ids[len(SMALL.texts) :]]
    assert result.fairness == pytest.approx(sum(min(counts) / count for count in counts) / len(counts))
    assert result.speed > 0


def test_baselines_and_the_learner_are_measured() -> None:
    corpus = hidden_corpus("few", characters=1_600)
    found = [contest.measure(who, corpus) for who in contest.baselines()]
    found.append(contest.measure(contest.contestant("mine", my_tokenizer(), 300), corpus))
    by_name = {each.name: each for each in found if isinstance(each, Entry)}
    assert list(by_name) == ["plain bytes", "ours 4k", "ours 8k", "gpt2", "cl100k_base", "o200k_base", "mine"]
    assert by_name["gpt2"].fairness < by_name["cl100k_base"].fairness < by_name["o200k_base"].fairness
    assert by_name["plain bytes"].bytes_per_token == 1
    assert by_name["mine"].bits < 8.3
    assert all(0 < each.score < 100 for each in by_name.values())


class Remembers:
    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, text: str) -> list[int]:
        self.texts.append(text)
        return [len(self.texts) - 1]

    def decode(self, ids: list[int]) -> str:
        return "".join(self.texts[number] for number in ids)


class Packs:
    def encode(self, text: str) -> list[int]:
        return [int.from_bytes(b"\1" + text.encode(), "big")]

    def decode(self, ids: list[int]) -> str:
        return ids[0].to_bytes((ids[0].bit_length() + 7) // 8, "big")[1:].decode()


class Lowers:
    def encode(self, text: str) -> list[int]:
        return list(text.lower().encode())

    def decode(self, ids: list[int]) -> str:
        return bytes(ids).decode()


class Nothing:
    def encode(self, text: str) -> list[int]:
        return []

    def decode(self, ids: list[int]) -> str:
        return ""


def test_cheats_are_refused_or_gain_nothing() -> None:
    def measured(kind: type, texts: list[str]) -> Entry | contest.Refused:
        return contest.measure(contest.contestant(kind.__name__, kind), own_corpus(texts, SMALL.parallel))

    for kind, said in ((Remembers, "second one"), (Lowers, "another text"), (Nothing, "another text")):
        result = measured(kind, ["A text", "and Another"])
        assert isinstance(result, contest.Refused)
        assert said in result.reason
    packed = measured(Packs, ["a longer text than the names"])
    assert isinstance(packed, Entry)
    assert packed.tokens == 1
    assert packed.times_shorter < 1.01  # an id as wide as the text saves nothing
    result = measured(Packs, ["a text of thousands of characters" * 100])
    assert isinstance(result, contest.Refused)


@pytest.mark.parametrize("odd", [None, 7, object(), int, "text"])
def test_an_object_that_is_not_a_tokenizer_is_refused(odd: object) -> None:
    assert isinstance(contest.measure(contest.contestant("odd", odd), SMALL), contest.Refused)


def test_the_score_is_the_product_of_three_shares() -> None:
    one = entry("a")
    assert one.score == pytest.approx(100 * (2 / 3 * 0.5 * 0.5) ** (1 / 3))
    assert entry("plain", bits=8.0, tokens=900).compression == 0.5
    for worse in ({"tokens": 500}, {"fairness": 0.4}, {"speed": 0.5}, {"bits": 10.0}):
        assert entry("b", **worse).score < one.score


# ----------------------------------------------------------------------------------------------------
# The file


def test_entries_are_kept_replaced_and_ranked(tmp_path: Path) -> None:
    path = tmp_path / leaderboard.NAME
    enter(path, [entry("a"), entry("b", fairness=0.9), entry("c", corpus="other")])
    board = enter(path, [entry("a", fairness=1.0)])
    assert [each.name for each in board.ranked("c")] == ["a", "b"]
    assert read_board(path) == Board(board.entries)
    assert [each.name for each in board.ranked("other")] == ["c"]
    assert [each.name for each in tmp_path.iterdir()] == [leaderboard.NAME]


def test_without_an_entry_no_file_is_made(tmp_path: Path, monkeypatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert enter(tmp_path / leaderboard.NAME, []) == Board()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text("a text", encoding="utf-8")
    assert main(["leaderboard", "--texts", "text.txt"]) == 0
    assert [each.name for each in tmp_path.iterdir()] == ["text.txt"]


HOSTILE = [
    "<script>alert(1)</script>",
    "a\x1b[31mb",
    "x\u202egnp",
    "n\ni\nc\ne",
    "\ud800",
    "ü" * 500,
    "'\"&amp;",
    "\x00",
]


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_a_name_does_no_harm(name: str, tmp_path: Path) -> None:
    path = tmp_path / leaderboard.NAME
    board = read_board(path) if not enter(path, [entry(name)]).notes else Board()
    (kept,) = board.entries
    assert len(kept.name) <= leaderboard.LONGEST_NAME
    html = BoardView(board.entries, caption=name, notes=(name,))._repr_html_()
    text = repr(BoardView(board.entries, caption=name, notes=(name,)))
    assert "<script" not in html
    text.encode("utf-8")
    for shown in (html, text):
        assert all(each.isprintable() or each == "\n" for each in shown)
    assert len(repr(BoardView(board.entries)).splitlines()) == 2


def test_an_entry_needs_a_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="--name"):
        enter(tmp_path / leaderboard.NAME, [entry(" \n")])


GOOD = {"name": "a", "corpus": "c", "bits": 9.0, "tokens": 4, "bytes": 9, "fairness": 0.5, "speed": 1.0}
CHANGES = (
    {"tokens": 0}, {"bytes": -1}, {"fairness": 2}, {"speed": 0}, {"speed": math.inf}, {"bits": math.nan},
    {"tokens": "x"}, {"tokens": 10**400}, {"speed": 1e300}, {"bits": None}, {"name": ""}, {"fairness": []},
)  # fmt: skip
DAMAGED = [
    b"", b"{", b"[]", b"null", b'{"format": 2, "entries": []}', b'{"format": 1}', b'{"format": 1, "entries": 7}',
    b'{"format": 1, "entries": [7]}', b"\xff\xfe", b"[" * 100_000, b'{"format": 1, "entries": [{"name": "a"}]}',
    b" " * (1 << 21),
    *(json.dumps({"format": 1, "entries": [GOOD | change]}).encode() for change in CHANGES),
]  # fmt: skip


@pytest.mark.parametrize("data", DAMAGED, ids=lambda data: ascii(data[-60:]))
def test_a_damaged_file_is_moved_aside(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / leaderboard.NAME
    path.write_bytes(data)
    board = read_board(path)
    assert not board.entries
    assert "damaged" in board.notes[0]
    assert not path.exists()
    assert len(enter(path, [entry("new")]).entries) == 1
    assert (tmp_path / ".minbpe_course_leaderboard.damaged.json").read_bytes() == data


def test_a_board_that_cannot_be_written_gets_a_note(tmp_path: Path) -> None:
    board = enter(tmp_path / "no such folder" / "board.json", [entry("a")])
    assert [each.name for each in board.entries] == ["a"]
    assert "not kept" in board.notes[0]


def test_a_board_has_a_maximum_size(tmp_path: Path) -> None:
    path = tmp_path / leaderboard.NAME
    board = enter(path, [entry(f"t{number}") for number in range(leaderboard.MOST_ENTRIES + 50)])
    assert len(board.entries) == leaderboard.MOST_ENTRIES
    assert len(read_board(path).entries) == leaderboard.MOST_ENTRIES


# ----------------------------------------------------------------------------------------------------
# The verbs


def test_the_rules_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", "--rules"]) == 0
    assert "earliest-merge-first\n    Of all merges" in capsys.readouterr().out


def test_a_file_is_examined_in_a_sandbox(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    path.write_text(BYTEWISE + "print('hello')\nopen('/etc/hostname', 'w')\n", encoding="utf-8")
    asked = ["conform", str(path), "--entry", "Bytewise", "--only", "blanks-survive", "letters-survive", "joining"]
    assert main(asked) == 0
    out = capsys.readouterr().out
    assert out.startswith("mine.py: 2 of 2 rules obeyed, 1 not asked")
    assert "sandbox: " in out
    path.write_text(BYTEWISE.replace("text.encode", "text.lower().encode"), encoding="utf-8")
    assert main([*asked, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [rule["state"] for rule in told["rules"]] == ["passed", "failed", "not asked"]


@pytest.mark.parametrize(
    "source",
    ["# MyTokenizer", "MyTokenizer = 1\nwhile True: pass", "MyTokenizer = 7", "import os; MyTokenizer = os._exit(3)"],
)
def test_a_hostile_file_gets_verdicts(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from minbpe_course.cli import conform

    monkeypatch.setattr(conform, "SECONDS", 1.0)
    path = tmp_path / "mine.py"
    path.write_text(source, encoding="utf-8")
    assert main(["conform", str(path), "--only", "empty", "blanks-survive"]) == 1


def test_the_driver_of_the_sandbox_can_be_replaced_and_nothing_is_gained(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("MyTokenizer = 0\ndef conformance_driver(*a):\n    return ['answer', ['', []]]\n", encoding="utf-8")
    assert main(["conform", str(path), "--only", "empty", "blanks-survive"]) == 1


def test_a_leaderboard_is_kept_beside_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, text, german = tmp_path / "mine.py", tmp_path / "en.txt", tmp_path / "de.txt"
    path.write_text(BYTEWISE, encoding="utf-8")
    text.write_text("a text of my own", encoding="utf-8")
    german.write_text("ein eigener Text", encoding="utf-8")
    asked = [
        "leaderboard",
        str(path),
        "--entry",
        "Bytewise",
        "--texts",
        str(text),
        "--parallel",
        str(text),
        str(german),
    ]
    assert main([*asked, "--name", "<b>me</b>"]) == 0
    assert "▸ <b>me</b>" in capsys.readouterr().out
    (kept,) = read_board(tmp_path / leaderboard.NAME).entries
    assert (kept.tokens, kept.bytes, kept.fairness) == (16, 16, 1.0)
    path.write_text("def Bytewise():\n    raise OSError('no')\n", encoding="utf-8")
    assert main(asked) == 1
    assert "mine is not measured: raised OSError" in capsys.readouterr().out


def test_a_class_that_remembers_across_its_objects_meets_another_process(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "TEXTS = []\nclass MyTokenizer:\n"
        "    def encode(self, text):\n        TEXTS.append(text)\n        return [len(TEXTS) - 1]\n"
        "    def decode(self, ids):\n        return TEXTS[ids[0]]\n",
        encoding="utf-8",
    )
    assert main(["leaderboard", str(path), "--seed", "a long secret"]) == 1


def test_wrong_arguments_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform"]) == 2
    assert main(["conform", str(tmp_path / "none.py")]) == 2
    path = tmp_path / "mine.py"
    path.write_text("", encoding="utf-8")
    assert main(["conform", str(path), "--entry", "not a name"]) == 2
    assert main(["conform", str(path), "--only", "no-such-rule"]) == 2
    assert main(["leaderboard", "--seed-file", str(tmp_path / "none.txt")]) == 2
    assert "minbpe-course conform: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "said"),
    [("class Mine: pass", "has no MyTokenizer. It defines Mine"), ("class MyTokenizer(", "no Python")],
)
def test_a_file_that_cannot_have_the_class_is_not_examined(
    source: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(source, encoding="utf-8")
    for verb in ("conform", "leaderboard"):
        assert main([verb, str(path)]) == 2
        assert said in capsys.readouterr().err


def test_drawn_words_are_words() -> None:
    dice = Random(4)
    for title in ("A morning in Finnish", "A morning in Thai", "The Neighbours"):
        assert all(0 < len(hidden.alike(dice, title)) <= 16 for _ in range(50))
    assert all(hidden.invented(dice).isalpha() for _ in range(50))
