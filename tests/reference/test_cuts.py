"""reference.cuts: no token crosses a cut, and every cut that can be proved is found.

``tests/kernels/test_cuts.py`` compares the cuts of the engine, whose ids are those of the whole word.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.errors import InvalidText
from minbpe_course.reference.cuts import cut_word, neighbours_in, safe_cuts
from tests.shared.small_models import LETTERS

pytestmark = pytest.mark.medium


@given(
    tokens=st.lists(st.text(LETTERS, min_size=1, max_size=3).map(str.encode), max_size=8),
    cut=st.lists(st.binary(min_size=1, max_size=4), max_size=4),
    word=st.text(LETTERS, max_size=12),
)
def test_no_token_crosses_a_cut(tokens: list[bytes], cut: list[bytes], word: str) -> None:
    """Tokens of any bytes, most of them no text: a token that lies across a cut somewhere would be a wrong id."""
    tokens = [*tokens, *cut, *(token[1:] for token in tokens), *(token[:-1] for token in tokens)]
    text = word.encode()
    cuts = safe_cuts(text, neighbours_in(tokens))
    for token in filter(None, tokens):
        begin = text.find(token)
        while begin >= 0:
            assert not [at for at in cuts if begin < at < begin + len(token)], (token, text)
            begin = text.find(token, begin + 1)


@given(tokens=st.lists(st.text(LETTERS, min_size=1, max_size=4), max_size=8), word=st.text(LETTERS, max_size=12))
def test_where_tokens_hold_whole_characters_every_safe_place_is_found(tokens: list[str], word: str) -> None:
    held = {token[at : at + 2] for token in tokens for at in range(len(token) - 1)}
    expected = [len(word[:at].encode()) for at in range(1, len(word)) if word[at - 1 : at + 1] not in held]
    assert safe_cuts(word.encode(), neighbours_in(token.encode() for token in tokens)) == expected


def test_a_token_of_half_characters_forbids_by_bytes() -> None:
    # The token holds the end of the first sign and the beginning of the second.
    first, second = "\u4e2d".encode(), "\u65e5".encode()
    neighbours = neighbours_in([first[1:] + second[:1]])
    assert neighbours == (frozenset(), frozenset({(first[-1], second[0])}))
    assert safe_cuts(first + second + first, neighbours) == [6]
    assert cut_word(first + second + first, neighbours) == [first + second, first]


def test_nothing_and_what_is_no_text() -> None:
    nothing = neighbours_in([])
    assert safe_cuts(b"", nothing) == cut_word(b"", nothing) == []
    assert cut_word(b"a", nothing) == [b"a"]
    with pytest.raises(InvalidText, match=r"byte 3 of .* does not belong to UTF-8"):
        safe_cuts("\u4e2d\u65e5".encode()[:5], nothing)
