"""Filters: compared with simpler ones, long lines in the same pieces for all blocks, and linear time."""

from __future__ import annotations

import pickle
import random
import re
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.corpus import cleaning
from minbpe_course.corpus.cleaning import FILTERS, clean_text, compose, filters_of, name_of
from minbpe_course.corpus.reading import Corpus, Cutter
from minbpe_course.errors import UnknownFilter
from tests.corpus.corpus_files import all_pieces, documents_in, read_tiny, written
from tests.shared.long_run import examples

LINES = st.text("aB0=/+|<>! .-:\t\u00a0wé中http:/www.\n", max_size=60)


@pytest.mark.parametrize(
    ("name", "line", "wanted"),
    [
        ("urls", "see http://a.b/c?d=e#f, (https://x.y/z) and ftp://q.", "see , () and ."),
        ("urls", "WWW.Example.ORG! awww.no xhttp://stays.here", "! awww.no xhttp://stays.here"),
        ("urls", "[here](http://a.b/c_(d)).\n", "[here]().\n"),
        ("hex", "a" * 31 + " " + "a" * 32 + " " + "A0" * 20, "a" * 31 + "  "),
        ("hex", "g" + "a" * 40 + " " + "a" * 40 + "g", "g" + "a" * 40 + " " + "a" * 40 + "g"),
        ("hex", "0000 " + "de ad be ef " * 4 + "end", "0000  end"),
        ("base64", "x " + "Zm9v" * 16 + "== y", "x  y"),
        ("base64", "abcd" * 30 + " " + "ABCD" * 30 + " " + "-" * 99, "abcd" * 30 + " " + "ABCD" * 30 + " " + "-" * 99),
        ("repeats", "aaa aaaa !!!!!!! 11111      \t\t\t\t\n\n", "aaa aaa !!! 11111      \t\t\t\t\n\n"),
        ("pipes", "a | b |c| d", "a b c d"),
        ("pipes", "  |  | one ||| two |\r\n", "one two \r\n"),
        ("pipes", "| --- | :-: |", ""),
        ("pipes", "a|<|end|>|b", "a <|end|> b"),
        ("whitespace", "\t a\u00a0 b\u2003c\r\n", "a b c\n"),
        ("whitespace", "a  ", "a "),
    ],
)
def test_each_filter_removes_the_right_text(name, line, wanted):
    assert FILTERS[name](line) == wanted


def plain(name: str, line: str) -> str:
    """Filter a line in the simplest way."""
    if name == "repeats":
        kept = ""
        for at, each in enumerate(line):
            if not (line[at - 3 : at] == each * 3 and at >= 3 and not each.isspace() and not each.isdecimal()):
                kept += each
        return kept
    if name == "whitespace":
        body, end = (line[:-1], "\n") if line.endswith("\n") else (line, "")
        made = re.sub(r"[\s\x1c-\x1f\x85]+", " ", body)
        return made.strip(" ") + end if end else made if made == " " else made.lstrip(" ")
    return line


@settings(max_examples=examples(300))
@given(line=LINES)
def test_filters_on_any_line(line):
    for name, each in FILTERS.items():
        for one in line.splitlines(keepends=True):
            found = each(one)
            # Nothing is added but spaces in place of whitespace and pipes, and line ends stay.
            left = iter(one)
            kept = found if name not in ("pipes", "whitespace") else found.replace(" ", "")
            assert all(character in left for character in kept)
            assert found.endswith("\n") == one.endswith("\n")
            assert name in ("urls", "pipes", "hex", "base64") or each(found) == found, "twice is once"
            if name in ("repeats", "whitespace") and "\n" not in one[:-1]:
                assert found == plain(name, one)


HOSTILE = [
    "A1b" * 17_000,
    "http://.) " * 5_000,
    "www." * 12_000,
    ("aa:" * 14 + "g ") * 1_000,
    " " * 50_000 + "x",
    "<|a" * 15_000,
]


@pytest.mark.parametrize("name", FILTERS)
def test_no_line_takes_too_long(name):
    # A filter with quadratic backtracking would take hours.
    for line in HOSTILE:
        for one in (4 * line, 4 * line + "\n"):
            assert len(FILTERS[name](one)) <= len(one)


def test_long_lines_are_cut_after_a_space_or_a_character(monkeypatch):
    monkeypatch.setattr(cleaning, "LONGEST", 16)
    seen: list[str] = []

    def note(line: str) -> str:
        seen.append(line)
        return line

    text = "aaaa bbbb cccc dddd eeee\n" + "é" * 20 + "\n" + "x" * 15 + "\n" + "short\n" + "中" * 6
    assert clean_text(text, [note]) == text
    assert seen[:2] == ["aaaa bbbb cccc ", "dddd eeee\n"]
    assert seen[2:5] == ["é" * 8, "é" * 8, "é" * 4 + "\n"]
    assert seen[5:] == ["x" * 15 + "\n", "short\n", "中" * 5, "中"]


def test_filters_get_the_same_pieces_for_all_blocks(tmp_path, monkeypatch):
    rng = random.Random(9)
    monkeypatch.setattr(cleaning, "LONGEST", 16)
    monkeypatch.setattr("minbpe_course.corpus.documents.LONGEST", 16)
    for _ in range(40):
        text = "".join(rng.choices(["aaaa ", "é", "中文", "\n", "http://a.b/c ", "x" * 20, " ", "!!!!!"], k=60))
        path = written(tmp_path / "text.txt", text)
        for lines in (False, True):
            corpus = Corpus(path, lines=lines, clean=[bracket])
            documents = text.split("\n") if lines else [text]
            if lines and not documents[-1]:
                documents.pop()
            wanted = [clean_text(document, [bracket]) for document in documents]
            for block in (1, 5, 40, 1000):
                read_tiny(monkeypatch, block, 8, 20)
                assert documents_in(all_pieces(corpus, Cutter("gpt2"), rng.choice([5, 50, 1000]))) == wanted


def bracket(line: str) -> str:
    """A filter that shows its input."""
    return f"[{line}]"


def test_filters_can_be_pickled_and_have_names():
    both = compose("urls", compose(str.strip, "hex"), bracket)
    again = pickle.loads(pickle.dumps(both))
    assert again == both
    assert hash(again) == hash(both)
    assert name_of(both) == "urls+str.strip+hex+bracket"
    assert name_of(partial(re.sub, "a", "b")) == "sub('a', 'b')"
    for name, each in FILTERS.items():
        assert pickle.loads(pickle.dumps(each)) is each
        assert filters_of(name) == (each,)
        assert name_of(each) == name
    line = "  see http://a.b  " + "f" * 40
    assert both(line) == bracket(FILTERS["hex"](FILTERS["urls"](line).strip()))
    assert clean_text(f"{line}\n{line}", [both]) == clean_text(f"{line}\n{line}", both.filters)


@pytest.mark.parametrize("wrong", ["url", "urls,nothing", 5, [5], ["urls", None]])
def test_invalid_filters_are_reported(wrong):
    with pytest.raises(UnknownFilter, match="filter"):
        filters_of(wrong)


def test_a_filter_must_return_text():
    with pytest.raises(UnknownFilter, match="returned NoneType for a line"):
        clean_text("a\nb", [lambda line: None])  # type: ignore[list-item, return-value]
