"""A blank of a lesson is an exercise: a class is checked method by method, a guess is compared, a cell put back."""

from __future__ import annotations

from pathlib import Path

import pytest

from minbpe_course.learning import check, how_close, reset, working
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.callers import run_case
from minbpe_course.learning.judge.exercise import Case


class BasicTokenizer:
    def __init__(self) -> None:
        self.merges, self.vocab, self.pattern = {}, {byte: bytes([byte]) for byte in range(256)}, ""

    def decode(self, ids):
        return b"".join(self.vocab[i] for i in ids).decode("utf-8", "replace")

    def encode(self, text):
        raise NotImplementedError("encode is still blank")

    def train(self, text, vocab_size):
        self.merges = {}


def test_each_method_of_a_class_is_checked_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    found = check("02.BasicTokenizer", BasicTokenizer)
    assert not found
    states = {one.key.rpartition(".")[2]: one.state for one in found}
    assert states == {
        "train": "not yet", "encode": "not started", "decode": "done",
        "save": "not started", "load": "not started",
    }  # fmt: skip
    assert repr(found).startswith(
        "✗ train · ○ encode · ✓ decode · ○ save · ○ load\n✗ not yet · 02.BasicTokenizer.train"
    )
    assert "✓ decode" in found._repr_html_()
    course = working("02.BasicTokenizer", BasicTokenizer)
    said = capsys.readouterr().out
    assert said.startswith(
        "02.BasicTokenizer: when its cell ran last, your train was not right yet; your encode, save and load were blank"
    )
    assert course is catalogue.find("02.BasicTokenizer.train").answer


def test_scripts_set_and_read_attributes_and_files() -> None:
    class Shelf:
        def __init__(self, *books):
            self.books = list(books)

        @classmethod
        def of(cls, books):
            return cls(*books)

        def put(self, book):
            self.books.append(book)
            return self

        def write(self, path):
            Path(path).write_text(" ".join(self.books), encoding="utf-8")

    file = ("{folder}/x",)
    steps = [("put", ("b",)), (".books", ()), ("write", file), ("read file", file), ("books =", ([],)), (".books", ())]
    case = Case("", (["a"],), tuple(steps), "of")
    outcome = run_case(Shelf, case)
    assert outcome.value == ["the tokenizer", ["a", "b"], None, "a b", None, []]


@pytest.mark.parametrize(
    ("guess", "value", "said"),
    [
        (..., 12, "12 ids. You typed no guess."),
        (None, 1.5, "1.5 ids. You typed no guess."),
        (12, 12, "12 ids. Your guess is right."),
        (9, 12, "12 ids. You guessed 9: 3 too low."),
        (1200, 12, "12 ids. You guessed 1,200: 100 times too high."),
        (1, 12, "12 ids. You guessed 1: 11 too low."),
        (30, 400, "400 ids. You guessed 30: 13.3 times too low."),
        (300, 400, "400 ids. You guessed 300: 25 % too low."),
        (0, 12, "12 ids. You guessed 0: 12 too low."),
        (-3, 12, "12 ids. You guessed -3: 15 too low."),
        (1, 0, "0 ids. You guessed 1."),
        ("many", 12, "12 ids. You guessed 'many'."),
        (True, 12, "12 ids. You guessed True."),
    ],
)
def test_a_guess_is_compared(guess: object, value: object, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    how_close(guess, value, "ids")
    assert capsys.readouterr().out == said + "\n"


def test_a_cell_is_put_back_after_asking(capsys: pytest.CaptureFixture[str]) -> None:
    reset("02.merge")
    assert 'Type: reset("02.merge", sure=True)' in capsys.readouterr().out
    reset("02.merge", sure=True)
    assert 'raise NotImplementedError("merge is still blank")' in capsys.readouterr().out
    reset("02.BasicTokenizer", sure=True)
    assert capsys.readouterr().out.startswith("from pathlib import Path\n\n\nclass BasicTokenizer:")
