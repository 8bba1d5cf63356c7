"""A class that extends one of the same name comes after it in the learner's file, and the classes below use it."""

from __future__ import annotations

from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from minbpe_course.learning.practice.own_file import BY_ME, BY_THE_COURSE, keep, mine

OLD = "# Written by me.\nclass GPT4Tokenizer:\n    def encode_word(self, word):\n        return 'old', self.byte_ids\n"
BELOW = "class MyTokenizer(GPT4Tokenizer):\n    byte_ids = 7\n"
NEW = """
class GPT4Tokenizer(GPT4Tokenizer):
    def encode_word(self, word):
        return new(word), *super().encode_word(word)
"""


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

    cell("from minbpe_course.learning import keep, mine\ndef new(word):\n    return word + '!'")
    return cell


@pytest.mark.parametrize("times", [1, 2])
def test_the_class_below_gets_the_new_method(run, path: Path, times: int) -> None:
    path.write_text(f"{OLD}\n\n{BELOW}", encoding="utf-8")
    run('GPT4Tokenizer = mine("GPT4Tokenizer")')
    for _ in range(times):
        run(NEW)
        run("keep(GPT4Tokenizer)")
    assert mine("MyTokenizer")().encode_word("ab") == ("ab!", "old", 7)
    text = path.read_text(encoding="utf-8")
    assert text.count("class GPT4Tokenizer:") == text.count("class GPT4Tokenizer(GPT4Tokenizer):") == 1
    assert text.count(BY_ME) == 2
    run("del GPT4Tokenizer")
    run('GPT4Tokenizer = mine("GPT4Tokenizer")')
    run(NEW.replace("new(word)", "'newer'"))
    run("keep(GPT4Tokenizer)")
    assert mine("MyTokenizer")().encode_word("ab") == ("newer", "old", 7)


def test_the_older_class_is_replaced_below_the_extension(run, path: Path) -> None:
    path.write_text(f"{OLD}\n\n{BELOW}", encoding="utf-8")
    run('GPT4Tokenizer = mine("GPT4Tokenizer")')
    run(NEW)
    run("keep(GPT4Tokenizer)")
    run("class GPT4Tokenizer:\n    def encode_word(self, word):\n        return ('other',)")
    run("keep(GPT4Tokenizer)")
    assert mine("MyTokenizer")().encode_word("ab") == ("ab!", "other")


def test_the_class_of_the_course_comes_along(run, path: Path) -> None:
    run('GPT4Tokenizer = mine("GPT4Tokenizer")')
    run("class GPT4Tokenizer(GPT4Tokenizer):\n    def encode_word(self, word):\n        return [5]")
    run("keep(GPT4Tokenizer)")
    text = path.read_text(encoding="utf-8")
    assert text.index(f"{BY_THE_COURSE}\nclass GPT4Tokenizer(RegexTokenizer)") < text.index(
        f"{BY_ME}\nclass GPT4Tokenizer"
    )
    assert mine("GPT4Tokenizer").from_ranks({b"a": 0}, r"\w+|\W").encode("a a") == [5] * 3


def test_an_extension_of_the_course_spares_the_learners_class(path: Path, capsys) -> None:
    from minbpe_course.learning.exercises.lesson_09.gpt4_tokenizer import GPT4Tokenizer

    path.write_text(f"{OLD}\n\n{BELOW}", encoding="utf-8")
    keep(GPT4Tokenizer)
    assert "Not replaced, because you wrote your own before: GPT4Tokenizer" in capsys.readouterr().out
    assert "GPT4Tokenizer(GPT4Tokenizer)" not in path.read_text(encoding="utf-8")
    path.unlink()
    keep(GPT4Tokenizer)
    assert mine("GPT4Tokenizer").from_ranks({b"a": 0, b"b": 1, b" ": 3, b"ab": 2}, r"\w+|\W").encode("ab a") == [
        2,
        3,
        0,
    ]
    assert path.read_text(encoding="utf-8").count("class GPT4Tokenizer(") == 2
