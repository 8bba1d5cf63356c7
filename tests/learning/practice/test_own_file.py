"""The learner's own file: definitions of cells are kept with all they use, replaced in place, and loaded again."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell

import minbpe_course
from minbpe_course.errors import InvalidAnswer
from minbpe_course.learning.practice import own_file

LESSONS = Path(__file__).resolve().parents[3] / "notebooks"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MINBPE_COURSE_MY_TOKENIZER", str(tmp_path / "my_tokenizer.py"))
    return tmp_path / "my_tokenizer.py"


@pytest.fixture
def run(path: Path):
    shell = InteractiveShell()

    def cell(source: str) -> object:
        result = shell.run_cell(source, store_history=True)
        result.raise_error()
        return result.result

    cell("from minbpe_course.learning import answer, keep, mine")
    return cell


LESSON = [
    "import math\nimport regex as re\nfrom collections import Counter as Count\nLIMIT = 3\nids = [1, 2]",
    "def count(ids):\n    # a comment stays\n    return Count(ids)",
    "@answer([1])\ndef half(ids):\n    return math.floor(len(ids) / 2) + LIMIT",
    "class Basic:\n    size = LIMIT\n    def ids(self, ids):\n        return half(ids), count(ids), re.escape('a')",
]


def test_a_definition_is_kept_with_all_it_uses(run, path: Path, capsys) -> None:
    for cell in LESSON:
        run(cell)
    capsys.readouterr()
    run("keep(Basic)")
    assert capsys.readouterr().out == "kept in my_tokenizer.py: Basic\n"
    names: dict[str, object] = {}
    exec(path.read_text(encoding="utf-8"), names)
    assert names["Basic"]().ids([1, 1]) == (4, {1: 2}, "a")  # type: ignore[operator]
    assert "# a comment stays" in path.read_text(encoding="utf-8")
    before = path.read_bytes()
    run("keep(Basic, count)")
    assert path.read_bytes() == before


def test_a_class_of_the_next_lesson_inherits(run, path: Path) -> None:
    for cell in LESSON:
        run(cell)
    run("keep(Basic)")
    path.write_text(path.read_text(encoding="utf-8") + "\n\n# by hand\nMINE = 1\n", encoding="utf-8")
    other = InteractiveShell()
    for cell in (
        "from minbpe_course.learning import keep, mine",
        "Basic = mine('Basic')\nclass More(Basic):\n    def twice(self, ids):\n        return 2 * self.size",
        "keep(More)",
        "import cmath\nNEVER = float('inf')\nclass More(Basic):\n    def twice(self, ids):\n"
        "        return 2 * self.size if cmath.pi < NEVER else 0",
        "keep(More)",  # a new import: the lines of Basic are others now
        "keep(More)",
        "LIMIT = 9\ndef half(ids):\n    return extra(ids)\ndef extra(ids):\n    return LIMIT",
        "keep(half)",
    ):
        other.run_cell(cell, store_history=True).raise_error()
    source = path.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    exec(source, names)
    assert names["More"]().twice([]) == 18  # type: ignore[operator]
    assert names["More"]().ids([1])[0] == 9  # type: ignore[operator]
    assert "# by hand\nMINE = 1" in source
    assert (
        source.index("def extra") < source.index("def half") < source.index("class Basic") < source.index("class More")
    )


def test_a_value_that_a_file_cannot_hold(run, path: Path) -> None:
    run("table = {1: 2}\ndef look(ids):\n    return table[ids]")
    with pytest.raises(InvalidAnswer, match="look uses table, a dict of this notebook"):
        run("keep(look)")
    run("def outer(n):\n    def inner():\n        nonlocal n\n    return inner")
    with pytest.raises(InvalidAnswer, match="stays as it is: with this it isn't Python"):
        run("keep(outer(1))")
    assert not path.exists()
    with pytest.raises(InvalidAnswer, match="keep takes functions and classes"):
        run("keep(len)")


def test_a_file_that_stops_names_the_line(run, path: Path) -> None:
    path.write_text("LIMIT = 3\nNEVER = inf\n", encoding="utf-8")
    with pytest.raises(InvalidAnswer, match=r"NameError: name 'inf' is not defined, line 2: `NEVER = inf`"):
        run("mine('one')")
    damaged = "def other():\n    return 2\n\n\nreturn other()\n"  # it parses, and does not compile
    path.write_text(damaged, encoding="utf-8")
    run("def one():\n    return 1")
    with pytest.raises(InvalidAnswer, match=r"stays as it is.*line \d+: `return other\(\)`"):
        run("keep(one)")
    assert path.read_text(encoding="utf-8") == damaged


def test_the_courses_version_is_what_the_lessons_keep() -> None:
    cells = [
        cell.source
        for lesson in LESSONS.glob("0[2-5]_*.ipynb")
        for cell in nbformat.read(lesson, as_version=4).cells
        if cell.cell_type == "code"
    ]
    source = own_file.COURSES.read_text(encoding="utf-8")
    definitions = [node for node in ast.parse(source).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    assert {"BasicTokenizer", "RegexTokenizer", "GPT4Tokenizer", "MyTokenizer"} <= {node.name for node in definitions}
    for node in definitions:
        text = ast.get_source_segment(source, node)
        assert text, node.name
        assert any(text in cell for cell in cells), f"{node.name}: run lessons 02 to 05 with tools.notebooks"


def test_without_a_file_the_course_helps(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    courses = tmp_path / "course.txt"
    courses.write_text("def one():\n    return 1\n", encoding="utf-8")
    monkeypatch.setattr(own_file, "COURSES", courses)
    assert own_file.mine("one")() == 1
    with pytest.raises(InvalidAnswer, match=r"neither my_tokenizer\.py nor the course defines 'two'"):
        own_file.mine("two")
    own_file.keep(own_file.mine("one"))
    assert "def one" in path.read_text(encoding="utf-8")


def test_code_written_by_hand_stays(run, path: Path) -> None:
    by_hand = (
        "\ufefffrom __future__ import annotations\n\nprint('loaded')\nimport zlib\nLIMIT = 1\nLIMIT = LIMIT + 1\n"
        "if LIMIT:\n    LIMIT += 1\nfor LIMIT in [LIMIT]:\n    pass\n# the end\n"
    )
    path.write_bytes(by_hand.replace("\n", "\r\n").encode("utf-8"))
    run("def one(ids):\n    return zlib.crc32(ids)\nimport zlib")
    run("keep(one)")
    source = path.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    exec(source, names)
    assert names["LIMIT"] == 3
    assert names["one"](b"") == 0  # type: ignore[operator]
    assert all(line in source for line in by_hand.lstrip("\ufeff").splitlines())


def test_what_a_lesson_only_uses_is_not_replaced(run, path: Path, tmp_path: Path, monkeypatch) -> None:
    courses = tmp_path / "course.txt"
    courses.write_text(
        "def base():\n    return 'course'\n\n\nclass Mid:\n    def say(self):\n        return base()\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(own_file, "COURSES", courses)
    path.write_text("def base():\n    return 'mine'\n", encoding="utf-8")
    run("Mid = mine('Mid')\nclass Last(Mid):\n    pass")
    run("class Last(Mid):\n    def twice(self):\n        return 2 * self.say()")
    run("keep(Last)")
    assert run("mine('Last')().twice()") == "minemine"


def test_an_answer_does_not_replace_what_the_learner_wrote(run, path: Path, capsys) -> None:
    mine = "# my way\ndef double(number):\n    return number + number\n"
    path.write_text(mine, encoding="utf-8")
    run("def double(number):\n    ...")
    run("@answer(1)\ndef double(number):\n    return 2 * number")
    run("keep(double)")
    assert "you wrote your own before: double" in capsys.readouterr().out
    assert mine in path.read_text(encoding="utf-8")
    run("def double(number):\n    return number << 1")
    run("keep(double)")
    assert "# my way\ndef double(number):\n    return number << 1" in path.read_text(encoding="utf-8")


# How tokenizers of the learner's file are made, from which class on, and whether minbpe's file has room for them.
TEXT = "".join(map(chr, range(0x250))) + "the cat in the hat, the cat in the hat " * 9
SHUFFLED = {bytes([(7 * byte) % 256]): byte for byte in range(256)} | {b"th": 256, b"the": 257}
GAPS = {bytes([byte]): byte for byte in range(256)} | {b"th": 300, b"the": 400}
CLASSES = ["BasicTokenizer", "RegexTokenizer", "GPT4Tokenizer", "MyTokenizer"]
WAYS = {
    "trained": (0, lambda kind: kind().train(TEXT, 300), True),
    "spaces around its pattern": (1, lambda kind: kind(r" \w+|(?s:.) ?| ").train(TEXT, 300), True),
    "a line break in its pattern": (1, lambda kind: kind("\n|[^\n]+").train(TEXT, 300), False),
    "from ranks with gaps": (2, lambda kind: kind.from_ranks(GAPS, r"\w+|\W"), False),
    "with special tokens": (3, lambda kind: with_special_tokens(kind).train(TEXT, 300), False),
}


def with_special_tokens(kind: Any) -> Any:
    tokenizer = kind()
    tokenizer.register_special_tokens({"<end>": 300})
    return tokenizer


@pytest.mark.parametrize(
    ("name", "way"), [(name, way) for way, (first, *_) in WAYS.items() for name in CLASSES[first:]]
)
def test_a_saved_tokenizer_gives_the_same_ids_or_is_not_saved(path: Path, name: str, way: str) -> None:
    kind = own_file.mine(name)
    _, make, has_room = WAYS[way]
    tokenizer = make(kind)
    file = path.with_name("it.model")
    file.write_bytes(b"an older file")
    if not has_room:
        with pytest.raises(ValueError, match="not saved: the file can't hold"):
            tokenizer.save(file)
        assert file.read_bytes() == b"an older file"
        return
    tokenizer.save(file)
    used = kind.from_ranks(SHUFFLED, ".") if hasattr(kind, "from_ranks") else kind().train("ab ab", 258)
    witness = (minbpe_course.RegexTokenizer if tokenizer.pattern else minbpe_course.BasicTokenizer)().load(file)
    for again in (kind().load(file), used.load(file), witness):
        assert again.encode(TEXT) == tokenizer.encode(TEXT)
        assert again.decode(again.encode(TEXT)) == TEXT
