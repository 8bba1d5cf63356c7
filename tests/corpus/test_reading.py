"""Parts of a corpus of any size have the words of the documents, and reading continues after any piece."""

from __future__ import annotations

import itertools
import json
import pickle
import random
from pathlib import Path

import pytest

from minbpe_course.corpus import parts as borders
from minbpe_course.corpus.opening import ByteFile
from minbpe_course.corpus.reading import Corpus, Cutter, read_part
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text.patterns import named_pattern
from tests.corpus.corpus_files import (
    KNOWN,
    PACKERS,
    all_pieces,
    assert_resumes,
    documents_in,
    read_tiny,
    words_in,
    words_of,
    written,
)
from tests.shared.cases import hostile_text

pytestmark = pytest.mark.medium

ONLY_REGEX = [r"\w+|\W+", r"(?<=a)b+|[\s\S]", None]
# With spaces, with letters, prefixes of each other, and overlapping themselves and each other.
SPECIAL_TOKENS = [
    [],
    ["<|end|>"],
    ["<|end|>", "<|end|><|end|>", "<|e"],
    ["the cat", "cat s", " "],
    ["a a", "aa", " a", "a"],
    ["\n", "é<", "\r\n"],
    ["00", "0", "x y ", " x"],
    ["中。", "。\n", "\ud800"],
]
BITS = [
    "a", "a a", " ", "aa", "\n", "<|end|>", "<|e", "é<", "the cat", " sat", "0", "x y ", "\r\n", "中", "。", ".",
    "'s",
]  # fmt: skip


def hostile(rng: random.Random, specials: list[str]) -> str:
    """Return a text full of partial special tokens, line ends and characters of every length."""
    bits = [*BITS, *(name for name in specials if name != "\ud800")]
    parts = [hostile_text(rng, pieces=rng.randint(0, 40)), "".join(rng.choices(bits, k=rng.randint(0, 50)))]
    rng.shuffle(parts)
    return "".join(parts)


@pytest.mark.parametrize("pattern", [*KNOWN, *ONLY_REGEX])
def test_words_of_parts_are_those_of_the_whole(pattern: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    rng = random.Random(7)
    splitter = Splitter(None if pattern is None else named_pattern(pattern))
    parts_with_text = 0
    for turn in range(40):
        specials = SPECIAL_TOKENS[turn % len(SPECIAL_TOKENS)]
        text = hostile(rng, specials)
        path = written(tmp_path / "text.txt", text)
        cutter = Cutter(pattern, specials)
        read_tiny(monkeypatch, rng.choice([1, 3, 17, 300]), rng.choice([1, 5, 64]), rng.choice([1, 5, 50]))
        parts = Corpus(path).parts(cutter, rng.choice([1, 2, 3, 7, 20, 50, 1000]))
        pieces = [list(read_part(part, cutter)) for part in parts]
        joined = list(itertools.chain.from_iterable(pieces))
        assert words_in(joined, cutter, splitter) == [words_of(text, pattern, specials)]
        assert documents_in(joined) == [text]
        parts_with_text += sum(map(bool, pieces))
    assert parts_with_text > (200 if splitter.cut_places else 60), "too little was cut to test anything"


def test_every_border_is_the_same_from_both_sides(tmp_path, monkeypatch):
    text = "the cat <|end|> sat. a a a\n中文。é! 0000 <|e <|end|><|end|>x\r\ny" * 3
    path = written(tmp_path / "text.txt", text)
    size = len(text.encode("utf-8"))
    for window in (1, 4, 1 << 14):
        read_tiny(monkeypatch, 5, window, 1)
        for specials in ([], ["<|end|>", "<|end|><|end|>", "a a", "0"]):
            cutter = Cutter("o200k_base", specials)
            with ByteFile(path) as file:
                places = [borders.first_place(file, at, size, size, cutter, replaced=False) for at in range(size)]
                ends = [size if place is None else place for place in places]
                # Each place is the first one for all offsets between the one before and itself.
                assert ends == sorted(ends)
                assert all(at <= end and (end == size or ends[end] == end) for at, end in enumerate(ends))
                # A search that ends at some offset finds the same place, or none before it.
                for at, stop in itertools.product(range(0, size, 7), range(0, size, 5)):
                    near = borders.first_place(file, at, stop, size, cutter, replaced=False)
                    assert near == (places[at] if ends[at] < stop else None)


def test_a_text_that_cannot_be_cut_is_one_part(tmp_path):
    path = written(tmp_path / "digits.txt", "0" * 5000)
    cutter = Cutter("cl100k_base", ["00"])
    pieces = [list(read_part(part, cutter)) for part in Corpus(path).parts(cutter, 100)]
    assert [bool(found) for found in pieces] == [True] + 49 * [False]
    assert len(Corpus(path).parts(Cutter(r"\b\w|\W|\w"), 100)) == 1


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k_base", r"\w+|\W+"])
def test_reading_continues_after_every_piece(pattern, tmp_path, monkeypatch):
    rng = random.Random(3)
    for turn in range(12):
        specials = SPECIAL_TOKENS[turn % len(SPECIAL_TOKENS)]
        text = hostile(rng, specials)
        read_tiny(monkeypatch, rng.choice([1, 4, 100]), 8, rng.choice([1, 30]))
        cutter = Cutter(pattern, specials)
        for options in ({}, {"lines": True}):
            for part in Corpus(written(tmp_path / "text.txt", text), **options).parts(cutter, rng.choice([9, 1000])):
                assert_resumes(part, cutter, every=3)


@pytest.mark.parametrize("lines", [True, False])
@pytest.mark.parametrize("suffix", ["", *PACKERS])
def test_documents_are_those_of_the_file(suffix, lines, tmp_path, monkeypatch):
    rng = random.Random(5)
    for turn in range(12):
        documents = [hostile_text(rng, pieces=rng.randint(0, 30)) for _ in range(rng.randint(0, 9))]
        if lines:
            documents = [text.replace("\n", " ") for text in documents]
            data = "".join(text + "\n" for text in documents)
            if documents and documents[-1] and turn % 2:
                data = data[:-1]
        else:
            data = "".join(json.dumps({"n": 1, "text": text}) + "\n\n"[: 1 + turn % 2] for text in documents)
        path = tmp_path / ("text" if lines else "text.jsonl")
        packed = PACKERS[suffix](data.encode("utf-8")) if suffix else data
        path = written(path.with_name(f"{path.name}.{suffix}" if suffix and turn % 3 else path.name), packed)
        read_tiny(monkeypatch, rng.choice([1, 7, 300]), 4, rng.choice([1, 30]))
        corpus = Corpus(path, lines=lines, field=None if lines else "text")
        cutter = Cutter("gpt2")
        assert documents_in(all_pieces(corpus, cutter, rng.choice([1, 10, 100]))) == documents
        assert list(corpus) == documents
        if turn < 3:
            for part in corpus.parts(cutter, 40):
                assert_resumes(part, cutter, every=5)


def test_invalid_bytes_are_replaced_wherever_the_cuts_are(tmp_path, monkeypatch):
    rng = random.Random(13)
    bits = [b"a b", b" the\n", "é中".encode(), b"\xff", b"\xe2\x82", b"\x80\x80", b"\xf0\x9f", b". ", b"\xef\xbf\xbd"]
    for turn in range(60):
        data = b"".join(rng.choices(bits, k=rng.randint(0, 60)))
        wanted = data.decode("utf-8", "replace")
        specials = [[], ["\ufffd"], ["\ufffd\ufffd", "a"], ["b\ufffd", "\ufffd "]][turn % 4]
        read_tiny(monkeypatch, rng.choice([1, 2, 30]), rng.choice([1, 9]), rng.choice([1, 20]))
        cutter = Cutter("cl100k_base", specials)
        corpus = Corpus(written(tmp_path / "text.txt", data), errors="replace")
        pieces = all_pieces(corpus, cutter, rng.choice([1, 5, 40]))
        assert documents_in(pieces) == [wanted]
        splitter = Splitter(cutter.pattern)
        assert words_in(pieces, cutter, splitter) == [words_of(wanted, "cl100k_base", specials)]


def test_parts_can_be_pickled(tmp_path):
    path = written(tmp_path / "a b.txt", "the cat sat on the mat")
    cutter = Cutter("gpt2", ["cat"])
    for part in Corpus(path).parts(cutter, 7):
        there, tool = pickle.loads(pickle.dumps((part, cutter)))
        assert there == part
        assert list(read_part(there, tool)) == list(read_part(part, cutter))


def test_the_fingerprint_tells_whether_it_is_the_same_corpus(tmp_path):
    path = written(tmp_path / "a.txt", "one")
    before = Corpus(path).fingerprint()
    assert json.loads(json.dumps(before)) == before == Corpus(path).fingerprint()
    assert before != Corpus(path, lines=True).fingerprint()
    written(path, "more")
    assert Corpus(path).fingerprint() != before
