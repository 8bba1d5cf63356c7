"""Special tokens against tiktoken, and against the plainest search where tiktoken's answer depends on a hash."""

from __future__ import annotations

import re

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.errors import DisallowedSpecialToken, InvalidSpecialToken
from minbpe_course.text.added_tokens import AddedTokens
from minbpe_course.text.special_places import find_special_token
from minbpe_course.tokenizers.special_tokens import allowed_for_minbpe, allowed_for_tiktoken

CHATML = {"<|im_start|>": 300, "<|im_end|>": 301, "<|pad|>": 302}
# Small alphabets, so that random texts are full of whole, half and neighbouring special tokens.
PARTS = st.sampled_from(["<|im_start|>", "<|im_end|>", "<|pad|>", "<|", "|>", "<", "im_end", "a", " ", "\n", "é", "👋"])
TEXTS = st.lists(PARTS, max_size=12).map("".join)
# Few letters, so that names overlap; and any script.
AB_NAMES = st.lists(st.text("ab", min_size=1, max_size=4), unique=True, max_size=8)
ANY_NAMES = st.lists(st.text(min_size=1, max_size=3), unique=True, max_size=5)


def bytes_only(special_tokens):
    """A tiktoken Encoding without merges, to compare only the handling of special tokens."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    return tiktoken.Encoding("bytes", pat_str=r"[\s\S]", mergeable_ranks=ranks, special_tokens=special_tokens)


def cut_plainly(text, allowed):
    """Leftmost, longest, by trying everything everywhere."""
    pieces, plain, at = [], "", 0
    while at < len(text):
        fitting = [name for name in allowed if text.startswith(name, at)]
        if fitting:
            name = max(fitting, key=len)
            pieces += [plain, allowed[name]] if plain else [allowed[name]]
            plain = ""
            at += len(name)
        else:
            plain += text[at]
            at += 1
    return [*pieces, plain] if plain else pieces


@given(TEXTS, st.frozensets(st.sampled_from([*CHATML, "not special"])))
def test_minbpes_four_answers(text, some):
    inside = [name for name in CHATML if name in text]
    assert allowed_for_minbpe(text, "all", CHATML) == CHATML
    assert allowed_for_minbpe(text, "none", CHATML) == {}
    for kind in (set, frozenset, list, tuple):
        assert allowed_for_minbpe(text, kind(some), CHATML) == {name: CHATML[name] for name in CHATML if name in some}
    if inside:
        with pytest.raises(DisallowedSpecialToken):
            allowed_for_minbpe(text, "none_raise", CHATML)
    else:
        assert allowed_for_minbpe(text, "none_raise", CHATML) == {}


@given(st.text("ab<", max_size=30) | st.text(max_size=30), AB_NAMES | ANY_NAMES)
def test_leftmost_then_longest(text, names):
    allowed = {name: 300 + number for number, name in enumerate(names)}
    assert list(AddedTokens(allowed).cut(text, allowed)) == cut_plainly(text, allowed)


def test_the_error_names_the_leftmost_and_longest():
    assert find_special_token("x<|ab|>", ["<|ab|>", "<|a", "|>"]) == (1, "<|ab|>")
    assert find_special_token("nothing here", CHATML) is None
    assert find_special_token("anything", []) is None


@pytest.mark.parametrize("token", ["<|im_end|>", "it's", "two\nlines"])
def test_the_ways_out_of_tiktokens_error_work_when_pasted(token):
    specials = {token: 300, "other": 301}
    enc = bytes_only(specials)
    text = f"before {token} after"
    with pytest.raises(DisallowedSpecialToken) as caught:
        allowed_for_tiktoken(text, set(), "all", specials)
    allow, this_one, none = re.findall(r"(?:dis)?allowed_special=.*(?=\.\n|\.$)", str(caught.value), flags=re.MULTILINE)
    for way, counts in ((allow, True), (this_one, False), (none, False)):
        arguments = eval(f"dict({way})", {"enc": enc})
        chosen = allowed_for_tiktoken(
            text, arguments.get("allowed_special", set()), arguments.get("disallowed_special", "all"), specials
        )
        assert (token in chosen) == counts == (300 in enc.encode(text, **arguments))


@pytest.mark.parametrize("wrong", ["<|im_end|>", "ALL", None, 7, b"<|im_end|>", {3}])
def test_requests_that_make_no_sense_are_named(wrong):
    with pytest.raises(InvalidSpecialToken):
        allowed_for_minbpe("text", wrong, CHATML)
    with pytest.raises(InvalidSpecialToken):
        allowed_for_tiktoken("text", wrong, (), CHATML)
