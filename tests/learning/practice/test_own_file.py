"""The learner's own file: definitions of cells are kept with all they use, replaced in place, and loaded again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from minbpe_course.errors import InvalidAnswer
from minbpe_course.learning.practice import own_file


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

    cell("from minbpe_course.learning import keep, mine")
    return cell


LESSON = [
    "import math\nimport regex as re\nfrom collections import Counter as Count\nLIMIT = 3\nids = [1, 2]",
    "def count(ids):\n    # a comment stays\n    return Count(ids)",
    "def half(ids):\n    return math.floor(len(ids) / 2) + LIMIT",
    "class Basic:\n    size = LIMIT\n    def ids(self, ids):\n        return half(ids), count(ids), re.escape('a')",
]


def test_a_definition_is_kept_with_all_it_uses(run, path: Path, capsys) -> None:
    for cell in LESSON:
        run(cell)
    capsys.readouterr()
    run("keep(Basic)")
    assert capsys.readouterr().out == "Kept in my_tokenizer.py: Basic\n"
    names: dict[str, object] = {}
    exec(path.read_text(encoding="utf-8"), names)
    assert names["Basic"]().ids([1, 1]) == (4, {1: 2}, "a")  # type: ignore[operator]
    assert "# a comment stays" in path.read_text(encoding="utf-8")
    before = path.read_bytes()
    run("keep(Basic, count)")
    assert path.read_bytes() == before


def test_the_open_of_a_notebook_is_that_of_python(run, path: Path) -> None:
    run("class Basic:\n    def save(self, path):\n        with open(path, 'w') as file:\n            file.write('x')")
    run("keep(Basic)")
    assert "import open" not in path.read_text(encoding="utf-8")
    exec(path.read_text(encoding="utf-8"), names := {})
    names["Basic"]().save(path)
    assert path.read_text(encoding="utf-8") == "x"


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


def test_without_a_file_the_course_helps(path: Path, capsys) -> None:
    own_file.keep(own_file.mine("MyTokenizer"))
    assert capsys.readouterr().out == (
        "MyTokenizer: my_tokenizer.py has none, so this is the course's.\n"
        "Kept in my_tokenizer.py as the course's, because yours is not right yet: MyTokenizer\n"
    )
    source = path.read_text(encoding="utf-8")
    assert own_file.BY_ME not in source
    assert source.count(own_file.BY_THE_COURSE) == len(PARTS)
    names: dict[str, Any] = {}
    exec(source, names)
    assert {name for name in PARTS if name in names} == PARTS
    assert names["MyTokenizer"](r"\w+|\W").train("ab ab", 257).encode("ab") == [256]
    with pytest.raises(InvalidAnswer, match=r"neither my_tokenizer\.py nor the course defines 'two'"):
        own_file.mine("two")


PARTS = {
    "count_pairs", "merge", "learn_merges", "apply_merges", "vocabulary", "BasicTokenizer", "split", "count_words",
    "learn_from_words", "RegexTokenizer", "merges_from_ranks", "GPT4Tokenizer", "allowed_set", "split_on_special",
    "MyTokenizer",
}  # fmt: skip


def test_who_wrote_a_part_stands_above_it(run, path: Path, capsys) -> None:
    run("from minbpe_course.learning import working")
    run("def merge(ids, pair, new_id):\n    raise NotImplementedError")
    run("merge = working('02.merge', merge)\nkeep(merge)")
    assert path.read_text(encoding="utf-8").count(own_file.BY_THE_COURSE) == 1
    run(MERGE)
    run("merge = working('02.merge', merge)\nkeep(merge)")
    assert "as yours: merge" in capsys.readouterr().out
    source = path.read_text(encoding="utf-8")
    assert f"{own_file.BY_ME}\n{MERGE}" in source
    assert own_file.BY_THE_COURSE not in source
    # Empty again: the learner's methods stay, beside those of the course.
    run("def merge(ids, pair, new_id):\n    raise NotImplementedError")
    run("merge = working('02.merge', merge)\nkeep(merge, mine('apply_merges'))")
    assert "Not replaced, because you wrote your own before: merge" in capsys.readouterr().out
    source = path.read_text(encoding="utf-8")
    assert f"{own_file.BY_ME}\n{MERGE}" in source
    assert f"{own_file.BY_THE_COURSE}\ndef apply_merges" in source


MERGE = """def merge(ids, pair, new_id):
    ids = list(ids)
    at = 0
    while at + 1 < len(ids):
        if (ids[at], ids[at + 1]) == tuple(pair):
            ids[at : at + 2] = [new_id]
        at += 1
    return ids
"""


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


def test_what_a_lesson_only_uses_is_not_replaced(run, path: Path) -> None:
    path.write_text("def vocabulary(merges):\n    return 'mine'\n", encoding="utf-8")
    run("BasicTokenizer = mine('BasicTokenizer')")
    run("class Last(BasicTokenizer):\n    pass")
    run("keep(Last)")
    assert run("mine('Last')().vocab") == "mine"
