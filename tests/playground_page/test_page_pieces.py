"""SentencePiece models in the page against sentencepiece itself: Mistral's, trained on the spot, and random ones."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import pairwise

import pytest
import sentencepiece

from minbpe_course import SentencePieceTokenizer
from minbpe_course.corpus import course_text
from minbpe_course.errors import MinbpeCourseError
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.model import CONTROL, USER_DEFINED, PieceModel
from minbpe_course.playground_page.page_data import page_data
from minbpe_course.reference.pieces import encode_steps
from tests.playground_page.page_engine import Engine
from tests.reference import unigram_cases
from tests.shared.piece_cases import NAMES, fixed_texts, hostile_bytes, mistral_files, trained
from tests.shared.random_pieces import random_model, random_texts

pytestmark = [pytest.mark.medium, pytest.mark.browser]

RANDOM_MODELS, TEXTS_EACH = 60, 60
FIXED = [text.decode("utf-8", "replace") for text in fixed_texts()]


def load(engine: Engine, files: Mapping[str, bytes]) -> dict[str, PieceModel]:
    models = {name: sentencepiece_proto.from_bytes(data, name) for name, data in files.items()}
    assert engine.ask("data", data=page_data([], models)) == list(files)
    return models


def same(engine: Engine, name: str, data: bytes, texts: list[str]) -> None:
    """Compare ids, pieces and the places of special pieces of a loaded model."""
    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    kinds = sentencepiece_proto.from_bytes(data).kinds
    for text, (ids, pieces, special) in zip(texts, engine.cuts(name, texts)):
        wanted = theirs.encode(text)
        assert (ids, pieces) == (wanted, theirs.encode(text, out_type=str)), (name, text)
        assert special == [at for at, each in enumerate(wanted) if kinds[each] in (CONTROL, USER_DEFINED)]


def texts_for(rng: random.Random, data: bytes, number: int) -> list[str]:
    return [text.decode("utf-8", "replace") for text in random_texts(rng, data, number)]


@pytest.mark.parametrize("name", ["v1", "v7"])
def test_models_of_mistral(empty: Engine, name: str) -> None:
    data = mistral_files()[name].read_bytes()
    load(empty, {name: data})
    rng = random.Random(name)
    hostile = [hostile_bytes(rng).decode("utf-8", "replace") for _ in range(1_500)]
    same(empty, name, data, [*FIXED, *hostile, *texts_for(rng, data, 300)])
    same(empty, name, data, [course_text()[:100_000], "x" * 100_000, " " * 50_000, "日本語" * 20_000])


@pytest.mark.parametrize("kind", ["bpe", "unigram", "char", "word"])
def test_models_that_no_trainer_would_make(empty: Engine, kind: str) -> None:
    rng = random.Random(kind)
    for begin in range(0, RANDOM_MODELS // 4, 15):
        files: dict[str, bytes] = {}
        while len(files) < 15:
            data = random_model(rng, kind)
            try:
                sentencepiece.SentencePieceProcessor(model_proto=data)
                sentencepiece_proto.from_bytes(data)
            except (RuntimeError, MinbpeCourseError):
                continue
            files[f"{kind} {begin + len(files)}"] = data
        load(empty, files)
        for name, data in files.items():
            same(empty, name, data, [*FIXED[::29], *texts_for(rng, data, TEXTS_EACH)])


def test_sums_of_long_texts(empty: Engine) -> None:
    # Sums above 100,000 are moved back to 0, which decides later ties.
    files = {name: unigram_cases.trained(name) for name in ("plain", "symbols nmt_nfkc")}
    load(empty, files)
    rng = random.Random(43)
    for name, data in files.items():
        letters = "".join(rng.choices("aaabn eé", k=60_000))
        same(empty, name, data, [course_text()[:200_000], letters, "x" * 50_000])


def test_lone_surrogates_become_replacement_characters(empty: Engine) -> None:
    data = trained("bpe bytes")
    load(empty, {"mine": data})
    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    texts = ["a\ud800b", "\udc00", "\ud83d\udc4b", "\ud83d"]
    assert empty.ids("mine", texts) == [theirs.encode(text) for text in ("a\ufffdb", "\ufffd", "👋", "\ufffd")]


@pytest.mark.parametrize("name", ["bpe as it comes", "bpe bytes", "bpe suffix", "bpe symbols", "bpe no dummy"])
def test_steps(empty: Engine, name: str) -> None:
    model = load(empty, {"mine": trained(name)})["mine"]
    ours = SentencePieceTokenizer(model=model)
    words = ["tokenization", " the", "x", "", "the  end", "aaaa", "日本", "Straße ", "ing<a>ing"]
    for word, steps in zip(words, empty.ask("steps", name="mine", texts=words)):
        wanted = [(list(step.symbols), step.score) for step in encode_steps(ours.normalize(word), model)]
        assert [parts for _, parts, _, _ in steps] == [parts for parts, _ in wanted], word
        assert [rank for _, _, rank, _ in steps] == [score if score is None else abs(score) for _, score in wanted]
        for (_, before, _, _), (_, after, _, at) in pairwise(steps):
            assert [*before[:at], before[at] + before[at + 1], *before[at + 2 :]] == after


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("bpe")])
def test_words_give_the_same_merges_as_the_text(empty: Engine, name: str) -> None:
    model = load(empty, {"mine": trained(name)})["mine"]
    ours = SentencePieceTokenizer(model=model)
    for text in ["the tokenization of  words", " a b ", "x", "", "日本 語, and Straße", "1234 the-end\nthe"]:
        (words,) = empty.ask("words", name="mine", texts=[text])
        rest = ours.normalize(text)
        for word in words:
            # Between two words there is a lone space.
            begin = rest.index(ours.normalize(word))
            assert rest[:begin] in ("", "▁")
            rest = rest[begin + len(ours.normalize(word)) :]
        assert rest in ("", "▁")
        pieces = ours.encode(text, out_type=str)
        found = empty.ask("wordAt", name="mine", text=text, places=list(range(len(pieces))), specials=False)
        for piece, word in zip(pieces, found):
            if word is not None and not piece.startswith("<0x"):
                assert piece in ours.normalize(word), (text, piece, word)
