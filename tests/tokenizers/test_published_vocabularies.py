"""GPT-2, GPT-4 and GPT-4o: the same ids as tiktoken, on text made to be difficult."""

from __future__ import annotations

import pickle

import pytest
import tiktoken

from minbpe_course import Encoding, GPT2Tokenizer, GPT4Tokenizer, get_encoding, use_bundled_vocabularies
from minbpe_course.checks.equality import assert_same_ids
from minbpe_course.corpus.texts import course_text
from tests.shared.cases import LONG, hostile_texts

pytestmark = pytest.mark.slow

NUMBER = 100_000
NAMES = ["gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony"]


@pytest.fixture(scope="module", autouse=True)
def offline(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path_factory.mktemp("tiktoken")))
        use_bundled_vocabularies()
        yield


def ours(name: str):
    if name == "gpt2":
        return GPT2Tokenizer()
    return GPT4Tokenizer() if name == "cl100k_base" else get_encoding(name)


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_generated_text(name: str) -> None:
    theirs = tiktoken.get_encoding(name)
    tokenizer = ours(name)
    texts = hostile_texts(2026, NUMBER, surrogates=True)
    assert_same_ids(texts, tokenizer.encode_ordinary, theirs.encode_ordinary)


@pytest.mark.parametrize("name", NAMES)
def test_course_text_and_long_words(name: str) -> None:
    theirs = tiktoken.get_encoding(name)
    encoding = get_encoding(name)
    text = course_text()
    assert_same_ids(
        [text, *text.splitlines(keepends=True), *LONG.values()], encoding.encode_ordinary, theirs.encode_ordinary
    )
    ids = theirs.encode_ordinary(text)
    assert encoding.decode(ids) == text
    assert encoding.decode_with_offsets(ids) == theirs.decode_with_offsets(ids)
    assert (encoding.n_vocab, encoding.max_token_value) == (theirs.n_vocab, theirs.max_token_value)
    assert encoding.special_tokens_set == theirs.special_tokens_set


@pytest.mark.parametrize("name", NAMES)
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


def test_special_tokens_inside_text() -> None:
    theirs = tiktoken.get_encoding("o200k_harmony")
    encoding = get_encoding("o200k_harmony")
    text = "<|start|>user<|message|>hi <|end|><|reserved_200013|>\n<|endoftext|>"
    for allowed in ["all", set(), {"<|start|>", "<|end|>"}]:
        want = theirs.encode(text, allowed_special=allowed, disallowed_special=())
        assert encoding.encode(text, allowed_special=allowed, disallowed_special=()) == want
        assert encoding.decode(want) == theirs.decode(want)


def test_a_custom_encoding() -> None:
    base = tiktoken.get_encoding("cl100k_base")
    parts = dict(
        pat_str=base._pat_str,
        mergeable_ranks=base._mergeable_ranks,
        special_tokens={**base._special_tokens, "<|im_start|>": 100264, "<|im_end|>": 100265},
    )
    theirs, encoding = tiktoken.Encoding("im", **parts), Encoding("im", **parts)
    for again in (
        encoding,
        pickle.loads(pickle.dumps(encoding)),
        pickle.loads(pickle.dumps(get_encoding("cl100k_base"))),
    ):
        assert_same_ids(hostile_texts(7, 300), again.encode_ordinary, theirs.encode_ordinary)
    parts["special_tokens"] = {"🛑": 100270, "<|end|>": 100271}
    theirs, encoding = tiktoken.Encoding("stop", **parts), Encoding("stop", **parts)
    for text in ["a\ud83d\uded1b", "🛑\ud800", "<|end|>\ud83d", "\ud83d🛑<|end|>"]:
        want = theirs.encode(text, allowed_special="all")
        assert encoding.encode(text, allowed_special="all") == want, ascii(text)
    parts["special_tokens"] = {"<|im_start|>": 100264, "<|im_end|>": 100265}
    theirs, encoding = tiktoken.Encoding("im", **parts), Encoding("im", **parts)
    text = "<|im_start|>system\nhi<|im_end|>"
    assert encoding.encode(text, allowed_special="all") == theirs.encode(text, allowed_special="all")
