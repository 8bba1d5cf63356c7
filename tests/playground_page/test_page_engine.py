"""The page's tokenizer in JavaScript against tiktoken: the same ids, words, steps and special tokens."""

from __future__ import annotations

import base64
import random
import zlib
from collections.abc import Iterator

import pytest
import tiktoken

from minbpe_course import get_encoding, list_encoding_names, use_bundled_vocabularies, vocabularies
from minbpe_course.inspecting.tokenizer_view import view_of
from minbpe_course.playground_page.page_data import page_data
from minbpe_course.playground_page.sources import source
from minbpe_course.playground_page.word_merges import LONGEST_WORD, word_merges
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text import patterns, unicode_tables
from tests.playground_page.page_engine import Engine, engine_for
from tests.shared.cases import LONG as LONG_TEXTS
from tests.shared.cases import hostile_texts, mixed_texts

pytestmark = [pytest.mark.medium, pytest.mark.browser]

NAMES = list_encoding_names()


@pytest.fixture(scope="module", autouse=True)
def _bundled() -> None:
    use_bundled_vocabularies()


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with engine_for(page_data(NAMES)) as started:
        yield started


def generated(seed: int, number: int) -> list[str]:
    """Texts of every kind, a fifth of them with surrogates, alone and in pairs."""
    hostile = number // 5
    return [*mixed_texts(seed, number - hostile), *hostile_texts(seed, hostile, surrogates=True)]


def assert_equal(texts: list[str], found: list, wanted: list) -> None:
    assert len(texts) == len(found) == len(wanted)
    for text, mine, theirs in zip(texts, found, wanted):
        assert mine == theirs, f"{text!r} became {mine}, and {theirs} in Python"


@pytest.mark.parametrize("name", NAMES)
def test_tokens_and_special_tokens(engine: Engine, name: str) -> None:
    rng = random.Random(name)
    theirs = tiktoken.get_encoding(name)
    specials = sorted(theirs.special_tokens_set)
    texts = []
    for text in generated(5, 1500):
        parts = [text, *rng.choices([*specials, "<|endoftext|", "<|", "|>"], k=rng.choice((0, 1, 1, 3)))]
        rng.shuffle(parts)
        texts.append("".join(parts))
    wanted, ordinary = [], []
    for text in texts:
        ids = theirs.encode(text, allowed_special="all")
        tokens = [token.hex() for token in theirs.decode_tokens_bytes(ids)]
        wanted.append((ids, tokens, [at for at, each in enumerate(ids) if theirs.is_special_token(each)]))
        ids = theirs.encode_ordinary(text)
        ordinary.append((ids, [token.hex() for token in theirs.decode_tokens_bytes(ids)], []))
    assert_equal(texts, engine.cuts(name, texts, specials=True), wanted)
    assert_equal(texts, engine.cuts(name, texts, specials=False), ordinary)
    assert sum(len(special) for *_, special in wanted) > 150


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_long_words(engine: Engine, name: str) -> None:
    # A quadratic algorithm would take hours.
    texts = list(LONG_TEXTS.values())
    ours = get_encoding(name)
    for text in texts:
        assert engine.ids(name, [text])[0] == ours.encode_ordinary(text)


@pytest.mark.parametrize("name", unicode_tables.ENGINES)
def test_every_code_point_has_its_class(engine: Engine, name: str) -> None:
    packed = zlib_entry(unicode_tables.data_file(f"classes-{name}").read_bytes())
    found = base64.b64decode(engine.ask("classes", packed=packed))
    assert found == unicode_tables.character_classes(name).tobytes()


@pytest.mark.parametrize("name", ["gpt2", "o200k_base"])
def test_the_word_of_a_token(engine: Engine, name: str) -> None:
    ours = get_encoding(name)
    splitter = Splitter(patterns.named_pattern(name))
    for text in ["hello world", "a<|endoftext|> tokenization 日本語<|endoftext|>x", *mixed_texts(12, 60)]:
        wanted: list[str | None] = []
        for k, part in enumerate(text.split("<|endoftext|>")):
            wanted += [None] * (k > 0)
            for word in splitter.words(part):
                wanted += [word.decode()] * len(ours.encode_ordinary(word.decode()))
        places = range(len(wanted))
        found = engine.ask("wordAt", name=name, text=text, places=list(places), specials=True)
        assert found == wanted, text


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "p50k_base"])
def test_steps(engine: Engine, name: str) -> None:
    merges, token_bytes = word_merges(view_of(name)), vocabularies.load(name).token_bytes
    words = [" tokenization", "aaaaaaa", "日本語", "", "x", "   ", " Straße", *mixed_texts(13, 40)]
    words = [word for word in words if len(word.encode()) <= LONGEST_WORD]
    for word, steps in zip(words, engine.ask("steps", name=name, texts=words)):
        wanted = [[[part.hex() for part in step.parts], step.rank, step.at] for step in merges.steps(word)]
        assert [list(step) for _, *step in steps] == wanted, word
        assert all([token_bytes[each].hex() for each in ids] == parts for ids, parts, *_ in steps), word


def test_packed_data_is_unpacked_and_damaged_data_refused(engine: Engine) -> None:
    data = b"The same words, the same bytes, again and again and again. " * 20
    compressed = zlib.compress(data, 9)
    assert base64.b64decode(engine.ask("unpack", packed=zlib_entry(compressed))) == data
    for damaged in (b"", compressed[:-1], compressed[:20], compressed[:-1] + bytes([compressed[-1] ^ 1])):
        with pytest.raises(RuntimeError):
            engine.ask("unpack", packed=zlib_entry(damaged))


def test_a_browser_without_decompression_is_told_which_ones_have_it() -> None:
    old_browser = "const DecompressionStream = undefined;\n" + source("engine/engine.js")
    with engine_for(None, old_browser) as old, pytest.raises(RuntimeError, match="it has no DecompressionStream"):
        old.ask("data", data=page_data(["gpt2"]))


def test_an_older_browser_repairs_texts_as_well() -> None:
    without = source("engine/engine.js").replace("text.toWellFormed", "text.notYetThere")
    texts = hostile_texts(53, 100, surrogates=True)
    with engine_for(page_data(["gpt2"]), without) as old:
        assert_equal(texts, old.ids("gpt2", texts), [list(view_of("gpt2").cut(text).ids) for text in texts])


def zlib_entry(compressed: bytes) -> dict[str, str]:
    return {"zlib": base64.b64encode(compressed).decode()}
