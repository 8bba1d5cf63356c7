"""A str is text; one that names files is probably a path, and then a warning says so."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course import BasicTokenizer, Corpus, RegexTokenizer, Tokenizer, count_words, train
from minbpe_course.corpus import mistaken_paths
from minbpe_course.errors import TextNamesFiles

pytestmark = pytest.mark.medium

CALLS: dict[str, Callable[[Any], object]] = {
    "train": lambda source: train(source, 257),
    "count_words": count_words,
    "basic": lambda source: BasicTokenizer().train(source, 257),
    "regex": lambda source: RegexTokenizer().train(source, 257),
    "rustbpe": lambda source: Tokenizer().train_from_iterator(source if isinstance(source, list) else [source], 257),
}
NAMES = ["data/a.txt", "data/*.txt", "data/**/*.txt", "**/a.txt", "data/[ab].txt", "da?a/sub/b.txt", "./data/a.txt"]
TEXTS = [
    "data", "data/", "*", "?", "**", "a.txt", "data/*.bin", "what? no [such] file*", "data/a.txt\n", "x" * 5000,
    "~",
]  # fmt: skip


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("data/a.txt", "data/sub/b.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("low lower lowest " * 9, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.filterwarnings("ignore::minbpe_course.errors.TrainingStoppedEarly")
@pytest.mark.parametrize("call", CALLS)
def test_a_text_that_names_files_warns_where_it_was_typed(call: str, here: Path) -> None:
    for name in (*NAMES, str(here / "data" / "a.txt"), [NAMES[0]], [NAMES[1], "more"]):
        with pytest.warns(TextNamesFiles) as caught:
            CALLS[call](name)
        told = [each for each in caught if each.category is TextNamesFiles]
        assert len(told) == 1
        assert told[0].filename == __file__
        function = {"basic": "train", "regex": "train", "rustbpe": "train_from_iterator"}.get(call, call)
        first = name[0] if isinstance(name, list) else name
        assert f"{function}(Corpus({first!r}), ...)" in str(told[0].message)


@pytest.mark.filterwarnings("ignore::minbpe_course.errors.TrainingStoppedEarly")
@pytest.mark.parametrize("call", CALLS)
def test_what_the_warning_says_to_type_reads_the_files(call: str, here: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", TextNamesFiles)
        for name in NAMES[:3]:
            CALLS[call](list(Corpus(name)) if call == "rustbpe" else Corpus(name))
        for text in TEXTS:
            CALLS[call](text)
            CALLS[call](["low lower", text])


@given(st.text(st.characters() | st.sampled_from("*?[]/\\.~!-"), max_size=40))
def test_any_text_may_be_asked_about(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TextNamesFiles)
        mistaken_paths.warn_if_path(text)
