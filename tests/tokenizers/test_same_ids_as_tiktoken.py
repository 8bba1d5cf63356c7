"""The ids are tiktoken's: for texts by the million and for every character there is.

In CI a part of it. The whole, a million texts and all code points for each encoding, which takes some minutes::

    MINBPE_COURSE_LONG_TESTS=1 python -m pytest tests/tokenizers/test_same_ids_as_tiktoken.py
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import chain, islice

import pytest
import tiktoken

from minbpe_course import get_encoding, use_bundled_vocabularies
from minbpe_course.checks import assert_same_ids
from minbpe_course.corpus.texts import course_text
from minbpe_course.text import unicode_tables
from tests.shared.cases import LONG as LONG_TEXTS
from tests.shared.cases import hostile_texts, mixed_texts

pytestmark = pytest.mark.medium

LONG = os.environ.get("MINBPE_COURSE_LONG_TESTS") == "1"

# How many generated texts in CI and in the long run.
NUMBERS = {
    "gpt2": (50_000, 1_000_000),
    "cl100k_base": (50_000, 1_000_000),
    "o200k_base": (50_000, 1_000_000),
    "r50k_base": (5_000, 100_000),
    "p50k_base": (5_000, 100_000),
    "o200k_harmony": (5_000, 100_000),
}
AT_A_TIME = 10_000

# Alone, doubled, between letters, digits, spaces, others, after an apostrophe, and in a word of its script.
FRAMES = ("{0}", "{0}{0}", "a{0}b", "A{0}B", "1{0}2", " {0} ", "!{0}!", "'{0}", "中{0}文", "\n{0}{0}{0}\n")


@pytest.fixture(scope="module", autouse=True)
def _bundled() -> None:
    use_bundled_vocabularies()


def assert_equal(name: str, texts: Sequence[str]) -> None:
    """Compare all at once, as lists and as one array; the report of a difference is made afterwards."""
    ours, theirs = get_encoding(name), tiktoken.get_encoding(name)
    wanted = [theirs.encode_ordinary(text) for text in texts]
    found = [ours.encode_ordinary(text) for text in texts]
    ids, offsets = ours.encode_batch_to_array(texts, disallowed_special=(), num_threads=2)
    if found != wanted:
        assert_same_ids(texts, ours.encode_ordinary, theirs.encode_ordinary)
        # The same text alone is right: then it was what came before it.
        place = next(k for k in range(len(texts)) if found[k] != wanted[k])
        pytest.fail(f"{texts[place]!r} became {found[place]}, and {wanted[place]} when asked again")
    assert ids.tolist() == list(chain.from_iterable(wanted))
    assert offsets.tolist()[1:] == list(ends_of(wanted))


def ends_of(lists: list[list[int]]) -> Iterator[int]:
    end = 0
    for each in lists:
        end += len(each)
        yield end


@pytest.mark.parametrize("name", NUMBERS)
def test_generated_texts(name: str) -> None:
    # The same in every run of CI, so that a failure can be repeated.
    texts = mixed_texts(2026, NUMBERS[name][LONG])
    while some := list(islice(texts, AT_A_TIME)):
        assert_equal(name, some)


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_every_code_point(name: str) -> None:
    some = code_points()
    for begin in range(0, len(some), AT_A_TIME):
        texts = [frame.format(chr(code)) for code in some[begin : begin + AT_A_TIME] for frame in FRAMES]
        assert_equal(name, texts)


def code_points() -> list[int]:
    """Every one in the long run; otherwise both sides of every border between two classes, and a sample."""
    if LONG:
        chosen = set(range(0x110000))
    else:
        classes = unicode_tables.character_classes("tiktoken")
        borders = {code for code in range(1, 0x110000) if classes[code] != classes[code - 1]}
        chosen = borders | {code - 1 for code in borders} | set(range(0x300)) | set(range(0x300, 0x110000, 211))
    return sorted(chosen - set(range(0xD800, 0xE000)))


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_texts_with_lone_surrogates(name: str) -> None:
    assert_equal(name, hostile_texts(2026, 100_000 if LONG else 20_000, surrogates=True))


@pytest.mark.parametrize("name", [*NUMBERS, "p50k_edit"])
def test_course_text_and_long_words(name: str) -> None:
    theirs = tiktoken.get_encoding(name)
    encoding = get_encoding(name)
    text = course_text()
    assert_same_ids(
        [text, *text.splitlines(keepends=True), *LONG_TEXTS.values()], encoding.encode_ordinary, theirs.encode_ordinary
    )
    ids = theirs.encode_ordinary(text)
    assert encoding.decode(ids) == text
    assert encoding.decode_with_offsets(ids) == theirs.decode_with_offsets(ids)
    assert (encoding.n_vocab, encoding.max_token_value) == (theirs.n_vocab, theirs.max_token_value)
    assert encoding.special_tokens_set == theirs.special_tokens_set


@pytest.mark.parametrize("name", [*NUMBERS, "p50k_edit"])
def test_every_token_alone(name: str) -> None:
    theirs = tiktoken.get_encoding(name)
    encoding = get_encoding(name)
    assert encoding.token_byte_values() == theirs.token_byte_values()
    for token_id in range(0, theirs.n_vocab, 7):
        try:
            token = theirs.decode_single_token_bytes(token_id)
        except KeyError:
            with pytest.raises(KeyError):
                encoding.decode_single_token_bytes(token_id)
            continue
        assert encoding.decode_single_token_bytes(token_id) == token
        assert encoding.encode_single_token(token) == token_id
        text = token.decode("utf-8", errors="replace")
        assert encoding.encode_ordinary(text) == theirs.encode_ordinary(text)
