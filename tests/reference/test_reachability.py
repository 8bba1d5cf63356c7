"""The fates of tokens and the tokens across an end, compared with tiktoken and with a search of all tokens."""

from __future__ import annotations

from collections import Counter

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course import use_bundled_vocabularies
from minbpe_course.reference.reachability import fates
from minbpe_course.reference.unstable import Crossing, crossing_tokens

pytestmark = pytest.mark.medium


@pytest.fixture(scope="module", params=["gpt2", "cl100k_base", "o200k_base"])
def encoding(request: pytest.FixtureRequest) -> tiktoken.Encoding:
    use_bundled_vocabularies()
    return tiktoken.get_encoding(request.param)


def test_all_tokens_of_the_published_vocabularies(encoding: tiktoken.Encoding) -> None:
    vocabulary = {encoding.encode_single_token(token): token for token in encoding.token_byte_values()}
    found = list(fates(vocabulary, encoding.encode_ordinary))
    assert [one.token_id for one in found] == list(vocabulary)
    for one in found:
        readable = "\ufffd" not in encoding.decode([one.token_id]) or "\ufffd".encode() in vocabulary[one.token_id]
        assert readable == (one.kind != "part of a character")
    # Counts published by others: partial characters, and the twelve of o200k_base.
    counted = Counter(one.kind for one in found)
    assert counted["part of a character"] == {"gpt2": 344, "cl100k_base": 773, "o200k_base": 1562}[encoding.name]
    assert counted["other tokens"] == {"gpt2": 0, "cl100k_base": 0, "o200k_base": 12}[encoding.name]
    for one in found:
        if one.kind == "other tokens":
            assert encoding.decode_bytes(list(one.ids)) == vocabulary[one.token_id]


@given(st.binary(max_size=6), st.sets(st.binary(min_size=1, max_size=6), max_size=30))
def test_crossing_tokens_are_those_that_go_beyond_the_end(end: bytes, tokens: set[bytes]) -> None:
    slow = []
    for at in range(len(end)):
        beyond = tuple(sorted(token for token in tokens if token.startswith(end[at:]) and token != end[at:]))
        slow += [Crossing(at, beyond)] if beyond else []
    assert list(crossing_tokens(end, sorted(tokens))) == slow
