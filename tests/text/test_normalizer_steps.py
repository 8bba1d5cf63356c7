"""Normalizer steps change text as `tokenizers` does: every code point, and marks of every age in every order."""

from __future__ import annotations

import random
import unicodedata

import numpy as np
import pytest
from tokenizers import normalizers

from minbpe_course.text.code_points import CODE_POINTS
from minbpe_course.text.normalizer_steps import normal_form, normalizer
from minbpe_course.text.unicode_tables import composing_characters
from tests.shared.cases import hostile_texts
from tools.unicode_tables import read_composing

pytestmark = pytest.mark.medium

THEIRS = normalizers.NFC().normalize_str


def test_the_frozen_characters_are_those_that_tokenizers_changes() -> None:
    assert np.flatnonzero(read_composing() != composing_characters()).tolist() == []


def test_texts_of_what_composes() -> None:
    chance = random.Random(3)
    changing = [chr(point) for point in np.flatnonzero(composing_characters()).tolist()]
    # Marks and pairs that came after Unicode 9.
    later = ["\u0898", "\u1ac1", "\U00010eab", "\U00011935", "\U00011930", "\U00011938", "\u0c3c"]
    marks = [character for character in changing if unicodedata.combining(character)]
    hangul = ["\u1100", "\u1161", "\u11a8", "\uac00", "\uac01"]
    for _ in range(20_000):
        parts = chance.choices(chance.choice([changing, marks, hangul, later]) + later + ["e", "a", "\u0301"], k=6)
        text = "".join(parts)
        assert normal_form("NFC", text) == THEIRS(text), text.encode("unicode-escape")
    for text in hostile_texts(5, 3000):
        assert normal_form("NFC", text) == THEIRS(text)


def test_what_has_no_utf8_stays() -> None:
    assert normal_form("NFC", "\ud800e\u0301\udc00") == "\ud800\u00e9\udc00"
    assert normal_form("NFC", "") == ""


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD", "Lowercase"])
def test_every_character_is_normalized_as_tokenizers_does(form):
    ours, theirs = normalizer(((form,),)), getattr(normalizers, form)().normalize_str
    characters = [chr(point) for point in range(CODE_POINTS) if not 0xD800 <= point < 0xE000]
    changed = [one for one in characters if ours(one) != theirs(one)]
    assert changed == []
    joined = "x".join(random.Random(1).choices(characters, k=20_000))
    assert ours(joined) == theirs(joined)
