"""GPT-2's printable bytes, held to what tiktoken and tokenizers do with the same characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import pre_tokenizers

from minbpe_course.errors import InvalidText
from minbpe_course.text.byte_alphabet import PRINTABLE_ORDER, from_printable, printable_bytes, to_printable


def test_every_byte_has_a_character_of_its_own():
    alphabet = printable_bytes()
    assert sorted(alphabet) == list(range(256)) == sorted(PRINTABLE_ORDER)
    assert len(set(alphabet.values())) == 256
    assert all(character.isprintable() and not character.isspace() for character in alphabet.values())


def test_the_characters_are_those_of_hugging_face():
    assert set(printable_bytes().values()) == set(pre_tokenizers.ByteLevel.alphabet())
    pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    text = "".join(map(chr, range(1, 0x800))) + "한국어 😀\t\n"
    assert to_printable(text.encode("utf-8")) == "".join(part for part, _ in pre_tokenizer.pre_tokenize_str(text))


@given(st.binary())
def test_bytes_come_back(data):
    assert from_printable(to_printable(data)) == data
    assert to_printable(data) == "".join(printable_bytes()[byte] for byte in data)


@pytest.mark.parametrize("text", ["a b", "\n", "caf\u00e9 ", "\u0144", "\u00ad", "\u4e2d"])
def test_a_character_outside_the_alphabet_is_named(text):
    outside = next(c for c in text if c not in printable_bytes().values())
    with pytest.raises(InvalidText) as caught:
        from_printable(text)
    assert f"U+{ord(outside):04X}" in str(caught.value)
    assert f"character {text.index(outside)}" in str(caught.value)
